/*
 * The lengths of the calls of a series, in order, in whatever form the series has them: one by one, as a
 * sketch, or as the bytes of one in a file, which most comparisons never look into. See baseline.h.
 */
#ifndef TK_COMPARE_BASELINE_CALL_WALK_H
#define TK_COMPARE_BASELINE_CALL_WALK_H

#include "base/cursor.h"
#include "compare/baseline/baseline.h"

/* Buckets of TK_SKETCH_CALLS that are not empty, in ascending order. */
struct tk_call_walk {
    const struct tk_series *series;
    struct tk_cur c; /* of packed bytes */
    uint64_t bucket; /* of a packed sketch: the next one without a gap */
    uint64_t left;   /* of a packed sketch: buckets */
    uint64_t at;     /* of others: the next bucket, or call */
    uint64_t length; /* of packed calls: of the next one */
};

/* Is anything known of single calls? */
static inline bool tk_series_tells_calls(const struct tk_series *s)
{
    return s->exact || s->sketch.n || s->packed;
}

/* Are the calls kept one by one? Else their lengths are those of a sketch. */
static inline bool tk_series_is_exact(const struct tk_series *s)
{
    return s->exact || (s->packed && s->count <= TK_SERIES_EXACT);
}

/* The calls that are kept one by one, ascending: of the series, or unpacked into `room`. */
const uint64_t *tk_series_exact(const struct tk_series *s, uint64_t room[TK_SERIES_EXACT]);

/* Begins; the series is borrowed. */
struct tk_call_walk tk_call_walk_of(const struct tk_series *s);

/* The next bucket, and how many calls are in it; false at the end. */
bool tk_call_walk_next(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n);

/* How many calls are in buckets; the length of the one of a rank, from 1 on: the middle of its bucket, 0 when
 * there are fewer. */
uint64_t tk_series_calls(const struct tk_series *s);
uint64_t tk_series_call_ranked(const struct tk_series *s, uint64_t rank);

/* The next bucket of a sketch as it is in files (baseline_file.h): *bucket is where the gap begins, and
 * becomes the bucket. Faults of the cursor are those of the bytes. The number of calls in it. */
static inline uint64_t tk_sketch_read_bucket(struct tk_cur *c, uint64_t *bucket)
{
    const uint64_t token = tk_varint(c, "a sketch");
    uint64_t n = (token & 3) + 1;
    n += n == 4 ? tk_varint(c, "a sketch") : 0;
    *bucket += token >> 2;
    return n;
}

#endif
