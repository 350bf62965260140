/*
 * Baseline files that are cut off, changed, or of other versions.
 */
#include "compare/baseline/baseline_file.h"
#include "compare/made_baseline.h"
#include "compare/made_runs.h"
#include "run.h"

#include <string.h>

static int decode(const void *p, size_t n)
{
    struct tk_baseline b = {0};
    struct tk_err err = {0};
    int rc = tk_baseline_decode(&b, p, n, &err);
    ck_assert(rc == TK_OK || err.n > 0);
    made_release(&b);
    return rc;
}

START_TEST(what_is_cut_off_or_changed_is_refused)
{
    struct tk_baseline b;
    struct tk_baseline_bytes bytes;
    made_baseline(&b, &bytes, 2);
    for (size_t n = 0; n < bytes.n; n++) {
        uint8_t *copy = malloc(n + 1); /* so that reading too far is seen */
        memcpy(copy, bytes.v, n);
        ck_assert_int_eq(decode(copy, n), TK_EFORMAT);
        free(copy);
    }
    for (size_t i = 0; i < bytes.n; i++) {
        bytes.v[i] ^= 0x41;
        ck_assert_int_eq(decode(bytes.v, bytes.n), TK_EFORMAT);
        bytes.v[i] ^= 0x41;
    }
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_OK);
    made_release(&b);
    free(bytes.v);
}
END_TEST

/* Of a file whose second run is damaged, or that holds a run twice, no run is used. */
START_TEST(damaged_files_give_nothing)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    made_baseline(&b, &bytes, 2);
    ck_assert_int_eq(tk_baseline_decode(&back, bytes.v, bytes.n - 30, &err), TK_EFORMAT);
    ck_assert_uint_eq(back.runs.n, 0);
    ck_assert_int_eq(tk_baseline_take(&back, made_run(2, made_timers, 3), &err), TK_OK);
    ck_assert_int_eq(tk_baseline_decode(&back, bytes.v, bytes.n, &err), TK_EUSAGE);
    ck_assert_uint_eq(back.runs.n, 1);
    made_release(&b);
    made_release(&back);
    free(bytes.v);
}
END_TEST

/* No frames, and paths each below the one before it, whose names together have n (n + 1) / 2 parts of 5
 * bytes. */
START_TEST(runs_that_cannot_be_are_refused)
{
    const uint32_t deep = 12000;
    struct tk_baseline_bytes bytes = {0};
    struct tk_err err = {0};
    struct tk_baseline b = {0};
    struct tk_base_run *run = made_run(1, made_timers, 3);
    for (uint32_t i = 0; i < deep; i++)
        ck_assert(!tk_vec_push(&run->paths, ((struct tk_path){.parent = i, .timer = run->series.v[0]})));
    ck_assert_int_eq(tk_baseline_take(&b, run, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_EFORMAT);
    run->paths.n = 2000;
    bytes.n = 0;
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_OK);
    run->paths.n = run->frames.n = run->n_blocks = 0;
    bytes.n = 0;
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_EFORMAT);
    made_release(&b);
    free(bytes.v);
}
END_TEST

/* Payloads with wrong numbers but right checksums: every byte of every section, set to a few values. */
START_TEST(contradictions_do_no_harm)
{
    struct tk_baseline b;
    struct tk_baseline_bytes bytes;
    made_baseline(&b, &bytes, 1);
    for (size_t at = TK_BASELINE_HEAD, n; at < bytes.n; at += 20 + n) {
        n = 0;
        for (int i = 7; i >= 0; i--)
            n = n << 8 | bytes.v[at + 4 + (size_t)i];
        for (size_t i = 0; i < n; i++) {
            static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
            uint8_t *byte = &bytes.v[at + 20 + i], old = *byte;
            for (size_t v = 0; v < sizeof values; v++) {
                *byte = values[v];
                uint64_t sum = tk_baseline_checksum(bytes.v + at, bytes.v + at + 20, n);
                for (size_t k = 0; k < 8; k++)
                    bytes.v[at + 12 + k] = (uint8_t)(sum >> (8 * k));
                int rc = decode(bytes.v, bytes.n);
                ck_assert(rc == TK_OK || rc == TK_EFORMAT || rc == TK_ENOMEM);
            }
            *byte = old;
            uint64_t sum = tk_baseline_checksum(bytes.v + at, bytes.v + at + 20, n);
            for (size_t k = 0; k < 8; k++)
                bytes.v[at + 12 + k] = (uint8_t)(sum >> (8 * k));
        }
    }
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_OK);
    made_release(&b);
    free(bytes.v);
}
END_TEST

START_TEST(newer_versions_are_refused_and_unknown_sections_skipped)
{
    struct tk_baseline b;
    struct tk_baseline_bytes bytes;
    made_baseline(&b, &bytes, 1);
    bytes.v[8] = TK_BASELINE_VERSION + 1;
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_EFORMAT);
    bytes.v[8] = TK_BASELINE_VERSION;
    uint8_t *more = malloc(bytes.n + 23);
    uint64_t sum = tk_baseline_checksum("NEW!", "abc", 3);
    memcpy(more, bytes.v, TK_BASELINE_HEAD);
    memcpy(more + 12, "NEW!\3\0\0\0\0\0\0\0", 12);
    for (size_t k = 0; k < 8; k++)
        more[24 + k] = (uint8_t)(sum >> (8 * k));
    memcpy(more + 32, "abc", 3);
    memcpy(more + 35, bytes.v + 12, bytes.n - 12);
    ck_assert_int_eq(decode(more, bytes.n + 23), TK_OK);
    free(more);
    made_release(&b);
    free(bytes.v);
}
END_TEST

/* Nothing is read there, so that no run keeps the bytes; nor where a file has several. */
START_TEST(a_run_behind_the_end_keeps_nothing)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes = {0};
    struct tk_err err = {0};
    b = (struct tk_baseline){0};
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    uint8_t *own = calloc(bytes.n + 20, 1); /* and a section without bytes */
    memcpy(own, bytes.v, bytes.n);
    memcpy(own + bytes.n, "SERI", 4);
    ck_assert_int_eq(tk_baseline_take(&back, made_run(7, made_timers, 3), &err), TK_OK);
    ck_assert_int_eq(tk_baseline_decode_own(&back, own, bytes.n + 20, &err), TK_OK);
    ck_assert(back.runs.n == 1 && !back.runs.v[0]->file);
    free(bytes.v);
    made_baseline(&b, &bytes, 2);
    own = malloc(bytes.n);
    memcpy(own, bytes.v, bytes.n);
    ck_assert_int_eq(tk_baseline_decode_own(&back, own, bytes.n, &err), TK_OK);
    ck_assert(back.runs.n == 3 && !back.runs.v[1]->file && !back.runs.v[2]->file);
    ck_assert_int_eq(tk_baseline_encode(&back, &bytes, &err), TK_OK);
    free(bytes.v);
    made_release(&b);
    made_release(&back);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_is_cut_off_or_changed_is_refused,
                                  damaged_files_give_nothing,
                                  runs_that_cannot_be_are_refused,
                                  contradictions_do_no_harm,
                                  newer_versions_are_refused_and_unknown_sections_skipped,
                                  a_run_behind_the_end_keeps_nothing};
    return RUN_TESTS("baseline_damage", tests);
}
