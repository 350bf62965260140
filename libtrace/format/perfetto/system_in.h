/*
 * What a trace has of the system: marks of atrace, scheduling, processes, counters and frames of Android
 * (import2 2 to 5). Packets are of one core each, so all events are put off, brought in order of time and
 * interpreted when the walk has come to its end.
 */
#ifndef TK_FORMAT_PERFETTO_SYSTEM_IN_H
#define TK_FORMAT_PERFETTO_SYSTEM_IN_H

#include "base/cursor.h"
#include "base/hash.h"
#include "base/vec.h"
#include "format/events/feed.h"

struct tk_pf_trace;

/* What is put off is said by a number: of a key, or, of what is most frequent, by what is in it. */
enum tk_pf_late_by {
    TK_PF_LATE_BY_KEY,
    TK_PF_LATE_BEGIN,  /* the name of a scope: process << 32 | thread */
    TK_PF_LATE_END,    /* : the same */
    TK_PF_LATE_SWITCH, /* core << 16 | state: the thread that stops << 32 | the next one */
};
#define TK_PF_LATE_BITS 30u                 /* of what is in a number; those above are tk_pf_late_by */
#define TK_PF_LATE_SURE (UINT32_C(1) << 29) /* of a switch: the thread that stops is said */

/* Kinds of events that are put off by a key, and what they consist of; the number behind the colon is the
 * value. */
enum tk_pf_late {
    TK_PF_LATE_MARK,      /* process, name, track: cookie or value; of threads: process << 32 | thread */
    TK_PF_LATE_NAME,      /* name, rank: thread */
    TK_PF_LATE_TASK,      /* a thread or a process begins, by which thread, name: thread */
    TK_PF_LATE_FREE,      /* : thread whose id is free from here */
    TK_PF_LATE_THREAD,    /* process: thread of it */
    TK_PF_LATE_PROCESS,   /* name: process */
    TK_PF_LATE_COUNTER,   /* whose, id, name, unit: value */
    TK_PF_LATE_RESIDENT,  /* member, thread, whether it is its own memory, id of the memory: bytes */
    TK_PF_LATE_FRAME,     /* a frame begins: its place in frames */
    TK_PF_LATE_FRAME_END, /* : cookie */
    TK_PF_LATE_LOG,       /* thread, process, tag: message */
    TK_PF_LATE_WHOLE      /* thread, process, name: length of a scope */
};

/* Words of the key of an event that is put off. */
enum { TK_PF_KEY_KIND, TK_PF_KEY_A, TK_PF_KEY_B, TK_PF_KEY_NAME, TK_PF_KEY_TRACK, TK_PF_KEY_C };

/* Whose a counter is. */
enum tk_pf_whose { TK_PF_OF_NOBODY, TK_PF_OF_PROCESS, TK_PF_OF_CORE, TK_PF_OF_GPU };

enum { TK_PF_NO_TASK = 0, TK_PF_RANK_KERNEL = 1, TK_PF_RANK_TREE, TK_PF_RANK_TRACK };

/* A thread of the system while it has its id. */
struct tk_pf_task {
    int64_t tid, pid; /* pid: where has_pid */
    bool has_pid;
    uint8_t rank;    /* of who gave the name; 0: it has none */
    uint32_t name;   /* or TK_EV_NO_NAME */
    uint32_t thread; /* of the capture, once it has scopes; UINT32_MAX */
    uint32_t before; /* that had the id and still has it for its process; place + 1 */
    uint32_t track;  /* the same thread as track events have it: place + 1 in the capture; 0: they have not */
};

/* A frame of Android, as its begin has it. */
struct tk_pf_frame {
    int64_t begin, end; /* end: TK_EV_OPEN where it has none */
    uint64_t cookie;
    int64_t token, display, pid;
    const struct tk_str *jank_text; /* when all has come */
    uint32_t jank;                  /* bits */
    uint32_t layer;                 /* a name, or TK_EV_NO_NAME */
    uint32_t expected;              /* place of the frame that was expected; or none */
    uint32_t process;               /* when all has come */
    uint8_t kind, present;          /* kind: the field of its packet */
    bool on_time, gpu, again;
};

/* A counter of a GPU. */
struct tk_pf_gpu_counter {
    int64_t gpu;
    uint32_t name;
    uint8_t unit;
    bool forwards; /* a value holds from its time on; else it is of the time before */
};

/* The time of the last value of a counter whose values are of the time before them. */
struct tk_pf_pending {
    uint32_t counter;
    int64_t time;
};

typedef TK_VEC(uint32_t) tk_pf_names;

#define TK_PF_MOST_CORES 1024u

/* A core: what runs on it. */
struct tk_pf_core {
    bool running;
    int64_t since;
    int64_t tid;
};

