/*
 * Gathering: a sink that keeps what a page needs.
 */
#include "report/gather.h"

#include "api/trace.h"
#include "base/err.h"
#include "table/cell.h"

#include <math.h>
#include <string.h>

void tk_gather_release(struct tk_gather *g)
{
    for (size_t i = 0; i < g->n; i++)
        tk_result_free(g->tables[i].rows);
    tk_frame_times_release(&g->frames);
    tk_frame_times_release(&g->gpu);
    tk_frame_times_release(&g->work);
    tk_series_release(&g->counters);
    tk_series_release(&g->tags);
    tk_album_release(&g->album);
}

static const struct tk_cell *cell_of(const struct tk_table *table, const struct tk_cell *row,
                                     const char *column)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    const int at = tk_table_column(table, column);
    return at < 0 ? &none : &row[at];
}

static struct tk_str text_of(const struct tk_table *table, const struct tk_cell *row, const char *column)
{
    const struct tk_cell *cell = cell_of(table, row, column);
    return cell->kind == TK_TEXT ? tk_cell_text(cell) : (struct tk_str){.p = ""};
}

/* ---- rows that are folded ---- */

typedef int take_row(struct tk_gather *g, const struct tk_table *table, const struct tk_cell *row,
                     struct tk_err *err);

static int take_frame(struct tk_gather *g, const struct tk_table *table, const struct tk_cell *row,
                      struct tk_err *err)
{
    const struct tk_cell *length = cell_of(table, row, "dur");
    g->lost_frames += cell_of(table, row, "type_id")->v.u == 0 && cell_of(table, row, "lost")->v.u;
    if (length->kind != TK_DURATION)
        return TK_OK;
    return tk_frame_times_add(&g->frames, cell_of(table, row, "type_id")->v.u, text_of(table, row, "type"),
                              cell_of(table, row, "start")->v.i, length->v.i, err);
}

static int take_gpu_frame(struct tk_gather *g, const struct tk_table *table, const struct tk_cell *row,
                          struct tk_err *err)
{
    const struct tk_cell *work = cell_of(table, row, "work"), *time = cell_of(table, row, "time");
    if (work->kind != TK_DURATION || time->kind != TK_TIME)
        return TK_OK;
    return tk_frame_times_add(&g->gpu, cell_of(table, row, "queue_id")->v.u, text_of(table, row, "queue"),
                              time->v.i, work->v.i, err);
}

/* A frame in which a thread did nothing has its place, too, so that all have the same frames. */
static int take_work(struct tk_gather *g, const struct tk_table *table, const struct tk_cell *row,
                     struct tk_err *err)
{
    static const char *const who[] = {"game", "render", "rhi", "gpu"};
    const struct tk_cell *start = cell_of(table, row, "start");
    int rc = TK_OK;
    for (unsigned i = 0; i < sizeof who / sizeof *who && rc == TK_OK; i++) {
        const struct tk_cell *work = cell_of(table, row, who[i]);
        if (work->kind == TK_DURATION && start->kind == TK_TIME)
            rc = tk_frame_times_add(&g->work, i, (struct tk_str){.p = who[i], .n = (uint32_t)strlen(who[i])},
                                    start->v.i, work->v.i, err);
    }
    return rc;
}

static double number_of(const struct tk_cell *cell)
{
    return cell->kind == TK_NONE ? (double)NAN : tk_cell_real(cell);
}

static int take_value(struct tk_gather *g, const struct tk_table *table, const struct tk_cell *row,
                      struct tk_err *err)
{
    const struct tk_str unit = text_of(table, row, "unit");
    return tk_series_add(&g->counters, text_of(table, row, "counter"),
                         unit.n == 5 && memcmp(unit.p, "bytes", 5) == 0, cell_of(table, row, "time")->v.i,
                         number_of(cell_of(table, row, "value")), err);
}

static int take_tag(struct tk_gather *g, const struct tk_table *table, const struct tk_cell *row,
                    struct tk_err *err)
{
    return tk_series_add(&g->tags, text_of(table, row, "tag"), true, cell_of(table, row, "time")->v.i,
                         number_of(cell_of(table, row, "value")), err);
}

static int take_picture(struct tk_gather *g, const struct tk_table *table, const struct tk_cell *row,
                        struct tk_err *err)
{
    return tk_album_note_row(&g->album, table, row) ? tk_err_nomem(err, "recorded pictures") : TK_OK;
}

static const struct folded {
    const char *table;
    take_row *take;
    uint64_t facts; /* without any of these the table is not requested: it would wait for them; 0: always */
    bool wanted;    /* only where it is wanted by name */
} folded[] = {{"frames", take_frame, 0, false},
              {"gpu_frames", take_gpu_frame, 0, false},
              {"counter_values", take_value, TK_FACT_MASK(COUNTER_VALUE), false},
              {"llm_values", take_tag, TK_FACT_MASK(TAG_VALUE), false},
              {"bound", take_work, 0, true},
              {"frame_images", take_picture, 0, true},
              {"screenshots", take_picture, 0, true}};

