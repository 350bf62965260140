/*
 * What reports say of the sides: what they are, what differs of their environment, and runs that are not
 * what they seem.
 */
#include "base/text/text.h"
#include "compare/report/report.h"

#include <stdlib.h>

#define DISPLAYED 3 /* values in a line */

typedef void put_text(struct tk_print *p, const struct tk_str *s);
typedef void print_line(struct tk_print *p, const struct tk_sides *sides, size_t i);

/* ---- lines ---- */

static void print_texts(struct tk_print *p, const struct tk_side_texts *texts)
{
    for (size_t i = 0; i < texts->v.n && i < DISPLAYED; i++) {
        tk_print(p, "%s", i ? ", " : "");
        tk_print_name(p, texts->v.v[i]);
    }
    if (texts->v.n > DISPLAYED)
        tk_print(p, " and %zu more", texts->v.n - DISPLAYED);
}

void tk_report_side(struct tk_print *p, const struct tk_sides *sides, enum tk_run_side side)
{
    static const char *const before[TK_SIDE_FACTS] = {": ", ", ",         ", build ", ", branch ",
                                                      ", ", ", machine ", ", ",       ", only "};
    static const uint8_t order[] = {TK_SIDE_SELECTION, TK_SIDE_APPLICATION, TK_SIDE_BUILD, TK_SIDE_BRANCH,
                                    TK_SIDE_PLATFORM,  TK_SIDE_MACHINE,     TK_SIDE_DATE,  TK_SIDE_CAPTURES};
    const struct tk_side_about *about = &sides->of[side];
    tk_print(p, "%zu %s", about->runs, about->runs == 1 ? "run" : "runs");
    if (about->per.v.n) {
        tk_print(p, ", %llu %s of ", (unsigned long long)about->frames,
                 about->frames == 1 ? "occurrence" : "occurrences");
        print_texts(p, &about->per);
        tk_print(p, ", ");
    } else if (about->frames)
        tk_print(p, ", %llu %s, ", (unsigned long long)about->frames,
                 about->frames == 1 ? "frame" : "frames");
    else
        tk_print(p, " without frames, ");
    tk_print_real(p, about->seconds, 4);
    tk_print(p, " s");
    for (size_t i = 0; i < sizeof order; i++)
        if (about->facts[order[i]].v.n) {
            tk_print(p, "%s", before[order[i]]);
            print_texts(p, &about->facts[order[i]]);
        }
}

static bool is_build_of_both(const struct tk_sides *sides)
{
    const struct tk_side_texts *base = &sides->of[TK_RUN_BASELINE].facts[TK_SIDE_BUILD],
                               *candidate = &sides->of[TK_RUN_CANDIDATE].facts[TK_SIDE_BUILD];
    return !base->v.n || !candidate->v.n || tk_str_order(base->v.v[0], candidate->v.v[0]) == 0;
}

void tk_report_side_named(struct tk_print *p, const struct tk_sides *sides, enum tk_run_side side)
{
    const struct tk_side_about *about = &sides->of[side];
    const struct tk_side_texts *texts =
        &about->facts[is_build_of_both(sides) ? TK_SIDE_CAPTURES : TK_SIDE_BUILD];
    if (texts->v.n)
        print_texts(p, texts);
    else
        tk_print(p, "%zu %s of the %s", about->runs, about->runs == 1 ? "run" : "runs", tk_side_name(side));
}

static void print_difference(struct tk_print *p, const struct tk_sides *sides, size_t i)
{
    const struct tk_side_difference *d = &sides->differences.v[i];
    static const struct tk_str none = {.p = "none", .n = 4};
    tk_print(p, "%s: ", d->what);
    for (int s = 0; s < 2; s++) {
        tk_print(p, "%s", s ? " -> " : "");
        if (d->texts[s].v.n)
            print_texts(p, &d->texts[s]);
        else
            tk_print_name(p, &none);
    }
}

