/*
 * Baseline files: as they are, and with checksums made right, so that what lies behind them is reached. What
 * can be read is written again, and read again to the same bytes; runs that are compared with themselves have
 * not changed. Values that are read alone are those of the series.
 */
#include "base/checksum.h"
#include "base/cursor.h"
#include "compare/baseline/baseline_file.h"
#include "compare/baseline/segments.h"
#include "questions.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

enum { SECTION = 20 };

static void put64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

/* Sets the checksum of each section. */
static void mend(uint8_t *p, size_t n)
{
    for (size_t at = TK_BASELINE_HEAD; at + SECTION <= n;) {
        uint64_t size = tk_load64(p + at + 4);
        if (size > n - at - SECTION)
            return;
        put64(p + at + 12, tk_load32(p + 8) == 1
                               ? tk_checksum(p + at + SECTION, (size_t)size, 0)
                               : tk_baseline_checksum(p + at, p + at + SECTION, (size_t)size));
        at += SECTION + (size_t)size;
    }
}

static struct tk_baseline *decode(const void *p, size_t n)
{
    struct tk_baseline *b;
    struct tk_err err = {0};
    fuzz_promise(tk_baseline_new(&b, &err) == TK_OK, "memory for a baseline");
    uint8_t *own = n % 2 ? malloc(n) : NULL; /* bytes that a run may keep */
    if (own)
        memcpy(own, p, n);
    int rc = own ? tk_baseline_decode_own(b, own, n, &err) : tk_baseline_decode(b, p, n, &err);
    fuzz_promise(rc == TK_OK || (err.n && (rc == TK_EFORMAT || rc == TK_EUSAGE || rc == TK_ELIMIT)),
                 "read, or refused with a cause");
    if (rc != TK_OK) {
        tk_baseline_free(b);
        b = NULL;
    }
    return b;
}

struct bytes {
    const uint8_t *p;
    size_t n;
};

static int read_bytes(void *ctx, uint64_t at, void *to, size_t n, struct tk_err *err)
{
    const struct bytes *b = ctx;
    (void)err;
    fuzz_promise(at <= b->n && n <= b->n - at, "places within the file");
    memcpy(to, b->p + at, n);
    return TK_OK;
}

/* Those of the file are those of the series, where `all` of the file was read; NULL: whatever they are. */
static void read_values(const uint8_t *p, size_t n, const struct tk_baseline *all)
{
    struct bytes bytes = {p, n};
    const struct tk_baseline_source from = {n, read_bytes, &bytes};
    struct tk_baseline *b;
    struct tk_err err = {0};
    fuzz_promise(tk_baseline_new(&b, &err) == TK_OK, "memory for a baseline");
    int rc = tk_baseline_decode_values(b, &from, &err);
    fuzz_promise(rc >= 0 || err.n, "read, or refused with a cause");
    fuzz_promise((rc == 1 || !b->runs.n) && (!all || (rc == 1 && b->runs.n == all->runs.n)),
                 "all runs or none");
    for (size_t i = 0; all && i < b->runs.n; i++) {
        struct tk_run_values values = {0};
        fuzz_promise(tk_base_run_values(all->runs.v[i], &values) == 0, "memory for values");
        fuzz_promise(values.n == b->runs.v[i]->values.n, "as many values as series have");
        for (size_t k = 0; k < values.n; k++) {
            const struct tk_run_value *x = &values.v[k], *y = &b->runs.v[i]->values.v[k];
            fuzz_promise(x->kind == y->kind && x->value <= y->value && x->value >= y->value &&
                             x->name->n == y->name->n,
                         "the values of the series");
        }
        tk_vec_release(&values);
    }
    tk_baseline_free(b);
}

/* Is there a section that nobody knows, and that writing would lose? */
static bool has_unknown(const struct tk_baseline *b)
{
    for (size_t i = 0; i < b->runs.n; i++)
        if (b->runs.v[i]->unknown[0])
            return true;
    return false;
}

static void write_again(const struct tk_baseline *b, bool twice)
{
    struct tk_baseline_bytes bytes = {0};
    struct tk_err err = {0};
    if (has_unknown(b)) {
        fuzz_promise(tk_baseline_encode(b, &bytes, &err) < 0 && err.n, "what would be lost is not written");
        free(bytes.v);
        return;
    }
    fuzz_promise(tk_baseline_encode(b, &bytes, &err) == TK_OK, "what was read can be written");
    if (!twice) {
        struct tk_baseline *again = decode(bytes.v, bytes.n);
        struct tk_baseline_bytes other = {0};
        fuzz_promise(again != NULL, "what was written can be read");
        read_values(bytes.v, bytes.n, again);
        fuzz_promise(tk_baseline_encode(again, &other, &err) == TK_OK && other.n == bytes.n &&
                         (bytes.n == 0 || memcmp(other.v, bytes.v, bytes.n) == 0),
                     "the same bytes again");
        free(other.v);
        tk_baseline_free(again);
    }
    free(bytes.v);
}

/* Runs that are cut to some of their frames can be compared and written as any others. */
static void cut(struct tk_baseline *b, bool regions)
{
    static const char *const all[] = {"*"};
    const struct tk_segment_choice choice = {.regions = all, .n_regions = regions, .no_warmup = !regions};
    struct tk_err err = {0};
    int rc = tk_baseline_cut(b, &choice, &err);
    fuzz_error(rc, &err);
    if (rc == TK_OK) {
        write_again(b, false);
        fuzz_compare(b);
    }
}

static void check(const uint8_t *p, size_t n)
{
    read_values(p, n, NULL);
    struct tk_baseline *b = decode(p, n);
    if (!b)
        return;
    write_again(b, false);
    if (n % 4 == 0)
        fuzz_compare(b);
    else if (n % 4 == 1)
        cut(b, n % 8 == 1);
    tk_baseline_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *p = fuzz_copy(data, size);
    check(p, size);
    if (size >= TK_BASELINE_HEAD + SECTION) {
        mend(p, size);
        check(p, size);
    }
    free(p);
    return 0;
}
