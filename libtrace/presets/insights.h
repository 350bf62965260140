/*
 * Insights: the files that Unreal Insights writes without a user interface, column for column and digit for
 * digit (insights-exports 1 to 7). What is done otherwise, because there it is a fault:
 *
 *   - a filter, region or counter that matches nothing is an error, as are several regions or counters for
 *     one file, which there overwrite each other; file names that would be equal get numbers
 *   - all threads of a name are selected, not the last one only; rows of GPUs do not show up a second time
 *     under threads without scopes
 *   - statistics are of the timers that --timer names, where it is given; there it is ignored
 *   - times are parsed and kept as they are, values of counters are not rounded to 32 bits
 *   - rows of statistics come in order of inclusive time, then of names, then of numbers
 */
#ifndef TK_EXPORT_PRESET_INSIGHTS_INSIGHTS_H
#define TK_EXPORT_PRESET_INSIGHTS_INSIGHTS_H

#include "presets/calls.h"
#include "presets/interval.h"
#include "presets/page.h"
#include "query/select.h"

struct tk_insights_thread {
    uint32_t id;
    const struct tk_str *name, *group; /* group NULL: none */
};

struct tk_insights {
    const struct tk_preset_job *job;
    struct tk_intervals intervals;
    TK_VEC(struct tk_insights_thread) threads; /* in the order in which they are shown */
    struct tk_map rank;                        /* id of a thread -> place in threads */
    struct tk_patterns thread_names, timer_names;
    struct tk_intern texts;
    struct tk_output_set *set; /* the files; owned by what runs the preset */
    struct tk_map paths;       /* address of one in texts -> 1: the files of this run */
};

/* How many files are written at one time. */
enum { TK_INSIGHTS_PAGES = 64 };

/* Writes a table to the files that a pattern of their names tells. TK_OK or negative. */
typedef int tk_insights_write(struct tk_insights *x, const char *pattern, struct tk_err *err);

tk_insights_write tk_insights_threads, tk_insights_timers, tk_insights_events, tk_insights_statistics,
    tk_insights_callees, tk_insights_counters, tk_insights_counter_values;

/* Opens the file of an interval or counter, numbered on where another one has its name. separator 0: by its
 * name. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_insights_open(struct tk_insights *x, struct tk_page *page, const char *pattern,
                     const struct tk_interval *interval, const struct tk_str *counter, uint32_t number,
                     char separator, struct tk_err *err);

/* Puts n files under their names, or throws them away after a failure: rc, or what fails. */
int tk_insights_close(struct tk_page *pages, size_t n, int rc, struct tk_err *err);

/* Reads which threads there are. TK_OK, TK_EMATCH where a pattern for threads matches none, or what else went
 * wrong. */
int tk_insights_find_threads(struct tk_insights *x, struct tk_err *err);

/* Is a thread or queue asked for? */
bool tk_insights_thread_passes(struct tk_insights *x, const struct tk_str *name);

/* The number by which a track is known: a thread's own, of a queue and of the old GPUs those made up for
 * them. */
uint64_t tk_insights_track_id(const struct tk_call_track *track);

/* Does the track show a whole GPU, without queues? */
bool tk_insights_is_old_gpu(const struct tk_call_track *track);

/* TK_OK, or TK_EMATCH where a pattern for timers matched none of those that were read. */
int tk_insights_check_timers(struct tk_insights *x, const struct tk_calls *calls, struct tk_err *err);

/* By number of timer: is it asked for? To be freed; NULL without memory. */
bool *tk_insights_pick_timers(struct tk_insights *x, const struct tk_calls *calls);

#endif
