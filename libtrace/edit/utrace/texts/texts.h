/*
 * Texts of a .utrace while it is anonymised: the rule of each field of each type, what was replaced, and what
 * was kept.
 * Shared by the stages that learn texts, replace them, and look at the result.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_TEXTS_H
#define TK_EDIT_UTRACE_TEXTS_TEXTS_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "edit/anonymise/dictionary.h"
#include "edit/anonymise/pieces.h"
#include "edit/utrace/stages/stage.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/schema/event.h"
#include "format/utrace/schema/schema.h"
#include "io/scratch/readahead.h"

#include <stddef.h>

/*
 * The texts in the bytes of a field: characters of one, two or four bytes, arguments of formats, CBOR.
 * Between an event, and who replaces its texts or looks at them.
 */

/* What the bytes of a field are. */
enum tk_edit_holds {
    TK_EDIT_HOLDS_NUMBERS,  /* no texts: they stay */
    TK_EDIT_HOLDS_TEXT,     /* one text, with or without NULs at its end */
    TK_EDIT_HOLDS_ARGS,     /* arguments of a format (events 0.7) */
    TK_EDIT_HOLDS_CBOR,     /* values (events 0.6) */
    TK_EDIT_HOLDS_IDENTITY, /* a number that nobody else has */
    TK_EDIT_HOLDS_SECRET,   /* one that says what a text would: it becomes 0 */
    TK_EDIT_HOLDS_UNKNOWN   /* what nobody understands */
};

/* Takes a text, in UTF-8 (three bytes for half a surrogate pair), and appends what is to stand there. */
typedef void tk_edit_text_fn(void *ctx, const uint8_t *p, size_t n, struct tk_anon_text *out);

/* Appends the bytes of a field with its texts replaced; `width` bytes a character of TEXT. What ends early or
 * is no CBOR ends there. TEXT, ARGS and CBOR alone. */
void tk_edit_texts_map(enum tk_edit_holds holds, unsigned width, const uint8_t *p, size_t n,
                       tk_edit_text_fn *fn, void *ctx, struct tk_anon_text *out);

/*
 * What the fields of a type of event hold: which texts, of which class of information.
 * The table by which the texts of a .utrace are found; fields that nobody thought of are names.
 */

/* Of a class that is never chosen: it stays as it is, and is not searched. */
#define TK_EDIT_STAYS TK_ANON_CLASSES

struct tk_edit_text_rule {
    enum tk_edit_holds holds;
    uint8_t width; /* of a character of TK_EDIT_HOLDS_TEXT */
    enum tk_anon_class class;
    enum tk_anon_form form;
};

struct tk_edit_text_rule tk_edit_text_rule_of(const struct tk_ut_type *type, const struct tk_ut_field *field);

/*
 * What became of texts that came before, as captures say the same again and again.
 * Kept by the stages that learn, replace and look for texts, in front of what takes their time.
 */

/* Bytes of a field or of a text. */
struct tk_edit_memo_entry {
    const uint8_t *p, *value; /* value: what they became; NULL: they stay as they are */
    uint32_t n, n_value, rule;
};

/* Zero-initialise. It stays small: what does not fit in is worked out again. */
struct tk_edit_memo {
    TK_VEC(struct tk_edit_memo_entry) entries;
    struct tk_map index; /* hash -> place; of one hash the keys follow each other */
    struct tk_arena arena;
};

/* The entry of bytes under a rule, or NULL. */
const struct tk_edit_memo_entry *tk_edit_memo_find(const struct tk_edit_memo *m,
                                                   const struct tk_edit_text_rule *rule, const uint8_t *p,
                                                   size_t n);

/* Notes what became of bytes that are not there; `value` may be NULL. TK_OK or TK_ENOMEM. */
int tk_edit_memo_put(struct tk_edit_memo *m, const struct tk_edit_text_rule *rule, const uint8_t *p, size_t n,
                     const uint8_t *value, size_t n_value);

void tk_edit_memo_release(struct tk_edit_memo *m);

/* Of a type. */
struct tk_edit_type_texts {
    struct tk_edit_text_rule *rules; /* by field; NULL: it holds no texts */
    uint64_t replaced;               /* events with a text that was replaced */
    uint64_t emptied;                /* with one that was left out, as nobody knows what it says */
};

