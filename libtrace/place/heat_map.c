/*
 * Draws the cells of a level: x to the right, y upwards, p95 of the frames as one of five colours.
 */
#include "base/given.h"
#include "base/text/text.h"
#include "judge/smoothness.h"
#include "place/place.h"
#include "place/place_in.h"
#include "tracekit/sinks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 640, LEAST = 9, LARGEST = 56, LEFT = 8, TOP = 8, KEY = 118, ACROSS = 5 };

/* Dark to light and back, which eyes that see no red and green distinguish; each up to so many times the
 * usual. */
static const struct {
    const char *fill;
    double most;
    const char *name;
} colours[ACROSS] = {
    {"#2c7bb6", 1.05, "up to 1.05 x"}, {"#7fc6c4", 1.25, "to 1.25 x"},     {"#f6d860", 1.5, "to 1.5 x"},
    {"#f08a3c", 2, "to 2 x"},          {"#c1272d", HUGE_VAL, "above 2 x"},
};

/* ---- what is drawn ---- */

static const struct tk_cell *cell_at(const struct tk_heat_map *map, size_t row, const char *column)
{
    size_t rows;
    const struct tk_table *table = tk_result_table(map->cells, 0, &rows);
    return tk_place_cell(table, tk_result_row(map->cells, 0, row), column);
}

static bool is_placed(const struct tk_heat_map *map, size_t row)
{
    return cell_at(map, row, "cx")->kind != TK_NONE;
}