/* Numbers by thread. Those of a Linux are below 2^22; anything else is in a map. Zero-initialise. */
#define TK_PF_NEAR_TIDS 0x400000
struct tk_pf_tids {
    TK_VEC(uint32_t) near; /* number + 1; 0: none */
    struct tk_map far;
};

/* The number of a thread, or TK_MAP_NONE. */
static inline uint32_t tk_pf_tids_get(const struct tk_pf_tids *t, int64_t tid)
{
    if ((uint64_t)tid < t->near.n)
        return t->near.v[tid] - 1;
    return (uint64_t)tid < TK_PF_NEAR_TIDS ? TK_MAP_NONE : tk_map_get(&t->far, (uint64_t)tid);
}

/* 0, or -1 if out of memory. */
int tk_pf_tids_put(struct tk_pf_tids *t, int64_t tid, uint32_t number);
void tk_pf_tids_release(struct tk_pf_tids *t);

/* Zero-initialise. */
struct tk_pf_system {
    struct tk_ev_ids keys;   /* of what is put off */
    struct tk_pf_tids comms; /* thread -> the last name that the kernel gave, while events come */
    bool has_start, keeps_old, any_late;
    unsigned kernel;                   /* its version, as TK_PF_KERNEL; 0: not known */
    uint64_t start_value, start_clock; /* when recording began, as its packet has it */
    int64_t start; /* older events of the kernel are of no recording; INT64_MIN: not known */
    TK_VEC(struct tk_pf_task) tasks;
    struct tk_pf_tids live; /* thread -> place in tasks + 1, or 0: the id is free */
    struct tk_map resident; /* id of memory -> place in tasks */
    TK_VEC(struct tk_pf_core) cores;
    TK_VEC(uint32_t) counters; /* by key: the counter + 1; 0: not known yet */
    struct tk_ev_ids sums;     /* of memory, by process and name */
    TK_VEC(uint64_t) sum_of;
    TK_VEC(struct tk_pf_gpu_counter) gpu_counters;
    struct tk_map gpu_index; /* id -> place in these */
    TK_VEC(struct tk_pf_pending) pending;
    struct tk_map pending_index; /* counter -> place in these */
    tk_pf_names gpu_queues;      /* by number, name + 1; 0: it has none */
    tk_pf_names stages;          /* by number */
    TK_VEC(struct tk_pf_frame) frames;
    struct tk_map cookies;  /* -> place in frames + 1, or 0 */
    struct tk_map expected; /* process and token of a frame -> place of the one that was expected */
    uint32_t nobody;        /* the process of threads whose process is not known; place + 1 */
};

/* What a thread was when it left a core, by the bits that the kernel has for that in a version; without one
 * the bits are those of 4.4. */
#define TK_PF_KERNEL(major, minor) ((major) << 10 | (minor))
enum tk_run_end tk_pf_run_end(uint32_t bits, unsigned kernel);

/* What a packet says of the version of the kernel. */
void tk_pf_system_kernel(struct tk_pf_trace *t, struct tk_bytes message);

/* Puts an event off. 0, or -1 if out of memory. */
int tk_pf_put_number(struct tk_pf_trace *t, int64_t time, enum tk_pf_late_by by, uint32_t what,
                     int64_t value);
int tk_pf_put_off(struct tk_pf_trace *t, int64_t time, const struct tk_ev_key *key, int64_t value);

/* A bundle of events of the kernel. definitions: only what it says of clocks. As tk_pf_packet. */
int tk_pf_ftrace(struct tk_pf_trace *t, struct tk_bytes message, uint32_t sequence, uint64_t offset);

/* What a bundle says of all its events. */
struct tk_pf_bundle {
    uint64_t core, clock, clock_time, boot_time;
    bool has_core, has_times;
    uint64_t key; /* of the clock of its times */
};

/* The time of one of its events in that of the trace. false: it has none, or it is older than the recording.
 */
bool tk_pf_bundle_time(struct tk_pf_trace *t, const struct tk_pf_bundle *b, uint64_t value, uint64_t offset,
                       int64_t *time);

/* A core goes over from a thread to the next; TK_PF_NO_TID: it is not said which stops. As tk_pf_packet. */
#define TK_PF_NO_TID INT64_MIN
int tk_pf_put_switch(struct tk_pf_trace *t, int64_t time, uint32_t core, int64_t before, uint64_t state,
                     int64_t next);

/* A thread is woken on a core, with the flags of that event; as tk_ev_wake. As tk_pf_packet. */
int tk_pf_put_wake(struct tk_pf_trace *t, int64_t time, int64_t tid, uint32_t core, uint64_t flags,
                   bool sure);

/* A name that the kernel gives a thread, where it is not the one that it gave before. As tk_pf_packet. */
int tk_pf_put_comm(struct tk_pf_trace *t, int64_t time, int64_t tid, struct tk_bytes name);

