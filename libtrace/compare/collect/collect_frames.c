/*
 * Selects the frames of a run being collected and assigns them to blocks. collect.c calls it with the frames
 * of the capture.
 */
#include "compare/collect/collect_frames.h"

#include "base/binary_search.h"
#include "compare/baseline/run_info.h"
#include "compare/collect/collect_segments.h"

#include <stdlib.h>

/* Is the whole recording taken for a frame? */
static bool is_unit(const struct tk_frames *frames)
{
    return frames->n == 1 && frames->v[0].to == TK_RUN_UNIT;
}

static bool is_whole(const struct tk_range *frame)
{
    return frame->to != INT64_MAX;
}

/* All that is there of a run without a selection is known from its order. */
static int make_places(struct tk_collect_frames *f)
{
    size_t n = f->frames->n + 1;
    f->block = calloc(n, sizeof *f->block);
    if (!f->select->all_time) {
        f->run->numbers = malloc(n * sizeof *f->run->numbers);
        f->run->begins = malloc(n * sizeof *f->run->begins);
    }
    return f->block && (f->select->all_time || (f->run->numbers && f->run->begins)) ? 0 : -1;
}

/* The block of a frame is the number of the frame in the run, until there are blocks. */
static int add_frame(struct tk_collect_frames *f, size_t i, int64_t before)
{
    struct tk_base_run *run = f->run;
    const struct tk_range *r = &f->frames->v[i];
    f->block[i] = (uint32_t)run->frames.n;
    if (run->numbers) {
        run->numbers[run->frames.n] = (uint32_t)i;
        run->begins[run->frames.n] = tk_base_ms(run, (double)r->from);
    }
    if (tk_vec_push(&run->gaps, r->from > before ? (uint64_t)r->from - (uint64_t)before : 0) ||
        tk_vec_push(&run->frames, (uint64_t)r->to - (uint64_t)r->from))
        return -1;
    return 0;
}

/* The begins of the frames of the run, in *out (owned). */
static int find_frames(struct tk_collect_frames *f, int64_t **out, struct tk_err *err)
{
    const struct tk_frames *frames = f->frames;
    int64_t *begins = malloc((frames->n + 1) * sizeof *begins), last = 0;
    *out = begins;
    if (!begins || make_places(f))
        return tk_err_nomem(err, "the frames of a run");
    for (size_t i = 0; i < frames->n && (!is_unit(frames) || f->select->all_time); i++) {
        const struct tk_range *r = &frames->v[i];
        f->block[i] = TK_COLLECT_NO_BLOCK;
        if (!is_whole(r) || !tk_select_has(f->select, r->from))
            continue;
        begins[f->run->frames.n] = r->from;
        if (add_frame(f, i, last))
            return tk_err_nomem(err, "the frames of a run");
        last = r->to;
    }
    if (f->run->frames.n == 0)
        return tk_err_set(err, TK_EMATCH, "there are no frames to compare runs by");
    return TK_OK;
}

/* The part of the first block that is in the same segments. */
static uint8_t class_of(const struct tk_base_run *run, uint32_t block)
{
    for (uint32_t b = 0; b < block; b++) {
        size_t s = 0;
        while (s < run->segments.n && run->segments.v[s].has[b] == run->segments.v[s].has[block])
            s++;
        if (s == run->segments.n)
            return run->part[b];
    }
    return run->part[block];
}

/* Which block a frame is in. */
static int mark_blocks(struct tk_collect_frames *f)
{
    const struct tk_base_run *run = f->run;
    for (size_t i = 0; i < f->frames->n; i++)
        if (f->block[i] != TK_COLLECT_NO_BLOCK)
            f->block[i] = (uint32_t)tk_base_run_block(run, f->block[i]);
    f->class = calloc((size_t)run->n_blocks + 1, 1);
    for (uint32_t b = 0; f->class && b < run->n_blocks; b++)
        f->class[b] = class_of(run, b);
    return f->class ? 0 : -1;
}

/* The class that most frames are in. */
static uint8_t usual_class(const struct tk_collect_frames *f)
{
    uint64_t frames[TK_CALL_PATH_SUMS] = {0};
    uint8_t most = 0;
    for (uint32_t b = 0; b < f->run->n_blocks; b++)
        frames[f->class[b]] += tk_block_weight(f->run, b);
    for (uint8_t k = 1; k < TK_CALL_PATH_SUMS; k++)
        most = frames[k] > frames[most] ? k : most;
    return most;
}

int tk_collect_frames_init(struct tk_collect_frames *f, const struct tk_query_context *view,
                           struct tk_base_run *run, struct tk_err *err)
{
    int64_t *begins;
    *f = (struct tk_collect_frames){.frames = view->frames, .select = view->select, .run = run};
    int rc = find_frames(f, &begins, err);
    if (rc == TK_OK) {
        run->block_frames = tk_block_frames(run->frames.n);
        if (tk_collect_segments(run, begins, view->regions) || mark_blocks(f))
            rc = tk_err_nomem(err, "the frames of a run");
        else
            f->usual = usual_class(f);
    }
    free(begins);
    return rc;
}

int tk_collect_frames_end(struct tk_collect_frames *f, const struct tk_query_context *view)
{
    struct tk_base_run *run = f->run;
    const char *per = view->ctx->options->per;
    if (per)
        return tk_base_run_note_per(run, per);
    if (!is_unit(f->frames) || run->frames.n != 1)
        return 0;
    const int64_t first = view->first_time > 0 ? view->first_time : 0;
    run->frames.v[0] = view->last_time > first ? (uint64_t)(view->last_time - first) : 1;
    return tk_base_run_note(run, "unit", "run", 3, TK_ENC_UTF8);
}

void tk_collect_frames_release(struct tk_collect_frames *f)
{
    free(f->block);
    free(f->class);
    f->block = NULL;
    f->class = NULL;
}

size_t tk_collect_frame_at(const struct tk_collect_frames *f, int64_t time)
{
    const struct tk_frames *frames = f->frames;
    size_t at;
    TK_SEARCH(at, frames->n, frames->v[at].from <= time);
    return at && time < frames->v[at - 1].to ? at - 1 : SIZE_MAX;
}

size_t tk_collect_block_at(const struct tk_collect_frames *f, int64_t time)
{
    const size_t frame = tk_collect_frame_at(f, time);
    return frame == SIZE_MAX ? SIZE_MAX : tk_collect_block_of(f, frame);
}
