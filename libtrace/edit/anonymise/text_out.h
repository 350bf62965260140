/*
 * A growing text: the anonymised form of another. At the bottom of its folder.
 */
#ifndef TK_ANONYMISE_TEXT_OUT_H
#define TK_ANONYMISE_TEXT_OUT_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Zero-initialise; release with tk_vec_release(&t->bytes). */
struct tk_anon_text {
    TK_VEC(uint8_t) bytes;
    bool failed; /* memory ran out; nothing is appended from then on */
};

static inline void tk_anon_put(struct tk_anon_text *t, const void *p, size_t n)
{
    if (t->failed || !n || !p)
        return;
    if (tk_vec_reserve(&t->bytes, t->bytes.n + n) != 0) {
        t->failed = true;
        return;
    }
    memcpy(t->bytes.v + t->bytes.n, p, n);
    t->bytes.n += n;
}

#endif