/* Switches and wake-ups of a bundle in columns. As tk_pf_packet. */
int tk_pf_compact_sched(struct tk_pf_trace *t, const struct tk_pf_bundle *b, struct tk_bytes message,
                        uint64_t offset);

/* A line of atrace that a thread wrote. As tk_pf_packet. */
int tk_pf_atrace_line(struct tk_pf_trace *t, int64_t time, uint64_t tid, struct tk_bytes line,
                      uint64_t offset);

/* The same of drivers, which write its parts. phase: B, E, C or I; anything else is counted. */
struct tk_pf_driver_mark {
    uint64_t pid;
    int64_t value;
    struct tk_bytes name;
    char phase;
};
int tk_pf_driver_line(struct tk_pf_trace *t, int64_t time, uint64_t tid, const struct tk_pf_driver_mark *m,
                      uint64_t offset);

/* A thread is of a process. 0 or -1. */
int tk_pf_put_thread(struct tk_pf_trace *t, int64_t time, uint64_t tid, uint64_t pid);

/* A value of a counter. 0 or -1. */
struct tk_pf_counter_value {
    enum tk_pf_whose whose;
    int64_t id; /* of the process, core or GPU */
    uint32_t name;
    uint8_t unit; /* enum tk_counter_unit */
    struct tk_number value;
    bool before; /* it is the value of the time before */
};
int tk_pf_put_counter(struct tk_pf_trace *t, int64_t time, const struct tk_pf_counter_value *v);

/* The process that stands for a core or a GPU; UINT32_MAX if out of memory. */
uint32_t tk_pf_device(struct tk_ev_capture *c, const char *what, int64_t number);

/* A packet of the timeline of frames, at a time. As tk_pf_packet. */
int tk_pf_frame_timeline(struct tk_pf_trace *t, struct tk_bytes message, int64_t time, uint64_t offset);

/* In order of time: a frame begins, or that of a cookie ends. 0 or -1. */
int tk_pf_frame_begin(struct tk_pf_trace *t, size_t at);
int tk_pf_frame_end(struct tk_pf_trace *t, uint64_t cookie, int64_t time);

/* All frames are known: they become those of the capture. 0 or -1. */
int tk_pf_frames_finish(struct tk_pf_trace *t);

/* Rows of their table, as tk_ev_decoder has them. */
extern const struct tk_table *const tk_pf_row_tables[];
bool tk_pf_frame_row(struct tk_ev_capture *c, size_t at, struct tk_fact_row *fact, struct tk_cell *row,
                     int64_t *time);

/* Threads and processes of the system, at a time. As tk_pf_packet. */
int tk_pf_process_tree(struct tk_pf_trace *t, struct tk_bytes message, int64_t time);

/* All has come: interprets what was put off. TK_OK, or negative. */
int tk_pf_system_finish(struct tk_pf_trace *t, struct tk_err *err);

/* Recording begins; where the configuration does not keep what the kernel's buffer held before, the time
 * matters. */
void tk_pf_system_started(struct tk_pf_trace *t, uint64_t value, uint64_t clock);
void tk_pf_system_config(struct tk_pf_trace *t, struct tk_bytes message);

/* Definitions are complete, events come. */
void tk_pf_system_begin(struct tk_pf_trace *t);

void tk_pf_system_release(struct tk_pf_system *s);

/*
 * Threads and processes while events are interpreted (tasks.c). Places in tasks + 1; TK_PF_NO_TASK if out of
 * memory.
 */

/* The thread that has an id now; the same as a thread of a process. */
uint32_t tk_pf_task_of(struct tk_pf_system *s, int64_t tid);
uint32_t tk_pf_task_in(struct tk_pf_system *s, int64_t tid, int64_t pid);

/* A new one takes the id; `only`: those before it do not have it any more. */
uint32_t tk_pf_task_new(struct tk_pf_system *s, int64_t tid, bool only);
void tk_pf_task_free(struct tk_pf_system *s, int64_t tid);

/* The thread of the capture for its scopes; UINT32_MAX if out of memory. */
uint32_t tk_pf_task_thread(struct tk_pf_trace *t, uint32_t task);

/* Gives threads of the capture what is known of them. 0 or -1. */
int tk_pf_tasks_finish(struct tk_pf_trace *t);

/* All is read: threads of track events are threads of the system. 0, or -1 if out of memory. */
int tk_pf_tasks_begin(struct tk_pf_trace *t);

/* A thread begins behind one that had its id, before (place + 1, or 0): track events of that thread are its
 * own, unless it is of another process. */
void tk_pf_task_take_track(struct tk_pf_system *s, uint32_t task, uint32_t before);

#endif
