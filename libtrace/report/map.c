/*
 * Map: where in the level frames are slow, as a drawing and as a list of the worst cells.
 */
#include "place/place.h"
#include "report/report_in.h"
#include "tracekit/sinks.h"

#include <string.h>

enum { WORST = 20 };

static const struct {
    const char *name, *title;
} columns[] = {{"cx", "x"},          {"cy", "y"},
               {"frames", "Frames"}, {"p50", "Median"},
               {"p95", "p95"},       {"max", "Max"},
               {"over", "Late"},     {"hitches", "Hitches"},
               {"few", "Few"},       {"timer", "Grew most in its hitches"}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static bool has_column_map(const struct tk_heat_map *map, size_t column)
{
    return map->target || strcmp(columns[column].name, "over") != 0;
}

static void put_row_map(struct tk_chapter *c, const struct tk_heat_map *map, size_t row)
{
    size_t rows;
    const struct tk_table *table = tk_result_table(map->cells, 0, &rows);
    tk_markup_put(c->m, "<tr>");
    for (size_t i = 0; i < COLUMNS; i++) {
        const int at = tk_table_column(table, columns[i].name);
        if (!has_column_map(map, i))
            continue;
        tk_markup_put(c->m, i + 1 < COLUMNS ? "<td class=\"n\">" : "<td>");
        const struct tk_cell *cell = &tk_result_row(map->cells, 0, row)[at];
        if (cell->kind != TK_BOOL)
            tk_markup_cell(c->m, cell, &table->columns[at]);
        else if (cell->v.u)
            tk_markup_put(c->m, "few");
        tk_markup_put(c->m, "</td>");
    }
    tk_markup_put(c->m, "</tr>\n");
}

/* The worst first. */
static int put_worst(struct tk_chapter *c, struct tk_heat_map *map)
{
    const struct tk_html h = tk_markup_html(c->m);
    size_t rows;
    int rc = tk_result_sort(map->cells, 0, "p95", true, c->err);
    if (rc == TK_OK && map->target)
        rc = tk_result_sort(map->cells, 0, "over", true, c->err);
    if (rc < 0)
        return rc;
    tk_html_table(h, "table", "cells", TK_HTML_FOCUS, "Cells of the level, the worst first");
    for (size_t i = 0; i < COLUMNS; i++)
        if (has_column_map(map, i))
            tk_html_column(h, i + 1 < COLUMNS ? TK_HTML_NUMBERS : "", columns[i].title);
    tk_html_rows(h);
    tk_result_table(map->cells, 0, &rows);
    for (size_t i = 0; i < rows && i < WORST; i++)
        put_row_map(c, map, i);
    tk_html_table_end(h);
    tk_html_more(h, rows, rows < WORST ? rows : WORST, "more cells");
    return TK_OK;
}

static int put_map(struct tk_chapter *c, struct tk_heat_map *map)
{
    tk_markup_format(c->m,
                     "<p>Cells of %.9g units: x to the right, y upwards. Each has the p95 of its frames; "
                     "%zu of %zu have few frames, of which a percentile says little",
                     map->side, map->few, map->n);
    if (map->nowhere)
        tk_markup_format(c->m, ". %llu frames have no position", (unsigned long long)map->nowhere);
    tk_markup_put(c->m, ".</p>\n<div class=\"map\">");
    tk_heat_map_svg(map, false, &c->m->out);
    tk_markup_put(c->m, "</div>\n");
    return put_worst(c, map);
}

/* Which position is meant may not be clear: that is said, and no fault of the page. */
static int put_unclear(struct tk_chapter *c, struct tk_err *why, int rc)
{
    if (rc != TK_EMATCH || c->options->position) {
        if (c->err)
            *c->err = *why;
        return rc;
    }
    tk_markup_put(c->m, "<p class=\"none\">");
    tk_markup_string(c->m, tk_err_text(why, rc));
    tk_markup_put(c->m, ".</p>\n");
    return TK_OK;
}

int tk_level_map_put(struct tk_chapter *c)
{
    struct tk_cells_options options = TK_INIT(struct tk_cells_options);
    struct tk_heat_map map;
    struct tk_err why = {0};
    options.position = c->options->position;
    options.target = c->query->hitches.target;
    int rc = tk_heat_map_make(&map, c->trace, &options, &why);
    if (rc < 0)
        rc = put_unclear(c, &why, rc);
    else if (map.n == 0)
        tk_markup_put(c->m, "<p class=\"none\">No frame comes within a second of a position.</p>\n");
    else
        rc = put_map(c, &map);
    tk_heat_map_release(&map);
    return rc;
}
