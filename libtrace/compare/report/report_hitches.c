/*
 * Hitches that were gained and lost, by their reasons. They are counted, not tested.
 */
#include "compare/report/report.h"
#include "compare/report/report_html.h"
#include "judge/work.h"
#include "page/album.h"

#include <math.h>
#include <stdio.h>

enum { LOST, GAINED, WAYS };

static const char *const titles[WAYS] = {[LOST] = "Hitches lost", [GAINED] = "Hitches gained"};

#define HOW "by their first reason; counts a run, not tested"

static double a_run(const struct tk_comparison *c, const struct tk_hitch_group *g, int side)
{
    return c->runs[side] ? (double)g->side[side].n / (double)c->runs[side] : 0;
}

static bool goes(const struct tk_comparison *c, const struct tk_hitch_group *g, int way)
{
    return way == GAINED ? a_run(c, g, 1) > a_run(c, g, 0) : a_run(c, g, 1) < a_run(c, g, 0);
}

static size_t count(const struct tk_comparison *c, int way)
{
    size_t n = 0;
    for (size_t i = 0; i < c->hitches.n; i++)
        n += goes(c, &c->hitches.v[i], way);
    return n;
}

/* The side that has more. */
static int more_of(int way)
{
    return way == GAINED;
}

static void print_count(struct tk_print *p, double n)
{
    tk_print_fixed(p, n, n == floor(n) ? 0 : 2);
}

/* "ShaderCompile on GameThread (game) in Level Two: 0 to 2; at most 60 ms more than usual, frame 250". */
static void print_group(struct tk_print *p, const struct tk_comparison *c, const struct tk_hitch_group *g,
                        int way, tk_print_put *put)
{
    const int more = more_of(way);
    if (g->timer->n)
        put(p, g->timer);
    else
        tk_print(p, "no reason recorded");
    if (g->thread->n) {
        tk_print(p, " on ");
        put(p, g->thread);
        if (g->role != TK_ROLE_OTHER)
            tk_print(p, " (%s)", tk_role_name((enum tk_role)g->role));
    }
    if (g->part->n) {
        tk_print(p, " in ");
        put(p, g->part);
    }
    tk_print(p, ": ");
    print_count(p, a_run(c, g, 0));
    tk_print(p, " to ");
    print_count(p, a_run(c, g, 1));
    tk_print(p, "; at most ");
    tk_report_value(p, g->side[more].excess, "ms");
    tk_print(p, " more than usual");
    if (c->runs[more] == 1)
        tk_print(p, ", frame %llu", (unsigned long long)g->side[more].frame);
}

static void print_text(struct tk_print *p, const struct tk_comparison *c, int way, size_t width, size_t top)
{
    const size_t n = count(c, way);
    size_t displayed = 0;
    if (!n)
        return;
    tk_print(p, "\n%s, " HOW "\n", titles[way]);
    for (size_t i = 0; i < c->hitches.n && displayed < top; i++) {
        if (!goes(c, &c->hitches.v[i], way))
            continue;
        const size_t from = p->n;
        tk_print(p, "  ");
        print_group(p, c, &c->hitches.v[i], way, tk_print_name);
        tk_print_wrap(p, from, width, 5);
        tk_print(p, "\n");
        displayed++;
    }
    if (n > displayed)
        tk_print(p, "  and %zu more\n", n - displayed);
}

void tk_report_hitches_text(struct tk_print *p, const struct tk_comparison *c, size_t width, size_t top)
{
    for (int way = GAINED; way >= LOST; way--)
        print_text(p, c, way, width, top);
}

void tk_report_hitches_markdown(struct tk_print *p, const struct tk_comparison *c, size_t top)
{
    for (int way = GAINED; way >= LOST; way--) {
        const size_t n = count(c, way);
        size_t displayed = 0;
        if (!n || p->n >= TK_REPORT_MARKDOWN_MOST)
            continue;
        tk_print(p, "\n### %s: %zu\n\n" HOW "\n\n", titles[way], n);
        for (size_t i = 0; i < c->hitches.n && displayed < top && p->n < TK_REPORT_MARKDOWN_MOST; i++)
            if (goes(c, &c->hitches.v[i], way)) {
                tk_print(p, "- ");
                print_group(p, c, &c->hitches.v[i], way, tk_print_markdown);
                tk_print(p, "\n");
                displayed++;
            }
        if (n > displayed)
            tk_print(p, "\nand %zu more\n", n - displayed);
    }
}

void tk_report_hitches_html(struct tk_print *p, const struct tk_comparison *c, size_t top)
{
    for (int way = GAINED; way >= LOST; way--) {
        const size_t n = count(c, way);
        size_t displayed = 0;
        if (!n)
            continue;
        tk_html_section(tk_print_html(p), way == GAINED ? "gained" : "lost", "%s: %zu", titles[way], n);
        tk_print(p, "<p>" HOW "</p>\n<ul>\n");
        for (size_t i = 0; i < c->hitches.n && displayed < top; i++)
            if (goes(c, &c->hitches.v[i], way)) {
                tk_print(p, "<li>");
                print_group(p, c, &c->hitches.v[i], way, tk_print_xml);
                tk_print(p, "</li>\n");
                displayed++;
            }
        tk_print(p, "</ul>\n");
        tk_html_more(tk_print_html(p), n, displayed, "more");
        tk_print(p, "</section>\n");
    }
}

static void put_group(struct tk_json *j, const struct tk_comparison *c, const struct tk_hitch_group *g)
{
    static const char *const sides[] = {"baseline", "candidate"};
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "change", goes(c, g, GAINED) ? "gained" : goes(c, g, LOST) ? "lost" : "same");
    tk_print_json_text(j, "timer", g->timer->n ? g->timer : NULL);
    tk_print_json_text(j, "thread", g->thread->n ? g->thread : NULL);
    tk_json_c(j, "role", tk_role_name((enum tk_role)g->role));
    tk_print_json_text(j, "part", g->part->n ? g->part : NULL);
    for (int side = 0; side < 2; side++) {
        tk_json_open(j, sides[side], '{');
        tk_json_u64(j, "hitches", g->side[side].n);
        tk_json_real(j, "a_run", a_run(c, g, side), 6);
        if (g->side[side].n) {
            tk_json_real(j, "most_excess_ms", g->side[side].excess, 6);
            tk_json_u64(j, "frame", g->side[side].frame);
        }
        tk_json_close(j);
    }
    tk_json_close(j);
}

void tk_report_hitches_json(struct tk_json *j, const struct tk_comparison *c)
{
    if (!c->knows_hitches)
        return;
    tk_json_open(j, "hitches", '[');
    for (size_t i = 0; i < c->hitches.n; i++) {
        tk_json_line(j);
        put_group(j, c, &c->hitches.v[i]);
    }
    tk_json_close(j);
}

/* ---- the longest frames of both sides with what was on the screen, in the page ---- */

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
