/*
 * Timers of a capture: ids of specs, metadata instances and scoped events (events 2.2, 2.4).
 * Definitions only, so one state for all readings.
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_TIMER_IDS_H
#define TK_FORMAT_UTRACE_SCOPES_TIMER_IDS_H

#include "base/hash.h"
#include "fact/kept.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/scopes/scopes_in.h"

#include <stdint.h>

/*
 * Metadata instances -> timers. There are millions of them, numbered one after another, of few timers: pages
 * of 4,096 instances with a palette and one byte each, widened where a page has more timers than a byte can
 * number.
 */

struct tk_ut_metadata_instances;

/* Sets the timer of an instance; creates *set on first use. 0, or -1 if out of memory. */
int tk_ut_metadata_instances_put(struct tk_ut_metadata_instances **set, uint32_t instance, uint32_t timer);

/* The timer of an instance, or UINT32_MAX. set may be NULL. */
uint32_t tk_ut_metadata_instances_get(const struct tk_ut_metadata_instances *set, uint32_t instance);

/* All of them as bytes, for what is kept between questions. */
void tk_ut_metadata_instances_keep(const struct tk_ut_metadata_instances *set, struct tk_kept_bytes *out);

/* Adds those of such bytes, of timers below n_timers. TK_OK, TK_ENOMEM, TK_EFORMAT: they are none. */
int tk_ut_metadata_instances_load(struct tk_ut_metadata_instances **set, struct tk_cur c, uint64_t n_timers);

void tk_ut_metadata_instances_free(struct tk_ut_metadata_instances *set);

/*
 * Texts of scopes: what the metadata of a scope says, without the name of its timer: "BP_Door_3 (Id 17)" of
 * an instance that was made with the format "%s (Id %u)"; of a scoped event its values with commas between
 * them (events 2.4, 2.5). Part of the state of the CPU family; there where SCOPE_TEXT is requested.
 */

/* How the metadata of a spec is displayed. */
struct tk_ut_scope_format {
    const struct tk_str *name; /* of the timer */
    struct tk_str rest;        /* of the format, behind what the name has of it */
};

/* Zero-initialise to begin. */
struct tk_ut_scope_texts {
    TK_VEC(struct tk_ut_scope_format) formats;
    struct tk_map by_spec;                      /* -> index in formats */
    TK_VEC(const struct tk_str *) all;          /* of the strings of the capture, each once */
    struct tk_map by_hash;                      /* of their bytes -> index in all */
    struct tk_ut_metadata_instances *instances; /* metadata instance -> index in all; owned */
    TK_VEC(struct tk_str *) late; /* of instances that come behind their scopes: empty until they come */
    struct tk_map late_instances; /* -> index in late */
    const struct tk_str *others;  /* for those beyond the limit, the last of all; NULL: none so far */
};

/* A spec with a format was defined. `name` is that of its timer. TK_OK or TK_ENOMEM. */
int tk_ut_scope_text_spec(struct tk_ut_feed *feed, uint32_t spec, const struct tk_str *name,
                          const struct tk_str *format);

/* An instance of a spec was defined with CBOR values. TK_OK or TK_ENOMEM. */
int tk_ut_scope_text_instance(struct tk_ut_feed *feed, const struct tk_ut_event *ev, uint32_t instance,
                              uint32_t spec, const struct tk_bytes *values);

/* The text of an instance, or one that is empty until it is defined; NULL where it has none. TK_OK or
 * TK_ENOMEM. */
int tk_ut_scope_text_of(struct tk_ut_feed *feed, uint64_t instance, const struct tk_str **out);

/* The text of a scoped event; NULL where it has no values. TK_OK or TK_ENOMEM. */
int tk_ut_scope_text_event(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_str **out);

void tk_ut_scope_texts_release(struct tk_ut_scope_texts *t);

/* A timer's identity. */
struct tk_ut_timer {
    const struct tk_str *name, *file; /* file NULL: not known */
    uint32_t line;
    uint8_t kind;     /* enum tk_timer_kind */
    bool placeholder; /* used before it was defined */
};

