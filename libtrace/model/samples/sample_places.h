/*
 * Places of samples: the functions of each address that samples met, found once for all stacks that it is in.
 * The stacks of samples ask it. (symbols 6.5)
 */
#ifndef TK_MODEL_SAMPLES_SAMPLE_PLACES_H
#define TK_MODEL_SAMPLES_SAMPLE_PLACES_H

#include "model/code/code_place.h"

/* A function of a frame, or what stands for it. Equal texts are one. */
struct tk_sample_place {
    const struct tk_str *function;      /* else "module+0x1234" or the address; never NULL */
    const struct tk_str *module, *file; /* NULL: not known */
    uint32_t line;
    uint32_t number; /* of the place, whose other parts are always these */
    bool known;      /* it is a function */
};

/* Of an address, in v. n 0: they have not been asked for. */
struct tk_sample_places_at {
    uint32_t first, n;
};

/* Zero-initialise to begin. */
struct tk_sample_places {
    TK_VEC(struct tk_sample_place) v;
    TK_VEC(struct tk_sample_places_at) at[2];     /* by number of the address; [1]: of the recorded process */
    TK_VEC(struct tk_sample_places_at) shared[2]; /* by symbol, where all addresses of it have the same */
    struct tk_intern texts;
    struct tk_map known; /* address of a text -> place in kept, so that each is interned once */
    struct tk_map short_names;
    TK_VEC(const struct tk_str *) kept;
};

/* The places of an address, the innermost first: *n of them, from *first in v on. Modules are known of the
 * recorded process, `own`; others have other ones. When the code is settled. 0, or -1 if out of memory. */
int tk_sample_places_of(struct tk_sample_places *p, struct tk_code_map *code, struct tk_code_address address,
                        bool own, uint32_t *first, uint32_t *n);

void tk_sample_places_release(struct tk_sample_places *p);

#endif
