/*
 * The intervals that a preset writes one file each for, and the names of these files. They come from regions
 * and from the selected times.
 */
#ifndef TK_EXPORT_PRESET_INTERVAL_H
#define TK_EXPORT_PRESET_INTERVAL_H

#include "base/text/intern.h"
#include "base/vec.h"
#include "presets/preset.h"
#include "fact/fact.h"

/* [from, to), cycles since the start; without limits INT64_MIN and INT64_MAX. */
struct tk_interval {
    int64_t from, to;
    const struct tk_str *name; /* of the region, made fit for a file's name; NULL: none */
    uint32_t number;           /* of the intervals with this name before it */
};

/* Zero-initialise to begin. */
struct tk_intervals {
    TK_VEC(struct tk_interval) v;
    struct tk_intern names;
    struct tk_fact_clock clock;
};

enum { TK_INTERVALS_OF_A_NAME = 100, TK_INTERVALS = 10000 };

/*
 * The intervals of a query: those of the regions that match (letters of either case), in order of their
 * begins; else one from begin to end of its times. TK_OK; TK_EMATCH (no such region), TK_ELIMIT (more than
 * the two numbers above), TK_EUSAGE (frames are asked for), or as tk_run.
 */
int tk_intervals_find(struct tk_intervals *list, const struct tk_preset_job *job, struct tk_err *err);

void tk_intervals_release(struct tk_intervals *list);

/* Does [begin, end] touch the interval? (one of zero length: does it lie inside?) */
static inline bool tk_interval_touches(const struct tk_interval *i, int64_t begin, int64_t end)
{
    return begin < i->to && (end > i->from || begin >= i->from);
}

/* Names of files may have this many bytes for {region} and {counter}. */
enum { TK_NAME_BYTES = 180 };

/* A name as it can be in the name of a file: what cannot be there becomes `_`, blanks at both ends go away.
 * NULL without memory. */
const struct tk_str *tk_interval_name(struct tk_intern *names, const struct tk_str *name);

/*
 * The path of a pattern: {region} and, where there is a region, `*` are the interval's name, {counter} is
 * `counter` (may be NULL), both with their numbers when these are not 0. To be freed; NULL without memory.
 */
char *tk_interval_path(const char *pattern, const struct tk_interval *interval, const struct tk_str *counter,
                       uint32_t number);

/* Does the path tell intervals, or counters, apart? */
bool tk_interval_has_region(const char *pattern);
bool tk_interval_has_counter(const char *pattern);

/* What parts the cells of a file with this name: a comma for .csv, whatever it is packed with, else a tab. */
char tk_interval_separator(const char *path);

#endif
