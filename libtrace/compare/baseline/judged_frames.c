/*
 * Judged frames of runs: which are hitches, and how smoothly they come.
 */
#include "base/sort.h"
#include "compare/baseline/baseline_in.h"

#include <stdlib.h>
#include <string.h>

/* Lengths of frames in ms; owned by the caller. NULL if out of memory. */
static double *lengths_of(const struct tk_base_run *run, size_t first)
{
    double *ms = malloc((run->frames.n - first + 1) * sizeof *ms);
    for (size_t i = first; ms && i < run->frames.n; i++)
        ms[i - first] = tk_base_ms(run, (double)run->frames.v[i]);
    return ms;
}

int tk_base_run_judge(struct tk_base_run *run)
{
    const struct tk_hitch_rule local = {TK_HITCH_RULE_LOCAL, 0};
    if (run->judged.n == run->frames.n)
        return 0;
    tk_judged_frames_release(&run->judged);
    double *ms = lengths_of(run, 0);
    const int rc = ms ? tk_frames_judge(&run->judged, ms, run->frames.n, &local) : -1;
    free(ms);
    return rc;
}

int tk_base_run_smoothness(const struct tk_base_run *run, size_t first, double target, bool without_classes,
                           struct tk_smoothness *out)
{
    const size_t n = run->judged.n == run->frames.n ? run->frames.n - first : 0; /* it was judged */
    double *ms = lengths_of(run, first);
    uint8_t *is = calloc(n + 1, sizeof *is);
    struct tk_judged_frames part = {
        .n = n, .expected = n ? run->judged.expected + first : NULL, .is = is, .alone = run->frames.n == 1};
    for (size_t i = 0; is && i < n; i++) {
        is[i] = (uint8_t)tk_base_run_is(run, first + i, without_classes);
        part.startup += is[i] & TK_FRAME_IS_STARTUP ? 1 : 0;
    }
    const int rc = ms && is ? tk_smoothness_of(out, ms, &part, target) : -1;
    free(ms);
    free(is);
    return rc;
}

/* ---- the section HITC ---- */

static int fill_flags(struct tk_base_run *run, struct tk_cur *c, struct tk_err *err)
{
    size_t at = 0;
    while (at < run->frames.n && tk_cur_ok(c)) {
        const uint64_t n = tk_varint(c, "hitches");
        const uint8_t is = tk_u8(c, "hitches");
        if (!tk_cur_ok(c))
            break;
        if (n == 0 || n > run->frames.n - at || is > TK_FRAME_IS_BITS)
            return tk_base_read_wrong(err, "hitches of frames that do not exist");
        memset(run->judged.is + at, is, (size_t)n);
        run->judged.startup += is & TK_FRAME_IS_STARTUP ? (size_t)n : 0;
        at += (size_t)n;
    }
    return TK_OK;
}

int tk_base_read_hitches(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    struct tk_base_run *run = r->run;
    const uint8_t rule = tk_u8(c, "hitches"), knows = tk_u8(c, "hitches");
    tk_varint(c, "hitches");
    if (rule != TK_HITCH_RULE_LOCAL) /* of another program: judged anew */
        return TK_OK;
    const size_t n = run->frames.n;
    run->judged.expected = calloc(n + 1, sizeof *run->judged.expected);
    run->judged.is = calloc(n + 1, sizeof *run->judged.is);
    if (!run->judged.expected || !run->judged.is)
        return tk_err_nomem(err, "the hitches of a run");
    run->judged.n = n;
    run->knows_loading = knows & 1;
    const int rc = fill_flags(run, c, err);
    for (size_t i = 0; i < n; i++) {
        const bool late = run->judged.is[i] & TK_FRAME_IS_LATE;
        const uint64_t expected = late ? tk_varint(c, "hitches") : run->frames.v[i];
        run->judged.expected[i] = tk_base_ms(run, (double)expected);
    }
    return rc;
}

/* ---- the section WHYS ---- */

int tk_base_read_reasons(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err)
{
    struct tk_base_run *run = r->run;
    const uint64_t n = tk_varint(c, "reasons of hitches");
    if (n > tk_cur_left(c))
        return tk_base_read_wrong(err, "more hitches than bytes");
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++) {
        struct tk_base_hitch hitch = {.number = (uint32_t)(tk_varint(c, "a hitch") & UINT32_MAX)};
        hitch.frame = tk_varint(c, "a hitch");
        hitch.role = tk_u8(c, "a hitch") % TK_ROLES;
        hitch.thread = tk_base_read_name(r, c);
        hitch.timer = tk_base_read_name(r, c);
        hitch.excess = tk_base_read_real(c, "a hitch");
        hitch.cause_role = tk_u8(c, "a hitch") % TK_ROLES;
        hitch.cause_thread = tk_base_read_name(r, c);
        hitch.cause = tk_base_read_name(r, c);
        hitch.growth = tk_base_read_real(c, "a hitch");
        if (tk_cur_ok(c) && tk_vec_push(&run->reasons, hitch))
            return tk_err_nomem(err, "the hitches of a run");
    }
    run->knows_reasons = true;
    return TK_OK;
}

size_t tk_base_run_find_frame(const struct tk_base_run *run, uint32_t number)
{
    size_t at;
    if (!run->numbers)
        return number < run->frames.n ? number : run->frames.n;
    TK_SEARCH(at, run->frames.n, run->numbers[at] < number);
    return at < run->frames.n && run->numbers[at] == number ? at : run->frames.n;
}
