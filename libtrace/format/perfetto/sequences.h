/*
 * Packet sequences: what a writer said before, and its packets refer to (import 5.2).
 */
#ifndef TK_FORMAT_PERFETTO_SEQUENCES_H
#define TK_FORMAT_PERFETTO_SEQUENCES_H

#include "format/events/feed.h"
#include "format/perfetto/losses.h"
#include "format/perfetto/message.h"

/* What is interned, by field number of InternedData. */
enum tk_pf_interned {
    TK_PF_CATEGORIES,
    TK_PF_NAMES,
    TK_PF_ANNOTATION_NAMES,
    TK_PF_LOG_BODIES,
    TK_PF_ANNOTATION_TEXTS,
    TK_PF_LOCATIONS,
    TK_PF_TABLES
};

struct tk_pf_location {
    uint32_t file, line; /* a name */
};

/* The sum of a counter whose values are differences. */
struct tk_pf_sum {
    struct tk_number number;
};

struct tk_pf_sequence {
    uint32_t id;
    bool valid, has_thread;
    int64_t pid, tid;
    struct tk_pf_marks marks;
    struct tk_map tables[TK_PF_TABLES]; /* iid to name; of locations: to `locations` */
    TK_VEC(uint32_t) timers; /* by iid of a name: the timer of that name + 1, where it was asked for */
    TK_VEC(struct tk_pf_location) locations;
    uint64_t default_clock;
    bool has_default_track;
    uint64_t default_track;
    TK_VEC(uint64_t) extra, extra_real; /* tracks of further counters */
    bool has_reference;
    int64_t reference; /* of times that are differences */
    struct tk_map sum_index;
    TK_VEC(struct tk_pf_sum) sums;
};

struct tk_pf_sequences {
    TK_VEC(struct tk_pf_sequence) list;
    struct tk_map index;
    size_t last; /* the place of the one looked up last */
};

/* The sequence of an id, borrowed until the next call; NULL if out of memory. Most are the one before. */
struct tk_pf_sequence *tk_pf_sequence_find(struct tk_pf_sequences *s, uint32_t id);

static inline struct tk_pf_sequence *tk_pf_sequence_of(struct tk_pf_sequences *s, uint32_t id)
{
    if (s->last < s->list.n && s->list.v[s->last].id == id)
        return &s->list.v[s->last];
    return tk_pf_sequence_find(s, id);
}

/* Its state is void: it begins anew. */
void tk_pf_sequence_clear(struct tk_pf_sequence *s);

/* InternedData. 1; -1: broken; -2: out of memory. */
int tk_pf_sequence_intern(struct tk_pf_sequence *s, struct tk_ev_capture *c, struct tk_bytes message,
                          uint64_t offset);

/* TracePacketDefaults. 1, -1, -2. */
int tk_pf_sequence_defaults(struct tk_pf_sequence *s, struct tk_bytes message);

/* The name of an iid; false: it was never said. */
bool tk_pf_interned(const struct tk_pf_sequence *s, enum tk_pf_interned table, uint64_t iid, uint32_t *name);

void tk_pf_sequences_release(struct tk_pf_sequences *s);

#endif
