/*
 * Answers about addresses. See answers.h.
 */
#include "symbols/files/answers.h"

#include "base/text/text.h"
#include "symbols/files/rust_name.h"

#define MOST_TEXT 4096u /* bytes of a name; longer ones are cut */

const struct tk_str *tk_sym_text(struct tk_sym_answers *a, const char *p, size_t n)
{
    if (!n)
        return NULL;
    n = n < MOST_TEXT ? n : MOST_TEXT;
    const struct tk_str *text = tk_intern(&a->texts, p, n, tk_utf8_valid(p, n) ? TK_ENC_UTF8 : TK_ENC_BYTES);
    a->failed |= !text;
    return text;
}

const struct tk_str *tk_sym_function(struct tk_sym_answers *a, const char *p, size_t n)
{
    struct tk_rust_name plain;
    const bool rust = tk_rust_demangle(&plain, p, n);
    return rust ? tk_sym_text(a, plain.text, plain.n) : tk_sym_text(a, p, n);
}

void tk_sym_add(struct tk_sym_answers *a, struct tk_sym_question *q, struct tk_sym_frame frame)
{
    if (a->frames.n >= UINT32_MAX || tk_vec_push(&a->frames, frame)) {
        a->failed = true;
        return;
    }
    if (!q->n)
        q->first = (uint32_t)(a->frames.n - 1);
    q->n++;
}

void tk_sym_lose(struct tk_sym_answers *a, const char *why)
{
    a->lost++;
    if (!a->why)
        a->why = why;
}

void tk_sym_answers_release(struct tk_sym_answers *a)
{
    tk_intern_release(&a->texts);
    tk_vec_release(&a->frames);
}
