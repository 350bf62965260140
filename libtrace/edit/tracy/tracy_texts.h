/*
 * Texts of a .tracy while it is anonymised: learned when it is known what each is used for, and replaced when
 * they are written.
 * Between the edit and the pass, which asks for each text as it is to be.
 */
#ifndef TK_EDIT_TRACY_TRACY_TEXTS_H
#define TK_EDIT_TRACY_TRACY_TEXTS_H

#include "edit/anonymise/dictionary.h"
#include "edit/tracy/tracy_pass.h"

/* A word that says what kind of work a timer of this name does; NULL: none. */
typedef const char *tk_tracy_kind_fn(void *ctx, const uint8_t *p, size_t n);

/* A text that stays. */
struct tk_tracy_kept_text {
    const uint8_t *p; /* in the arena */
    uint32_t n;
    enum tk_anon_class class; /* TK_ANON_CLASSES: of none */
};

/* Zero-initialise, set the first three, and release. */
struct tk_tracy_texts {
    struct tk_anon *anon; /* borrowed */
    tk_tracy_kind_fn *kind;
    void *kind_ctx;
    bool learned;             /* else texts of the header are learned where they are asked for */
    struct tk_anon_text text; /* the last one that was given */
    uint64_t replaced;        /* texts */
    bool wants_kept;          /* texts that stay are noted: */
    TK_VEC(struct tk_tracy_kept_text) kept;
    struct tk_arena arena;
};

/* Learns all strings by the marks of the first walk. TK_OK or TK_ENOMEM. */
int tk_tracy_texts_learn(struct tk_tracy_texts *t, const struct tk_tracy_pass *pass);

/* What the pass asks for; the context is a struct tk_tracy_texts. */
bool tk_tracy_texts_string(void *ctx, uint32_t roles, const struct tk_str *text, struct tk_bytes *out);
bool tk_tracy_texts_head(void *ctx, enum tk_tracy_head_text which, struct tk_bytes text,
                         struct tk_bytes *out);

/* Looks for texts that were replaced in a result. TK_OK; TK_EOUTPUT: one stands there. */
int tk_tracy_texts_inspect(struct tk_anon *anon, struct tk_tracy_capture *result, struct tk_err *err);

void tk_tracy_texts_release(struct tk_tracy_texts *t);

#endif
