/*
 * Frame times: begins and durations of frames by type, compact, for the picture of a whole run. gather.c
 * fills it.
 */
#ifndef TK_REPORT_ENCODE_FRAME_TIMES_H
#define TK_REPORT_ENCODE_FRAME_TIMES_H

#include "base/vec.h"
#include "page/markup.h"

/* Types of frames that are kept, and frames of one. Beyond, two neighbours become one: the longer of them. */
enum { TK_FRAME_TYPES = 4, TK_FRAMES_MOST = 1 << 18 };

struct tk_frame_type {
    uint64_t type;
    TK_VEC(char) name;      /* as UTF-8 or as the capture has it */
    TK_VEC(int64_t) begin;  /* nanoseconds */
    TK_VEC(int64_t) length; /* nanoseconds: of the longest frame of a group */
    uint64_t frames;        /* all that came */
    uint64_t group;         /* frames that one entry stands for: a power of 2 */
};

struct tk_frame_times {
    struct tk_frame_type types[TK_FRAME_TYPES];
    size_t n;
};

void tk_frame_times_release(struct tk_frame_times *f);

/* Adds a frame; types beyond TK_FRAME_TYPES are left out. TK_OK or TK_ENOMEM. */
int tk_frame_times_add(struct tk_frame_times *f, uint64_t type, struct tk_str name, int64_t begin,
                       int64_t length, struct tk_err *err);

/* Puts the types in the order of their numbers. */
void tk_frame_times_sort(struct tk_frame_times *f);

/* Appends a JSON array of the types: name, group, begins (each from the end of the one before) and lengths.
 */
void tk_frame_times_put(const struct tk_frame_times *f, struct tk_markup *m);

#endif
