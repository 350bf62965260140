/*
 * Where the frames of runs were drawn.
 */
#include "base/given.h"
#include "compare/baseline/baseline.h"
#include "place/frame_positions.h"
#include "tracekit/runs.h"

#include <math.h>
#include <stdlib.h>

struct placing {
    const struct tk_base_run *run;
    struct tk_run_place *v; /* by frame of the run */
};

static int take_place(void *ctx, uint64_t frame, const double *at, struct tk_err *err)
{
    struct placing *p = ctx;
    const size_t i = frame <= UINT32_MAX ? tk_base_run_find_frame(p->run, (uint32_t)frame) : p->run->frames.n;
    (void)err;
    for (int k = 0; k < 3 && at && i < p->run->frames.n; k++)
        p->v[i].at[k] = at[k];
    return TK_OK;
}

static int place_run(struct tk_base_run *run, struct tk_trace *trace, const char *position,
                     struct tk_err *err)
{
    struct placing p = {run, malloc((run->frames.n + 1) * sizeof *p.v)};
    if (!p.v)
        return tk_err_nomem(err, "places of frames");
    for (size_t i = 0; i < run->frames.n; i++)
        p.v[i] = (struct tk_run_place){{NAN, NAN, NAN}};
    int rc = tk_frame_positions(trace, position, take_place, &p, err);
    if (rc == TK_OK && tk_base_run_place(run, p.v, position ? position : ""))
        rc = tk_err_nomem(err, "places of frames");
    free(p.v);
    return rc;
}

int tk_baseline_add_places(struct tk_baseline *b, size_t run, struct tk_trace *trace, const char *position,
                           struct tk_err *err)
{
    TK_GIVEN(err, b, trace);
    struct tk_err unclear = {0};
    if (run >= b->runs.n)
        return tk_err_set(err, TK_EUSAGE, "there is no run %zu", run);
    if (position)
        return place_run(b->runs.v[run], trace, position, err);
    if (!tk_has_table(trace, "spatial"))
        return TK_OK;
    const int rc = place_run(b->runs.v[run], trace, NULL, &unclear);
    if (rc < 0 && rc != TK_EMATCH && err)
        *err = unclear;
    return rc == TK_EMATCH ? TK_OK : rc;
}
