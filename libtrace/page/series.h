/*
 * Series: values over time, folded as they come so that each keeps a bounded number of points. gather.c fills
 * them; they become the small plots of a page.
 */
#ifndef TK_REPORT_ENCODE_SERIES_H
#define TK_REPORT_ENCODE_SERIES_H

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

/* Appends a JSON array of the series. */
void tk_series_put(const struct tk_series_set *set, struct tk_markup *m);

#endif