static void print_flaw_of(struct tk_print *p, const struct tk_run_flaw *flaw)
{
    if (flaw->kind == TK_FLAW_ENDED) {
        tk_print(p, "ended in ");
        tk_print_name(p, flaw->text);
        return;
    }
    tk_print(p, "has ");
    tk_print_real(p, flaw->frames, 9);
    tk_print(p, " of ");
    tk_print_real(p, flaw->of_frames, 9);
    tk_print(p, " frames, and ");
    tk_print_real(p, flaw->seconds, 4);
    tk_print(p, " of ");
    tk_print_real(p, flaw->of_seconds, 4);
    tk_print(p, " s");
}

void tk_report_flawed_run(struct tk_print *p, const struct tk_sides *sides, size_t i)
{
    const struct tk_run_flaw *flaw = &sides->flaws.v[i];
    tk_print(p, "%s run %zu",
             flaw->side == TK_RUN_CHECKED ? "checked" : tk_side_name((enum tk_run_side)flaw->side),
             flaw->run + 1);
    if (flaw->name) {
        tk_print(p, " (");
        tk_print_name(p, flaw->name);
        tk_print(p, ")");
    }
    tk_print(p, " ");
    print_flaw_of(p, flaw);
}

static void print_flaw(struct tk_print *p, const struct tk_sides *sides, size_t i)
{
    tk_print(p, "%s: ", sides->allowed ? "let pass" : sides->left_out ? "left out" : "not comparable");
    tk_report_flawed_run(p, sides, i);
    if (!sides->allowed)
        tk_print(p, "; --allow-short compares it all the same");
}

/* Machine names are known of some runs at most. */
static bool misses_machines(const struct tk_sides *sides)
{
    return sides->of[TK_RUN_CANDIDATE].runs &&
           sides->of[TK_RUN_BASELINE].unnamed + sides->of[TK_RUN_CANDIDATE].unnamed > 0;
}

static const char unknown_machine[] = "changes of machine cannot be detected: not every run names "
                                      "its machine (--run-info machine=NAME)";

/* A line through an escape. */
static void put_line(struct tk_print *p, const struct tk_sides *sides, size_t i, print_line *line,
                     put_text *put)
{
    struct tk_print text = {0};
    line(&text, sides, i);
    tk_print_through(p, &text, put);
}

static void line_of_side(struct tk_print *p, const struct tk_sides *sides, size_t i)
{
    tk_print(p, "%s: ", tk_side_name((enum tk_run_side)i));
    tk_report_side(p, sides, (enum tk_run_side)i);
}

static void only_side(struct tk_print *p, const struct tk_sides *sides, size_t i)
{
    tk_report_side(p, sides, (enum tk_run_side)i);
}

static void print_note(struct tk_print *p, const struct tk_sides *sides, size_t i)
{
    tk_print(p, "warning: ");
    tk_print_name(p, sides->notes.v[i]);
}

/* All lines, in their order: how many there are, and line i. */
static print_line *line_at(const struct tk_sides *sides, size_t i, size_t *of)
{
    if (i < sides->flaws.n)
        return *of = i, print_flaw;
    i -= sides->flaws.n;
    if (i < sides->notes.n)
        return *of = i, print_note;
    i -= sides->notes.n;
    for (size_t s = 0; s < sizeof sides->of / sizeof *sides->of; s++)
        if (sides->of[s].runs && i-- == 0)
            return *of = s, line_of_side;
    return i < sides->differences.n ? (*of = i, print_difference) : NULL;
}

#define SIDE_INDENT 4 /* of further lines */

static void begin_line(struct tk_print *p, print_line *line)
{
    if (line == print_difference)
        tk_print(p, "differs: ");
}

static void put_plain(struct tk_print *p, const struct tk_str *s)
{
    tk_print_bytes(p, s->p, s->n);
}

static size_t count_warnings(const struct tk_sides *sides)
{
    return sides->flaws.n + sides->notes.n;
}

