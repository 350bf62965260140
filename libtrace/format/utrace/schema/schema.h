/*
 * Schema: the event types that a capture declares (wire 3.7 to 3.10). A uid can be declared again; each
 * declaration holds from its place in the file on.
 */
#ifndef TK_FORMAT_UTRACE_SCHEMA_SCHEMA_H
#define TK_FORMAT_UTRACE_SCHEMA_SCHEMA_H

#include "base/cursor.h"
#include "base/hash.h"
#include "base/health/health.h"
#include "base/text/intern.h"
#include "base/vec.h"

#define TK_UT_FLAG_IMPORTANT  1
#define TK_UT_FLAG_AUX        2
#define TK_UT_FLAG_NOSYNC     4
#define TK_UT_FLAG_DEFINITION 8

/* Type info byte (wire 3.9). */
#define TK_UT_INFO_WIDTH  0x03 /* log2 of the element size */
#define TK_UT_INFO_STRING 0x08
#define TK_UT_INFO_SIGNED 0x10
#define TK_UT_INFO_FLOAT  0x40
#define TK_UT_INFO_ARRAY  0x80

/* Result of a parser of records in addition the statuses: the record is not all there. */
#define TK_UT_MORE 2

enum tk_ut_field_family { TK_UT_REGULAR = 0, TK_UT_REFERENCE = 1, TK_UT_DEFINITION_ID = 2 };

struct tk_ut_field {
    const struct tk_str *name;
    uint16_t offset, size; /* in the fixed part, bytes; size 0: in the array data */
    uint16_t ref;          /* TK_UT_REFERENCE: uid of the definition type */
    uint8_t info;
    uint8_t family;
    bool readable; /* lies inside the fixed part */
};

/* Events that the decoding of lanes itself looks at. */
enum tk_ut_role {
    TK_UT_ROLE_NONE = 0,
    TK_UT_ROLE_NEW_TRACE,
    TK_UT_ROLE_TIMING,
    TK_UT_ROLE_THREAD_TIMING,
    TK_UT_ROLE_GAP
};

/* Bytes of declarations that are kept as they stand in the file; real captures have less than a hundredth. */
#define TK_UT_MOST_STATED (16u << 20)

/* A declaration. Lives as long as the schema, at a stable address. */
struct tk_ut_type {
    uint32_t id;   /* dense: order of declaration */
    uint32_t same; /* id of the first type of this name */
    uint16_t uid;
    uint16_t n_fields;
    uint8_t flags;
    uint8_t protocol;
    uint8_t role;          /* TK_UT_ROLE_...: events that the decoding itself needs */
    bool plain;            /* no array data and no role: can be passed over by its size */
    bool unreadable;       /* an unknown field family: the size of its events is not known */
    uint32_t fixed;        /* bytes of the fixed part */
    uint64_t from;         /* file offset of the packet that declares it */
    const uint8_t *stated; /* the declaration as it stands in the file; NULL beyond TK_UT_MOST_STATED */
    uint32_t stated_bytes;
    struct tk_ut_type *older;                   /* the declaration of this uid before, or NULL */
    const struct tk_str *logger, *event, *name; /* name: "Logger.Event" */
    struct tk_ut_field *fields;
    struct tk_record_type record; /* how it looks as a record */
};

/* What the registry does not know of types: how records of them are read. */
struct tk_ut_describer {
    /* tk_record_type.value */
    void (*value)(const struct tk_record *rec, uint32_t field, struct tk_cell *out);
    const char *(*family_of)(const struct tk_ut_type *type); /* tk_record_type.family; may be NULL: none */
};

struct tk_ut_schema {
    struct tk_ut_type **by_uid;              /* UINT16_MAX + 1 of them: the newest declaration; owned */
    TK_VEC(struct tk_ut_type *) types;       /* by id */
    struct tk_intern *strings;               /* borrowed */
    const struct tk_ut_describer *describer; /* borrowed */
    struct tk_arena arena;
    struct tk_health *health; /* borrowed */
    uint64_t max_types, max_fields;
    uint64_t n_fields;     /* of all types */
    uint64_t stated_bytes; /* likewise, of those that are kept */
    struct tk_map by_name; /* logger and event -> the first type of these names */
    uint8_t protocol;
};

