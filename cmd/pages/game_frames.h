/*
 * Game frames: what a first page says of their durations: the longest, and those that are hitches.
 */
#ifndef TK_CMD_PAGES_GAME_FRAMES_H
#define TK_CMD_PAGES_GAME_FRAMES_H

#include "pages/answer.h"
#include "pages/lines.h"

struct tk_game_frame {
    uint64_t index;
    int64_t duration;
};

struct tk_game_frames {
    struct tk_game_frame *v; /* owned; frames with an end */
    size_t n, cap;
};

/* Takes a row of the table `frames`. TK_OK or TK_ENOMEM. */
int tk_game_frames_add(struct tk_game_frames *frames, const struct tk_table *table,
                       const struct tk_cell *row);

/* Longest first; of equally long ones the earliest. */
void tk_game_frames_sort(struct tk_game_frames *frames);

/* How many took longer than that, in ns. After tk_game_frames_sort. */
size_t tk_game_frames_over(const struct tk_game_frames *frames, double ns);

/* The line about hitches: frames that took longer than two medians, worst first. After
 * tk_game_frames_sort. */
void tk_game_frames_put_hitches(const struct tk_game_frames *frames, double median, struct tk_lines *lines);

/* Behind the number of complete frames: how many of this row of `frame_stats` have no end, if any. */
void tk_game_frames_put_open(const struct tk_answer *stats, size_t row, struct tk_lines *lines);

void tk_game_frames_release(struct tk_game_frames *frames);

#endif
