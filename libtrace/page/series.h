/*
 * Series: values over time, folded as they come so that each keeps a bounded number of points. gather.c fills
 * them; they become the small plots of a page.
 */
#ifndef TK_PAGE_SERIES_H
#define TK_PAGE_SERIES_H

#include "base/vec.h"
#include "page/markup.h"

/* Series that are kept, the first ones, and points of one: twice as many are folded by two. */
enum { TK_SERIES_MOST = 96, TK_SERIES_POINTS = 400 };

struct tk_series_point {
    int64_t from; /* nanoseconds: of its first value */
    double least, greatest, last;
};

struct tk_series {
    TK_VEC(char) name;
    uint64_t values; /* all that came */
    uint64_t group;  /* values that a point stands for: a power of 2 */
    bool bytes;
    size_t n;
    struct tk_series_point points[2 * TK_SERIES_POINTS];
};

struct tk_series_set {
    TK_VEC(struct tk_series *) series; /* owned */
    uint64_t beyond;                   /* values of series that were left out */
};

void tk_series_release(struct tk_series_set *set);

/* Adds a value of the series of a name. TK_OK or TK_ENOMEM. */
int tk_series_add(struct tk_series_set *set, struct tk_str name, bool bytes, int64_t time, double value,
                  struct tk_err *err);

/* Appends a list of the series to JSON, as a member where it has a name. */
void tk_series_put(const struct tk_series_set *set, struct tk_markup *m, const char *name);

/*
 * Frame times: begins and durations of frames by type, compact, for the picture of a whole run. gather.c
 * fills it.
 */

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

/* Appends a list of the types as a member: name, group, begins (each from the end of the one before) and
 * lengths.
 */
void tk_frame_times_put(const struct tk_frame_times *f, struct tk_markup *m, const char *member);

#endif
