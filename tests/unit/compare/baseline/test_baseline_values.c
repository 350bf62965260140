/*
 * Values of runs, read from a baseline file without the rest of it.
 */
#include "base/cursor.h"
#include "compare/baseline/baseline_file.h"
#include "compare/made_baseline.h"
#include "compare/made_runs.h"
#include "run.h"

#include <string.h>

static int read_source(void *ctx, uint64_t at, void *to, size_t n, struct tk_err *err)
{
    const struct tk_baseline_bytes *bytes = ctx;
    (void)err;
    ck_assert(at <= bytes->n && n <= bytes->n - at);
    memcpy(to, bytes->v + at, n);
    return TK_OK;
}

static int read_brief(struct tk_baseline *b, struct tk_baseline_bytes *bytes)
{
    const struct tk_baseline_source from = {bytes->n, read_source, bytes};
    struct tk_err err = {0};
    int rc = tk_baseline_decode_values(b, &from, &err);
    ck_assert(rc >= 0 || err.n > 0);
    return rc;
}

static bool is_called(const struct tk_str *s, const char *name)
{
    return s->n == strlen(name) && memcmp(s->p, name, s->n) == 0;
}

static const struct tk_run_value *value_called(const struct tk_run_values *v, const char *name)
{
    for (size_t i = 0; i < v->n; i++)
        if (is_called(v->v[i].name, name))
            return &v->v[i];
    return NULL;
}

/* Timers of 64 calls in 64 frames; what is added up and greatest by hand. Errors of the log have no value. */
static void check_values(const struct tk_run_values *v)
{
    ck_assert_uint_eq(v->n, 6);
    ck_assert(value_called(v, "Draw")->value == 3500 * 64 &&
              is_called(value_called(v, "Draw")->parent, "Tick"));
    ck_assert(value_called(v, "Tick")->value == 2000 * 64 && !value_called(v, "Tick")->parent);
    ck_assert(value_called(v, "Idle")->value == -9000 && value_called(v, "Idle")->kind == TK_SERIES_TIMER);
    ck_assert(is_called(value_called(v, "Idle")->group, "Main"));
    ck_assert(value_called(v, "Actors")->value == 2 && value_called(v, "Actors")->kind == TK_SERIES_COUNTER);
    ck_assert(value_called(v, "loading")->value == 55 &&
              value_called(v, "loading")->kind == TK_SERIES_LOADING);
    ck_assert(value_called(v, "Textures")->value == 1e6);
}

static void make_valued(struct tk_baseline *b, struct tk_baseline_bytes *bytes)
{
    struct tk_err err = {0};
    made_baseline(b, bytes, 2);
    struct tk_base_run *run = b->runs.v[0];
    ck_assert(is_called(run->series.v[4]->name, "loading") && is_called(run->series.v[1]->name, "Idle"));
    run->series.v[4]->incl = 55;
    run->series.v[1]->own = -9000;
    struct tk_series *memory = tk_base_run_add(run, TK_SERIES_MEMORY),
                     *log = tk_base_run_add(run, TK_SERIES_LOG);
    memory->name = tk_intern_c(&run->names, "Textures");
    memory->high = 1e6;
    log->name = tk_intern_c(&run->names, "errors");
    log->count = 3;
    const struct tk_path other = {.parent = 1, .timer = run->paths.v[1].timer, .count = 32};
    const struct tk_path rare = {.parent = 2, .timer = run->paths.v[1].timer, .count = 31};
    ck_assert(!tk_vec_push(&run->paths, other) && !tk_vec_push(&run->paths, rare));
    tk_base_run_tidy(run);
    bytes->n = 0;
    ck_assert_int_eq(tk_baseline_encode(b, bytes, &err), TK_OK);
}

