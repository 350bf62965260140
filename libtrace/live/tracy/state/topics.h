/*
 * What the topics of a session do for each other, and a handler for each event of the wire (tracy-live 4 to
 * 6). They work on the state; a file each.
 */
#ifndef TK_LIVE_TRACY_STATE_TOPICS_H
#define TK_LIVE_TRACY_STATE_TOPICS_H

#include "live/tracy/state/state.h"

/* ---- names (texts.c, threads.c, places.c, sources.c) ---- */

/* The number of a string. */
int tk_tl_store(struct tk_tl_state *s, const void *p, size_t n, uint32_t *text);

/* The text that was sent for this event. */
uint32_t tk_tl_take_text(struct tk_tl_state *s);

/* Asks for the string of a pointer at its first sight; *known: it has its text already, or is 0. */
int tk_tl_want_text(struct tk_tl_state *s, uint64_t pointer, bool *known);

/* Says what a pointer stands for, if nobody has. */
int tk_tl_name_pointer(struct tk_tl_state *s, uint64_t pointer, uint32_t text);

/* The thread of an id; one that is new enters the list. */
int tk_tl_thread_of(struct tk_tl_state *s, uint64_t tid, struct tk_tl_thread **out);
int tk_tl_thread_add(struct tk_tl_state *s, uint64_t tid, struct tk_tl_thread **out);
int tk_tl_thread_ask(struct tk_tl_state *s, uint64_t tid);
int tk_tl_thread_current(struct tk_tl_state *s, struct tk_tl_thread **out);

/* The number of a thread in the table of local threads. */
int tk_tl_thread_number(struct tk_tl_state *s, uint64_t tid, uint16_t *number);

/* Notes what is known of a zone that is or was open; end -1: it is. (zones.c) */
int tk_tl_zone_put(struct tk_tl_state *s, struct tk_tl_thread *t, const struct tk_tl_open_zone *z,
                   int64_t end);

/* The number of a source location. */
int tk_tl_place_of(struct tk_tl_state *s, uint64_t pointer, int16_t *place);
int tk_tl_place_dynamic(struct tk_tl_state *s, int16_t *place);

/* A file that a source location or a frame of code names; image: string + 1, or 0. */
int tk_tl_source_file(struct tk_tl_state *s, uint32_t path, uint32_t image);

/* ---- code (stacks.c) ---- */

int tk_tl_stack_of(struct tk_tl_state *s, const uint64_t *ids, size_t n, bool ask, uint32_t *stack);
int tk_tl_stack_join(struct tk_tl_state *s, uint32_t a, uint32_t b, uint32_t *stack);
uint32_t tk_tl_take_stack(struct tk_tl_thread *t);
uint32_t tk_tl_take_serial_stack(struct tk_tl_state *s);

/* ---- switches (switches.c), for fibers, too ---- */

int tk_tl_switches_of(struct tk_tl_state *s, uint64_t tid, struct tk_tl_switches **out);
int tk_tl_switch_add(struct tk_tl_state *s, struct tk_tl_switches *k, const struct tk_tl_switch *entry);

/* ---- handlers: one for each event ---- */

/* p: the bytes behind the number of the event; texts and data are in the state. */
#define TK_TL_HANDLER(name, a, b, c, d, e, f, g, form, size, since, more)                                    \
    int tk_tl_on_##name(struct tk_tl_state *s, const uint8_t *p);
TK_TL_EVENTS(TK_TL_HANDLER)
#undef TK_TL_HANDLER

#endif
