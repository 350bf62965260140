/*
 * Tree: the call tree by thread as a block and as a short list, and the curves of the busiest timers over the
 * frames. Both come from a second reading, which knows the busiest timers. Part of chapter.h.
 */
#include "api/trace.h"
#include "base/health/health.h"
#include "page/markup.h"
#include "report/report_in.h"
#include "sink/write/human.h"
#include "table/cell.h"

#include <string.h>

/* Curves of timers, nodes of a tree, rows of its list and how deep they go. */
enum { CURVES = 8, NODES_MOST = 20000, STACKS_MOST = 150000, LISTED_ROWS = 40, LISTED_DEPTH = 14 };

#define LEAST_SHARE  0.0003 /* of a node in the block */
#define LISTED_SHARE 0.01   /* of a row of the list */

/* ---- the second reading ---- */

/* The timers with the greatest own time that does not wait. */
static size_t busiest(const struct tk_gathered *timers, size_t rows, const struct tk_cell *out[CURVES])
{
    int64_t own[CURVES];
    size_t n = 0;
    for (size_t i = 0; i < rows; i++) {
        const struct tk_cell *name = tk_gather_cell(timers, i, "timer");
        const struct tk_cell *working = tk_gather_cell(timers, i, "working");
        if (name->kind != TK_TEXT || name->n >= 256 || working->kind != TK_DURATION ||
            (n == CURVES && working->v.i <= own[n - 1]))
            continue;
        size_t k = n < CURVES ? n++ : CURVES - 1;
        for (; k > 0 && own[k - 1] < working->v.i; k--) {
            own[k] = own[k - 1];
            out[k] = out[k - 1];
        }
        own[k] = working->v.i;
        out[k] = name;
    }
    return n;
}

static int begin_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_gather *g = self;
    if (strcmp(table->name, "tree") != 0)
        return TK_OK;
    struct tk_gathered *kept = &g->tables[g->n];
    *kept = (struct tk_gathered){.name = "tree", .most = NODES_MOST};
    int rc = tk_result_new(&kept->rows, err);
    if (rc < 0)
        return rc;
    g->n++;
    const struct tk_sink sink = tk_result_sink(kept->rows);
    return sink.begin(sink.self, table, err);
}

static int take_node_rows(struct tk_gathered *kept, const struct tk_table *table, const struct tk_rows *rows,
                          struct tk_err *err)
{
    const size_t capacity = kept->seen < kept->most ? kept->most - (size_t)kept->seen : 0;
    const struct tk_rows first = {rows->n < capacity ? rows->n : capacity, rows->cells};
    const struct tk_sink sink = tk_result_sink(kept->rows);
    kept->seen += rows->n;
    return first.n ? sink.rows(sink.self, table, &first, err) : TK_OK;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_gather *g = self;
    if (strcmp(table->name, "tree") == 0)
        return take_node_rows(&g->tables[0], table, rows, err);
    const int timer = tk_table_column(table, "timer"), start = tk_table_column(table, "start"),
              incl = tk_table_column(table, "incl");
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        if (row[timer].kind == TK_TEXT && row[start].kind == TK_TIME)
            rc = tk_series_add(&g->counters, tk_cell_text(&row[timer]), false, row[start].v.i,
                               row[incl].kind == TK_DURATION ? (double)row[incl].v.i : 0, err);
    }
    return rc;
}

int tk_tree_gather(struct tk_chapter *c)
{
    static const char *const tables[] = {"tree", "per_frame"};
    const struct tk_cell *names[CURVES];
    char patterns[CURVES][256];
    const char *list[CURVES];
    const struct tk_gathered *timers;
    size_t rows;
    if (!tk_gather_table(&c->first, "timers", &timers, &rows) || rows == 0)
        return TK_OK;
    const size_t n = busiest(timers, rows, names);
    for (size_t i = 0; i < n; i++) {
        memcpy(patterns[i], names[i]->v.p, names[i]->n);
        patterns[i][names[i]->n] = '\0';
        list[i] = patterns[i];
    }
    struct tk_query query = *c->query;
    query.tables = tables;
    query.n_tables = n && c->first.frames.n ? 2 : 1;
    query.per_frame = list;
    query.n_per_frame = n;
    query.by = TK_BY_THREAD;
    query.tree.min_share = LEAST_SHARE;
    query.mixed = true;
    const struct tk_sink sink = {.self = &c->second, .begin = begin_table, .rows = take_rows};
    const uint64_t nodes = c->trace->ctx.limits.tree_nodes;
    c->trace->ctx.limits.tree_nodes = nodes < STACKS_MOST ? nodes : STACKS_MOST;
    int rc = tk_query_run(c->trace, &query, &sink, c->err);
    c->trace->ctx.limits.tree_nodes = nodes;
    if (nodes > STACKS_MOST)
        c->calls_beyond = tk_health_take_limit(&c->trace->ctx.health, TK_LIMIT_tree_nodes);
    return rc == TK_EMATCH ? TK_OK : rc;
}

/* ---- blocks ---- */

