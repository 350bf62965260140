/*
 * Causes of hitches as text, Markdown and a section of a page, and as the table `hitch_causes`.
 */
#include "base/err.h"
#include "base/given.h"
#include "base/text/text.h"
#include "night/night.h"
#include "table/cell.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 20, NAME_WIDTH = 44 };

static size_t all_of(const struct tk_cause *x)
{
    return x->n[0] + x->n[1];
}

static double seconds_of(const struct tk_causes *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->runs.n; i++)
        sum += c->runs.v[i].seconds;
    return sum;
}

static size_t new_hitches(const struct tk_causes *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->v.n; i++)
        if (c->v.v[i].state == TK_CAUSE_NEW && c->v.v[i].phase == TK_CAUSE_PLAY)
            n += c->v.v[i].n[1];
    return n;
}

/* "56 hitches in 10 captures (103 s); 9 new since 500" */
static void put_headline(struct tk_print *p, const struct tk_causes *c)
{
    tk_print(p, "%zu hitches in %zu captures (", c->n[TK_CAUSE_PLAY], c->runs.n);
    tk_print_fixed(p, seconds_of(c), 0);
    tk_print(p, " s)");
    if (c->minutes[0][TK_CAUSE_PLAY] > 0) {
        tk_print(p, "; %zu new", new_hitches(c));
        if (c->build) {
            tk_print(p, " since ");
            tk_print_name(p, c->build);
        }
    }
}

static void put_name(struct tk_print *p, const struct tk_cause *x, tk_print_put *put)
{
    if (!x->timer->n) {
        tk_print(p, strcmp(x->work, "unknown") == 0 ? "(not recorded)" : "(nothing grew by a quarter of it)");
        return;
    }
    put(p, x->timer);
    if (x->thread->n) {
        tk_print(p, ", ");
        put(p, x->thread);
    }
}

static void put_apart(struct tk_print *p, const struct tk_causes *c)
{
    if (c->n[TK_CAUSE_LOADING])
        tk_print(p, "apart: %zu in loading screens, ", c->n[TK_CAUSE_LOADING]);
    else
        tk_print(p, "apart: none in loading screens, ");
    tk_print(p, "%zu in start-up: --phase loading, startup, all", c->n[TK_CAUSE_STARTUP]);
}

static const struct tk_cause *example_of(const struct tk_causes *c)
{
    const struct tk_cause *found = NULL;
    for (size_t i = 0; i < c->v.n; i++) {
        const struct tk_cause *x = &c->v.v[i];
        if (x->phase == TK_CAUSE_PLAY && (!found || (x->state > found->state && x->state >= TK_CAUSE_MORE)))
            found = x;
    }
    return found;
}

static bool is_of_phase(const struct tk_night *night, const struct tk_cause *x)
{
    const char *phase = night->options.phase ? night->options.phase : "play";
    return strcmp(phase, "all") == 0 || strcmp(phase, tk_cause_phase_name(x->phase)) == 0;
}

static void pad(struct tk_print *p, size_t from, size_t width)
{
    while (p->n - from < width && !p->failed)
        tk_print(p, " ");
}

/* A name of at most NAME_WIDTH characters; of a longer one the beginning. */
static void put_line_name(struct tk_print *p, const struct tk_cause *x)
{
    struct tk_print text = {0};
    size_t n = 0, at = 0;
    put_name(&text, x, tk_print_name);
    while (at < text.n && n < NAME_WIDTH - 3)
        for (n++, at++; at < text.n && ((unsigned char)text.v[at] & 0xc0) == 0x80; at++)
            ;
    tk_print_bytes(p, text.v, at);
    tk_print(p, "%s", at < text.n ? "..." : "");
    for (n += at < text.n ? 3 : 0; n < NAME_WIDTH; n++)
        tk_print(p, " ");
    p->failed |= text.failed;
    free(text.v);
}

static void put_owner(struct tk_print *p, const struct tk_cause *x, tk_print_put *put)
{
    if (x->owner && x->owner->n) {
        tk_print(p, "; owner ");
        put(p, x->owner);
    }
}

static void put_line(struct tk_print *p, const struct tk_causes *c, const struct tk_cause *x, bool wide)
{
    const size_t from = p->n;
    struct tk_print share = {0};
    tk_print_fixed(&share, 100 * x->share, 0);
    for (size_t i = share.n; i < 4; i++)
        tk_print(p, " ");
    tk_print_bytes(p, share.v, share.n);
    free(share.v);
    tk_print(p, " %% %zu in %zu", all_of(x), x->captures);
    pad(p, from, 18);
    tk_print(p, " %s", x->work);
    pad(p, from, 28);
    put_line_name(p, x);
    if (c->minutes[0][TK_CAUSE_PLAY] > 0)
        tk_print(p, " %zu>%zu", x->n[0], x->n[1]);
    if (x->state > TK_CAUSE_SAME)
        tk_print(p, " %s", tk_cause_state_name(x->state));
    if (wide)
        put_owner(p, x, tk_print_name);
    tk_print(p, "\n");
}