#define FOLDED (sizeof folded / sizeof *folded)

/* ---- the sink ---- */

static struct tk_gathered *find_kept(struct tk_gather *g, const char *name)
{
    for (size_t i = 0; i < g->n; i++)
        if (strcmp(g->tables[i].name, name) == 0)
            return &g->tables[i];
    return NULL;
}

static int begin_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_gathered *kept = find_kept(self, table->name);
    if (!kept)
        return TK_OK;
    int rc = tk_result_new(&kept->rows, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_result_sink(kept->rows);
    return sink.begin(sink.self, table, err);
}

/* Of memory, what is by heap and by tag: rows by size, thread and asset are the same bytes once more. */
static bool is_wanted(const struct tk_table *table, const struct tk_cell *row)
{
    static const char *const by[] = {"total", "heap", "tag"};
    if (strcmp(table->name, "memory") != 0)
        return true;
    const struct tk_str text = text_of(table, row, "by");
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (text.n == strlen(by[i]) && memcmp(text.p, by[i], text.n) == 0)
            return true;
    return false;
}

static int keep_rows(struct tk_gathered *kept, const struct tk_table *table, const struct tk_rows *rows,
                     struct tk_err *err)
{
    const struct tk_sink sink = tk_result_sink(kept->rows);
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
        const struct tk_rows one = {1, rows->cells + i * table->n_columns};
        if (is_wanted(table, one.cells) && kept->seen++ < kept->most)
            rc = sink.rows(sink.self, table, &one, err);
    }
    return rc;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_gathered *kept = find_kept(self, table->name);
    int rc = kept && kept->rows ? keep_rows(kept, table, rows, err) : TK_OK;
    for (size_t k = 0; k < FOLDED; k++)
        if (strcmp(folded[k].table, table->name) == 0)
            for (size_t i = 0; i < rows->n && rc == TK_OK; i++)
                rc = folded[k].take(self, table, rows->cells + i * table->n_columns, err);
    return rc;
}

static bool is_requested(const struct folded *f, struct tk_trace *trace)
{
    return !f->wanted && tk_has_table(trace, f->table) &&
           (!f->facts || trace->capture->ops->may_have(trace->capture, f->facts));
}

int tk_gather_run(struct tk_gather *g, struct tk_trace *trace, const struct tk_query *query,
                  const struct tk_gather_want *wanted, size_t n, struct tk_err *err)
{
    const char *names[TK_GATHER_TABLES + FOLDED];
    struct tk_query all = *query;
    all.tables = names;
    all.n_tables = 0;
    for (size_t i = 0; i < n && i < TK_GATHER_TABLES; i++)
        if (tk_has_table(trace, wanted[i].table)) {
            g->tables[g->n++] = (struct tk_gathered){.name = wanted[i].table, .most = wanted[i].most};
            names[all.n_tables++] = wanted[i].table;
        }
    for (size_t k = 0; k < FOLDED; k++)
        if (is_requested(&folded[k], trace))
            names[all.n_tables++] = folded[k].table;
    all.by |= TK_BY_EXTRA;
    all.mixed = true;
    all.in_passing = true;
    return tk_query_run(trace, &all, &(struct tk_sink){.self = g, .begin = begin_table, .rows = take_rows},
                        err);
}

int tk_gather_health(struct tk_gather *g, struct tk_trace *trace, struct tk_err *err)
{
    struct tk_gathered *kept = find_kept(g, "health");
    if (!kept)
        return TK_OK;
    tk_result_free(kept->rows);
    kept->rows = NULL;
    kept->seen = 0;
    return tk_health(trace, &(struct tk_sink){.self = g, .begin = begin_table, .rows = take_rows}, err);
}

/* ---- what was kept ---- */

const struct tk_table *tk_gather_table(const struct tk_gather *g, const char *name,
                                       const struct tk_gathered **kept, size_t *n_rows)
{
    for (size_t i = 0; i < g->n; i++) {
        *kept = &g->tables[i];
        if (strcmp((*kept)->name, name) == 0 && (*kept)->rows)
            return tk_result_table((*kept)->rows, 0, n_rows);
    }
    *n_rows = 0;
    *kept = NULL;
    return NULL;
}

const struct tk_cell *tk_gather_cell(const struct tk_gathered *kept, size_t row, const char *column)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    if (!kept || !kept->rows)
        return &none;
    const int at = tk_table_column(tk_result_table(kept->rows, 0, NULL), column);
    const struct tk_cell *cell = at < 0 ? NULL : tk_result_cell(kept->rows, 0, row, (size_t)at);
    return cell ? cell : &none;
}

int64_t tk_gather_int(const struct tk_gathered *kept, size_t row, const char *column)
{
    return tk_cell_int(tk_gather_cell(kept, row, column));
}
