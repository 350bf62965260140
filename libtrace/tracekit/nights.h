/*
 * A chapter of tracekit.h: the table of a night, a row for each run.
 */
#ifndef TRACEKIT_NIGHTS_H
#define TRACEKIT_NIGHTS_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 24 nights: runs as the rows of one table ----
 *
 *     rc = tk_night_new(&night, &options, &err);
 *     for each file
 *         rc = tk_night_add(night, baseline, NULL, &err);         then the baseline can be freed
 *     rc = tk_night_settle(night, &err);
 * then tk_night_rows(), tk_night_text(), and tk_night_free().
 */

struct tk_baseline;
struct tk_budgets;
struct tk_night;
struct tk_owners;
struct tk_sink;

struct tk_night_options {
    size_t size;
    double target;     /* frames a second that are wanted; 0: none, and its columns have no value */
    const char *phase; /* of the hitches whose causes are listed: play (NULL), loading, startup, all */
    struct tk_budgets *budgets; /* that each run is checked against; NULL: none. Borrowed */
    unsigned width;             /* of texts, in columns: from 100 on they have the owners of causes; 0: 80 */
};

/* An empty one; options may be NULL. TK_OK, TK_EUSAGE, TK_ENOMEM. Free with tk_night_free, which takes NULL.
 */
TK_API int tk_night_new(struct tk_night **out, const struct tk_night_options *options, struct tk_err *err);
TK_API void tk_night_free(struct tk_night *night);
TK_API size_t tk_night_count(const struct tk_night *night);

/* Adds a row for each run, which is not used afterwards. link: the page of a single run, relative to the one
 * that is made; NULL: none. TK_OK; TK_EUSAGE (a budget for a metric of which nothing is better); TK_ENOMEM.
 */
TK_API int tk_night_add(struct tk_night *night, const struct tk_baseline *runs, const char *link,
                        struct tk_err *err);

/* Adds runs of before, with which the causes of hitches are compared; else the newest build is compared with
 * the others. They have no rows. TK_OK or TK_ENOMEM. */
TK_API int tk_night_before(struct tk_night *night, const struct tk_baseline *runs, struct tk_err *err);

/* Adds a row for a file that cannot be read. TK_OK or TK_ENOMEM. */
TK_API int tk_night_fail(struct tk_night *night, const char *name, struct tk_err *err);

/* When all are there: orders the rows, those that failed first, and finds runs that are too short. */
TK_API int tk_night_settle(struct tk_night *night, struct tk_err *err);

/* When it is settled: the causes of hitches, and the worst budget of each run, say who owns them, and their
 * tables have a column `owner`. TK_OK or TK_ENOMEM. */
TK_API int tk_night_own(struct tk_night *night, const struct tk_owners *owners, struct tk_err *err);

/* Sends the table `night`, a row for each run. TK_OK or what a hook returned. */
TK_API int tk_night_rows(const struct tk_night *night, const struct tk_sink *sink, struct tk_err *err);

/* Sends the table `hitch_causes`: the hitches of all runs by cause. The same; TK_EMATCH if no run has game
 * frames. */
TK_API int tk_night_causes(const struct tk_night *night, const struct tk_sink *sink, struct tk_err *err);

/* The table as "text" of at most 80 columns, rows of one map, build and platform together; "markdown"; or
 * "html", a section for tk_page_front() or a report. Free with tk_night_free_text (NULL is allowed). TK_OK,
 * TK_EUSAGE, TK_ENOMEM. */
TK_API int tk_night_text(const struct tk_night *night, const char *kind, char **text, size_t *n,
                         struct tk_err *err);
TK_API void tk_night_free_text(char *text);

#ifdef __cplusplus
}
#endif

#endif
