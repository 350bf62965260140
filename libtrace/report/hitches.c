/*
 * Hitches: frames that took too long, each with its reasons, its timeline and its flame graph. Part of
 * chapter.h.
 */
#include "report/report_in.h"
#include "sink/write/human.h"
#include "table/cell.h"

#include <stdio.h>
#include <stdlib.h>

static const struct tk_list reasons = {"hitches",
                                       "Reasons: what took more than it usually does in a frame",
                                       "rank,timer,work,thread,count,excl,typical,growth,share,cause",
                                       NULL,
                                       0,
                                       0,
                                       NULL};

/* One frame of the table, rows [first, last). */
struct hitch {
    size_t first, last;
    int64_t start, length;
    uint64_t frame;
    size_t in_time; /* its place in the order of time */
};

static int by_length(const void *a, const void *b)
{
    const struct hitch *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? 1 : -1;
    return (x->in_time > y->in_time) - (x->in_time < y->in_time);
}

static size_t find_hitches(const struct tk_gathered *kept, size_t rows, struct hitch *found)
{
    size_t n = 0;
    for (size_t i = 0; i < rows; i++) {
        const uint64_t frame = (uint64_t)tk_gather_int(kept, i, "frame");
        if (n && found[n - 1].frame == frame) {
            found[n - 1].last = i + 1;
            continue;
        }
        found[n] = (struct hitch){.first = i,
                                  .last = i + 1,
                                  .start = tk_gather_int(kept, i, "start"),
                                  .length = tk_gather_int(kept, i, "dur"),
                                  .frame = frame,
                                  .in_time = n};
        n++;
    }
    return n;
}

/* Before a short frame the one before is displayed as well, and behind it the next. */
static struct tk_window window_of(const struct hitch *h, const struct tk_frame_times *frames)
{
    struct tk_window w = {.frame = h->frame, .begin = h->start, .end = h->start + h->length};
    const int64_t margin = h->length / 4;
    w.from = w.begin > margin ? w.begin - margin : 0;
    w.to = w.end + margin;
    for (size_t t = 0; t < frames->n; t++) {
        const struct tk_frame_type *type = &frames->types[t];
        if (type->type != 0 || type->group != 1)
            continue;
        for (size_t i = 0; i < type->begin.n; i++)
            if (type->begin.v[i] == h->start) {
                if (i)
                    w.from = type->begin.v[i - 1];
                if (i + 1 < type->begin.n)
                    w.to = type->begin.v[i + 1] + type->length.v[i + 1];
            }
    }
    return w;
}

static int put_timeline(struct tk_chapter *c, const struct hitch *h)
{
    struct tk_markup data;
    char id[48];
    const struct tk_window w = window_of(h, &c->first.frames);
    snprintf(id, sizeof id, "hitch-%llu", (unsigned long long)h->frame);
    int rc = tk_markup_init(&data, c->err);
    if (rc == TK_OK)
        rc = tk_window_put(&w, c->trace, c->query, &data, c->err);
    if (rc == TK_OK) {
        tk_figure_put(c, "timeline", id);
        tk_figure_put(c, "flame", id);
        tk_chapter_block(c, id, &data);
    }
    tk_markup_release(&data);
    return rc == TK_EMATCH ? TK_OK : rc;
}

/* "42.30 ms more than usual, scopes explain 2 %. Most of it: Load on GameThread (loading), 60.00 ms more." */
static void put_excess(struct tk_chapter *c, const struct tk_gathered *kept, const struct hitch *h)
{
    const struct tk_cell *excess = tk_gather_cell(kept, h->first, "excess"),
                         *explained = tk_gather_cell(kept, h->first, "explained"),
                         *class = tk_gather_cell(kept, h->first, "class");
    if (class->kind == TK_TEXT)
        tk_markup_put(c->m, "Of a loading screen, counted apart. ");
    if (excess->kind != TK_DURATION) {
        tk_markup_put(c->m, "No frame near it is like it without being late");
        return;
    }
    tk_markup_span(c->m, excess->v.i);
    tk_markup_put(c->m, " more than usual");
    if (explained->kind == TK_REAL)
        tk_markup_format(c->m, ", scopes explain %.0f %%", 100 * explained->v.r);
}