static double p95_of(const struct tk_heat_map *map, size_t row)
{
    return (double)cell_at(map, row, "p95")->v.i / 1e6;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t count_rows(const struct tk_heat_map *map)
{
    size_t rows = 0;
    if (tk_result_count(map->cells))
        tk_result_table(map->cells, 0, &rows);
    return rows;
}

/* Extents and counts. */
static void survey(struct tk_heat_map *map)
{
    for (size_t i = 0; i < count_rows(map); i++) {
        if (!is_placed(map, i)) {
            map->nowhere += cell_at(map, i, "frames")->v.u;
            continue;
        }
        const int64_t at[2] = {cell_at(map, i, "cx")->v.i, cell_at(map, i, "cy")->v.i};
        for (int k = 0; k < 2; k++) {
            map->low[k] = map->n == 0 || at[k] < map->low[k] ? at[k] : map->low[k];
            map->high[k] = map->n == 0 || at[k] > map->high[k] ? at[k] : map->high[k];
        }
        map->few += cell_at(map, i, "few")->v.u != 0;
        map->n++;
    }
}

/* The median of what cells usually take, where no target says what they should. */
static int find_usual(struct tk_heat_map *map, double target)
{
    const size_t rows = count_rows(map);
    double *v = malloc((rows + 1) * sizeof *v);
    size_t n = 0;
    map->target = target > 0;
    for (size_t i = 0; v && i < rows; i++)
        if (is_placed(map, i))
            v[n++] = (double)cell_at(map, i, "p50")->v.i / 1e6;
    if (v && n)
        qsort(v, n, sizeof *v, by_size);
    map->usual = map->target ? 1e3 / target : v && n ? v[(n - 1) / 2] : 0;
    const bool good = v != NULL;
    free(v);
    return good ? 0 : -1;
}

int tk_heat_map_make(struct tk_heat_map *map, struct tk_trace *trace, const struct tk_cells_options *options,
                     struct tk_err *err)
{
    *map = (struct tk_heat_map){.side = options->cell};
    struct tk_cells_options flat = *options;
    flat.z = false; /* storeys lie on each other */
    int rc = tk_result_new(&map->cells, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_result_sink(map->cells);
    rc = tk_cells_fitted(trace, &flat, &map->side, &sink, err);
    if (rc == TK_OK)
        survey(map);
    return rc == TK_OK && find_usual(map, options->target) ? tk_err_nomem(err, "a map") : rc;
}

void tk_heat_map_release(struct tk_heat_map *map)
{
    tk_result_free(map->cells);
}

/* ---- the drawing ---- */

static void put_format(struct tk_buffer *out, const char *format, ...) TK_PRINTF(2, 3);

static void put_format(struct tk_buffer *out, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tk_buffer_text(out, text);
}

static void put_ms(struct tk_buffer *out, double ms)
{
    tk_buffer_fixed(out, (int64_t)(ms * 10 + 0.5), 1);
}

static int colour_of(const struct tk_heat_map *map, double ms)
{
    int i = 0;
    while (i < ACROSS - 1 && map->usual > 0 && ms > colours[i].most * map->usual)
        i++;
    return i;
}

/* The figures of a cell, which a pointer over it shows. */
static void put_title(const struct tk_heat_map *map, size_t row, struct tk_buffer *out)
{
    put_format(out, "<title>cell %lld,%lld: %llu frames, p95 ", (long long)cell_at(map, row, "cx")->v.i,
               (long long)cell_at(map, row, "cy")->v.i, (unsigned long long)cell_at(map, row, "frames")->v.u);
    put_ms(out, p95_of(map, row));
    put_format(out, " ms, longest ");
    put_ms(out, (double)cell_at(map, row, "max")->v.i / 1e6);
    put_format(out, " ms, %llu hitches%s</title>", (unsigned long long)cell_at(map, row, "hitches")->v.u,
               cell_at(map, row, "few")->v.u ? "; few frames" : "");
}

/* Length of a side in the drawing. */
static int scale_of(const struct tk_heat_map *map)
{
    const int64_t x = map->high[0] - map->low[0] + 1, y = map->high[1] - map->low[1] + 1;
    const int64_t fit = WIDTH / (x > y ? x : y);
    return fit < LEAST ? LEAST : fit > LARGEST ? LARGEST : (int)fit;
}

/* Cells with few frames are pale, with a dashed border. */
static void put_cell(const struct tk_heat_map *map, size_t row, int scale, struct tk_buffer *out)
{
    const bool few = cell_at(map, row, "few")->v.u != 0;
    const int64_t x = cell_at(map, row, "cx")->v.i - map->low[0],
                  y = map->high[1] - cell_at(map, row, "cy")->v.i;
    put_format(out, "<rect x=\"%lld\" y=\"%lld\" width=\"%d\" height=\"%d\" fill=\"%s\"%s>",
               (long long)(LEFT + x * scale), (long long)(TOP + y * scale), scale - 1, scale - 1,
               colours[colour_of(map, p95_of(map, row))].fill,
               few ? " fill-opacity=\".35\" stroke=\"#888\" stroke-dasharray=\"2 2\"" : "");
    put_title(map, row, out);
    tk_buffer_text(out, "</rect>\n");
}

static void put_legend(const struct tk_heat_map *map, int width, int y, struct tk_buffer *out)
{
    const int across = width / KEY > 0 ? width / KEY : 1;
    for (int i = 0; i < ACROSS; i++) {
        const int x = LEFT + i % across * KEY, at = y + i / across * 18;
        put_format(out,
                   "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" "
                   "y=\"%d\">%s</text>\n",
                   x, at, colours[i].fill, x + 17, at + 10, colours[i].name);
    }
    put_format(out, "<text x=\"%d\" y=\"%d\">p95 by ", LEFT, y - 8);
    put_ms(out, map->usual);
    put_format(out, " ms, %s; pale: fewer than %d frames</text>\n",
               map->target ? "the target" : "the median of the cells", TK_FEW_FRAMES);
}

void tk_heat_map_svg(const struct tk_heat_map *map, bool alone, struct tk_buffer *out)
{
    const int scale = scale_of(map);
    const int64_t across = map->n ? (map->high[0] - map->low[0] + 1) * scale : 0,
                  down = map->n ? (map->high[1] - map->low[1] + 1) * scale : 0;
    const int width = across < 360 ? 360 : (int)across, keys = width / KEY,
              height = TOP + (int)down + 26 + (ACROSS + keys - 1) / keys * 18;
    put_format(out,
               "<svg%s viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"Map of %zu "
               "cells, p95 of the frames in each\" font-family=\"sans-serif\" font-size=\"12\" "
               "fill=\"%s\">\n",
               alone ? " xmlns=\"http://www.w3.org/2000/svg\"" : "", width + 2 * LEFT, height,
               width + 2 * LEFT, height, map->n, alone ? "#222" : "currentColor");
    if (alone)
        tk_buffer_text(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    for (size_t i = 0; i < count_rows(map); i++)
        if (is_placed(map, i))
            put_cell(map, i, scale, out);
    put_legend(map, width, TOP + (int)down + 26, out);
    tk_buffer_text(out, "</svg>\n");
}

int tk_cells_map(struct tk_trace *trace, const struct tk_cells_options *options, struct tk_output *out,
                 struct tk_err *err)
{
    TK_GIVEN(err, trace, options, out);
    struct tk_cells_options given = TK_INIT(struct tk_cells_options);
    struct tk_heat_map map = {0};
    struct tk_buffer b;
    int rc = tk_struct_size_take(&given, sizeof given, options, "the options", err);
    if (rc == TK_OK)
        rc = tk_heat_map_make(&map, trace, &given, err);
    if (rc == TK_OK)
        rc = tk_buffer_init(&b, out, err);
    if (rc == TK_OK) {
        tk_heat_map_svg(&map, true, &b);
        rc = tk_buffer_flush(&b);
        tk_buffer_release(&b);
    }
    tk_heat_map_release(&map);
    return rc;
}
