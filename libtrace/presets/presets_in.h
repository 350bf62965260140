/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_PRESETS_PRESETS_IN_H
#define TK_PRESETS_PRESETS_IN_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "engine/dict_source.h"
#include "export/preset.h"
#include "fact/fact.h"
#include "io/output.h"
#include "io/scratch/spill.h"
#include "query/context.h"
#include "query/dict.h"
#include "query/select.h"
#include "sink/write/buffer.h"

#include <stdbool.h>

extern const struct tk_preset tk_preset_insights;
extern const struct tk_preset tk_preset_summarize;
extern const struct tk_preset tk_preset_tracy, tk_preset_tracy_0_10, tk_preset_tracy_0_9;

/*
 * Calls: the scopes of a capture one by one, as begins and ends that nest, in cycles. Presets read them from
 * the timeline of the model.
 *
 * Scopes of the lines of threads and of what is marked on queues of GPUs; when a queue works and waits is
 * left out. Scopes open at the end of their thread may end there; those that never end are reported when all
 * is read, the innermost first, with the end TK_CALL_NEVER.
 */

#define TK_CALL_NEVER INT64_MAX

/* Where calls are. */
struct tk_call_track {
    bool gpu;
    uint32_t thread; /* its id in the capture; of a queue: of the queue */
    uint64_t key;    /* of a queue, as the capture names it; above 32 bits: of a whole GPU */
    const struct tk_str *name;
    bool wanted; /* for who takes the calls: false leaves the track out */
};

struct tk_call {
    uint32_t track;
    uint32_t timer;     /* of tk_calls.timers */
    uint32_t depth;     /* calls around it */
    bool outer;         /* no call of the same timer is around it */
    uint64_t seq;       /* number in its track, in order of begins */
    int64_t begin, end; /* cycles since the start */
};

struct tk_call_timer {
    uint32_t line;
    uint8_t kind;                     /* enum tk_timer_kind */
    bool merged;                      /* its calls are those of another timer of its name */
    const struct tk_str *name, *file; /* file NULL: not known; NULL name: there is no such timer */
};

struct tk_calls;

/* Who takes calls. Hooks may be NULL; each returns TK_OK or negative, which ends the reading. */
struct tk_call_taker {
    int (*track)(void *self, struct tk_call_track *track, struct tk_err *err); /* may set wanted */
    int (*begin)(void *self, const struct tk_call *call, struct tk_err *err);  /* end is not known */
    int (*end)(void *self, const struct tk_call *call, struct tk_err *err);
    int (*done)(void *self,
                struct tk_err *err); /* all is read and known, nothing that never ends was reported */
};

/* What a reading leaves behind. Zero-initialise, then set closes, taker and self. */
struct tk_calls {
    bool closes; /* scopes open at the end of their thread end there */
    const struct tk_call_taker *taker;
    void *self;

    struct tk_fact_clock clock;
    int64_t last; /* highest time that was read, cycles since the start; 0 where there is none */
    TK_VEC(struct tk_call_track) tracks;
    TK_VEC(struct tk_call_timer) timers;     /* by number */
    TK_VEC(struct tk_fact_gpu_queue) queues; /* that have a name, in order */
    TK_VEC(struct tk_range) frames;          /* game frames in order; cycles since the start */
    struct tk_intern texts;

    const struct tk_query_context *view;   /* while reading */
    struct tk_map index;                   /* id of a track of the timeline -> index in tracks */
    TK_VEC(struct tk_call_stack *) stacks; /* owned; by track */
};

/* Reads the capture. Tracks, timers and frames are as reported so far while calls come, complete at `done`.
 * As tk_run. */
int tk_calls_read(struct tk_calls *calls, const struct tk_preset_job *job, struct tk_err *err);

/* Seconds since the start, as a double divided once. */
double tk_calls_seconds(const struct tk_fact_clock *clock, int64_t cycles);

void tk_calls_release(struct tk_calls *calls);

/*
 * All counters of a capture, statistics and series included, and their values, which are kept in a temporary
 * file. The presets insights and summarize read them.
 */

enum { TK_COUNTER_PIECE = 64 };

struct tk_counter_value {
    int64_t time; /* cycles since the start */
    bool real;
    union {
        int64_t i;
        double r;
    } v;
};

struct tk_counter_entry {
    const struct tk_str *name;
    bool real, clears; /* begins with 0 in each game frame */
    bool plain;        /* a counter of the program, no statistic or series */
    bool wanted;       /* keeps its values */
    size_t n;          /* in piece */
    struct tk_spilled spilled;
    struct tk_counter_value *piece; /* owned: TK_COUNTER_PIECE; NULL before the first value */
};