START_TEST(values_are_read_without_the_rest)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    struct tk_run_values values = {0};
    make_valued(&b, &bytes);
    ck_assert_int_eq(tk_base_run_values(b.runs.v[0], &values), 0);
    check_values(&values);
    ck_assert_int_eq(read_brief(&back, &bytes), 1);
    ck_assert_uint_eq(back.runs.n, 2);
    const struct tk_base_run *run = back.runs.v[0];
    ck_assert(run->brief && run->series.n == 0 && run->hash == 1 && run->frequency == 1000000);
    ck_assert(run->frames.n == MADE_FRAMES && run->frames.v[63] == 16000);
    check_values(&run->values);
    ck_assert(value_called(&back.runs.v[1]->values, "Idle")->value == 9000 * 64);
    bytes.n = 0;
    ck_assert_int_eq(tk_baseline_encode(&back, &bytes, &err), TK_EUSAGE);
    ck_assert_uint_eq(bytes.n, 0);
    tk_vec_release(&values);
    made_release(&b);
    made_release(&back);
    free(bytes.v);
}
END_TEST

/* Cut at any byte it is refused. A change is found in what is read, and does no harm in what is not; the same
 * run twice is refused. */
START_TEST(damaged_files_give_no_values)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    size_t passed = 0;
    make_valued(&b, &bytes);
    for (size_t n = 0; n < bytes.n; n++) {
        struct tk_baseline_bytes copy = {malloc(n + 1), n, n}; /* so that reading too far is seen */
        memcpy(copy.v, bytes.v, n);
        ck_assert_int_eq(read_brief(&back, &copy), TK_EFORMAT);
        free(copy.v);
    }
    for (size_t i = 0; i < bytes.n; i++) {
        bytes.v[i] ^= 0x41;
        int rc = read_brief(&back, &bytes);
        ck_assert(rc == TK_EFORMAT || rc == 0 || (rc == 1 && back.runs.n == 2));
        passed += rc == 1;
        made_release(&back);
        bytes.v[i] ^= 0x41;
    }
    ck_assert(passed > bytes.n / 3 && passed < bytes.n);
    ck_assert_int_eq(read_brief(&back, &bytes), 1);
    ck_assert_int_eq(read_brief(&back, &bytes), TK_EUSAGE);
    ck_assert_uint_eq(back.runs.n, 2);
    made_release(&b);
    made_release(&back);
    free(bytes.v);
}
END_TEST

static size_t place_of(const struct tk_baseline_bytes *bytes, const char *tag)
{
    size_t at = TK_BASELINE_HEAD;
    while (memcmp(bytes->v + at, tag, 4) != 0)
        at += 20 + (size_t)tk_load64(bytes->v + at + 4);
    return at;
}

/* As older programs wrote it; and with a section in the place of another. */
START_TEST(files_without_values_have_none)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    make_valued(&b, &bytes);
    memcpy(bytes.v + place_of(&bytes, "VALU"), "OLD ", 4);
    ck_assert_int_eq(read_brief(&back, &bytes), 0);
    ck_assert_uint_eq(back.runs.n, 0);
    memcpy(bytes.v + place_of(&bytes, "OLD "), "SERI", 4); /* before that of the run */
    ck_assert_int_eq(read_brief(&back, &bytes), 0);
    memcpy(bytes.v + place_of(&bytes, "SERI"), "VALU", 4);
    bytes.v[8] = 1;
    ck_assert_int_eq(read_brief(&back, &bytes), 0);
    bytes.v[8] = TK_BASELINE_VERSION + 1;
    ck_assert_int_eq(read_brief(&back, &bytes), TK_EFORMAT);
    bytes.v[8] = 2;
    memcpy(bytes.v + place_of(&bytes, "NAME"), "SERI", 4);
    ck_assert_int_eq(read_brief(&back, &bytes), TK_EFORMAT);
    ck_assert_uint_eq(back.runs.n, 0);
    made_release(&b);
    free(bytes.v);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {values_are_read_without_the_rest, damaged_files_give_no_values,
                                  files_without_values_have_none};
    return RUN_TESTS("baseline_values", tests);
}
