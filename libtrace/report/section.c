/*
 * Section: what the sections of a chapter are made of: headings, places for pictures, blocks, plots of
 * values. Part of chapter.h.
 */
#include "page/markup.h"
#include "report/report_in.h"

#include <stdio.h>

void tk_section_begin(struct tk_chapter *c, const char *id, const char *title)
{
    tk_markup_format(c->m, "<section id=\"%s%s\" aria-labelledby=\"%s%s-h\">\n<h2 id=\"%s%s-h\">%s</h2>\n",
                     c->prefix, id, c->prefix, id, c->prefix, id, title);
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
