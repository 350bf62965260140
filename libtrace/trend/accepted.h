/*
 * Accepted: regressions that somebody knows of and lets pass, from a small JSON file that lies with the
 * sources (schemas/accepted.schema.json).
 *
 *   {"accepted": [{"kind": "timer", "name": "Lighting", "thread": "RenderThread", "since": "build 1234",
 * "most": 15, "reason": "shadows of the new level", "until": "2026-12-31"}]}
 *
 * `name` and `thread` are patterns. `most` is how many percent more there may be against the baseline;
 * `until` the last day (or moment) on which it holds; `since` says from which run on it was so: a time holds
 * for runs from then on, other texts are for people.
 */
#ifndef TK_COMPARE_ACCEPTED_ACCEPTED_H
#define TK_COMPARE_ACCEPTED_ACCEPTED_H

#include "compare/verdict/compare.h"
#include "trend/trend.h"

struct tk_acceptance {
    int kind;                           /* enum tk_change_kind, or -1: any */
    const char *name, *thread;          /* patterns; thread NULL: any */
    const char *since, *reason, *until; /* as they were written; since, until may be NULL */
    double most;                        /* percent; NaN: however much */
    int64_t begin, end;                 /* seconds since 1970: runs from then on, and until when */
};

/* Zero-initialised nothing is accepted. */
struct tk_acceptances {
    TK_VEC(struct tk_acceptance) v;
    struct tk_arena arena;
};

/* Reads the JSON text. TK_OK; TK_EUSAGE (no JSON, unknown keys, wrong types, no reason); TK_ENOMEM. */
int tk_accepted_parse(struct tk_acceptances *a, const char *text, size_t n, struct tk_err *err);

/*
 * Marks the regressions that are accepted, says of those that are not any more why, and takes the others'
 * verdict from what is left. `now` in seconds since 1970. TK_OK or TK_ENOMEM.
 */
int tk_accepted_apply(const struct tk_acceptances *a, struct tk_comparison *c, int64_t now,
                      struct tk_err *err);

/* accepted_trend.c: the same of a history. An alarm that is accepted is none; what counts is the time of the
 * run that it begins with. */
int tk_accepted_apply_trend(const struct tk_acceptances *a, struct tk_trend *t, int64_t now,
                            struct tk_err *err);

/* ---- for the files of this folder ---- */

enum { TK_ACCEPTANCE_TEXT = 512 }; /* bytes of a sentence */

/* Is it the text, or does the pattern fit it? A pattern of NULL fits all. */
bool tk_acceptance_fits(const char *pattern, const struct tk_str *text);

/* Is so many percent more accepted? `text` gets a sentence about that. */
bool tk_acceptance_holds(const struct tk_acceptance *one, double percent, int64_t now,
                         char text[TK_ACCEPTANCE_TEXT]);

void tk_accepted_release(struct tk_acceptances *a);

#endif