void tk_night_causes_text(struct tk_print *p, const struct tk_night *night)
{
    const struct tk_causes *c = &night->causes;
    const struct tk_cause *example = example_of(c);
    size_t from = p->n, lines = 0;
    put_headline(p, c);
    tk_print(p, "\n");
    tk_print_wrap(p, from, 80, 4);
    for (size_t i = 0; i < c->v.n && lines < MOST_LINES; i++)
        if (is_of_phase(night, &c->v.v[i])) {
            put_line(p, c, &c->v.v[i], night->options.width >= TK_REPORT_OWNERS_FROM);
            lines++;
        }
    put_apart(p, c);
    tk_print(p, "\n");
    if (example && c->runs.v[example->worst_run].capture) {
        from = p->n;
        tk_print(p, "open: trace-report ");
        tk_print_name(p, c->runs.v[example->worst_run].capture);
        tk_print(p, " --frames %llu\n", (unsigned long long)example->worst_frame);
        tk_print_wrap(p, from, 80, 4);
    }
}

/* ---- Markdown and HTML ---- */

static const struct {
    const char *title;
    bool number;
} titles[] = {{"share", true},  {"hitches", true}, {"captures", true}, {"work", false}, {"cause", false},
              {"before", true}, {"after", true},   {"state", false},   {"worst", false}};

enum { TITLES = sizeof titles / sizeof *titles };

static void put_part(struct tk_print *p, const struct tk_causes *c, const struct tk_cause *x, size_t part,
                     tk_print_put *put)
{
    const size_t numbers[] = {0, all_of(x), x->captures, 0, 0, x->n[0], x->n[1]};
    if (part == 0) {
        tk_print_fixed(p, 100 * x->share, 0);
        tk_print(p, " %%");
    } else if (part == 3) {
        tk_print(p, "%s", x->work);
    } else if (part == 4) {
        put_name(p, x, put);
        put_owner(p, x, put);
    } else if (part == 7) {
        tk_print(p, "%s", tk_cause_state_name(x->state));
    } else if (part == 8) {
        if (c->runs.v[x->worst_run].capture)
            put(p, c->runs.v[x->worst_run].capture);
        tk_print(p, ", frame %llu", (unsigned long long)x->worst_frame);
    } else {
        tk_print(p, "%zu", numbers[part]);
    }
}

void tk_night_causes_markdown(struct tk_print *p, const struct tk_night *night)
{
    const struct tk_causes *c = &night->causes;
    tk_print(p, "\n");
    put_headline(p, c);
    tk_print(p, "\n\n|");
    for (size_t i = 0; i < TITLES; i++)
        tk_print(p, " %s |", titles[i].title);
    tk_print(p, "\n|");
    for (size_t i = 0; i < TITLES; i++)
        tk_print(p, "%s", titles[i].number ? "--:|" : "---|");
    tk_print(p, "\n");
    for (size_t i = 0; i < c->v.n; i++) {
        if (!is_of_phase(night, &c->v.v[i]))
            continue;
        tk_print(p, "|");
        for (size_t k = 0; k < TITLES; k++) {
            tk_print(p, " ");
            put_part(p, c, &c->v.v[i], k, tk_print_markdown);
            tk_print(p, " |");
        }
        tk_print(p, "\n");
    }
    tk_print(p, "\n");
    put_apart(p, c);
    tk_print(p, "\n");
}

void tk_night_causes_html(struct tk_print *p, const struct tk_night *night)
{
    const struct tk_causes *c = &night->causes;
    const struct tk_html h = tk_print_html(p);
    tk_html_section(h, "causes", "Causes of hitches");
    tk_print(p, "<p>");
    put_headline(p, c);
    tk_print(p, ".</p>\n");
    tk_html_table(h, "night", "causes", TK_HTML_FOCUS, "Hitches by cause, the most frequent first");
    for (size_t i = 0; i < TITLES; i++)
        tk_html_column(h, titles[i].number ? TK_HTML_NUMBERS : "", titles[i].title);
    tk_html_rows(h);
    for (size_t i = 0; i < c->v.n; i++) {
        if (!is_of_phase(night, &c->v.v[i]))
            continue;
        tk_print(p, "<tr>");
        for (size_t k = 0; k < TITLES; k++) {
            tk_print(p, "<td%s>", titles[k].number ? " class=\"n\"" : "");
            put_part(p, c, &c->v.v[i], k, tk_print_xml);
            tk_print(p, "</td>");
        }
        tk_print(p, "</tr>\n");
    }
    tk_html_table_end(h);
    tk_print(p, "<p class=\"more\">");
    put_apart(p, c);
    tk_print(p, "</p>\n");
    tk_html_section_end(h);
}

/* ---- the table ---- */

