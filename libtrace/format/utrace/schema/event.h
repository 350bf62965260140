/*
 * Event: one decoded event and access to its values by name or field (wire 3.9, 8).
 */
#ifndef TK_FORMAT_UTRACE_SCHEMA_EVENT_H
#define TK_FORMAT_UTRACE_SCHEMA_EVENT_H

#include "base/cursor.h"
#include "base/hash.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "format/utrace/schema/schema.h"

struct tk_ut_references;

/* A piece of array data; several of one field follow each other. */
struct tk_ut_blob {
    const uint8_t *p;
    uint32_t n;
    uint32_t field; /* index in declaration order */
};

/* Borrowed while its handler runs, unless copied. */
struct tk_ut_event {
    const struct tk_ut_type *type;
    const uint8_t *fixed;           /* type->fixed bytes (n_fixed of them present) */
    const struct tk_ut_blob *blobs; /* n_blobs, in the order of the stream */
    const uint8_t *attachment;      /* protocols 0..4: bytes behind the fixed part */
    const struct tk_ut_field *const
        *bound; /* fields a handler requested, by its own numbers; NULL entries: not declared */
    const struct tk_ut_references *references; /* NULL: references are displayed as their id */
    struct tk_arena *scratch;                  /* for values in several pieces; lives as long as the batch */
    uint64_t offset;                           /* of the packet in which it begins */
    uint64_t seq;                              /* serial number counted on past wraps, or TK_NO_SEQ */
    uint32_t n_fixed, n_blobs, n_attachment;
    uint32_t within; /* where it begins in the unpacked packet */
    uint32_t tid;
    uint32_t serial; /* as stored */
    bool has_serial, incomplete;
    bool scoped;   /* a scope record was waiting for it: its end will be reported (tk_ut_handler.scope_end) */
    bool stamped;  /* and that record said when, */
    int64_t stamp; /* in cycles since the start */
};

/* The bytes of a field (array data joined in the event's scratch memory). Empty when it has none or out of
 * memory. */
struct tk_bytes tk_ut_event_bytes(const struct tk_ut_event *ev, const struct tk_ut_field *f);

/* A number field, sign-extended where the declaration says signed; reals are cut. 0 for f NULL, texts and
 * arrays. */
uint64_t tk_ut_event_u64(const struct tk_ut_event *ev, const struct tk_ut_field *f);

double tk_ut_event_real(const struct tk_ut_event *ev, const struct tk_ut_field *f);

/*
 * A text field without trailing NULs, interned. For f NULL the attachment, whose characters are `width` bytes
 * wide. NULL only when memory or the limit is out.
 */
const struct tk_str *tk_ut_event_text(const struct tk_ut_event *ev, const struct tk_ut_field *f,
                                      unsigned width, struct tk_intern *strings);

/* Interns text bytes of a capture: 8-bit (width 1), UTF-16 (2) or UTF-32 (4), trailing NULs removed. */
const struct tk_str *tk_ut_text(struct tk_intern *strings, const uint8_t *p, size_t n, unsigned width);

/* The first text, or also array of numbers, that ends inside an element; NULL: all are whole, or not there.
 */
const struct tk_ut_field *tk_ut_event_odd_array(const struct tk_ut_event *ev, bool numbers);

/* Shorthands by the handler's own field number. */
static inline bool tk_ut_has(const struct tk_ut_event *ev, unsigned i)
{
    return ev->bound[i] != NULL;
}

/* As tk_ut_event_u64; of a number without sign, as most are, without a call. */
static inline uint64_t tk_ut_event_number(const struct tk_ut_event *ev, const struct tk_ut_field *f)
{
    if (f && f->info <= TK_UT_INFO_WIDTH && f->readable && f->size == 1u << f->info &&
        (uint32_t)f->offset + f->size <= ev->n_fixed) {
        const uint8_t *p = ev->fixed + f->offset;
        return f->info == 3 ? tk_load64(p) : f->info == 2 ? tk_load32(p) : f->info == 1 ? tk_load16(p) : *p;
    }
    return tk_ut_event_u64(ev, f);
}

static inline uint64_t tk_ut_u64(const struct tk_ut_event *ev, unsigned i)
{
    return tk_ut_event_number(ev, ev->bound[i]);
}

/* Bytes of field i; where the type does not declare it, the attachment. */
static inline struct tk_bytes tk_ut_bytes(const struct tk_ut_event *ev, unsigned i)
{
    if (!ev->bound[i])
        return (struct tk_bytes){ev->attachment, ev->n_attachment};
    return tk_ut_event_bytes(ev, ev->bound[i]);
}

/*
 * The numbers of field i (its bytes as uint64 where it is the attachment), without sign, in memory of the
 * arena; *n of them, 0 where it is no array of numbers. NULL only if out of memory.
 */
const uint64_t *tk_ut_u64s(const struct tk_ut_event *ev, unsigned i, struct tk_arena *arena, uint32_t *n);

/* The value of a field as a cell. Texts and arrays point into the event or its scratch memory. */
void tk_ut_event_value(const struct tk_ut_event *ev, uint32_t field, struct tk_cell *out);

/* tk_record_type.value; impl is a struct tk_ut_event. */
void tk_ut_record_value(const struct tk_record *rec, uint32_t field, struct tk_cell *out);

/*
 * References: the texts that fields of events refer to by type and id (events 8.2). Definitions may
 * come after their use, so they are read before the events that are to be displayed with them.
 */

struct tk_ut_reference {
    uint32_t type; /* tk_ut_type.same */
    uint64_t id;
    const struct tk_str *text; /* NULL: a definition without one */
};

struct tk_ut_references {
    /* A reference field as a cell: a record of `id` and, where the definition has one, `text`, in memory of
     * the event's scratch; the plain id when that is out. */
    void (*show)(const struct tk_ut_event *ev, const struct tk_ut_field *f, struct tk_cell *out);
    struct tk_map index; /* hash of type and id -> place; of one hash the keys follow each other */
    TK_VEC(struct tk_ut_reference) items;
    const struct tk_ut_schema *schema; /* borrowed */
    uint64_t left_out;                 /* because of the limit */
    bool known;                        /* all were read */
};

/* An empty list; references are displayed by the types of this schema. */
void tk_ut_references_init(struct tk_ut_references *r, const struct tk_ut_schema *schema);

/* Adds a definition, or replaces the one of its type and id; beyond the limit it is counted as left out.
 * TK_OK or TK_ENOMEM. */
int tk_ut_references_add(struct tk_ut_references *r, const struct tk_fact_definition *info, uint64_t limit);

void tk_ut_references_release(struct tk_ut_references *r);

#endif
