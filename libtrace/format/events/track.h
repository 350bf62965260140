/*
 * Tracks: events of one kind in the order of the file, in memory or in a temporary file. What decoders say is
 * kept in them until a reading requests it.
 */
#ifndef TK_FORMAT_EVENTS_TRACK_H
#define TK_FORMAT_EVENTS_TRACK_H

#include "base/bits.h"
#include "base/cursor.h"
#include "base/vec.h"
#include "io/scratch/spill.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Items as bytes: each as what says it from the one before, of as many bytes as that needs. Tracks keep
 * items in this form, in memory and in temporary files.
 *
 * Two bytes say how long what follows is: the step of the time (low half of the first) and `what` (high
 * half), the value (low half of the second) and `order` (high half). That is 26 bytes at most; of the tracks
 * of a capture 24, as the order is that of the file but for switches, of which `what` and `order` have three
 * bytes each.
 */

struct tk_ev_item {
    int64_t time;
    int64_t value; /* by track: when a scope ends, the bits of a number, ... */
    uint32_t what; /* by track: a timer, a name, a counter, ... */
    uint32_t order;
};

/* What the value of an item of a thread means; any other is the end of a scope that came whole. */
#define TK_EV_BEGIN INT64_MIN
#define TK_EV_END   (INT64_MIN + 1)

/* Bytes of an item at most, with those that are written behind it and count for nothing. */
enum { TK_EV_PACKED_SPACE = 40 };

/* In place of the length of a value: it is one of those above. */
enum { TK_EV_PACKED_BEGIN = 9, TK_EV_PACKED_END };

/* What an item is distinguished from; zero-initialise to begin. */
struct tk_ev_packing {
    int64_t time;
    uint32_t order;
};

static inline uint64_t tk_ev_zigzag(uint64_t v)
{
    return v << 1 ^ (0 - (v >> 63));
}

static inline uint64_t tk_ev_unzigzag(uint64_t v)
{
    return v >> 1 ^ (0 - (v & 1));
}

static inline unsigned tk_ev_bytes_of(uint64_t v)
{
    return v ? 8 - tk_zeros_above(v) / 8 : 0;
}

/* The bytes of a number, lowest first; they stay on this machine. */
static inline void tk_ev_put64(uint8_t *p, uint64_t v)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p, &v, sizeof v);
#else
    for (unsigned i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
#endif
}

static inline const uint8_t *tk_ev_take_low(const uint8_t *p, uint64_t *v, unsigned n)
{
    const uint64_t whole = tk_load64(p);
    *v = n < 8 ? whole & ((UINT64_C(1) << (8 * n)) - 1) : whole;
    return p + n;
}

/* Writes an item to p, which has space for TK_EV_PACKED_SPACE bytes; how many it takes. */
static inline size_t tk_ev_pack(uint8_t *p, struct tk_ev_packing *before, const struct tk_ev_item *item)
{
    const uint64_t step = tk_ev_zigzag((uint64_t)item->time - (uint64_t)before->time);
    const uint32_t ahead = item->order - before->order;
    const uint64_t order = tk_ev_zigzag((uint64_t)(int64_t)(int32_t)ahead);
    /* numbers are small, whatever their highest bit says, and that which stands for no name is none */
    const uint32_t what = (item->what << 1 | item->what >> 31) + 1;
    const unsigned steps = tk_ev_bytes_of(step), whats = tk_ev_bytes_of(what);
    unsigned second = item->value == TK_EV_BEGIN ? TK_EV_PACKED_BEGIN : TK_EV_PACKED_END;
    uint8_t *at = p + 2;
    tk_ev_put64(at, step); /* what is more than it needs is written over */
    at += steps;
    tk_ev_put64(at, what);
    at += whats;
    if (item->value > TK_EV_END) {
        const uint64_t value = tk_ev_zigzag((uint64_t)item->value - (uint64_t)item->time);
        second = tk_ev_bytes_of(value);
        tk_ev_put64(at, value);
        at += second;
    }
    if (order) {
        const unsigned orders = tk_ev_bytes_of(order);
        second |= orders << 4;
        tk_ev_put64(at, order);
        at += orders;
    }
    p[0] = (uint8_t)(steps | whats << 4);
    p[1] = (uint8_t)second;
    *before = (struct tk_ev_packing){item->time, item->order + 1};
    return (size_t)(at - p);
}