struct tk_ut_timers {
    TK_VEC(struct tk_ut_timer) timers; /* by timer id */
    struct tk_map by_name;             /* hash of the identity -> first timer id with it */
    TK_VEC(uint32_t) chain;            /* by timer id: the next one with that hash, or TK_MAP_NONE */
    uint32_t *by_spec;                 /* spec id -> timer id, TK_CPU_UNKNOWN where there is none; owned */
    size_t n_specs, cap_specs;
    struct tk_map far_specs;                    /* spec ids beyond the table */
    TK_VEC(uint32_t) by_type;                   /* event type id -> timer id */
    struct tk_ut_metadata_instances *instances; /* metadata instance -> timer id; owned */
    uint64_t n_instances;                       /* each once, however many readings define it */
    bool loaded;            /* those of events were taken from what is kept, and are not among n_instances */
    bool defined;           /* those of what is kept, in their order */
    bool rebound;           /* an instance was bound to another timer, while states were reported */
    struct tk_map late;     /* instance -> slot of scopes that came before it */
    TK_VEC(uint64_t) early; /* those instances */
    uint32_t n_late;
    struct tk_ut_scope_texts texts;
    uint32_t coroutine, frame, lost_metadata; /* timers made on first use; TK_MAP_NONE before */
};

/* NULL if out of memory. */
struct tk_ut_timers *tk_ut_timers_new(void);
void tk_ut_timers_free(struct tk_ut_timers *t); /* NULL is allowed */

/* Are instances defined among events, alongside the `opened` ones that were there when the capture had been
 * opened? */
static inline bool tk_ut_timers_more(const struct tk_ut_timers *t, uint64_t opened)
{
    return t->loaded || t->n_instances != opened;
}

/* Defines the timer of a spec. TK_OK or TK_ENOMEM, as all others: timers beyond the limit are one, which is
 * noted. */
int tk_ut_timer_spec(struct tk_ut_feed *feed, uint32_t spec, const struct tk_ut_timer *timer);

/* What is known of the timer of a spec; NULL when it is not defined. Valid until the next definition. */
const struct tk_ut_timer *tk_ut_timer_known(struct tk_ut_feed *feed, uint32_t spec);

/* At the end of the capture: notes which timers and metadata of scopes are still not defined. */
void tk_ut_timers_note_missing(struct tk_ut_feed *feed);

/* The timer of a spec; a placeholder "<unknown N>" is made when it is not defined. */
int tk_ut_timer_of_spec(struct tk_ut_feed *feed, uint64_t spec, uint32_t *out);

/* Names the timers that an earlier reading, which was given up, met without their names. */
int tk_ut_timers_name(struct tk_ut_feed *feed);

/* The timer of a scoped event type. */
int tk_ut_timer_of_type(struct tk_ut_feed *feed, const struct tk_ut_type *type, uint32_t *out);

/* Binds a metadata instance to a spec. */
int tk_ut_timer_instance(struct tk_ut_feed *feed, uint32_t instance, uint32_t spec);

/* The op of a scope with a metadata instance: its timer, or TK_LATE + slot when it is not defined yet. */
int tk_ut_timer_of_instance(struct tk_ut_feed *feed, uint64_t instance, uint32_t *out);

/* The timer of a name and kind that are all that is known of it. */
int tk_ut_timer_named(struct tk_ut_feed *feed, const struct tk_str *name, uint8_t kind, uint32_t *out);

/* A slot for scopes whose timer will be reported: their op is TK_LATE + slot. TK_MAP_NONE where the limit
 * allows no more. */
uint32_t tk_ut_timer_slot(struct tk_ut_feed *feed);

/* Says the timer of a slot. */
int tk_ut_timer_reported(struct tk_ut_feed *feed, uint32_t slot, uint32_t timer);

/* The name of a timer with a format: `name`, or the beginning of the format where that is empty or equal to
 * it (events 2.4). NULL if out of memory. */
const struct tk_str *tk_ut_timer_base_name(struct tk_ut_feed *feed, const struct tk_str *name,
                                           const struct tk_str *format);

/* The timers of coroutine scopes: `Coroutine`, and `<unknown>` for what is restored below it. */
int tk_ut_timer_coroutine(struct tk_ut_feed *feed, uint32_t *coroutine, uint32_t *frame);

#endif
