/*
 * The longest frames of both sides of a comparison with what was on the screen, in the page.
 */
#include "compare/report/report_html.h"
#include "page/album.h"

#include <stdio.h>

static void print_time(struct tk_print *p, int64_t ns)
{
    tk_report_value(p, (double)ns / 1e6, "ms");
}

/* "Frame 120, 48.20 ms; run 2. Recorded picture, 3.10 ms before this frame." */
static void print_caption(struct tk_print *p, const struct tk_comparison *c, size_t side,
                          const struct tk_side_picture *s)
{
    const struct tk_album_picture picture = {.of = {s->picture.time, 0}};
    tk_print(p, "<figcaption><strong>frame %llu, ", (unsigned long long)s->picture.frame);
    print_time(p, s->picture.length);
    tk_print(p, "</strong>");
    if (c->runs[side] > 1)
        tk_print(p, " of run %zu", s->run + 1);
    tk_print(p, "<br>picture ");
    tk_album_put_distance(&picture, &(struct tk_album_want){s->picture.begin, s->picture.length},
                          tk_print_html(p));
    tk_print(p, "</figcaption>");
}

static void print_side(struct tk_print *p, const struct tk_comparison *c, size_t side, size_t i)
{
    static const char *const names[] = {"before", "after"};
    char alt[80];
    if (i >= c->pictures[side].n) {
        tk_print(p, "<td>no picture</td>");
        return;
    }
    const struct tk_side_picture *s = &c->pictures[side].v[i];
    const struct tk_album_picture picture = {
        .kind = s->picture.kind, .file = s->picture.file, .bytes = s->picture.bytes};
    snprintf(alt, sizeof alt, "Recorded picture near frame %llu, %s", (unsigned long long)s->picture.frame,
             names[side]);
    tk_print(p, "<td><figure class=\"recorded\">");
    tk_album_put(&picture, alt, tk_print_html(p));
    print_caption(p, c, side, s);
    tk_print(p, "</figure></td>");
}

bool tk_report_has_pictures(const struct tk_comparison *c)
{
    return c->pictures[0].n || c->pictures[1].n;
}

void tk_report_html_pictures(struct tk_print *p, const struct tk_comparison *c)
{
    const struct tk_html h = tk_print_html(p);
    const size_t n = c->pictures[c->pictures[0].n < c->pictures[1].n].n;
    if (!tk_report_has_pictures(c))
        return;
    tk_html_section(h, "pictures", "The longest frames");
    tk_html_table(h, "pictures", "pictures", TK_HTML_FOCUS,
                  "What was on the screen, as it was recorded nearest to the longest frames of each side");
    tk_html_column(h, "", "before");
    tk_html_column(h, "", "after");
    tk_html_rows(h);
    for (size_t i = 0; i < n; i++) {
        tk_print(p, "<tr>");
        print_side(p, c, 0, i);
        print_side(p, c, 1, i);
        tk_print(p, "</tr>\n");
    }
    tk_html_table_end(h);
    tk_html_section_end(h);
}