enum {
    PHASE,
    WORK,
    TIMER,
    THREAD,
    HITCHES,
    CAPTURES,
    SHARE,
    TOTAL,
    WORST_CAPTURE,
    WORST_FRAME,
    HITCHES_BEFORE,
    HITCHES_AFTER,
    RATE_BEFORE,
    RATE_AFTER,
    STATE,
    OWNER, /* where owners were looked up */
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [PHASE] = {"phase", TK_TEXT, 0, NULL, "play, loading or startup"},
    [WORK] = {"work", TK_TEXT, 0, NULL,
              "own, wait, gc, loading, shader, io, outside, off_core; unclear, unknown"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "what grew most, or what was waited for"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "class of its threads"},
    [HITCHES] = {"hitches", TK_UINT, 0, NULL, "hitches of both sides"},
    [CAPTURES] = {"captures", TK_UINT, 0, NULL, "captures that have one"},
    [SHARE] = {"share", TK_REAL, 0, NULL, "share of the hitches of the phase, 0 to 1"},
    [TOTAL] = {"total", TK_DURATION, 0, NULL, "time by which they exceed typical frames"},
    [WORST_CAPTURE] = {"worst_capture", TK_TEXT, 0, NULL, "capture of the one that exceeds them most"},
    [WORST_FRAME] = {"worst_frame", TK_UINT, 0, NULL, "its frame"},
    [HITCHES_BEFORE] = {"hitches_before", TK_UINT, 0, NULL, "hitches of the runs before"},
    [HITCHES_AFTER] = {"hitches_after", TK_UINT, 0, NULL, "hitches of the runs after"},
    [RATE_BEFORE] = {"rate_before", TK_REAL, 0, NULL, "the same a minute"},
    [RATE_AFTER] = {"rate_after", TK_REAL, 0, NULL, "the same a minute"},
    [STATE] = {"state", TK_TEXT, 0, NULL, "NEW, GONE, MORE, LESS, same; empty: not judged"},
    [OWNER] = {"owner", TK_TEXT, 0, NULL, "with --owners: who owns the timer; empty: nobody"},
};

#define CAUSES(n)                                                                                            \
    {                                                                                                        \
        .name = "hitch_causes", .help = "hitches of several captures by cause", .columns = columns,          \
        .n_columns = (n)                                                                                     \
    }

const struct tk_table tk_causes_table = CAUSES(OWNER);
static const struct tk_table with_owners = CAUSES(COLUMNS);

static const struct tk_table *table_of(const struct tk_causes *c)
{
    return c->owned ? &with_owners : &tk_causes_table;
}

static int send_cause(const struct tk_causes *c, const struct tk_cause *x, const struct tk_sink *sink,
                      struct tk_err *err)
{
    struct tk_cell row[COLUMNS] = {{0}};
    const bool sided = c->minutes[0][TK_CAUSE_STARTUP] > 0;
    row[PHASE] = tk_cell_of_c(tk_cause_phase_name(x->phase));
    row[WORK] = tk_cell_of_c(x->work);
    row[TIMER] = tk_cell_of_nonempty(x->timer);
    row[THREAD] = tk_cell_of_nonempty(x->thread);
    row[HITCHES] = tk_cell_of_uint(all_of(x));
    row[CAPTURES] = tk_cell_of_uint(x->captures);
    row[SHARE] = tk_cell_of_real(x->share);
    row[TOTAL] = tk_cell_of_span((int64_t)(x->excess * 1e6 + 0.5));
    row[WORST_CAPTURE] = tk_cell_of_text(c->runs.v[x->worst_run].capture);
    row[WORST_FRAME] = tk_cell_of_uint(x->worst_frame);
    if (sided) {
        row[HITCHES_BEFORE] = tk_cell_of_uint(x->n[0]);
        row[HITCHES_AFTER] = tk_cell_of_uint(x->n[1]);
    }
    if (sided && x->rate[0] >= 0)
        row[RATE_BEFORE] = tk_cell_of_real(x->rate[0]);
    if (sided && x->rate[1] >= 0)
        row[RATE_AFTER] = tk_cell_of_real(x->rate[1]);
    if (x->state != TK_CAUSE_UNJUDGED)
        row[STATE] = tk_cell_of_c(tk_cause_state_name(x->state));
    row[OWNER] = tk_cell_of_nonempty(x->owner);
    return tk_sink_row(sink, table_of(c), row, err);
}

int tk_causes_send(const struct tk_causes *c, int phase, const struct tk_sink *sink, struct tk_err *err)
{
    int rc = tk_sink_begin(sink, table_of(c), err);
    for (size_t i = 0; rc == TK_OK && i < c->v.n; i++)
        if (phase < 0 || c->v.v[i].phase == phase)
            rc = send_cause(c, &c->v.v[i], sink, err);
    return rc == TK_OK ? tk_sink_end(sink, table_of(c), err) : rc;
}

int tk_night_causes(const struct tk_night *night, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, night, sink);
    if (!(seconds_of(&night->causes) > 0)) /* which is another answer than no late frame */
        return tk_err_set(
            err, TK_EMATCH,
            "there are no game frames, without which there are no hitches; --frames-from names them");
    const char *wanted = night->options.phase ? night->options.phase : "play";
    int phase = 0;
    while (phase < TK_CAUSE_PHASES && strcmp(tk_cause_phase_name((unsigned)phase), wanted) != 0)
        phase++;
    return tk_causes_send(&night->causes, phase < TK_CAUSE_PHASES ? phase : -1, sink, err);
}
