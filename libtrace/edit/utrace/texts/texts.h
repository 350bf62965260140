/*
 * Texts of a .utrace while it is anonymised: the rule of each field of each type, what was replaced, and what
 * was kept.
 * Shared by the stages that learn texts, replace them, and look at the result.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_TEXTS_H
#define TK_EDIT_UTRACE_TEXTS_TEXTS_H

#include "edit/anonymise/dictionary.h"
#include "edit/utrace/texts/memo.h"
#include "format/utrace/feed/capture_state.h"

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

/* Are texts of this kind looked up by all that their field holds? In others numbers stand beside them. */
static inline bool tk_edit_texts_whole(const struct tk_edit_text_rule *rule)
{
    return rule->holds == TK_EDIT_HOLDS_TEXT || rule->holds == TK_EDIT_HOLDS_CBOR;
}

/* Notes a text that stays. TK_OK or TK_ENOMEM. */
int tk_edit_texts_keep(struct tk_edit_texts *t, enum tk_anon_class class, const uint8_t *p, size_t n);

void tk_edit_texts_release(struct tk_edit_texts *t);

#endif
