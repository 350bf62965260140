/*
 * Lists.
 */
#include "page/markup.h"
#include "report/report_in.h"
#include "sink/write/human.h"
#include "table/cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 32, LONG_TEXT = 48 /* bytes: longer ones go on in the next line */ };

struct chosen {
    size_t n;
    int at[COLUMNS_MOST];
};

/* Is there anything in a column of these rows? */
static bool is_filled(const struct tk_gathered *kept, size_t n, int at)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *cell = &tk_result_row(kept->rows, 0, i)[at];
        if (cell->kind != TK_NONE && (cell->kind != TK_TEXT || cell->n))
            return true;
    }
    return false;
}

/* Are all cells of a column zero, or the same text? Then they tell nothing of its rows. */
static bool is_constant(const struct tk_gathered *kept, size_t n, int at)
{
    const struct tk_cell zero = {.kind = TK_UINT};
    const struct tk_cell *text = &tk_result_row(kept->rows, 0, 0)[at];
    const struct tk_cell *like = text->kind == TK_TEXT && n > 1 ? text : &zero;
    for (size_t i = 0; i < n; i++)
        if (tk_cell_compare(&tk_result_row(kept->rows, 0, i)[at], like) != 0)
            return false;
    return true;
}

/* Of the named columns those that have anything in the rows kept; with a question mark behind the name only
 * where they tell more than one text or zeros. */
static struct chosen choose_columns(const struct tk_gathered *kept, const char *names)
{
    size_t rows;
    const struct tk_table *table = tk_result_table(kept->rows, 0, &rows);
    struct chosen chosen = {0};
    for (const char *p = names; *p && chosen.n < COLUMNS_MOST;) {
        const size_t all = strcspn(p, ","), n = strcspn(p, "?,");
        for (uint32_t i = 0; i < table->n_columns; i++)
            if (strlen(table->columns[i].name) == n && memcmp(table->columns[i].name, p, n) == 0 &&
                is_filled(kept, rows, (int)i) && (n == all || !is_constant(kept, rows, (int)i)))
                chosen.at[chosen.n++] = (int)i;
        p += all + (p[all] == ',');
    }
    return chosen;
}

/* "max_depth" is "max depth". */
static void put_title(struct tk_markup *m, const char *name)
{
    for (; *name; name++)
        tk_buffer_char(&m->out, *name == '_' ? ' ' : *name);
}

static void put_head(struct tk_markup *m, const struct tk_table *table, const struct chosen *chosen)
{
    for (size_t i = 0; i < chosen->n; i++) {
        const struct tk_column *column = &table->columns[chosen->at[i]];
        tk_markup_format(m, "<th scope=\"col\" data-column=\"%s\"%s title=\"", column->name,
                         tk_human_right(column->kind) ? " class=\"n\"" : "");
        tk_markup_string(m, column->help);
        tk_markup_put(m, "\">");
        put_title(m, column->name);
        tk_markup_put(m, "</th>");
    }
    tk_html_rows(tk_markup_html(m));
}

/* The column as a row has it: what is measured in the unit of the row, such as the mean of a counter, is
   bytes where that says so. */
static struct tk_column column_of(const struct tk_table *table, int at, const struct tk_cell *row)
{
    struct tk_column column = table->columns[at];
    const int unit = tk_table_column(table, "unit");
    const struct tk_cell *says = unit >= 0 ? &row[unit] : NULL;
    if (column.kind == TK_REAL && !column.unit && !(column.flags & TK_COL_PART) && says &&
        says->kind == TK_TEXT && says->n == 5 && memcmp(says->v.p, "bytes", 5) == 0)
        column.unit = "bytes";
    return column;
}

