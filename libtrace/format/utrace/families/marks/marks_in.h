/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_MARKS_MARKS_IN_H
#define TK_FORMAT_UTRACE_FAMILIES_MARKS_MARKS_IN_H

#include "base/cursor.h"
#include "base/hash.h"
#include "format/utrace/feed/family.h"

#include <stdbool.h>

/*
 * Series of the CSV profiler (events 4.3): what its statistics are called, and one series for each
 * statistic on each thread, in up to three forms.
 */

enum tk_ut_csv_form { TK_UT_CSV_VALUE, TK_UT_CSV_TIMER, TK_UT_CSV_COUNT };

struct tk_ut_csv_stat {
    const struct tk_str *name; /* NULL: not defined */
    int32_t category;
    uint32_t unknown; /* number that it is called by while it is not defined */
};

/* A begun timer. */
struct tk_ut_csv_begun {
    uint32_t stat;
    uint64_t cycle; /* since when it counts */
};

struct tk_ut_csv_thread {
    uint32_t id;
    const struct tk_str *name;             /* never NULL */
    bool renders;                          /* has rendering frames */
    TK_VEC(struct tk_ut_csv_begun) timers; /* open ones, the last begun last */
    TK_VEC(struct tk_ut_csv_begun) exclusive;
};

struct tk_ut_csv_series {
    uint32_t stat, thread; /* places in stats and threads */
    enum tk_ut_csv_form form;
    const struct tk_str *said; /* its name when it was said */
    bool said_renders;
};

struct tk_ut_csv {
    struct tk_map category_index; /* number -> place in categories */
    TK_VEC(const struct tk_str *) categories;
    struct tk_map stat_index;   /* id of a statistic -> place in stats; several ids can be one statistic */
    struct tk_map inline_index; /* name and category -> place in stats */
    TK_VEC(struct tk_ut_csv_stat) stats;
    uint32_t unknown; /* statistics used without being defined */

    /* of a reading */
    struct tk_map thread_index; /* id -> place in threads */
    TK_VEC(struct tk_ut_csv_thread) threads;
    struct tk_map series_index; /* statistic, thread and form -> place in series */
    TK_VEC(struct tk_ut_csv_series) series;
    struct tk_map known; /* thread -> its last definition in the capture */
    bool learned;        /* known is made */
    bool capturing;      /* a begin of a capture was seen: the next three hold */
    bool counts;
    uint32_t render, rhi; /* threads; TK_NO_THREAD: none */
};

int tk_ut_csv_category(struct tk_ut_csv *csv, int32_t number, const struct tk_str *name);

/* Defines a statistic; one of the same name and category is the same for `inlined` ones. */
int tk_ut_csv_define(struct tk_ut_csv *csv, uint64_t id, int32_t category, const struct tk_str *name,
                     bool inlined);

/* "Category/" and the text; only the text for category 0 and those that are not known. NULL: no memory. */
const struct tk_str *tk_ut_csv_prefixed(struct tk_ut_feed *feed, const struct tk_ut_csv *csv,
                                        int32_t category, const struct tk_str *text);

/* Place of a statistic in stats, made where it is not defined; TK_MAP_NONE if out of memory. */
uint32_t tk_ut_csv_stat(struct tk_ut_csv *csv, uint64_t id);

/* The thread of an id, made on first use. NULL if out of memory. Borrowed until the next is made. */
struct tk_ut_csv_thread *tk_ut_csv_thread(struct tk_ut_feed *feed, struct tk_ut_csv *csv, uint32_t id);

/* A capture of the profiler begins: who renders (numbers of the operating system), and are uses counted? */
int tk_ut_csv_capture(struct tk_ut_feed *feed, struct tk_ut_csv *csv, uint32_t render, uint32_t rhi,
                      bool counts);

/*
 * The number of a series, which is said at its first use. TK_OK, with TK_MAP_NONE in *out where the limit
 * does not allow one more, or TK_ENOMEM.
 */
int tk_ut_csv_series(struct tk_ut_feed *feed, struct tk_ut_csv *csv, uint32_t stat, uint32_t thread,
                     enum tk_ut_csv_form form, uint32_t *out);

/* Says again what is called differently now. */
int tk_ut_csv_say_again(struct tk_ut_feed *feed, struct tk_ut_csv *csv);

/* Forgets what belongs to a reading. */
void tk_ut_csv_begin(struct tk_ut_csv *csv);
void tk_ut_csv_release(struct tk_ut_csv *csv);

/*
 * Packed frames: the byte codes of callstacks (changes-since 2). Each holds the differences between an
 * address and the one before it, 0 before the first; how many there are is known at the end of the bytes.
 */

#define TK_UT_MOST_FRAMES 255u /* more are not recorded */

/* How bytes become one difference. false: it is cut off, or no such value; *at then has no meaning. */
typedef bool tk_ut_frame_code(struct tk_bytes bytes, size_t *at, uint64_t previous, uint64_t *address);

tk_ut_frame_code tk_ut_frame_xor, tk_ut_frame_7bit, tk_ut_frame_varint;

struct tk_ut_frames {
    uint32_t n;                    /* addresses */
    bool damaged;                  /* the bytes end inside an address, or have none; those before are there */
    bool cut;                      /* there are more than TK_UT_MOST_FRAMES */
    uint64_t v[TK_UT_MOST_FRAMES]; /* innermost first */
};

void tk_ut_frames_unpack(struct tk_ut_frames *out, struct tk_bytes bytes, tk_ut_frame_code *code);

#endif
