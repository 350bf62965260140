/*
 * The zones of one thread: from bytes to begins and ends. The hot path of a reading.
 *
 *   zone: i16 location, dt start, u32 extra, u32 n, n zones, dt end tracy-file 5.10
 *
 * One running time goes through all of it, so a tree is decoded with a stack of how many children are left on
 * each level. A leaf is 26 bytes in a row.
 */
#ifndef TK_FORMAT_TRACY_ZONES_ZONE_TREE_H
#define TK_FORMAT_TRACY_ZONES_ZONE_TREE_H

#include "base/arena.h"
#include "format/tracy/file/payload.h"

#define TK_TRACY_ZONE_BYTES 26 /* of a zone alone */

/* Is a time one that cannot be? */
enum tk_tracy_zone_fault {
    TK_TRACY_ZONE_SOUND,
    TK_TRACY_ZONE_BEYOND, /* behind the last time of the capture */
    TK_TRACY_ZONE_BACK    /* before what is in front of it, by more than a small step of a clock */
};

#define TK_TRACY_SMALL_STEP 1000000 /* nanoseconds that a clock may step back */

/*
 * What is wrong with the time of a begin or end: zones lie inside each other or behind each other, and times
 * are differences, so that one that is wrong makes all behind it wrong. `highest` is the highest time so far
 * or 0; an end of -1 is none.
 */
static inline enum tk_tracy_zone_fault tk_tracy_zone_judge(int64_t time, bool begins, int64_t highest,
                                                           int64_t latest)
{
    if (time > latest)
        return TK_TRACY_ZONE_BEYOND;
    bool none = !begins && time == -1;
    bool back = time < highest && (uint64_t)highest - (uint64_t)time > TK_TRACY_SMALL_STEP;
    return back && !none ? TK_TRACY_ZONE_BACK : TK_TRACY_ZONE_SOUND;
}

struct tk_tracy_zone_stack {
    TK_STACK(uint32_t) rest; /* children left of the levels around this one */
    uint32_t most;           /* zones inside each other; what is deeper is skipped with all that follows */
    uint32_t left;           /* children left of this level */
    int64_t time;            /* the running time */

    /*
     * Zones without an end inside all others that are open. They stay open when nothing but such follows.
     * Where a zone follows, or one around them ends, they are lost (TK_OP_LOSE) before that, at the last
     * time.
     */
    uint32_t unclosed;
    int64_t last;      /* time of the last begin or end that was given */
    int64_t held_time; /* a begin or end that waits for them */
    uint32_t held_op;
    uint32_t held_extra;
    bool held;
    bool too_deep;                  /* `most` is reached */
    int64_t latest;                 /* no time is beyond it. INT64_MAX after opening */
    int64_t highest;                /* time so far */
    enum tk_tracy_zone_fault fault; /* what follows is left out */
    uint64_t fault_at;              /* place of the payload */
    uint32_t most_extra;            /* the highest extra of all trees so far */
};

/* One begin or end, for those who want to see all of a zone. */
struct tk_tracy_zone_event {
    uint64_t at;  /* offset in the payload */
    int64_t time; /* an end below 0: the zone has none */
    bool begin;
    int16_t location;
    uint32_t extra, children; /* of a begin */
    uint32_t depth;           /* zones around it */
};

/* For so many zones inside each other. TK_OK or TK_ENOMEM. */
int tk_tracy_zone_stack_open(struct tk_tracy_zone_stack *s, uint64_t most);
void tk_tracy_zone_stack_release(struct tk_tracy_zone_stack *s);

/* Begins a tree with so many zones on its first level. */
void tk_tracy_zones_begin(struct tk_tracy_zone_stack *s, uint32_t roots);

/* Is there nothing left of the tree? */
static inline bool tk_tracy_zones_done(const struct tk_tracy_zone_stack *s)
{
    return !s->left && !s->rest.n && !s->held;
}

/* Where begins and ends go. */
struct tk_tracy_zone_out {
    const uint32_t *timers; /* an entry for each i16 */
    int64_t *time;
    uint32_t *op;    /* the timer, TK_OP_END or TK_OP_LOSE */
    uint32_t *extra; /* index into the zone extras, 0 none, of ends too; NULL: not wanted */
};

/*
 * Decodes until the tree is done, `space` begins and ends are written, the payload has a fault, the tree is
 * too deep or a time cannot be; returns how many were written.
 */
size_t tk_tracy_zones_run(struct tk_tracy_zone_stack *s, struct tk_tracy_payload *in,
                          struct tk_tracy_zone_out out, size_t capacity);

/* Decodes one begin or end; false when there is none. */
bool tk_tracy_zones_event(struct tk_tracy_zone_stack *s, struct tk_tracy_payload *in,
                          struct tk_tracy_zone_event *ev);

/* What tk_tracy_zones_run writes for an event; space is at least 1. Call again with NULL while s->held. */
size_t tk_tracy_zones_write(struct tk_tracy_zone_stack *s, const struct tk_tracy_zone_event *ev,
                            struct tk_tracy_zone_out out, size_t capacity);

#endif