static void put_row(struct tk_markup *m, const struct tk_table *table, const struct chosen *chosen,
                    const struct tk_cell *row)
{
    tk_markup_put(m, "<tr>");
    for (size_t i = 0; i < chosen->n; i++) {
        const struct tk_column column = column_of(table, chosen->at[i], row);
        const struct tk_cell *cell = &row[chosen->at[i]];
        const bool is_long = cell->kind == TK_TEXT && cell->n > LONG_TEXT;
        tk_markup_put(m, tk_human_right(column.kind) ? "<td class=\"n\">"
                         : is_long                   ? "<td class=\"long\">"
                                                     : "<td>");
        tk_markup_cell(m, cell, &column);
        tk_markup_put(m, "</td>");
    }
    tk_markup_put(m, "</tr>\n");
}

void tk_list_table(const struct tk_list *list, const struct tk_gathered *kept, size_t first, size_t last,
                   struct tk_markup *m)
{
    const struct tk_table *table = tk_result_table(kept->rows, 0, NULL);
    const struct chosen chosen = choose_columns(kept, list->columns);
    tk_html_table(tk_markup_html(m), "table", list->table, 0, list->title);
    put_head(m, table, &chosen);
    for (size_t i = first; i < last; i++)
        put_row(m, table, &chosen, tk_result_row(kept->rows, 0, i));
    tk_html_table_end(tk_markup_html(m));
}

/* ---- blocks ---- */

/* Bytes of a block of a list: one with longer names has them cut. */
enum { LIST_BYTES = 300000 };

/* All rows that were kept, with all columns of the list. */
static int put_block(const struct tk_list *list, const struct tk_gathered *kept, const char *prefix, size_t n,
                     struct tk_markup *m, struct tk_err *err)
{
    const struct chosen chosen = choose_columns(kept, list->columns);
    struct tk_markup data;
    char id[64];
    const size_t begin = m->out.n;
    int rc = tk_markup_init(&data, err);
    snprintf(id, sizeof id, "%sb-%s", prefix, list->table);
    for (size_t most = 0; rc == TK_OK; most = TK_NAMES_BYTES) {
        m->out.n = begin;
        rc = tk_columns_put(NULL, kept->rows, chosen.at, chosen.n, n, most, &data);
        if (rc == TK_OK)
            tk_block_put(m, id, &data);
        if (most || m->out.n - begin <= LIST_BYTES)
            break;
    }
    tk_markup_release(&data);
    return rc;
}

/* ---- sentences ---- */

/* Begins with a capital letter, unless it begins with an option or a name of several capitals. */
static void put_sentence(struct tk_markup *m, struct tk_str text)
{
    if (text.n && *text.p >= 'a' && *text.p <= 'z') {
        tk_buffer_char(&m->out, (char)(*text.p - 'a' + 'A'));
        text.p++;
        text.n--;
    }
    tk_markup_text(m, text, TK_MARKUP_MESSAGE);
}

static void put_why(const struct tk_list *list, const struct tk_gather *g, struct tk_markup *m)
{
    const struct tk_gathered *can;
    size_t n;
    if (!list->question || !tk_gather_table(g, "can", &can, &n))
        return;
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *question = tk_gather_cell(can, i, "question");
        const struct tk_cell *how = tk_gather_cell(can, i, "how");
        if (question->n != strlen(list->question) || memcmp(question->v.p, list->question, question->n) != 0)
            continue;
        if (how->kind == TK_TEXT) {
            tk_markup_put(m, " ");
            put_sentence(m, tk_cell_text(how));
            tk_markup_put(m, ".");
        }
    }
}

static void put_none(const struct tk_list *list, const struct tk_gather *g, struct tk_markup *m)
{
    tk_markup_format(m, "<p class=\"none\" data-none=\"%s\"><strong>", list->table);
    tk_markup_string(m, list->title);
    tk_markup_put(m, "</strong>: nothing in this capture.");
    put_why(list, g, m);
    tk_markup_put(m, "</p>\n");
}