int tk_ut_schema_init(struct tk_ut_schema *s, uint8_t protocol, struct tk_intern *strings,
                      struct tk_health *health, const struct tk_limits *limits,
                      const struct tk_ut_describer *describer, struct tk_err *err);

/*
 * Takes a declaration record of n bytes (wire 3.7: record A up to protocol 5, 3.8: B from 6 on) that stands
 * in the packet at `offset`. Bad ones are noted and refused. TK_OK (also when refused) or TK_ENOMEM.
 */
int tk_ut_schema_declare(struct tk_ut_schema *s, const uint8_t *p, size_t n, uint64_t offset);

/* The declaration of a uid that holds in the packet at `offset`; the first one where it is used before. NULL:
 * none. */
static inline const struct tk_ut_type *tk_ut_schema_find(const struct tk_ut_schema *s, uint32_t uid,
                                                         uint64_t offset)
{
    const struct tk_ut_type *t = uid <= UINT16_MAX ? s->by_uid[uid] : NULL;
    while (t && t->older && t->from > offset)
        t = t->older;
    return t;
}

/* The field of a name, or NULL. */
const struct tk_ut_field *tk_ut_type_field(const struct tk_ut_type *t, const char *name);

/* The name of the event without its logger, NUL-terminated. */
static inline const char *tk_ut_type_event(const struct tk_ut_type *t)
{
    return t->name->p + t->logger->n + 1;
}

/* Index of a field of the type. */
static inline uint32_t tk_ut_field_index(const struct tk_ut_type *t, const struct tk_ut_field *f)
{
    return (uint32_t)(f - t->fields);
}

void tk_ut_schema_release(struct tk_ut_schema *s);

/*
 * One declaration record (wire 3.7, 3.8), and where records begin.
 */

/*
 * Parses a record. Fields and names go into the schema's arena and strings. TK_OK; TK_EFORMAT with *why
 * (static text); TK_ENOMEM.
 */
int tk_ut_declare_parse(struct tk_ut_schema *s, const uint8_t *p, size_t n, struct tk_ut_type *out,
                        const char **why);

/* Do these n bytes look like a record, by the lengths in it? */
bool tk_ut_declare_fits(const struct tk_ut_schema *s, const uint8_t *p, size_t n);

/*
 * Moves *p to a sound declaration in its frame of thread 0 (wire 3.6). TK_ITEM; TK_OK: there is none before
 * the end; TK_UT_MORE: not to be said yet, only when it is not the `last` of the thread.
 */
int tk_ut_declare_next(const struct tk_ut_schema *s, const uint8_t **p, const uint8_t *end, bool last);

/*
 * The size of the declaration whose frame of at least 4 bytes is at p: *size, as it is stated, if that fits
 * what it says of its content; else as the content says, if another declaration or the end follows there;
 * else as it is stated or up to the next declaration. TK_ITEM; TK_UT_MORE: not all there, or not to be said
 * yet.
 */
int tk_ut_declare_size(const struct tk_ut_schema *s, const uint8_t *p, const uint8_t *end, bool last,
                       size_t *size);

/*
 * What the files of this folder share, and nobody else.
 */

/*
 * CBOR: the values of metadata (events 0.6): a subset of RFC 8949, numbers big-endian.
 *
 *   a head of one byte: kind in bits 5 to 7, length or value in the others (24 to 27: in the 1, 2, 4, 8 bytes
 * that follow) | bytes of texts
 */

enum tk_ut_cbor_kind { TK_UT_CBOR_INT, TK_UT_CBOR_REAL, TK_UT_CBOR_TEXT, TK_UT_CBOR_BOOL, TK_UT_CBOR_NULL };

struct tk_ut_cbor {
    enum tk_ut_cbor_kind kind;
    bool is_signed;       /* INT: negative */
    uint64_t u;           /* INT (two's complement), BOOL */
    double r;             /* REAL */
    struct tk_bytes text; /* TEXT; borrowed */
};

/* The next value; what is in arrays and maps comes one by one, without them. false at the end, and at what is
 * no CBOR: then the cursor has a fault. */
bool tk_ut_cbor_next(struct tk_cur *c, struct tk_ut_cbor *out);

#endif
