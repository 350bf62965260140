/*
 * Hitches: which frames are late against the frames around them, and which of those are hitches.
 *
 * The one place for this rule. Tables, baselines, comparisons, budgets and trends hand in the lengths of
 * frames and get back what each frame is (docs/reliability.md has its rates).
 *
 * A frame is expected to take the greatest of three medians: of the 15 frames before it, of the 15 after it,
 * and of these 30; at the ends of a capture the median of the 30 nearest. It is late if it takes 1.5 times as
 * long, and 4 ms longer. A late frame is a hitch unless lateness is the habit there; then it is uneven.
 */
#ifndef TK_JUDGE_HITCHES_H
#define TK_JUDGE_HITCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a frame is, a bit each. */
#define TK_FRAME_IS_LATE    1u
#define TK_FRAME_IS_HITCH   2u /* by the rule that was chosen, in the start-up and in loading too */
#define TK_FRAME_IS_UNEVEN  4u /* late, as it is the habit there */
#define TK_FRAME_IS_STARTUP 8u
#define TK_FRAME_IS_LOADING 16u /* in a region or a stretch that loads; set by who knows that */
#define TK_FRAME_IS_BITS    31u

enum tk_hitch_rule_kind {
    TK_HITCH_RULE_LOCAL,
    TK_HITCH_RULE_ENGINE, /* the engine's own */
    TK_HITCH_RULE_TIMES,  /* longer than so many medians of all frames */
    TK_HITCH_RULE_LIMIT,  /* longer than so many milliseconds */
};

struct tk_hitch_rule {
    enum tk_hitch_rule_kind kind;
    double value;
};

/* The multiple of the median in the rule "median". */
#define TK_HITCH_MEDIANS 2.0

/* From "local", "unreal", "median", "33.3", "33.3ms", "2.5x"; the empty text is "local". */
bool tk_hitch_rule_parse(const char *text, struct tk_hitch_rule *out);

#define TK_HITCH_RULE_TEXT 32

/* "local", "unreal", "median", "33.3ms", "2.5x". */
void tk_hitch_rule_text(const struct tk_hitch_rule *rule, char text[TK_HITCH_RULE_TEXT]);

/* What makes a frame a hitch, for a sentence: "over 33.3 ms", "late against the frames around it". */
void tk_hitch_rule_means(const struct tk_hitch_rule *rule, double median_ms, char text[96]);

struct tk_judged_frames {
    size_t n;
    double *expected; /* owned; ms */
    uint8_t *is;      /* owned; TK_FRAME_IS_... */
    size_t startup;   /* frames of the start-up */
    double median;    /* ms, of all */
    bool alone;       /* the only frame, and the rule compares: it is not known whether it is a hitch */
};

/* Judges n complete frames by their lengths in ms. 0, or -1 without memory. To be released also then. */
int tk_frames_judge(struct tk_judged_frames *out, const double *ms, size_t n,
                    const struct tk_hitch_rule *rule);

void tk_judged_frames_release(struct tk_judged_frames *j);

/*
 * Loading screens: hitches in them are counted apart.
 */

/* Is a region of this name a loading screen? "*Load*" */
bool tk_region_loads(const char *name, size_t n);

/* Consecutive frames of which each loads for half of its length or more are a loading stretch, if they last a
 * second or more together: sets TK_FRAME_IS_LOADING. loading[i]: ms of frame i in loading timers. */
void tk_frames_find_stretches(uint8_t *is, const double *ms, const double *loading, size_t n);

/* Is it a hitch that counts: neither of the start-up nor of a loading screen? */
static inline bool tk_is_hitch(unsigned is)
{
    return (is & (TK_FRAME_IS_HITCH | TK_FRAME_IS_STARTUP | TK_FRAME_IS_LOADING)) == TK_FRAME_IS_HITCH;
}

/* Is it a hitch of a loading screen? Start-up goes first. */
static inline bool tk_is_loading_hitch(unsigned is)
{
    return (is & (TK_FRAME_IS_HITCH | TK_FRAME_IS_STARTUP | TK_FRAME_IS_LOADING)) ==
           (TK_FRAME_IS_HITCH | TK_FRAME_IS_LOADING);
}

/* "hitch"; "loading", "start-up": a hitch of these; "uneven"; NULL for a frame that is none of them. Static.
 */
const char *tk_frame_class_name(unsigned is);

/* Does its time count for hitches a minute? */
static inline bool tk_is_play(unsigned is)
{
    return !(is & TK_FRAME_IS_STARTUP) && !tk_is_loading_hitch(is);
}

#endif
