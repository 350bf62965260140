/*
 * Smoothness: the words that studios use for how evenly frames come, as numbers.
 *
 * The one place for these definitions. Their names, units and help texts are in the list below, and everybody
 * who prints one takes them from there.
 */
#ifndef TK_JUDGE_SMOOTHNESS_H
#define TK_JUDGE_SMOOTHNESS_H

#include "judge/hitches.h"

/* name, unit, help */
#define TK_SMOOTHNESS(X)                                                                                     \
    X(HITCHES, "hitches", "", "hitches, without those of the start-up and of loading screens")               \
    X(HITCHES_MIN, "hitches_min", "1/min",                                                                   \
      "hitches a minute: hitches without start-up and loading / minutes of frames without these")            \
    X(HITCH_RATIO, "hitch_ratio", "ms/s",                                                                    \
      "hitch time ratio: by how much late frames exceed what is expected, in ms / seconds of frames; with "  \
      "a "                                                                                                   \
      "target by how much frames exceed that (Apple's bands for scrolling: up to 5 good, above 10 "          \
      "critical)")                                                                                           \
    X(HITCH_TIME, "hitch_time", "%",                                                                         \
      "hitch time (engine): duration of frames of 60 ms or more / duration of all")                          \
    X(LOADING, "loading_hitches", "",                                                                        \
      "hitches of loading screens: regions and stretches of 1 s or more that load")                          \
    X(STARTUP, "startup_hitches", "",                                                                        \
      "hitches of the start-up: before the first 30 frames in a row without one, at most a fifth of all")    \
    X(STARTUP_FRAMES, "startup_frames", "frames", "frames of the start-up")                                  \
    X(UNEVEN_FRAMES, "uneven_frames", "frames",                                                              \
      "late frames where lateness is the habit: bad pacing, no hitches")                                     \
    X(UNEVEN, "uneven", "%", "uneven frames / frames")                                                       \
    X(OSCILLATION, "oscillation", "",                                                                        \
      "1 if frame times swing: in windows of 19 frames the 90th percentile of q3 - q1 exceeds 4 ms and "     \
      "that "                                                                                                \
      "of q3 / q1 exceeds 1.2; a hint, as a cap that changes does the same")                                 \
    X(PACING, "pacing", "%",                                                                                 \
      "frame pacing: mean difference between frames and the frames before them / mean duration; compares "   \
      "runs")                                                                                                \
    X(LOW1, "low1", "1/s",                                                                                   \
      "1 % low: frames a second at the mean of the slowest 1 % of the frames, not at p99")                   \
    X(LOW01, "low01", "1/s", "0.1 % low: the same of the slowest 0.1 %")                                     \
    X(MISSED, "missed", "%",                                                                                 \
      "missed frames (MVP) at the target: frames too few in the time / frames that it has; fast parts make " \
      "up "                                                                                                  \
      "for slow ones")                                                                                       \
    X(LATE, "late", "%", "frames that exceed the target by more than 5 % / frames; nothing makes up for them")

enum tk_smoothness_word {
#define X(word, name, unit, help) TK_SMOOTHNESS_##word,
    TK_SMOOTHNESS(X)
#undef X
        TK_SMOOTHNESS_WORDS
};

struct tk_smoothness_text {
    const char *name, *unit, *help; /* static */
};

extern const struct tk_smoothness_text tk_smoothness_texts[TK_SMOOTHNESS_WORDS];

/* The word of a name; TK_SMOOTHNESS_WORDS: none. */
enum tk_smoothness_word tk_smoothness_word_of(const char *name, size_t n);

struct tk_smoothness {
    double v[TK_SMOOTHNESS_WORDS]; /* NaN: not known, as `missed` without a target */
};

/* Of frames that were judged; target: frames a second, 0 for none. 0, or -1 without memory. */
int tk_smoothness_of(struct tk_smoothness *out, const double *ms, const struct tk_judged_frames *judged,
                     double target);

/* With fewer frames in a cell of the level, a percentile of them says little. */
enum { TK_FEW_FRAMES = 30 };

/* Is a frame late at a target, both in ms? */
bool tk_is_late_at(double ms, double target_ms);

/* Frames a second at the mean of the slowest 1 in `of` frames, sorted by length in ms; NaN for fewer frames
 * than that. */
double tk_smoothness_low(const double *sorted, size_t n, size_t of);

#endif
