/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_COMPARE_BASELINE_BASELINE_IN_H
#define TK_COMPARE_BASELINE_BASELINE_IN_H

#include "base/cursor.h"
#include "compare/baseline/baseline.h"
#include "compare/baseline/baseline_file.h"
#include "query/dict.h"
#include "table/cell.h"

/*
 * Shared by the files that read baseline files. baseline_read.c reads the file and the sections of a run,
 * also of files without series; baseline_read_series.c series, values, paths and places; baseline_bytes.c
 * numbers and names.
 */

/* What a timer has at a place of the sources, of the section SRCP. */
struct tk_base_place {
    size_t series; /* its number in the run */
    const struct tk_str *file;
    uint32_t line;
    uint64_t count;
    int64_t own;
    const uint8_t *blocks; /* as in files; NULL: nothing */
    size_t size;
    double sum;
};

/* The greatest frames of a timer, of the section GRFR. */
struct tk_base_greatest {
    size_t series; /* its number in the run */
    struct tk_greatest *of;
};

struct tk_base_reader {
    struct tk_baseline *b;
    struct tk_base_run *run; /* owned; being read */
    TK_VEC(const struct tk_str *) names;
    TK_VEC(struct tk_base_place) places; /* of the timers of the run */
    TK_VEC(struct tk_base_greatest) greatest;
    TK_VEC(uint32_t) path_timers; /* numbers of series, of the paths of the run */
    unsigned seen;                /* sections of the run, a bit each */
    uint32_t version;
    uint64_t runs; /* complete */
    bool ended;
    bool brief; /* values are read in place of series */
    bool lasts; /* the bytes stay as long as the run that is in them */
};

/* Bytes of the file, checked, for as long as the run; NULL if out of memory. */
const uint8_t *tk_base_read_keep(struct tk_base_reader *r, const uint8_t *p, size_t n);

/* Says what of the file cannot be: TK_EFORMAT. */
int tk_base_read_wrong(struct tk_err *err, const char *what);

/* Numbers of the layout of baseline_file.h; what is not finite is 0. */
static inline int64_t tk_base_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

int64_t tk_base_read_zigzag(struct tk_cur *c, const char *what);
double tk_base_read_real(struct tk_cur *c, const char *what);

/* Adds a timer to another of its name, as a place of it. 0, or -1 if out of memory. */
int tk_series_merge_timer(struct tk_base_run *run, struct tk_series *to, struct tk_series *s);

/* A text of the run's names by its number; NULL, with the fault set, for one that is not there. */
const struct tk_str *tk_base_read_name(struct tk_base_reader *r, struct tk_cur *c);

/* The sections PATH and SERI; the latter ends the run. */
int tk_base_read_paths(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);
int tk_base_read_series(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);

/* The section SRCP, and once the series are there: gives them their places. */
int tk_base_read_places(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);
int tk_base_settle_places(struct tk_base_reader *r, struct tk_err *err);

/* The section GRFR, and once the series are there: gives them their greatest frames. */
int tk_base_read_greatest(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);
int tk_base_settle_greatest(struct tk_base_reader *r, struct tk_err *err);

/* Cuts the greatest frames to those of a part of the run: by frame, its number there or UINT32_MAX. */
void tk_series_cut_greatest(struct tk_series *s, const uint32_t *place);

/* The section METR. */
int tk_base_read_metrics(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);

/* The section CELL. */
int tk_base_read_cells(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);

/* The section HITC. */
int tk_base_read_hitches(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);

/* The section WHYS. */
int tk_base_read_reasons(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);

/* The section VALU; only of what is brief. */
int tk_base_read_values(struct tk_base_reader *r, struct tk_cur *c, struct tk_err *err);

/* Parts of a section: its version is that of the file. */
#define TK_BASE_SECTION_HEAD 20u

/* The version in the first TK_BASELINE_HEAD bytes of a file, or TK_EFORMAT. */
int tk_base_read_head(struct tk_base_reader *r, const uint8_t *p, size_t n, struct tk_err *err);

/* Checks the payload of a section, and reads it. */
int tk_base_read_section(struct tk_base_reader *r, const uint8_t *head, const uint8_t *p, size_t n,
                         struct tk_err *err);

/* Ends: of a damaged file nothing is used, of which there were `before` runs. */
void tk_base_read_end(struct tk_base_reader *r, size_t before, int rc);

/*
 * Times of runs as cells. All tables of baselines use it.
 */

/* Nanoseconds of cycles of a run. */
static inline struct tk_cell tk_listing_span(const struct tk_base_run *run, uint64_t cycles)
{
    const struct tk_fact_clock clock = {.frequency = run->frequency};
    const int64_t most = cycles < INT64_MAX ? (int64_t)cycles : INT64_MAX;
    return tk_cell_of_span(tk_clock_span(&clock, TK_UNIT_NS, most));
}

#endif