static void put_sentence(struct tk_chapter *c, const struct tk_gathered *kept, const struct hitch *h)
{
    const struct tk_cell *timer = tk_gather_cell(kept, h->first, "timer");
    const struct tk_cell *thread = tk_gather_cell(kept, h->first, "thread");
    const struct tk_cell *work = tk_gather_cell(kept, h->first, "work");
    tk_markup_put(c->m, "<p>");
    put_excess(c, kept, h);
    if (timer->kind == TK_TEXT) {
        tk_markup_put(c->m, ". Most of it: <strong>");
        tk_markup_text(c->m, tk_cell_text(timer), TK_MARKUP_NAME);
        tk_markup_put(c->m, "</strong>");
        if (thread->kind == TK_TEXT) {
            tk_markup_put(c->m, " on ");
            tk_markup_text(c->m, tk_cell_text(thread), TK_MARKUP_NAME);
        }
        if (work->kind == TK_TEXT) {
            tk_markup_put(c->m, " (");
            tk_markup_text(c->m, tk_cell_text(work), TK_MARKUP_NAME);
            tk_markup_put(c->m, ")");
        }
        if (tk_gather_cell(kept, h->first, "growth")->kind == TK_DURATION) {
            tk_markup_put(c->m, ", ");
            tk_markup_span(c->m, tk_gather_int(kept, h->first, "growth"));
            tk_markup_put(c->m, " more");
        }
    }
    tk_markup_put(c->m, ".</p>\n");
}

static int put_hitch(struct tk_chapter *c, const struct tk_gathered *kept, const struct hitch *h, bool drawn)
{
    tk_markup_format(c->m, "<article class=\"hitch\" id=\"%shitch-%llu\" data-frame=\"%llu\">\n<h3>",
                     c->prefix, (unsigned long long)h->frame, (unsigned long long)h->frame);
    tk_markup_format(c->m, "<span class=\"mark\" aria-hidden=\"true\">▲</span> Frame %llu: ",
                     (unsigned long long)h->frame);
    tk_markup_span(c->m, h->length);
    tk_markup_put(c->m, " <small>at ");
    static const struct tk_column at = {.name = "start", .kind = TK_TIME};
    tk_markup_cell(c->m, tk_gather_cell(kept, h->first, "start"), &at);
    tk_markup_put(c->m, "</small></h3>\n");
    put_sentence(c, kept, h);
    tk_picture_of_hitch_put(c, &(struct tk_album_want){h->start, h->length});
    if (tk_gather_cell(kept, h->first, "timer")->kind == TK_TEXT)
        tk_list_table(&reasons, kept, h->first, h->last, c->m);
    int rc = TK_OK;
    if (drawn && c->m->out.n < TK_PAGE_FULL + (TK_ALBUM_BYTES - c->pictures->bytes))
        rc = put_timeline(c, h);
    tk_markup_put(c->m, "</article>\n");
    return rc;
}

/* ---- without hitches ---- */

static void put_longest(struct tk_chapter *c, const struct tk_frame_type *type)
{
    enum { LONGEST = 12 };
    size_t at[LONGEST], n = 0;
    for (size_t i = 0; i < type->length.n; i++) {
        if (n == LONGEST && type->length.v[i] <= type->length.v[at[n - 1]])
            continue;
        size_t k = n < LONGEST ? n++ : LONGEST - 1;
        for (; k > 0 && type->length.v[at[k - 1]] < type->length.v[i]; k--)
            at[k] = at[k - 1];
        at[k] = i;
    }
    const struct tk_html h = tk_markup_html(c->m);
    tk_html_format(h, "<p>These are the %zu longest frames.</p>\n", n);
    tk_html_table(h, "table", "longest", 0, "The longest frames");
    tk_html_column(h, TK_HTML_NUMBERS, "frame");
    tk_html_column(h, TK_HTML_NUMBERS, "start");
    tk_html_column(h, TK_HTML_NUMBERS, "dur");
    tk_html_rows(h);
    for (size_t i = 0; i < n; i++) {
        static const struct tk_column begin = {.name = "start", .kind = TK_TIME};
        const struct tk_cell time = tk_cell_of_time(type->begin.v[at[i]]);
        tk_markup_format(c->m, "<tr><td class=\"n\"><data value=\"%llu\">%llu</data></td><td class=\"n\">",
                         (unsigned long long)at[i] * type->group, (unsigned long long)at[i] * type->group);
        tk_markup_cell(c->m, &time, &begin);
        tk_markup_put(c->m, "</td><td class=\"n\">");
        tk_markup_span(c->m, type->length.v[at[i]]);
        tk_markup_put(c->m, "</td></tr>\n");
    }
    tk_html_table_end(h);
}

