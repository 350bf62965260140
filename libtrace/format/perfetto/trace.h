/*
 * A walk over a Perfetto trace: what packets change, and what their events become. Shared by the files of
 * this folder.
 *
 * Tracks and snapshots of clocks may stand behind the events that need them. So the packets are gone through
 * twice: first for definitions, then for events.
 */
#ifndef TK_FORMAT_PERFETTO_TRACE_H
#define TK_FORMAT_PERFETTO_TRACE_H

#include "format/perfetto/clocks.h"
#include "format/perfetto/records.h"
#include "format/perfetto/sequences.h"
#include "format/perfetto/tracks.h"

/* A thread that runs on a core. */
struct tk_pf_core {
    bool running;
    int64_t since;
    uint64_t system_id;
};

/* What plain packets have in common: the fields between the time and the size of the event, as bytes. */
struct tk_pf_same {
    uint64_t sequence, flags;
    uint64_t bytes, mask;
    size_t n; /* of them, less than 8; 0: not known */
};

struct tk_pf_trace {
    struct tk_ev_capture *c; /* borrowed */
    bool definitions;        /* the first time */
    struct tk_pf_clocks clocks;
    struct tk_pf_sequences sequences;
    struct tk_pf_tracks tracks;
    struct tk_pf_losses losses;
    TK_VEC(struct tk_pf_core) cores;
    struct tk_pf_same same;
    TK_VEC(uint8_t) before;   /* the packet in front */
    TK_VEC(uint8_t) text;     /* in the making */
    TK_VEC(uint8_t) unpacked; /* of compressed packets */
};

/* What happened: 1 fine; -1 the packet is broken; -2 memory or a limit is out. */
enum { TK_PF_FINE = 1, TK_PF_BROKEN_PACKET = -1, TK_PF_NO_MEMORY = -2 };

static inline int tk_pf_kept(int rc)
{
    return rc ? TK_PF_NO_MEMORY : TK_PF_FINE;
}

/* Troubles are told once: those of definitions at the first time, all others at the second. */
static inline void tk_pf_note(struct tk_pf_trace *t, enum tk_ev_trouble what, uint64_t offset)
{
    if (!t->definitions)
        tk_ev_note(t->c, what, offset);
}

/* A packet that begins at an offset of the file. */
int tk_pf_packet(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t offset, bool inner);

/* Notes a packet that is equal to the one in front of it, if it has a time and ends nothing. 1, or negative.
 */
int tk_pf_repeated(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t offset);

/* Keeps a packet, to compare the next one with it. 1; -2: out of memory. */
int tk_pf_keep_before(struct tk_pf_trace *t, struct tk_bytes packet);

static inline bool tk_pf_is_equal(struct tk_bytes a, struct tk_bytes b)
{
    return a.n == b.n && a.n && memcmp(a.p, b.p, a.n) == 0;
}

/*
 * The same of a packet that is no more than a slice of a thread, with at least TK_PF_PLAIN_BEHIND bytes that
 * can be read behind it. 0: it is something else, or its track is not known yet; nothing was done.
 */
enum { TK_PF_PLAIN_BEHIND = 16 };
int tk_pf_plain_packet(struct tk_pf_trace *t, struct tk_bytes packet, uint64_t offset);

/* A time of a clock in that of the trace. false: it has none, which is told. */
static inline bool tk_pf_time(struct tk_pf_trace *t, enum tk_pf_converted converted, int64_t time,
                              uint64_t offset)
{
    if (converted == TK_PF_AS_IT_IS)
        tk_pf_note(t, TK_EV_CLOCK_AS_IT_IS, offset);
    else if (converted == TK_PF_UNKNOWN_CLOCK)
        tk_pf_note(t, TK_EV_CLOCK_UNKNOWN, offset);
    else if (time <= INT64_MIN + 1) {
        tk_pf_note(t, TK_EV_NO_TIME, offset);
        return false;
    }
    return converted != TK_PF_UNKNOWN_CLOCK;
}

/* A TrackEvent. has_time: the packet has a time. */
int tk_pf_track_event(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message, bool has_time,
                      int64_t time, uint64_t offset);

/* Bundles of events of the kernel: which thread ran on which core. */
int tk_pf_ftrace(struct tk_pf_trace *t, struct tk_bytes message);

/* Threads and processes of the system. */
int tk_pf_process_tree(struct tk_pf_trace *t, struct tk_bytes message);

#endif
