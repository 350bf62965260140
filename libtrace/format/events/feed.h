/*
 * What decoders may say of a capture. Times are nanoseconds as the file has them, texts are names,
 * threads and processes are places in the capture's lists.
 *
 * All return 0, or -1 if out of memory; then the walk has to end, and tk_ev_failed says so.
 */
#ifndef TK_FORMAT_EVENTS_FEED_H
#define TK_FORMAT_EVENTS_FEED_H

#include "format/events/capture.h"
#include "format/events/pairs.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Ends the walk: TK_ENOMEM with the reason. */
int tk_ev_failed(struct tk_err *err);

/* ---- who ---- */

/* The place of a process or a thread; UINT32_MAX when memory or a limit is out. */
uint32_t tk_ev_process(struct tk_ev_capture *c, const struct tk_ev_id *id);
uint32_t tk_ev_thread(struct tk_ev_capture *c, uint32_t process, const struct tk_ev_id *id, uint64_t track);

/* What was taken for a thread of its own is a part of another one: its begins and ends pair among themselves,
 * and its scopes are scopes of that thread. Each is part of at most one. */
void tk_ev_make_part(struct tk_ev_capture *c, uint32_t thread, uint32_t part);

/* ---- scopes of a thread ---- */

/* name: that which ends; TK_EV_NO_NAME ends any. */
int tk_ev_begin(struct tk_ev_capture *c, uint32_t thread, int64_t time, uint32_t timer);
int tk_ev_end(struct tk_ev_capture *c, uint32_t thread, int64_t time, uint32_t name);
int tk_ev_whole(struct tk_ev_capture *c, uint32_t thread, int64_t time, int64_t end, uint32_t timer);

/* A scope that came whole, and has no end. */
int tk_ev_open(struct tk_ev_capture *c, uint32_t thread, int64_t time, uint32_t timer);

/* A frame, on a thread that stands for frames (is_frames); end: TK_EV_OPEN where it has none. */
int tk_ev_frame(struct tk_ev_capture *c, uint32_t thread, int64_t time, int64_t end);

/* The text of the scope that is said next; in the pass for texts. */
int tk_ev_scope_text(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *text);

/* ---- the rest ---- */

/* Asynchronous work: begins and ends with one key belong together as scopes of a thread do. */
struct tk_ev_region {
    int64_t time;
    uint64_t key; /* tk_ev_key_hash of what says it from other work */
    uint32_t name, category;
    bool ends;
    bool alone; /* a begin while one of this key is open is none */
};
int tk_ev_region(struct tk_ev_capture *c, const struct tk_ev_region *region);

/* A bookmark, or else a log message. */
struct tk_ev_mark {
    int64_t time;
    uint32_t thread; /* or TK_NO_THREAD */
    uint32_t text, category;
    uint8_t verbosity; /* as in tk_fact_log */
    bool bookmark;
};
int tk_ev_mark(struct tk_ev_capture *c, const struct tk_ev_mark *mark);

/* The place of a counter; UINT32_MAX when memory or a limit is out. */
uint32_t tk_ev_counter(struct tk_ev_capture *c, uint32_t process, uint32_t name, uint64_t track);
int tk_ev_value(struct tk_ev_capture *c, uint32_t counter, int64_t time, struct tk_number value);

/* A thread of the operating system ran on a core, of which there are fewer than TK_EV_MOST_CORES, from time
 * to end; TK_EV_OPEN: to the end of the capture, where it still ran (TK_RUN_END_RUNNING). */
#define TK_EV_MOST_CORES (1u << 16)
int tk_ev_switch(struct tk_ev_capture *c, uint64_t system_id, int64_t time, int64_t end, uint32_t core,
                 enum tk_run_end state);

/* A profile of a heap says what was allocated with a stack. */
int tk_ev_heap_total(struct tk_ev_capture *c, const struct tk_ev_heap_total *total);

/* A thread of the operating system is let go on, by what runs on a core then; TK_EV_BY_INTERRUPT: by an
 * interrupt, or that is not known. sure: others of the thread that are not sure count for nothing. */
#define TK_EV_BY_INTERRUPT UINT32_MAX
int tk_ev_wake(struct tk_ev_capture *c, uint64_t system_id, int64_t time, uint32_t waker_core, bool sure);

/* Code: a frame, and a stack of frames, innermost first; each different one is kept once. The place of a
 * frame; the number of a stack, from 1 on, 0 where a limit leaves it out. UINT32_MAX if out of memory. */
uint32_t tk_ev_code_frame(struct tk_ev_capture *c, const struct tk_ev_code_frame *f);
uint32_t tk_ev_stack(struct tk_ev_capture *c, const uint32_t *frames, size_t n);

/* A thread of the operating system was found in a stack; 0: in one that is not known. */
int tk_ev_sample(struct tk_ev_capture *c, int64_t time, uint64_t system_id, uint32_t stack);

/* The same, that stands for so many, at least one. All of a capture come so, or none. */
int tk_ev_samples(struct tk_ev_capture *c, int64_t time, uint64_t system_id, uint32_t stack, uint64_t weight);

/* The name of a thread of the operating system, perhaps of one that recorded nothing. */
int tk_ev_system_thread(struct tk_ev_capture *c, uint64_t system_id, uint64_t process, const void *name,
                        size_t n);

/*
 * Puts an event off until all have come, as what it means depends on the order of time. The first walk keeps
 * them; `what` and `value` are the decoder's.
 */
int tk_ev_late(struct tk_ev_capture *c, int64_t time, uint32_t what, int64_t value);

