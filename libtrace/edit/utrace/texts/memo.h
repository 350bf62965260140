/*
 * What became of texts that came before, as captures say the same again and again.
 * Kept by the stages that learn, replace and look for texts, in front of what takes their time.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_MEMO_H
#define TK_EDIT_UTRACE_TEXTS_MEMO_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "edit/utrace/texts/text_rules.h"

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

#endif