static void print_lines(struct tk_print *p, const struct tk_sides *sides, size_t from, size_t to,
                        size_t width)
{
    print_line *line;
    size_t of = 0;
    for (size_t i = from; i < to && (line = line_at(sides, i, &of)); i++) {
        const size_t at = p->n;
        begin_line(p, line);
        put_line(p, sides, of, line, put_plain);
        tk_print_wrap(p, at, width, SIDE_INDENT);
        tk_print(p, "\n");
    }
}

void tk_report_warnings_text(struct tk_print *p, const struct tk_sides *sides, size_t width)
{
    print_lines(p, sides, 0, count_warnings(sides), width);
}

void tk_report_sides_text(struct tk_print *p, const struct tk_sides *sides, size_t width)
{
    print_lines(p, sides, count_warnings(sides), SIZE_MAX, width);
    if (misses_machines(sides)) {
        const size_t from = p->n;
        tk_print(p, "%s", unknown_machine);
        tk_print_wrap(p, from, width, SIDE_INDENT);
        tk_print(p, "\n");
    }
}

static void print_list(struct tk_print *p, const struct tk_sides *sides, size_t from, size_t to)
{
    print_line *line;
    size_t of = 0;
    for (size_t i = from; i < to && (line = line_at(sides, i, &of)); i++) {
        tk_print(p, "%s* ", i == from ? "\n" : "");
        begin_line(p, line);
        put_line(p, sides, of, line, tk_print_markdown);
        tk_print(p, "\n");
    }
}

void tk_report_warnings_markdown(struct tk_print *p, const struct tk_sides *sides)
{
    print_list(p, sides, 0, count_warnings(sides));
}

void tk_report_sides_markdown(struct tk_print *p, const struct tk_sides *sides)
{
    print_list(p, sides, count_warnings(sides), SIZE_MAX);
    if (misses_machines(sides))
        tk_print(p, "* %s\n", unknown_machine);
}

void tk_report_sides_github(struct tk_print *p, const struct tk_sides *sides, const char *title)
{
    print_line *line;
    size_t of = 0;
    for (size_t i = 0; (line = line_at(sides, i, &of)); i++) {
        tk_print(p, "::%s title=%s::",
                 line == print_note       ? "warning"
                 : line != print_flaw     ? "notice"
                 : tk_sides_flawed(sides) ? "error"
                                          : "warning",
                 title);
        begin_line(p, line);
        put_line(p, sides, of, line, tk_print_github_message);
        tk_print(p, "\n");
    }
}

/* ---- JSON ---- */

static void put_texts(struct tk_json *j, const char *name, const struct tk_side_texts *texts)
{
    tk_json_open(j, name, '[');
    for (size_t i = 0; i < texts->v.n; i++)
        tk_print_json_text(j, NULL, texts->v.v[i]);
    tk_json_close(j);
}

static void put_side(struct tk_json *j, const char *name, const struct tk_side_about *about)
{
    tk_json_open(j, name, '{');
    tk_json_u64(j, "runs", about->runs);
    tk_json_u64(j, "frames", about->frames);
    tk_json_real(j, "seconds", about->seconds, 9);
    if (about->per.v.n)
        put_texts(j, "per", &about->per);
    for (int f = 0; f < TK_SIDE_FACTS; f++)
        put_texts(j, tk_side_key((enum tk_side_fact)f), &about->facts[f]);
    tk_json_close(j);
}

static void put_flaw(struct tk_json *j, const struct tk_run_flaw *flaw)
{
    struct tk_print text = {0};
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "side",
              flaw->side == TK_RUN_CHECKED ? "checked" : tk_side_name((enum tk_run_side)flaw->side));
    tk_json_u64(j, "run", flaw->run);
    tk_print_json_text(j, "capture", flaw->name);
    tk_json_c(j, "reason", flaw->kind == TK_FLAW_SHORT ? "short" : "ended");
    tk_json_member(j, "text");
    print_flaw_of(&text, flaw);
    tk_print_through(j->to, &text, tk_print_json);
    tk_json_close(j);
}

static void put_difference(struct tk_json *j, const struct tk_side_difference *d)
{
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "what", d->what);
    put_texts(j, "baseline", &d->texts[0]);
    put_texts(j, "candidate", &d->texts[1]);
    tk_json_close(j);
}

