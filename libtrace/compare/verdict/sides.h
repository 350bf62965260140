/*
 * What the sides of a comparison are, or the runs that are checked: beside every verdict. What differs of
 * their environment, and runs that are not what they seem.
 */
#ifndef TK_COMPARE_VERDICT_SIDES_H
#define TK_COMPARE_VERDICT_SIDES_H

#include "compare/verdict/run_faults.h"

/* What is told of a side, by number; the names of tk_side_key. */
enum tk_side_fact {
    TK_SIDE_CAPTURES,
    TK_SIDE_APPLICATION,
    TK_SIDE_BUILD,
    TK_SIDE_BRANCH,
    TK_SIDE_PLATFORM,
    TK_SIDE_MACHINE,
    TK_SIDE_DATE,
    TK_SIDE_FACTS
};

struct tk_side_texts {
    TK_VEC(const struct tk_str *) v; /* of `names`; each once, in the order of the runs */
};

/* One side. Without runs there is no such side. */
struct tk_side_about {
    size_t runs, unnamed; /* unnamed: no machine is known of these */
    uint64_t frames;
    double seconds;           /* of these frames */
    struct tk_side_texts per; /* what the frames are occurrences of (--per); none: frames */
    struct tk_side_texts facts[TK_SIDE_FACTS];
};

/* What is another on the two sides: a thing that both tell. */
struct tk_side_difference {
    const char *what; /* "config", "command line", ... */
    struct tk_side_texts texts[2];
};

enum tk_flaw_kind { TK_FLAW_SHORT, TK_FLAW_ENDED };

/* A run that is no run to compare. */
struct tk_run_flaw {
    uint8_t kind, side;
    size_t run;               /* of the side, from 0 */
    double frames, of_frames; /* short: of the run, and the median of the baseline */
    double seconds, of_seconds;
    const struct tk_str *text; /* ended: in what */
    const struct tk_str *name; /* of the capture; NULL: not known */
};

struct tk_sides {
    struct tk_intern names;
    struct tk_side_about of[4]; /* by enum tk_run_side */
    TK_VEC(struct tk_side_difference) differences;
    TK_VEC(struct tk_run_flaw) flaws;
    bool allowed; /* flaws are told, and decide nothing */
};

/* "captures", "application", ... Static. */
const char *tk_side_key(enum tk_side_fact fact);

/* "baseline", "candidate", "noise", "runs". Static. */
const char *tk_side_name(enum tk_run_side side);

/* Adds the runs of a side. 0, or -1 if out of memory. */
int tk_sides_add(struct tk_sides *sides, const struct tk_baseline *runs, enum tk_run_side side);

/* What differs of the environment of two baselines. The same. */
int tk_sides_differ(struct tk_sides *sides, const struct tk_baseline *base,
                    const struct tk_baseline *candidate);

/* Runs of `runs` that are much shorter than those of `base` (NULL: than none), or ended in a crash. The same.
 */
int tk_sides_find_flaws(struct tk_sides *sides, const struct tk_baseline *base,
                        const struct tk_baseline *runs, enum tk_run_side side);

/* Is there a run that must not be compared? */
bool tk_sides_flawed(const struct tk_sides *sides);

/*
 * Are all runs of one application and platform, as far as they tell? Each side is an enum tk_run_side. TK_OK;
 * TK_EMATCH with what is another.
 */
int tk_sides_alike(const struct tk_baseline *const *runs, const uint8_t *side, size_t n, struct tk_err *err);

void tk_sides_release(struct tk_sides *sides);

#endif