static void put_column(struct tk_json *j, const struct tk_gathered *tree, size_t n, const char *column)
{
    tk_json_open(j, column, '[');
    for (size_t i = 0; i < n; i++)
        tk_json_i64(j, NULL, tk_gather_int(tree, i, column));
    tk_json_close(j);
}

static int put_nodes(struct tk_markup *m, const struct tk_gathered *tree, size_t n)
{
    struct tk_names names = {0};
    int rc = TK_OK;
    tk_json_open(&m->json, NULL, '{');
    tk_json_open(&m->json, "timer", '[');
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        const struct tk_cell *cell = tk_gather_cell(tree, i, "timer");
        const int64_t number =
            tk_names_number(&names, cell->kind == TK_TEXT ? tk_cell_text(cell) : (struct tk_str){.p = ""});
        if (number < 0)
            rc = TK_ENOMEM;
        tk_json_i64(&m->json, NULL, number);
    }
    tk_json_close(&m->json);
    put_column(&m->json, tree, n, "depth");
    put_column(&m->json, tree, n, "count");
    put_column(&m->json, tree, n, "incl");
    put_column(&m->json, tree, n, "excl");
    tk_names_put(&names, TK_NAMES_BYTES, m);
    tk_json_close(&m->json);
    tk_names_release(&names);
    return rc;
}

/* ---- the list ---- */

static const char *const listed[] = {"count", "incl", "excl", "share", "frame_mean"};

#define LISTED (sizeof listed / sizeof *listed)

static bool is_listed(const struct tk_gathered *tree, size_t i)
{
    const struct tk_cell *share = tk_gather_cell(tree, i, "share");
    return share->kind == TK_REAL && share->v.r >= LISTED_SHARE &&
           tk_gather_int(tree, i, "depth") <= LISTED_DEPTH;
}

static void put_node(struct tk_markup *m, const struct tk_table *table, const struct tk_gathered *tree,
                     size_t i)
{
    const struct tk_cell *name = tk_gather_cell(tree, i, "timer");
    const int depth = (int)tk_gather_int(tree, i, "depth");
    tk_markup_format(m, "<tr><td class=\"n\"><data value=\"%d\">%d</data></td><td class=\"d%d\">", depth,
                     depth, depth);
    if (name->kind == TK_TEXT)
        tk_markup_text(m, tk_cell_text(name), TK_MARKUP_NAME);
    tk_markup_put(m, "</td>");
    for (size_t k = 0; k < LISTED; k++) {
        const int at = tk_table_column(table, listed[k]);
        tk_markup_put(m, "<td class=\"n\">");
        if (at >= 0)
            tk_markup_cell(m, tk_gather_cell(tree, i, listed[k]), &table->columns[at]);
        tk_markup_put(m, "</td>");
    }
    tk_markup_put(m, "</tr>\n");
}

static void put_list(struct tk_markup *m, const struct tk_table *table, const struct tk_gathered *tree,
                     size_t n)
{
    size_t rows = 0;
    const struct tk_html h = tk_markup_html(m);
    tk_html_table(h, "table", "tree", 0, "Calls of at least 1 % of the time, by thread");
    tk_html_column(h, TK_HTML_NUMBERS, "depth");
    tk_html_column(h, "", "timer");
    for (size_t k = 0; k < LISTED; k++)
        tk_markup_format(m, "<th scope=\"col\" class=\"n\" data-column=\"%s\">%s</th>", listed[k],
                         strcmp(listed[k], "frame_mean") == 0 ? "frame mean" : listed[k]);
    tk_html_rows(h);
    for (size_t i = 0; i < n && rows < LISTED_ROWS; i++)
        if (is_listed(tree, i)) {
            put_node(m, table, tree, i);
            rows++;
        }
    tk_html_table_end(h);
}

int tk_tree_put(struct tk_chapter *c)
{
    const struct tk_gathered *tree;
    struct tk_markup data;
    size_t n;
    const struct tk_table *table = tk_gather_table(&c->second, "tree", &tree, &n);
    if (!table || n == 0) {
        tk_markup_put(c->m, "<p class=\"none\">The capture has no scopes, so there is no call tree.</p>\n");
        return TK_OK;
    }
    int rc = tk_markup_init(&data, c->err);
    if (rc == TK_OK)
        rc = put_nodes(&data, tree, n);
    if (rc == TK_OK) {
        tk_figure_put(c, "tree", "tree");
        if (tree->seen > n)
            tk_markup_format(c->m, "<p class=\"more\">%zu of %llu nodes.</p>\n", n,
                             (unsigned long long)tree->seen);
        if (c->calls_beyond)
            tk_markup_format(c->m,
                             "<p class=\"more\">%llu calls of rare stacks are counted together, as there are "
                             "more than %d stacks.</p>\n",
                             (unsigned long long)c->calls_beyond, STACKS_MOST);
        put_list(c->m, table, tree, n);
        tk_chapter_block(c, "tree", &data);
    }
    tk_markup_release(&data);
    return rc;
}

int tk_curves_put(struct tk_chapter *c)
{
    return tk_values_put(c, "curves", &c->second.counters);
}
