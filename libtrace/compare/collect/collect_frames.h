/*
 * Frames of a run being collected: which frames of the capture belong to the run, and the block of each. Part
 * of collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_FRAMES_H
#define TK_COMPARE_COLLECT_COLLECT_FRAMES_H

#include "compare/baseline/baseline.h"
#include "query/context_cells.h"

struct tk_collect_frames {
    const struct tk_frames *frames; /* of the capture; borrowed, as the next two */
    const struct tk_select *select;
    struct tk_base_run *run;
    uint32_t *block; /* owned; by frame of the capture; TK_COLLECT_NO_BLOCK: it is none of the run */
    uint8_t usual;   /* the class that most frames are in */
    uint8_t *class;  /* owned; by block: the first part of what is in the same segments */
};

#define TK_COLLECT_NO_BLOCK UINT32_MAX

/* Gives the run, whose frequency is known, its frames, blocks and segments. TK_OK, TK_ENOMEM, TK_EMATCH where
 * there are no frames; to be released also then. */
int tk_collect_frames_init(struct tk_collect_frames *f, const struct tk_query_context *view,
                           struct tk_base_run *run, struct tk_err *err);
/* The recording was read: a run whose unit is itself gets its length, and a note of that. 0, or -1 if
 * out of memory. */
int tk_collect_frames_end(struct tk_collect_frames *f, const struct tk_query_context *view);
void tk_collect_frames_release(struct tk_collect_frames *f);

/* The block of a frame of the capture, or SIZE_MAX. */
static inline size_t tk_collect_block_of(const struct tk_collect_frames *f, size_t frame)
{
    if (frame >= f->frames->n || f->block[frame] == TK_COLLECT_NO_BLOCK)
        return SIZE_MAX;
    return f->block[frame];
}

/* When and where a frame of the run was in the capture. */
static inline const struct tk_range *tk_collect_range(const struct tk_collect_frames *f, size_t frame)
{
    return &f->frames->v[f->run->numbers ? f->run->numbers[frame] : frame];
}

/* The frame of the capture that a time lies in, in cycles since the start, or SIZE_MAX. */
size_t tk_collect_frame_at(const struct tk_collect_frames *f, int64_t time);

/* The block that a time lies in, in cycles since the start, or SIZE_MAX. */
size_t tk_collect_block_at(const struct tk_collect_frames *f, int64_t time);

#endif