/* Zero-initialise to begin. */
struct tk_counter_list {
    TK_VEC(struct tk_counter_entry) v;
    struct tk_intern texts;
    struct tk_map index;    /* address of the key in texts -> index */
    struct tk_spill *spill; /* owned; NULL before values are read */
};

/* Reads what counters there are: counters, then statistics, then series. As tk_run. */
int tk_counter_list_read(struct tk_counter_list *list, const struct tk_preset_job *job, struct tk_err *err);

/* Reads the values of those that are wanted; in the capture's clock. As tk_run. */
int tk_counter_list_values(struct tk_counter_list *list, const struct tk_preset_job *job,
                           const struct tk_fact_clock *clock, struct tk_err *err);

/* Calls fn for each value of a counter, in order of time, until it fails. */
int tk_counter_list_walk(const struct tk_counter_list *list, size_t counter,
                         int (*fn)(void *ctx, const struct tk_counter_value *value, struct tk_err *err),
                         void *ctx, struct tk_err *err);

void tk_counter_list_release(struct tk_counter_list *list);

/*
 * Zones one by one, for presets: the scopes of threads, each with its parent, in the order of their ends.
 * They follow the rules of Tracy's tools: times are passed on unchanged, and a zone that never ends is passed
 * on, too.
 */

/* An open zone. */
struct tk_zone {
    int64_t begin;             /* ns, as all times here */
    uint32_t timer;            /* of the dictionary */
    uint32_t slot;             /* for the taker; 0 when it begins */
    int64_t counted;           /* sum of the times of direct children that have an end and took time */
    int64_t children;          /* the same of all, one without an end taken as ended at -1 */
    const struct tk_str *text; /* of a begin where it has one, else NULL */
    uint64_t number;           /* for the taker; 0 when it begins */
};

/* A taker of zones. 0, or negative, which ends the walk. */
struct tk_zone_taker {
    int (*begin)(void *self, struct tk_zone *zone, uint32_t thread);                  /* may be NULL */
    int (*end)(void *self, const struct tk_zone *zone, uint32_t thread, int64_t end); /* it has one */
    int (*lost)(void *self, const struct tk_zone *zone, uint32_t thread); /* it has none; may be NULL */
};

struct tk_zone_lane {
    uint32_t thread;
    TK_STACK(struct tk_zone) open;
};

/* Zero-initialise, then set taker, self, kind and dict. */
struct tk_zones {
    const struct tk_zone_taker *taker;
    void *self;
    uint8_t kind;                      /* enum tk_lane_kind: which lanes */
    struct tk_dict *dict;              /* borrowed: the clock, and who timers are that were reported late */
    TK_VEC(struct tk_zone_lane) lanes; /* by lane */
};

/* Takes a run; ignores those of other kinds. 0, TK_ENOMEM, or what the taker said. */
int tk_zones_take(struct tk_zones *z, const struct tk_scope_run *run);

/* All is read: zones that are open have no end. As tk_zones_take. */
int tk_zones_finish(struct tk_zones *z);

void tk_zones_release(struct tk_zones *z);

/*
 * The tables that Tracy's csvexport writes, column for column (tracy-file 7). Raw, its lines are
 * the same, though not their order; else texts are quoted, a zone without a text has none, and what cannot be
 * computed is 0. Where csvexport races with its own loading (GPU, memory plots) all rows are there.
 *
 * Rows: of source locations in their order; of zones thread by thread in order of their ends; of GPU zones
 * the same by queue; messages and plots in order of time.
 */

/* What versions of the tool differ in. */
struct tk_tracy_layout_of {
    bool thread, value; /* columns of single zones */
    bool guards;        /* the deviation of a single zone is 0 */
};

struct tk_csvexport {
    const struct tk_preset_job *job;
    const struct tk_export_zones *opt; /* whole */
    const struct tk_tracy_layout_of *layout;
    struct tk_buffer out;
    size_t n_separator;
    bool no_zones; /* only the head of single zones */
    struct tk_dict dict;
};

/* Writes one table, header first. TK_OK or negative. */
typedef int tk_csvexport_write(struct tk_csvexport *x, struct tk_err *err);

tk_csvexport_write tk_csvexport_write_sums, tk_csvexport_write_zones, tk_csvexport_write_gpu,
    tk_csvexport_write_messages;

/* How the zones, or the frames, of two captures compare; written to the output of the first. */
int tk_csvexport_write_pair(struct tk_csvexport *x, struct tk_csvexport *other, bool frames,
                            struct tk_err *err);

/* Rows of plots as they follow those of zones. */
tk_csvexport_write tk_csvexport_write_plots;

/* Reads the facts of a mask from begin to end; take gets each batch. TK_OK or negative. */
int tk_csvexport_read(struct tk_csvexport *x, uint64_t facts,
                      int (*take)(void *self, const struct tk_batch *batch, struct tk_err *err), void *self,
                      struct tk_err *err);

