/*
 * Runs that are not what they seem: too short, ended in a crash, or of another program. See sides.h.
 */
#include "base/text/text.h"
#include "compare/baseline/run_info.h"
#include "compare/verdict/probability.h"
#include "compare/verdict/sides.h"

#include <stdlib.h>
#include <string.h>

#define WHOLE 0.9 /* of the frames, or of the time, makes a whole run */

static double seconds_of_flaws(const struct tk_base_run *run)
{
    double cycles = 0;
    for (size_t i = 0; i < run->frames.n; i++)
        cycles += (double)run->frames.v[i];
    return tk_base_ms(run, cycles) / 1e3;
}

/* The medians of the frames and of the time of runs. 0, or -1 if out of memory. */
static int find_usual(const struct tk_baseline *base, double *frames, double *seconds)
{
    const size_t n = base ? base->runs.n : 0;
    double *v = malloc((n + 1) * sizeof *v);
    if (!v)
        return -1;
    for (size_t i = 0; i < n; i++)
        v[i] = (double)base->runs.v[i]->frames.n;
    *frames = tk_probability_median(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = seconds_of_flaws(base->runs.v[i]);
    *seconds = tk_probability_median(v, n);
    free(v);
    return 0;
}

static const struct tk_str *keep_flaw(struct tk_sides *sides, const struct tk_str *text)
{
    return text ? tk_intern(&sides->names, text->p, text->n, (enum tk_encoding)text->enc) : NULL;
}

int tk_sides_find_flaws(struct tk_sides *sides, const struct tk_baseline *base,
                        const struct tk_baseline *runs, enum tk_run_side side)
{
    double frames, seconds;
    if (find_usual(base, &frames, &seconds))
        return -1;
    for (size_t i = 0; i < runs->runs.n; i++) {
        const struct tk_base_run *run = runs->runs.v[i];
        const struct tk_str *end = tk_base_run_about(run, "end");
        struct tk_run_flaw flaw = {.side = (uint8_t)side,
                                   .run = i,
                                   .frames = (double)run->frames.n,
                                   .of_frames = frames,
                                   .seconds = seconds_of_flaws(run),
                                   .of_seconds = seconds,
                                   .name = keep_flaw(sides, tk_base_run_about(run, "capture"))};
        if (flaw.frames < WHOLE * frames && flaw.seconds < WHOLE * seconds &&
            tk_vec_push(&sides->flaws, flaw))
            return -1;
        flaw.kind = TK_FLAW_ENDED;
        flaw.text = keep_flaw(sides, end);
        if (end && (!flaw.text || tk_vec_push(&sides->flaws, flaw)))
            return -1;
    }
    return 0;
}

bool tk_sides_flawed(const struct tk_sides *sides)
{
    return sides->flaws.n > 0 && !sides->allowed;
}

/* ---- of another program ---- */

struct first {
    const struct tk_base_run *run;
    uint8_t side;
    size_t number;
};

static int fail_alike(const struct first *a, const struct first *b, const char *key, struct tk_err *err)
{
    static const char *const sides[] = {"the baseline", "the candidate", "the noise", "those to check"};
    const struct tk_str *x = tk_base_run_about(a->run, key), *y = tk_base_run_about(b->run, key),
                        *name = tk_base_run_about(b->run, "capture");
    return tk_err_set(err, TK_EMATCH,
                      "run %zu of %s%s%.*s%s has the %s '%.*s', run %zu of %s has '%.*s'; '--mixed' compares "
                      "them all the same",
                      b->number + 1, sides[b->side], name ? " ('" : "", name ? (int)name->n : 0,
                      name ? name->p : "", name ? "')" : "", key, (int)y->n, y->p, a->number + 1,
                      sides[a->side], (int)x->n, x->p);
}

int tk_sides_alike(const struct tk_baseline *const *runs, const uint8_t *side, size_t n, struct tk_err *err)
{
    static const char *const keys[] = {"application", "platform"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        struct first first = {0};
        for (size_t s = 0; s < n; s++)
            for (size_t i = 0; runs[s] && i < runs[s]->runs.n; i++) {
                const struct first here = {runs[s]->runs.v[i], side[s], i};
                const struct tk_str *text = tk_base_run_about(here.run, keys[k]);
                if (!first.run && text)
                    first = here;
                else if (text && tk_str_order(text, tk_base_run_about(first.run, keys[k])) != 0)
                    return fail_alike(&first, &here, keys[k], err);
            }
    }
    return TK_OK;
}