void tk_report_sides_json(struct tk_json *j, const struct tk_sides *sides)
{
    tk_json_open(j, "sides", '{');
    for (size_t s = 0; s < sizeof sides->of / sizeof *sides->of; s++)
        if (sides->of[s].runs)
            put_side(j, tk_side_name((enum tk_run_side)s), &sides->of[s]);
    tk_json_close(j);
    tk_json_bool(j, "comparable", !tk_sides_flawed(sides));
    tk_json_open(j, "flaws", '[');
    for (size_t i = 0; i < sides->flaws.n; i++)
        put_flaw(j, &sides->flaws.v[i]);
    tk_json_close(j);
    tk_json_open(j, "notes", '[');
    for (size_t i = 0; i < sides->notes.n; i++)
        tk_print_json_text(j, NULL, sides->notes.v[i]);
    tk_json_close(j);
    tk_json_open(j, "differences", '[');
    for (size_t i = 0; i < sides->differences.n; i++)
        put_difference(j, &sides->differences.v[i]);
    tk_json_close(j);
    tk_json_bool(j, "machine_known", !misses_machines(sides));
}

/* ---- CSV, JUnit, SARIF ---- */

void tk_report_side_csv(struct tk_print *p, const struct tk_sides *sides, enum tk_run_side side)
{
    if (sides->of[side].runs)
        put_line(p, sides, side, only_side, tk_print_csv);
}

void tk_report_sides_junit(struct tk_print *p, const struct tk_sides *sides)
{
    for (size_t s = 0; sides && s < sizeof sides->of / sizeof *sides->of; s++) {
        if (!sides->of[s].runs)
            continue;
        tk_print(p, "      <property name=\"%s\" value=\"", tk_side_name((enum tk_run_side)s));
        put_line(p, sides, s, only_side, tk_print_xml);
        tk_print(p, "\"/>\n");
    }
    for (size_t i = 0; sides && i < sides->differences.n; i++) {
        tk_print(p, "      <property name=\"differs\" value=\"");
        put_line(p, sides, i, print_difference, tk_print_xml);
        tk_print(p, "\"/>\n");
    }
}

void tk_report_sides_sarif(struct tk_json *j, const struct tk_sides *sides, struct tk_print *summary)
{
    tk_json_open(j, "properties", '{');
    tk_json_member(j, "summary");
    tk_print_through(j->to, summary, tk_print_json);
    for (size_t s = 0; s < sizeof sides->of / sizeof *sides->of; s++) {
        if (!sides->of[s].runs)
            continue;
        tk_json_member(j, tk_side_name((enum tk_run_side)s));
        put_line(j->to, sides, s, only_side, tk_print_json);
    }
    tk_json_open(j, "differences", '[');
    for (size_t i = 0; i < sides->differences.n; i++) {
        tk_json_member(j, NULL);
        put_line(j->to, sides, i, print_difference, tk_print_json);
    }
    tk_json_close(j);
    tk_json_close(j);
}

/* ---- runs that are not what they seem ---- */

void tk_report_flaws_summary(struct tk_print *p, const struct tk_sides *sides)
{
    if (!tk_sides_flawed(sides))
        return;
    tk_print(p, "not comparable; ");
}

size_t tk_report_flaws(const struct tk_sides *sides)
{
    return sides && tk_sides_flawed(sides) ? sides->flaws.n : 0;
}

void tk_report_flaws_junit(struct tk_print *p, const struct tk_sides *sides)
{
    for (size_t i = 0; i < tk_report_flaws(sides); i++) {
        tk_print(p, "    <testcase classname=\"runs\" name=\"run %zu\">\n      <failure message=\"",
                 sides->flaws.v[i].run + 1);
        put_line(p, sides, i, print_flaw, tk_print_xml);
        tk_print(p, "\" type=\"not comparable\"/>\n    </testcase>\n");
    }
}

void tk_report_flaw(struct tk_print *p, const struct tk_sides *sides, size_t i)
{
    print_flaw(p, sides, i);
}