/* A text, quoted where it must be; NULL is nothing. */
void tk_csvexport_put_text(struct tk_csvexport *x, const struct tk_str *s);

/* The same for the name of something; raw, one that is missing is "???". */
void tk_csvexport_put_name(struct tk_csvexport *x, const struct tk_str *s);

void tk_csvexport_put_separator(struct tk_csvexport *x);

/* The separator, and a number. */
void tk_csvexport_put_i64(struct tk_csvexport *x, int64_t v);
void tk_csvexport_put_u64(struct tk_csvexport *x, uint64_t v);
void tk_csvexport_put_real(struct tk_csvexport *x, double v); /* six decimals */

/* Names of columns, and the end of the line. */
void tk_csvexport_put_head(struct tk_csvexport *x, const char *const *names, size_t n);

/* Does the name pass the filter? */
bool tk_csvexport_passes(const struct tk_csvexport *x, const struct tk_str *name);

/* A whole number of what is known about the recording; 0 where it is not. */
int64_t tk_csvexport_session(const struct tk_csvexport *x, const char *key);

/*
 * Zones by source location when the reading is complete: sums, and their single times if needed.
 * csvexport_sums.c and csvexport_compare.c compute their rows from them.
 *
 * Sums of squares are accumulated in the order in which the zones of a location begin, which is that of the
 * other tool and changes the last digits. Zones inside one of the same location end before it, so their
 * squares wait until it ends.
 *
 * Times go to a temporary file in pieces, and come back location by location.
 */

/* Of a source location; times in ns. */
struct tk_csvexport_location_sums {
    uint64_t count; /* zones with an end that took time */
    int64_t total, min, max;
    int64_t self, self_min, self_max;
    double squares;
    uint32_t open;
    TK_VEC(int64_t) waiting; /* times of zones inside the outermost one, in order of start; 0: none */
    int64_t *piece;          /* owned: the last times; NULL before the first one */
    size_t n;                /* of them */
    struct tk_spilled spilled;
};

struct tk_csvexport_times {
    struct tk_csvexport *x;
    bool own; /* times that are kept are own times */
    struct tk_zones zones;
    TK_VEC(struct tk_csvexport_location_sums) v; /* by timer */
    struct tk_spill *spill;                      /* NULL: times are not kept */
    size_t most_waiting;
    int64_t last; /* the greatest end */
    struct tk_err *err;
};

/* Reads all zones. x is borrowed; to be released in any case. TK_OK or negative. */
int tk_csvexport_times_read(struct tk_csvexport_times *t, struct tk_csvexport *x, bool keep, bool own,
                            struct tk_err *err);

/* Appends the times of a location, count of them, to out. TK_OK, TK_EOUTPUT. */
int tk_csvexport_times_get(const struct tk_csvexport_times *t, const struct tk_csvexport_location_sums *l,
                           int64_t *out, struct tk_err *err);

/* Least first. */
void tk_csvexport_times_sort(int64_t *times, size_t n);

void tk_csvexport_times_release(struct tk_csvexport_times *t);

/*
 * The intervals that a preset writes one file each for, and the names of these files. They come from regions
 * and from the selected times.
 */

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
 * the two numbers above), TK_EUSAGE (frames are requested), or as tk_run.
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

/*
 * A file of another tool while it is written: cells with a separator between them, lines that end with LF.
 * The presets insights and summarize write through it.
 */

struct tk_page {
    struct tk_output *output; /* owned */
    struct tk_buffer out, clean;
    char separator;
    bool begun; /* there is a cell in the line */
};

/* Opens the output, in a set (NULL: in none). TK_OK, TK_EOUTPUT, TK_ENOMEM. After a failure nothing is to be
 * released. */
int tk_page_open(struct tk_page *page, struct tk_output_set *set, const char *path, bool force,
                 char separator, struct tk_err *err);

/* Cells; failures stick and come out with tk_page_status and tk_page_commit. */
void tk_page_u64(struct tk_page *page, uint64_t v);
void tk_page_i64(struct tk_page *page, int64_t v);
void tk_page_fixed(struct tk_page *page, double v, unsigned decimals); /* %.*f */
void tk_page_general(struct tk_page *page, double v, unsigned digits); /* %.*g */
void tk_page_c(struct tk_page *page, const char *s);                   /* as it is */

/* A text as it is, or in double quotes where the separator is in it; quotes inside are doubled then. Texts
 * that are no Unicode get U+FFFD. */
void tk_page_text(struct tk_page *page, struct tk_str s);

/* n cells with texts, and the end of the line. */
void tk_page_head(struct tk_page *page, const char *const *names, size_t n);