/* A text that stays. */
struct tk_edit_kept_text {
    const uint8_t *p; /* in the arena */
    uint32_t n;
    enum tk_anon_class class; /* TK_EDIT_STAYS: of none */
    uint64_t uses;
};

struct tk_edit_texts {
    struct tk_anon *anon;             /* borrowed */
    struct tk_edit_type_texts *types; /* by type id, n; owned */
    size_t n;
    bool wants_kept; /* texts that stay are noted: */
    TK_VEC(struct tk_edit_kept_text) kept;
    struct tk_map kept_index; /* hash -> place; of one hash the keys follow each other */
    struct tk_arena arena;
    struct tk_edit_memo seen, words; /* texts that were learned, or looked at; and replaced */
};

/* TK_OK or TK_ENOMEM. */
int tk_edit_texts_init(struct tk_edit_texts *t, struct tk_anon *anon, const struct tk_ut_schema *schema);

/* The rules of a type; NULL: its events hold no texts. */
static inline struct tk_edit_type_texts *tk_edit_texts_of(const struct tk_edit_texts *t,
                                                          const struct tk_ut_type *type)
{
    return type->id < t->n && t->types[type->id].rules ? &t->types[type->id] : NULL;
}

/* Are texts of this kind looked up by all that their field holds? In others numbers stand alongside them. */
static inline bool tk_edit_texts_whole(const struct tk_edit_text_rule *rule)
{
    return rule->holds == TK_EDIT_HOLDS_TEXT || rule->holds == TK_EDIT_HOLDS_CBOR;
}

/* Notes a text that stays. TK_OK or TK_ENOMEM. */
int tk_edit_texts_keep(struct tk_edit_texts *t, enum tk_anon_class class, const uint8_t *p, size_t n);

void tk_edit_texts_release(struct tk_edit_texts *t);

/*
 * The stage that replaces texts by their words, and leaves out what nobody knows to be none.
 * In front of the last stage of both walks of an edit.
 */

/* A word for the kind of work that a timer of this name does, as comparisons derive it from names; NULL: no
 * kind is known. */
typedef const char *tk_edit_kind_fn(void *ctx, const uint8_t *p, size_t n);

struct tk_edit_anonymiser {
    struct tk_edit_stage stage;
    struct tk_edit_texts *texts; /* borrowed */
    bool early;                  /* events that become too long are reported of later */
    bool counts;                 /* in one of two walks: what is replaced, and what stays */
    tk_edit_kind_fn *kind;       /* may be NULL */
    void *kind_ctx;
    struct tk_edit_text_rule rule; /* of the field in hand */
    bool changed, failed;
    bool brief;                        /* each text becomes one word, as they had no space otherwise */
    uint64_t bytes;                    /* of the event in hand, as it is to be */
    const struct tk_ut_type *too_long; /* of an event that cannot be written; NULL: all can */
    TK_VEC(struct tk_ut_blob) blobs;
};

void tk_edit_anonymiser_init(struct tk_edit_anonymiser *s, struct tk_edit_texts *texts,
                             struct tk_edit_stage *next);
/* Does an event change? By what is learned so far. TK_OK, TK_ENOMEM or TK_EOUTPUT: it is too long. */
int tk_edit_anonymiser_see(struct tk_edit_anonymiser *s, const struct tk_ut_event *ev, bool *changes);

void tk_edit_anonymiser_release(struct tk_edit_anonymiser *s);

/*
 * Events that hold texts, looked at in their order alongside the walk that meets them: they are copied, many
 * at a time, for a task of the pool. With one job each is looked at as it comes. Used by the stages that only
 * look at texts.
 */

enum { TK_EDIT_TEXT_BLOCKS = 4 };

/* Looks at an event, borrowed, that was given with this number. TK_OK or negative: it gets no other one. */
typedef int tk_edit_text_look(void *ctx, struct tk_ut_event *ev, uint32_t number);

struct tk_edit_queued_text {
    struct tk_ut_event ev;
    uint32_t number;
};

struct tk_edit_text_block {
    struct tk_arena bytes;
    TK_VEC(struct tk_edit_queued_text) events;
};