/* Gives all that was put off in order of time, then in that of the file, and forgets it. TK_OK, or negative
 * where `take` is, or memory or the disk is full. */
int tk_ev_late_each(struct tk_ev_capture *c, int (*take)(void *ctx, const struct tk_ev_item *item), void *ctx,
                    struct tk_err *err);

/* Something happened at a time: the first and last times of the capture are such. */
static inline void tk_ev_seen(struct tk_ev_capture *c, int64_t time)
{
    if (!c->any_time) {
        c->any_time = true;
        c->first = c->last = time;
        c->resolution = TK_EV_COARSE;
    }
    c->first = time < c->first ? time : c->first;
    c->last = time > c->last ? time : c->last;
    while (c->resolution > 1 && time % c->resolution)
        c->resolution /= 10;
}

/* One more event of a type that takes so many bytes. */
static inline void tk_ev_count(struct tk_ev_capture *c, unsigned type, uint64_t bytes)
{
    c->counts[type]++;
    c->bytes[type] += bytes;
}

/* Something that is known of the recording. The text is interned. */
int tk_ev_session(struct tk_ev_capture *c, const char *key, size_t n, struct tk_cell value);

/* Trouble with what stands at an offset; only the first walk says. */
static inline void tk_ev_note(struct tk_ev_capture *c, enum tk_ev_trouble what, uint64_t offset)
{
    if (c->pass == TK_EV_GATHER)
        tk_ev_trouble(&c->troubles, what, offset, 1);
}

/* A record, in the pass for them: has_time false where it has none. Cells are of c->cells, one a field. */
int tk_ev_record(struct tk_ev_capture *c, const struct tk_record_type *type, uint32_t thread, bool has_time,
                 int64_t time, uint64_t offset, const struct tk_cell *cells);

/* The value of a field of such a record, for struct tk_record_type. */
void tk_ev_record_value(const struct tk_record *rec, uint32_t field, struct tk_cell *out);

/*
 * Exports of Tracekit, read back (import 1.1): what stands for frames, queues of GPUs and bookmarks in them
 * is that again.
 */

/* Does an export put what is of no process in one with this id? There are three. */
bool tk_ev_is_made_up(int64_t process);

/* Is it the name of a track of frames: TYPE/frames? */
bool tk_ev_is_frames(const struct tk_str *name);

/* The scopes of a thread are frames of the type that its name says. 0 or -1. */
int tk_ev_make_frames(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *name);

/* The scopes of a thread are those of a queue of a GPU. */
void tk_ev_make_queue(struct tk_ev_capture *c, uint32_t thread, const struct tk_str *name);

/* All is read: processes that the export made up are none. 0 or -1. */
int tk_ev_own_export_finish(struct tk_ev_capture *c);

/*
 * Items of a file that stand there twice: runs of some items that are equal to as many in front of them,
 * times included. Nothing but their bytes shows that, as packets and events have no numbers.
 */

#define TK_EV_REPEATS 8 /* items of a run, at most */

/* Zero-initialise to begin. */
struct tk_ev_repeats {
    uint64_t hashes[TK_EV_REPEATS]; /* of the last items; 0: none */
    uint64_t times[TK_EV_REPEATS];
    unsigned equal[TK_EV_REPEATS + 1]; /* by distance: items in a row that are equal to those in front */
    unsigned at;                       /* the place of the next one */
    bool any;                          /* of `equal` */
};

/* May an item, by the hash of its bytes, end a run? */
static inline bool tk_ev_repeats_is_near(const struct tk_ev_repeats *r, uint64_t hash)
{
    bool near = r->any;
    for (unsigned i = 0; i < TK_EV_REPEATS; i++)
        near |= r->hashes[i] == hash;
    return near;
}

/* Of a run of several items: are they of more than one time? Scopes of no length repeat at one. */
static inline bool tk_ev_repeats_has_times(const struct tk_ev_repeats *r, unsigned n, uint64_t time)
{
    for (unsigned d = 1; d < n; d++)
        if (r->times[(r->at - d) % TK_EV_REPEATS] != time)
            return true;
    return false;
}

/* What an item may be said of: nothing, as it may be equal to others; only with those in front of it, as an
 * end of a scope, of which several come at one time; or alone. */
enum tk_ev_repeats_may { TK_EV_REPEATS_NEVER, TK_EV_REPEATS_TOGETHER, TK_EV_REPEATS_ALONE };

/* Of an item that is near: how many items end with it that are equal to as many in front of them; 0: none. */
static inline unsigned tk_ev_repeats_count(struct tk_ev_repeats *r, uint64_t hash, uint64_t time,
                                           enum tk_ev_repeats_may may)
{
    unsigned found = 0;
    r->any = false;
    for (unsigned d = 1; d <= TK_EV_REPEATS; d++) {
        const bool equal = r->hashes[(r->at - d) % TK_EV_REPEATS] == hash;
        const bool says = d == 1 ? may == TK_EV_REPEATS_ALONE : may && tk_ev_repeats_has_times(r, d, time);
        r->equal[d] = equal ? r->equal[d] + 1 : 0;
        if (!found && r->equal[d] >= d && says)
            found = d;
        r->any |= r->equal[d] > 0;
    }
    if (found)
        memset(r->equal, 0, sizeof r->equal);
    return found;
}

/* Keeps an item, for the next ones. */
static inline void tk_ev_repeats_keep(struct tk_ev_repeats *r, uint64_t hash, uint64_t time)
{
    r->hashes[r->at % TK_EV_REPEATS] = hash;
    r->times[r->at % TK_EV_REPEATS] = time;
    r->at++;
}

#endif