static void put_none(struct tk_chapter *c)
{
    const struct tk_frame_times *frames = &c->first.frames;
    const struct tk_gathered *smoothness;
    size_t n;
    if (frames->n == 0) {
        tk_markup_put(
            c->m,
            "<p class=\"none\">The capture has no frames, so there is nothing that could be a hitch.</p>\n");
        return;
    }
    if (tk_gather_table(&c->first, "smoothness", &smoothness, &n) && n &&
        tk_gather_cell(smoothness, 0, "hitches")->kind == TK_NONE) {
        tk_markup_put(
            c->m,
            "<p class=\"none\">There is one game frame alone, and none that it could be late against.</p>\n");
        return;
    }
    tk_markup_put(c->m, "<p>No game frame is a hitch by the rule that was chosen.</p>\n");
    for (size_t i = 0; i < frames->n; i++)
        if (frames->types[i].type == 0) {
            put_longest(c, &frames->types[i]);
            return;
        }
}

/* The hitches of the table, the longest first; owned by the caller. NULL: there are none, *n is 0, or out of
 * memory, *n is not. */
static struct hitch *sorted_hitches(struct tk_chapter *c, const struct tk_gathered **kept, size_t *n)
{
    if (!tk_gather_table(&c->first, "hitches", kept, n) || *n == 0) {
        *n = 0;
        return NULL;
    }
    struct hitch *found = malloc(*n * sizeof *found);
    if (!found)
        return NULL;
    *n = find_hitches(*kept, *n, found);
    qsort(found, *n, sizeof *found, by_length);
    return found;
}

size_t tk_hitches_longest(struct tk_chapter *c, struct tk_album_want *longest, size_t n)
{
    const struct tk_gathered *kept;
    size_t all, i = 0;
    struct hitch *found = sorted_hitches(c, &kept, &all);
    for (; found && i < all && i < n; i++)
        longest[i] = (struct tk_album_want){found[i].start, found[i].length};
    free(found);
    return i;
}

int tk_hitches_put(struct tk_chapter *c)
{
    const struct tk_gathered *kept;
    size_t n;
    struct hitch *found = sorted_hitches(c, &kept, &n);
    if (!found && n)
        return TK_ENOMEM;
    if (!found) {
        put_none(c);
        return TK_OK;
    }
    const uint64_t all = n + c->hitches_beyond;
    tk_markup_format(c->m, "<p>%llu hitch%s, the longest first.", (unsigned long long)all,
                     all == 1 ? "" : "es");
    if (all > TK_HITCHES_REPORTED)
        tk_markup_format(c->m,
                         " The first %d are listed with their causes; all: <code>trace-stats FILE "
                         "--hitches --limit hitches=%llu</code>.",
                         TK_HITCHES_REPORTED, (unsigned long long)all);
    if (n > TK_HITCHES_DRAWN)
        tk_markup_format(c->m, " The first %d have a timeline.", TK_HITCHES_DRAWN);
    tk_markup_put(c->m, "</p>\n");
    int rc = TK_OK;
    for (size_t i = 0; i < n && i < TK_HITCHES_REPORTED && rc == TK_OK; i++)
        rc = put_hitch(c, kept, &found[i], i < TK_HITCHES_DRAWN);
    free(found);
    return rc;
}
