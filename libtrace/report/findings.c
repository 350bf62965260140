/*
 * Findings: what rules find in a capture, with their evidence, and what they rule out.
 */
#include "report/report_in.h"
#include "tracekit/rules.h"
#include "tracekit/sinks.h"

#include <string.h>

/* A column of the table `rules`. */
static const struct tk_cell *cell_of(const struct tk_result *result, size_t row, const char *column)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    size_t rows;
    const int at = tk_table_column(tk_result_table(result, 0, &rows), column);
    return at < 0 ? &none : &tk_result_row(result, 0, row)[at];
}

static struct tk_str text_of(const struct tk_result *result, size_t row, const char *column)
{
    const struct tk_cell *cell = cell_of(result, row, column);
    const bool is = cell->kind == TK_TEXT;
    return (struct tk_str){.p = is ? cell->v.p : "", .n = is ? cell->n : 0, .enc = TK_ENC_UTF8};
}

static bool is_state(const struct tk_result *result, size_t row, const char *state)
{
    const struct tk_str text = text_of(result, row, "state");
    return text.n == strlen(state) && memcmp(text.p, state, text.n) == 0;
}

enum { LONGEST = 600 };

static void put_text(struct tk_chapter *c, const struct tk_result *result, size_t row, const char *column)
{
    tk_markup_text(c->m, text_of(result, row, column), LONGEST);
}

static void put_found(struct tk_chapter *c, const struct tk_result *result, size_t row)
{
    const struct tk_cell *lost = cell_of(result, row, "lost");
    tk_markup_put(c->m, "<li><strong>");
    put_text(c, result, row, "rule");
    tk_markup_put(c->m, "</strong> ");
    if (lost->kind == TK_DURATION) {
        tk_markup_put(c->m, "(");
        tk_markup_span(c->m, lost->v.i);
        tk_markup_put(c->m, " lost) ");
    }
    put_text(c, result, row, "evidence");
    tk_markup_put(c->m, ". ");
    put_text(c, result, row, "advice");
    tk_markup_put(c->m, "</li>\n");
}

static void put_all_found(struct tk_chapter *c, const struct tk_result *result, size_t rows)
{
    if (rows == 0 || !is_state(result, 0, "found")) {
        tk_markup_put(c->m, "<p class=\"none\">No rule found anything.</p>\n");
        return;
    }
    tk_markup_put(c->m, "<ul>\n");
    for (size_t i = 0; i < rows && is_state(result, i, "found"); i++)
        put_found(c, result, i);
    tk_markup_put(c->m, "</ul>\n");
}

/* The names of all rules in a state, with what they lack where that is said. */
static void put_state(struct tk_chapter *c, const struct tk_result *result, size_t rows, const char *state,
                      const char *title)
{
    size_t n = 0, put = 0;
    for (size_t i = 0; i < rows; i++)
        n += is_state(result, i, state);
    if (n == 0)
        return;
    tk_markup_format(c->m, "<p>%s: %zu: ", title, n);
    for (size_t i = 0; i < rows; i++) {
        if (!is_state(result, i, state))
            continue;
        tk_markup_put(c->m, put++ ? "; " : "");
        put_text(c, result, i, "rule");
        if (text_of(result, i, "record").n) {
            tk_markup_put(c->m, " (");
            put_text(c, result, i, "record");
            tk_markup_put(c->m, ")");
        }
    }
    tk_markup_put(c->m, "</p>\n");
}

static void put_all(struct tk_chapter *c, const struct tk_result *result)
{
    size_t rows;
    tk_result_table(result, 0, &rows);
    put_all_found(c, result, rows);
    put_state(c, result, rows, "not found in what was read", "Not found in what was read");
    put_state(c, result, rows, "ruled out", "Ruled out");
    put_state(c, result, rows, "not judged", "Not judged");
}

/* Is the page about a part of the capture? Rules judge all of it. */
static bool is_part(const struct tk_selection *s)
{
    return s->has_from || s->has_to || s->has_frames || s->from_bookmark || s->to_bookmark || s->n_regions ||
           s->n_threads || s->n_timers;
}

int tk_findings_put(struct tk_chapter *c)
{
    struct tk_rules_options options = TK_INIT(struct tk_rules_options);
    struct tk_rules *rules = NULL;
    struct tk_result *result = NULL;
    if (is_part(&c->query->select)) {
        tk_markup_put(c->m,
                      "<p class=\"none\">Rules judge whole captures, and this page is of a part.</p>\n");
        return TK_OK;
    }
    options.target = c->query->hitches.target;
    options.file = c->name;
    int rc = tk_rules_new(&rules, c->err);
    if (rc == TK_EUSAGE) { /* a build without SQL */
        tk_markup_put(c->m, "<p class=\"none\">This build has no rules.</p>\n");
        return TK_OK;
    }
    if (rc == TK_OK)
        rc = tk_result_new(&result, c->err);
    if (rc == TK_OK) {
        const struct tk_sink sink = tk_result_sink(result);
        rc = tk_rules_judge(rules, c->trace, &options, &sink, c->err);
    }
    if (rc == TK_OK)
        put_all(c, result);
    tk_result_free(result);
    tk_rules_free(rules);
    return rc;
}
