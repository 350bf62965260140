/*
 * Order of hitches: those listed, and in which order; those of a start-up or of loading a map stand apart.
 */
#ifndef TK_MODEL_HITCHES_HITCH_ORDER_H
#define TK_MODEL_HITCHES_HITCH_ORDER_H

#include "model/frames/hitch_reasons.h"

enum tk_hitch_phase { TK_HITCH_STEADY, TK_HITCH_STARTUP, TK_HITCH_LOAD };

struct tk_hitch_entry {
    uint32_t mark;
    size_t first; /* place of its first reason, or where it would be */
    uint64_t length;
    uint8_t phase; /* enum tk_hitch_phase */
};

struct tk_hitch_order {
    TK_VEC(struct tk_hitch_entry) v;
};

/*
 * When reasons are collected: all hitches in the order of their frames; where the query wants the worst
 * first, in the order of their lengths, those of a start-up or a load behind the others; no more than the
 * query wants. 0, or -1 without memory.
 */
int tk_hitch_order_make(struct tk_hitch_order *o, const struct tk_hitches *h);

/* "start-up", "load"; NULL for a steady one. Static. */
const char *tk_hitch_phase_name(uint8_t phase);

void tk_hitch_order_release(struct tk_hitch_order *o);

#endif