void tk_page_end(struct tk_page *page);

/* TK_OK, or what failed first. */
int tk_page_status(const struct tk_page *page);

/* Puts the file under its name and releases. TK_OK, TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
int tk_page_commit(struct tk_page *page, struct tk_err *err);

/* Throws away what was written. For one of all zeros too. */
void tk_page_discard(struct tk_page *page);

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

struct tk_insights_thread {
    uint32_t id;
    const struct tk_str *name, *group; /* group NULL: none */
};

struct tk_insights {
    const struct tk_preset_job *job;
    struct tk_intervals intervals;
    TK_VEC(struct tk_insights_thread) threads; /* in the order in which they are displayed */
    struct tk_map rank;                        /* id of a thread -> place in threads */
    struct tk_patterns thread_names, timer_names;
    struct tk_intern texts;
    struct tk_output_set *set; /* the files; owned by what runs the preset */
    struct tk_map paths;       /* address of one in texts -> 1: the files of this run */
};

/* How many files are written at one time. */
enum { TK_INSIGHTS_PAGES = 64 };

/* Writes a table to the files that a pattern of their names says. TK_OK or negative. */
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

/* Is a thread or queue requested? */
bool tk_insights_thread_passes(struct tk_insights *x, const struct tk_str *name);

/* The number by which a track is known: a thread's own, of a queue and of the old GPUs those made up for
 * them. */
uint64_t tk_insights_track_id(const struct tk_call_track *track);

/* Does the track show a whole GPU, without queues? */
bool tk_insights_is_old_gpu(const struct tk_call_track *track);

/* TK_OK, or TK_EMATCH where a pattern for timers matched none of those that were read. */
int tk_insights_check_timers(struct tk_insights *x, const struct tk_calls *calls, struct tk_err *err);

/* By number of timer: is it requested? To be freed; NULL without memory. */
bool *tk_insights_pick_timers(struct tk_insights *x, const struct tk_calls *calls);

/*
 * Summaries of calls by name: count, first, last, extremes, mean and deviation. The preset summarize fills
 * and writes them.
 */

/* Times in cycles since the start, lengths in cycles but where said. */
struct tk_summary {
    const struct tk_str *name;
    uint64_t count;
    int64_t first_begin, first_end, last_begin, last_end; /* by begin, by end */
    int64_t first_length, last_length, total, min, max;
    double mean,
        squares; /* of lengths in seconds so far: the mean, and the squares of what differs from it */
};

/* Zero-initialise to begin. */
struct tk_summaries {
    TK_VEC(struct tk_summary) v; /* in order of first appearance, then as sorted */
    struct tk_map index;         /* address of a name -> index; until sorted */
};

/* One that is summed up; its length need not be all from begin to end. */
struct tk_summand {
    int64_t begin, end, length;
    double seconds; /* the length */
};

/* Adds one. Names are compared by address. 0, or -1 without memory. */
int tk_summaries_add(struct tk_summaries *s, const struct tk_str *name, const struct tk_summand *one);

/* Adds all of one to another one. */
void tk_summary_merge(struct tk_summary *into, const struct tk_summary *from);

/* Greatest total first, then by name. */
int tk_summaries_sort(struct tk_summaries *s);

/* Of a sample: divided by one less than the count. 0 where that is nothing. */
double tk_summary_deviation(double squares, uint64_t count);

void tk_summaries_release(struct tk_summaries *s);

/*
 * Sums that the commandlet SummarizeTrace would compute of a capture. summarize_read.c fills them,
 * summarize.c writes them.
 */

/* Values of a counter. */
struct tk_samples {
    uint64_t count;
    struct tk_counter_value first, last, min, max;
    double mean, squares;
};

struct tk_summary_bookmark {
    const struct tk_str *text;
    uint64_t count;
    int64_t first, last; /* cycles since the start */
    bool open;           /* what it begins has no end yet; began with the last one */
};

/* Zero-initialise to begin. */
struct tk_summarize {
    struct tk_calls calls;
    struct tk_summaries scopes, modules;
    TK_VEC(struct tk_summary_bookmark) bookmarks; /* in order of first appearance */
    struct tk_map bookmark_index;                 /* address of a text -> index */
    struct tk_intern texts;
    struct tk_counter_list counters;
    TK_VEC(struct tk_samples) samples; /* by counter */

    TK_VEC(const struct tk_str *) names;   /* by timer; NULL: not requested yet */
    TK_VEC(struct tk_open_modules *) open; /* owned; by track */
};

/* Reads the capture and sorts the scopes; module loads are among them. As tk_run. */
int tk_summarize_read(struct tk_summarize *s, const struct tk_preset_job *job, struct tk_err *err);

void tk_summarize_release(struct tk_summarize *s);

#endif