/* Zero-initialised it has nothing to wait for. It must not move while it is open. */
struct tk_edit_text_queue {
    struct tk_pool *pool; /* borrowed */
    tk_edit_text_look *look;
    void *ctx;
    struct tk_edit_text_block blocks[TK_EDIT_TEXT_BLOCKS]; /* one is filled, the others wait */
    struct tk_writebehind behind;
    struct tk_arena scratch; /* of the event that is looked at */
};

void tk_edit_text_queue_open(struct tk_edit_text_queue *q, struct tk_pool *pool, tk_edit_text_look *look,
                             void *ctx);

/* Gives an event, borrowed during the call. TK_OK, TK_ENOMEM or what was said of one before. */
int tk_edit_text_queue_put(struct tk_edit_text_queue *q, const struct tk_ut_event *ev, uint32_t number);

/* Waits until all were looked at. TK_OK or what was said of the first that failed. */
int tk_edit_text_queue_drain(struct tk_edit_text_queue *q);

/* Waits for what was given already, and frees. */
void tk_edit_text_queue_release(struct tk_edit_text_queue *q);

/*
 * The stage that looks at a result: does a text that was replaced still stand in it?
 * The last of a walk over what was written.
 */

struct tk_edit_inspector {
    struct tk_edit_stage stage;
    struct tk_edit_texts *texts;     /* with the rules of the result; borrowed */
    struct tk_edit_text_rule rule;   /* of the field in hand */
    const struct tk_anon_entry *hit; /* the first; NULL: none */
    const struct tk_ut_type *type;   /* and where it stands */
    uint32_t field;
    int rc;
    struct tk_edit_text_queue queue;
};

/* It looks alongside the walk. It must not move. */
void tk_edit_inspector_init(struct tk_edit_inspector *s, struct tk_edit_texts *texts, struct tk_pool *pool);

/* Waits until all was looked at. TK_OK or TK_ENOMEM. */
int tk_edit_inspector_finish(struct tk_edit_inspector *s);

void tk_edit_inspector_release(struct tk_edit_inspector *s);

/*
 * The stage that learns the texts of a capture: the last of a walk before all others, or in front of the
 * others of the first one. Fills the dictionary by which the anonymiser replaces them.
 */

struct tk_edit_learner {
    struct tk_edit_stage stage;
    struct tk_edit_texts *texts; /* borrowed */
    bool replaces; /* what was replaced (tk_edit_texts.words) was learned, and nothing else is noted */
    struct tk_edit_text_rule rule; /* of the field in hand, */
    int rc;                        /* and what became of it */
};

/* Learns the texts of an event. TK_OK or TK_ENOMEM. */
int tk_edit_learner_see(struct tk_edit_learner *s, const struct tk_ut_event *ev);

/* next: who gets what is learned from; NULL: nobody. */
void tk_edit_learner_init(struct tk_edit_learner *s, struct tk_edit_texts *texts, struct tk_edit_stage *next);

/*
 * The stage of a first walk that learns texts and finds out which events change, as far as is known then:
 * what is replaced by what was learned so far is replaced in the end, the rest may be. It does so alongside
 * the walk, and hands everything on as it stands.
 */

/* Events of a place, as bits. */
enum { TK_EDIT_TEXT_CHANGES = 1, TK_EDIT_TEXT_UNSURE = 2 };

/* Where an event of a lane stands that comes now, below the number of places; TK_EDIT_NOWHERE: it has none.
 */
typedef uint32_t tk_edit_place_fn(void *ctx, uint32_t tid);
#define TK_EDIT_NOWHERE UINT32_MAX

struct tk_edit_text_reader {
    struct tk_edit_stage stage;
    struct tk_edit_learner learner;
    struct tk_edit_anonymiser anonymiser;
    struct tk_edit_text_queue queue;
    tk_edit_place_fn *place;
    void *place_ctx;
    uint8_t *found; /* by place: TK_EDIT_TEXT_...; owned; good when all were looked at */
};

/* In front of `next`; kind as the anonymiser has it. It must not move. TK_OK or TK_ENOMEM. */
int tk_edit_text_reader_init(struct tk_edit_text_reader *s, struct tk_edit_texts *texts, struct tk_pool *pool,
                             size_t places, struct tk_edit_stage *next);

/* Waits until all events were looked at. TK_OK or TK_ENOMEM. */
int tk_edit_text_reader_finish(struct tk_edit_text_reader *s);

void tk_edit_text_reader_release(struct tk_edit_text_reader *s);

#endif