/* Reads an item at p; behind it are as many bytes as TK_EV_PACKED_SPACE says. What follows it. */
static inline const uint8_t *tk_ev_unpack(const uint8_t *p, struct tk_ev_packing *before,
                                          struct tk_ev_item *item)
{
    const unsigned first = p[0], second = p[1], values = second & 15;
    uint64_t step, what, value = 0, order = 0;
    p = tk_ev_take_low(p + 2, &step, first & 15);
    p = tk_ev_take_low(p, &what, first >> 4);
    item->time = (int64_t)((uint64_t)before->time + tk_ev_unzigzag(step));
    item->value = values == TK_EV_PACKED_BEGIN ? TK_EV_BEGIN : TK_EV_END;
    if (values < TK_EV_PACKED_BEGIN) {
        p = tk_ev_take_low(p, &value, values);
        item->value = (int64_t)((uint64_t)item->time + tk_ev_unzigzag(value));
    }
    if (second >> 4)
        p = tk_ev_take_low(p, &order, second >> 4);
    const uint32_t turned = (uint32_t)what - 1;
    item->what = turned >> 1 | turned << 31;
    item->order = before->order + (uint32_t)tk_ev_unzigzag(order);
    *before = (struct tk_ev_packing){item->time, item->order + 1};
    return p;
}

/* A time as facts have it: since `base`, which is no later. What 64 bits do not hold is the most that they
 * do. */
static inline int64_t tk_ev_since(int64_t base, int64_t time)
{
    uint64_t since = (uint64_t)time - (uint64_t)base;
    return since <= INT64_MAX ? (int64_t)since : INT64_MAX;
}

/* Where items begin that are in order of time up to the next such place. */
struct tk_ev_run {
    size_t at;
    struct tk_ev_packing before;
};

/* Zero-initialise to begin. */
struct tk_ev_track {
    TK_VEC(uint8_t)
    held; /* items, of which the first is distinguished from nothing, as that of each piece */
    struct tk_spilled spilled;
    struct tk_ev_packing last; /* its time is that of the last item also behind a spill */
    uint64_t n;
    bool unsorted;                 /* some time is before the one in front of it */
    bool scattered;                /* the runs are not known: they were too short, or are in the file */
    TK_VEC(struct tk_ev_run) runs; /* of one that is not sorted */
};

/* A run begins behind what is held. It is not known where memory is out, which costs no more than time. */
void tk_ev_track_turn(struct tk_ev_track *t);

/* Appends an item. The bytes that it takes, or 0 if out of memory. */
static inline size_t tk_ev_track_add(struct tk_ev_track *t, const struct tk_ev_item *item)
{
    if (t->held.cap - t->held.n < TK_EV_PACKED_SPACE &&
        tk_vec_reserve(&t->held, t->held.n + TK_EV_PACKED_SPACE))
        return 0;
    if (t->n++ && item->time < t->last.time)
        tk_ev_track_turn(t);
    if (!t->held.n)
        t->last = (struct tk_ev_packing){0};
    const size_t n = tk_ev_pack(t->held.v + t->held.n, &t->last, item);
    t->held.n += n;
    return n;
}

/* Moves what is held to the temporary file. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_ev_track_spill(struct tk_ev_track *t, struct tk_spill *spill, struct tk_err *err);

void tk_ev_track_release(struct tk_ev_track *t);

enum { TK_EV_UNPACKED = 256 }; /* items that are unpacked at a time */

/* Reads a track in the order of the file. Zero-initialise all but the first two. */
struct tk_ev_track_reader {
    const struct tk_ev_track *track;
    const struct tk_spill *spill; /* NULL where nothing was spilled */
    TK_VEC(uint8_t) piece;
    size_t next_piece;
    const uint8_t *at, *end; /* of the piece, or of what is held */
    struct tk_ev_packing before;
    size_t next, n; /* of the items */
    struct tk_ev_item items[TK_EV_UNPACKED];
};

/* Unpacks more items. TK_ITEM, TK_OK at the end, TK_EOUTPUT, TK_ENOMEM. */
int tk_ev_track_fill(struct tk_ev_track_reader *r, struct tk_err *err);

/* The next item, borrowed until the next call. TK_ITEM, TK_OK at the end, TK_EOUTPUT, TK_ENOMEM. */
static inline int tk_ev_track_next(struct tk_ev_track_reader *r, const struct tk_ev_item **out,
                                   struct tk_err *err)
{
    if (r->next == r->n) {
        int rc = tk_ev_track_fill(r, err);
        if (rc != TK_ITEM)
            return rc;
    }
    *out = &r->items[r->next++];
    return TK_ITEM;
}

/* All items that are unpacked and not taken, at least one, borrowed until the next call. As above. */
static inline int tk_ev_track_next_all(struct tk_ev_track_reader *r, const struct tk_ev_item **out, size_t *n,
                                       struct tk_err *err)
{
    const int rc = r->next == r->n ? tk_ev_track_fill(r, err) : TK_ITEM;
    if (rc != TK_ITEM)
        return rc;
    *out = &r->items[r->next];
    *n = r->n - r->next;
    r->next = r->n;
    return TK_ITEM;
}

void tk_ev_track_reader_release(struct tk_ev_track_reader *r);

#endif