static void put_more(const struct tk_list *list, const struct tk_gathered *kept, size_t displayed,
                     struct tk_markup *m)
{
    if (kept->seen <= displayed)
        return;
    tk_markup_format(m, "<p class=\"more\">%zu of %llu rows; all: <code>trace-stats FILE -t %s</code></p>\n",
                     displayed, (unsigned long long)kept->seen, list->table);
}

uint64_t tk_list_rows(const struct tk_list *list, const struct tk_gather *g)
{
    const struct tk_gathered *kept;
    size_t n;
    return tk_gather_table(g, list->table, &kept, &n) ? kept->seen : 0;
}

int tk_list_put(const struct tk_list *list, const struct tk_gather *g, const char *prefix,
                struct tk_markup *m, struct tk_err *err)
{
    const struct tk_gathered *kept;
    size_t n;
    int rc = TK_OK;
    if (!tk_gather_table(g, list->table, &kept, &n) || n == 0) {
        put_none(list, g, m);
        return TK_OK;
    }
    if (list->sort && tk_table_column(tk_result_table(kept->rows, 0, NULL), list->sort) >= 0)
        rc = tk_result_sort(kept->rows, 0, list->sort, true, err);
    const size_t displayed = n < list->displayed ? n : list->displayed;
    tk_markup_format(m, "<div class=\"list\" data-list=\"%s%s\" data-seen=\"%llu\">\n", prefix, list->table,
                     (unsigned long long)kept->seen);
    tk_list_table(list, kept, 0, displayed, m);
    put_more(list, kept, displayed, m);
    if (rc == TK_OK && n > displayed && list->kept > list->displayed)
        rc = put_block(list, kept, prefix, n < list->kept ? n : list->kept, m, err);
    tk_markup_put(m, "</div>\n");
    return rc;
}

/*
 * Section: what the sections of a chapter are made of: headings, places for pictures, blocks, plots of
 * values. Part of chapter.h.
 */

void tk_chapter_label(const struct tk_chapter *c, const char *title, char *out, size_t size)
{
    if (*c->prefix)
        snprintf(out, size, "%s, capture %d", title, atoi(c->prefix + 1));
    else
        snprintf(out, size, "%s", title);
}

void tk_section_begin(struct tk_chapter *c, const char *id, const char *title)
{
    char label[64];
    tk_chapter_label(c, title, label, sizeof label);
    tk_markup_format(c->m, "<section id=\"%s%s\"", c->prefix, id);
    if (*c->prefix)
        tk_markup_format(c->m, " aria-label=\"%s\">\n", label);
    else
        tk_markup_format(c->m, " aria-labelledby=\"%s-h\">\n", id);
    tk_markup_format(c->m, "<h2 id=\"%s%s-h\">%s</h2>\n", c->prefix, id, title);
}

void tk_section_end(struct tk_chapter *c)
{
    tk_markup_put(c->m, "</section>\n");
}

void tk_figure_put(struct tk_chapter *c, const char *figure, const char *block)
{
    tk_markup_format(c->m, "<div class=\"figure\" data-figure=\"%s\" data-block=\"%sb-%s\"></div>\n", figure,
                     c->prefix, block);
}

void tk_chapter_block(struct tk_chapter *c, const char *id, struct tk_markup *data)
{
    char whole[96];
    snprintf(whole, sizeof whole, "%sb-%s", c->prefix, id);
    tk_block_put(c->m, whole, data);
}

int tk_values_put(struct tk_chapter *c, const char *id, const struct tk_series_set *set)
{
    struct tk_markup data;
    if (set->series.n == 0)
        return TK_OK;
    int rc = tk_markup_init(&data, c->err);
    if (rc == TK_OK) {
        tk_series_put(set, &data, NULL);
        tk_figure_put(c, "values", id);
        if (set->beyond)
            tk_markup_format(c->m, "<p class=\"more\">%llu values of further series are not drawn.</p>\n",
                             (unsigned long long)set->beyond);
        tk_chapter_block(c, id, &data);
    }
    tk_markup_release(&data);
    return rc;
}
