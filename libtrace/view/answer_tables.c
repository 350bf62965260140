/*
 * The answer of tables to what a capture is as a whole. See answers.h.
 */
#include "base/err.h"
#include "os/heap.h"
#include "view/columns.h"

#include <string.h>

/* Of the overview: so many rows are kept of each. The last one needs frames. */
static const struct tk_gather_want wanted[] = {{"capture", 1},      {"frame_stats", 64}, {"regions", 5000},
                                               {"bookmarks", 5000}, {"logs", 5000},      {"timers", 20000},
                                               {"sample_rows", 1},  {"hitches", 5000}};

enum { WANTED = sizeof wanted / sizeof *wanted };

/* ---- the overview ---- */

static int gather_tables(const struct tk_view_ask *ask, size_t n)
{
    struct tk_view_capture *c = ask->capture;
    const struct tk_query query = TK_INIT(struct tk_query);
    tk_gather_release(&c->gather);
    c->gather = (struct tk_gather){0};
    return tk_gather_run(&c->gather, c->tables, &query, wanted, n, ask->err);
}

static int gather(const struct tk_view_ask *ask)
{
    struct tk_view_capture *c = ask->capture;
    if (c->gathered)
        return TK_OK;
    int rc = gather_tables(ask, WANTED);
    if (rc == TK_EMATCH) /* there are no frames */
        rc = gather_tables(ask, WANTED - 1);
    c->gathered = rc == TK_OK;
    c->hitches_beyond = tk_view_capture_take_hitches(c);
    if (rc == TK_OK)
        tk_frame_times_sort(&c->gather.frames);
    tk_os_heap_trim();
    return rc;
}

static int put_gathered(const struct tk_view_ask *ask, const char *name)
{
    const struct tk_gathered *kept;
    size_t n;
    tk_markup_format(ask->m, "\"%s\":", name);
    if (!tk_gather_table(&ask->capture->gather, name, &kept, &n)) {
        tk_markup_put(ask->m, "null,");
        return TK_OK;
    }
    const bool timers = strcmp(name, "timers") == 0;
    const int rc =
        timers ? tk_view_put_timers(ask, kept->rows, n) : tk_view_put_rows(ask, kept->rows, n, true);
    if (timers) {
        tk_markup_put(ask->m, ",\"timer_ids\":");
        tk_view_put_timer_ids(ask, kept->rows, n);
    }
    tk_markup_format(ask->m, ",\"%s_all\":%llu,", name, (unsigned long long)kept->seen);
    return rc;
}

int tk_view_answer_overview(const struct tk_view_ask *ask)
{
    const struct tk_gather *g = &ask->capture->gather;
    int rc = gather(ask);
    tk_markup_put(ask->m, "{");
    for (size_t i = 0; i < WANTED && rc == TK_OK; i++)
        rc = put_gathered(ask, wanted[i].table);
    if (rc < 0)
        return rc;
    tk_markup_format(ask->m, "\"hitches_beyond\":%llu,", (unsigned long long)ask->capture->hitches_beyond);
    tk_markup_format(ask->m, "\"damaged\":%d,\"partial\":%d,\"lossy\":%d,\"samples\":%d,\"frames\":",
                     tk_damaged(ask->capture->tables), tk_partial(ask->capture->tables),
                     tk_lossy(ask->capture->tables), tk_has_table(ask->capture->tables, "sample_rows"));
    tk_frame_times_put(&g->frames, ask->m);
    tk_markup_put(ask->m, ",\"gpu\":");
    tk_frame_times_put(&g->gpu, ask->m);
    tk_markup_put(ask->m, ",\"counters\":");
    tk_series_put(&g->counters, ask->m);
    tk_markup_put(ask->m, ",\"tags\":");
    tk_series_put(&g->tags, ask->m);
    tk_markup_put(ask->m, "}");
    return TK_OK;
}
