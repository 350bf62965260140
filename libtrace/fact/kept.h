/*
 * What is kept of a capture between questions: sections of bytes, each made and read by one part of the
 * library. Who opens a capture loads them from a file, which it checks, and writes to it what was made
 * (kept/kept_file.h).
 *
 * Their bytes are hostile all the same: readers bound each number, and take a section with a fault for none.
 */
#ifndef TK_FACT_KEPT_H
#define TK_FACT_KEPT_H

#include "base/cursor.h"
#include "base/vec.h"

enum tk_kept_section {
    TK_KEPT_PACKETS,   /* where the packets of the file are, as its format has them */
    TK_KEPT_SCOPES,    /* states of readings, stacks of threads, and facts (kept/kept_reading.h) */
    TK_KEPT_INSTANCES, /* timers and instances that scopes refer to, as the format has them */
    TK_KEPT_ANSWERS,   /* what was answered to whole questions (kept/kept_answers.h) */
    TK_KEPT_SECTIONS
};

/* A section in the making. */
struct tk_kept_bytes {
    TK_VEC(uint8_t) bytes;
    bool failed; /* out of memory */
};

struct tk_kept {
    struct tk_bytes has[TK_KEPT_SECTIONS]; /* n 0: it is not there */
    struct tk_kept_bytes made[TK_KEPT_SECTIONS];
    bool makes;     /* sections that are not there are to be made; answers are in any case */
    bool spoilt;    /* what was made of scopes does not hold */
    bool requested; /* and written, however long the reading took */
    uint64_t most;  /* bytes that a section may have */
};

/* Ask a section that is there: its bytes, to be read from their start. */
static inline struct tk_cur tk_kept_cursor(const struct tk_kept *kept, enum tk_kept_section section)
{
    return tk_cur_of(kept->has[section].p, kept->has[section].n);
}

static inline void tk_kept_put_bytes(struct tk_kept_bytes *b, const void *p, size_t n)
{
    if (b->failed || tk_vec_reserve(&b->bytes, b->bytes.n + n)) {
        b->failed = true;
        return;
    }
    if (n)
        memcpy(b->bytes.v + b->bytes.n, p, n);
    b->bytes.n += n;
}

/* As tk_varint reads it. */
static inline void tk_kept_put(struct tk_kept_bytes *b, uint64_t v)
{
    uint8_t p[10];
    size_t n = 0;
    for (; v >= 128; v >>= 7)
        p[n++] = (uint8_t)(v | 128);
    p[n++] = (uint8_t)v;
    tk_kept_put_bytes(b, p, n);
}

/* Small numbers of either sign are short. */
static inline void tk_kept_put_signed(struct tk_kept_bytes *b, int64_t v)
{
    tk_kept_put(b, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static inline int64_t tk_kept_signed(struct tk_cur *c, const char *what)
{
    const uint64_t v = tk_varint(c, what);
    return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

static inline void tk_kept_release(struct tk_kept_bytes *b)
{
    tk_vec_release(&b->bytes);
    b->failed = false;
}

#endif
