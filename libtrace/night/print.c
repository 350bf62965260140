/*
 * The table of a night as text for a terminal, as Markdown, and as a part of a page.
 */
#include "base/text/text.h"
#include "night/night.h"

#include <math.h>
#include <string.h>

static const char dash[] = "-";

/* ---- numbers ---- */

static void put_number(struct tk_print *p, double v, unsigned digits)
{
    if (isnan(v))
        tk_print(p, "%s", dash);
    else
        tk_print_fixed(p, v, digits);
}

/* Bytes in one letter: 1.0G. */
static void put_bytes(struct tk_print *p, double v)
{
    static const char letters[] = "BKMGT";
    size_t i = 0;
    if (isnan(v)) {
        tk_print(p, "%s", dash);
        return;
    }
    for (; v >= 999.5 && letters[i + 1]; i++)
        v /= 1000;
    tk_print_fixed(p, v, i && v < 9.95 ? 1 : 0);
    tk_print(p, "%c", letters[i]);
}

static void put_value(struct tk_print *p, const struct tk_night_row *row, size_t value)
{
    if (value == TK_NIGHT_MEMORY)
        put_bytes(p, row->v[value]);
    else
        put_number(p, row->v[value], tk_night_columns[value].digits);
}

static const char *mark_letter(const struct tk_night_mark *mark)
{
    return mark->level == TK_BUDGET_ERROR ? "E" : mark->level == TK_BUDGET_WARNING ? "w" : "";
}

/* ---- the headline ---- */

static size_t count_different(const struct tk_night *night, enum tk_night_fact fact)
{
    size_t n = 0;
    for (size_t i = 0; i < night->rows.n; i++) {
        const struct tk_str *here = night->rows.v[i].facts[fact];
        size_t k = 0;
        while (k < i && night->rows.v[k].facts[fact] != here)
            k++;
        n += here && k == i;
    }
    return n;
}

static void put_count(struct tk_print *p, size_t n, const char *what)
{
    tk_print(p, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

void tk_night_headline(struct tk_print *p, const struct tk_night *night)
{
    const size_t maps = count_different(night, TK_NIGHT_MAP), builds = count_different(night, TK_NIGHT_BUILD);
    size_t levels[TK_BUDGET_ERROR + 1] = {0};
    for (size_t i = 0; i < night->rows.n; i++)
        levels[tk_night_level(&night->rows.v[i])]++;
    put_count(p, night->rows.n, "capture");
    if (maps) {
        tk_print(p, ", ");
        put_count(p, maps, "map");
    }
    if (builds) {
        tk_print(p, ", ");
        put_count(p, builds, "build");
    }
    if (night->options.target > 0) {
        tk_print(p, "; target ");
        tk_print_real(p, night->options.target, 4);
    }
    if (night->judged)
        tk_print(p, "; budgets: %zu failed, %zu warned, %zu passed", levels[TK_BUDGET_ERROR],
                 levels[TK_BUDGET_WARNING], levels[TK_BUDGET_PASSED]);
}

/* ---- the columns of a group ---- */

static const struct {
    const char *title;
    uint8_t value;
} displayed[] = {{"p50", TK_NIGHT_P50},
                 {"p95", TK_NIGHT_P95},
                 {"max", TK_NIGHT_MAX},
                 {"mvp", TK_NIGHT_MVP},
                 {"hit/min", TK_NIGHT_HITCHES_MIN},
                 {"load", TK_NIGHT_HITCHES_LOADING},
                 {"start", TK_NIGHT_HITCHES_STARTUP},
                 {"ms/s", TK_NIGHT_HITCH_MS_S}};

enum { DISPLAYED = sizeof displayed / sizeof *displayed, BOUND = DISPLAYED, MEMORY, CELLS };

enum { MOST_NAME = 14 }; /* characters of a map or build */

static void put_cell(struct tk_print *p, const struct tk_night_row *row, size_t cell)
{
    const char *who;
    double share;
    if (cell < DISPLAYED) {
        put_value(p, row, displayed[cell].value);
        tk_print(p, "%s", mark_letter(&row->marks[displayed[cell].value]));
    } else if (cell == MEMORY) {
        put_bytes(p, row->v[TK_NIGHT_MEMORY]);
    } else if (tk_night_bound(row, &who, &share)) {
        tk_print(p, "%s ", who);
        tk_print_fixed(p, share, 0);
    } else {
        tk_print(p, "%s", dash);
    }
}

static const char *cell_title(size_t cell)
{
    return cell < DISPLAYED ? displayed[cell].title : cell == BOUND ? "bound" : "mem";
}

/* Of builds of Unreal the number, of a long name its end. */
static struct tk_str short_name(const struct tk_str *s, bool build)
{
    struct tk_str out = s ? *s : (struct tk_str){.p = dash, .n = 1};
    for (uint32_t i = 0; build && i + 4 < out.n; i++)
        if (memcmp(out.p + i, "-CL-", 4) == 0)
            return (struct tk_str){.p = out.p + i + 4, .n = out.n - i - 4, .enc = out.enc};
    return out;
}

static void put_name(struct tk_print *p, const struct tk_str *s, bool build)
{
    const struct tk_str name = short_name(s, build);
    struct tk_print text = {0};
    tk_print_name(&text, &name);
    size_t from = 0;
    while (text.n - from > MOST_NAME)
        for (from++; from < text.n && (text.v[from] & 0xc0) == 0x80; from++)
            ;
    tk_print(p, "%s", from ? "~" : "");
    tk_print_bytes(p, text.v + from, text.n - from);
    p->failed |= text.failed;
    free(text.v);
}

/* ---- text ---- */

static size_t columns_of(const struct tk_print *p, size_t from)
{
    size_t n = 0;
    for (size_t i = from; i < p->n; i++)
        n += ((unsigned char)p->v[i] & 0xc0) != 0x80;
    return n;
}

static size_t width_of(const struct tk_night *night, size_t cell)
{
    size_t most = strlen(cell_title(cell));
    for (size_t i = 0; i < night->groups.n; i++) {
        struct tk_print text = {0};
        put_cell(&text, &night->groups.v[i].row, cell);
        most = text.n > most ? text.n : most;
        free(text.v);
    }
    return most;
}

static size_t name_width(const struct tk_night *night, enum tk_night_fact fact, const char *title)
{
    size_t most = strlen(title);
    for (size_t i = 0; i < night->groups.n; i++) {
        struct tk_print text = {0};
        put_name(&text, night->groups.v[i].row.facts[fact], fact == TK_NIGHT_BUILD);
        const size_t n = columns_of(&text, 0);
        most = n > most ? n : most;
        free(text.v);
    }
    return most;
}

static void put_padded(struct tk_print *p, const struct tk_print *text, size_t width, bool left)
{
    const size_t n = columns_of(text, 0);
    if (left)
        tk_print_bytes(p, text->v, text->n);
    for (size_t i = n; i < width; i++)
        tk_print(p, " ");
    if (!left)
        tk_print_bytes(p, text->v, text->n);
}

struct layout {
    size_t names[3], cells[CELLS], count;
    bool platforms;
};

static const uint8_t name_facts[3] = {TK_NIGHT_MAP, TK_NIGHT_BUILD, TK_NIGHT_PLATFORM};
static const char *const name_titles[3] = {"map", "build", "platform"};

static void put_line(struct tk_print *p, const struct layout *l, const struct tk_night_group *group)
{
    const size_t from = p->n;
    for (int i = 0; i < 3; i++) {
        struct tk_print text = {0};
        if (i == 2 && !l->platforms)
            continue;
        if (group)
            put_name(&text, group->row.facts[name_facts[i]], i == 1);
        else
            tk_print(&text, "%s", name_titles[i]);
        put_padded(p, &text, l->names[i], true);
        tk_print(p, " ");
        free(text.v);
    }
    struct tk_print count = {0};
    tk_print(&count, group ? "%zu" : "n", group ? group->n : 0);
    put_padded(p, &count, l->count, false);
    free(count.v);
    for (size_t i = 0; i < CELLS; i++) {
        struct tk_print text = {0};
        if (group)
            put_cell(&text, &group->row, i);
        else
            tk_print(&text, "%s", cell_title(i));
        tk_print(p, " ");
        put_padded(p, &text, l->cells[i], i == BOUND);
        free(text.v);
    }
    (void)from;
    tk_print(p, "\n");
}

static struct layout layout_of(const struct tk_night *night)
{
    struct layout l = {.platforms = count_different(night, TK_NIGHT_PLATFORM) > 1, .count = 1};
    for (int i = 0; i < 3; i++)
        l.names[i] = name_width(night, (enum tk_night_fact)name_facts[i], name_titles[i]);
    for (size_t i = 0; i < CELLS; i++)
        l.cells[i] = width_of(night, i);
    for (size_t i = 0; i < night->groups.n; i++)
        for (size_t n = night->groups.v[i].n, digits = 1; n; n /= 10, digits++)
            l.count = digits > l.count ? digits : l.count;
    return l;
}

static void put_owner(struct tk_print *p, const struct tk_night_row *row, tk_print_put *put)
{
    if (row->owner && row->owner->n) {
        tk_print(p, "; owner ");
        put(p, row->owner);
    }
}

/* Names of the budgets that failed and of captures that are not whole, below the table. */
static void put_remarks(struct tk_print *p, const struct tk_night *night)
{
    for (size_t i = 0; i < night->rows.n; i++) {
        const struct tk_night_row *row = &night->rows.v[i];
        if (!row->worst && row->state == TK_NIGHT_OK)
            continue;
        const size_t from = p->n;
        tk_print(p, "%s", tk_night_level(row) == TK_BUDGET_ERROR ? "E " : row->worst ? "w " : "  ");
        if (row->facts[TK_NIGHT_CAPTURE])
            tk_print_name(p, row->facts[TK_NIGHT_CAPTURE]);
        if (row->worst) {
            tk_print(p, ": ");
            tk_print_name(p, row->worst);
            if (night->options.width >= TK_REPORT_OWNERS_FROM)
                put_owner(p, row, tk_print_name);
        }
        if (row->state != TK_NIGHT_OK)
            tk_print(p, " (%s)", tk_night_state_name(row->state));
        tk_print(p, "\n");
        tk_print_wrap(p, from, 80, 4);
    }
}

void tk_night_print_text(struct tk_print *p, const struct tk_night *night)
{
    const struct layout l = layout_of(night);
    const size_t from = p->n;
    tk_night_headline(p, night);
    tk_print(p, "\n");
    tk_print_wrap(p, from, 80, 4);
    put_line(p, &l, NULL);
    for (size_t i = 0; i < night->groups.n; i++)
        put_line(p, &l, &night->groups.v[i]);
    put_remarks(p, night);
}

/* ---- Markdown ---- */

static void put_fact(struct tk_print *p, const struct tk_str *s, tk_print_put *put)
{
    if (s)
        put(p, s);
}

static void markdown_cells(struct tk_print *p, const struct tk_night_row *row)
{
    for (size_t i = 0; i < CELLS; i++) {
        tk_print(p, " ");
        put_cell(p, row, i);
        tk_print(p, " |");
    }
}

static void markdown_head(struct tk_print *p, const char *names)
{
    tk_print(p, "%s", names);
    for (size_t i = 0; i < CELLS; i++)
        tk_print(p, " %s |", cell_title(i));
    tk_print(p, "\n|---|---|---|--:|");
    for (size_t i = 0; i < CELLS; i++)
        tk_print(p, "%s", i == BOUND ? "---|" : "--:|");
    tk_print(p, "\n");
}

void tk_night_print_markdown(struct tk_print *p, const struct tk_night *night)
{
    tk_night_headline(p, night);
    tk_print(p, "\n\n");
    markdown_head(p, "| map | build | platform | n |");
    for (size_t i = 0; i < night->groups.n; i++) {
        const struct tk_night_group *group = &night->groups.v[i];
        for (int k = 0; k < 3; k++) {
            tk_print(p, k ? " " : "| ");
            put_fact(p, group->row.facts[name_facts[k]], tk_print_markdown);
            tk_print(p, " |");
        }
        tk_print(p, " %zu |", group->n);
        markdown_cells(p, &group->row);
        tk_print(p, "\n");
    }
    tk_print(p, "\n");
    markdown_head(p, "| capture | build | state | budgets |");
    for (size_t i = 0; i < night->rows.n; i++) {
        const struct tk_night_row *row = &night->rows.v[i];
        tk_print(p, "| ");
        put_fact(p, row->facts[TK_NIGHT_CAPTURE], tk_print_markdown);
        tk_print(p, " | ");
        put_fact(p, row->facts[TK_NIGHT_BUILD], tk_print_markdown);
        tk_print(p, " | %s | ", tk_night_state_name(row->state));
        put_fact(p, row->worst, tk_print_markdown);
        put_owner(p, row, tk_print_markdown);
        tk_print(p, " |");
        markdown_cells(p, row);
        tk_print(p, "\n");
    }
}

/* ---- HTML ---- */

static void html_cell(struct tk_print *p, const struct tk_night_row *row, size_t cell)
{
    const struct tk_night_mark *mark = cell < DISPLAYED ? &row->marks[displayed[cell].value] : NULL;
    tk_print(p, "<td class=\"%s", cell == BOUND ? "" : "n");
    if (mark && mark->level > TK_BUDGET_MISSING) {
        tk_print(p, " %s\" title=\"", mark->level == TK_BUDGET_ERROR ? "bad error" : "warning");
        put_value(p, row, displayed[cell].value);
        tk_print(p, " of ");
        tk_print_real(p, mark->limit, 6);
        tk_print(p, " (");
        tk_print_xml(p, mark->of);
        tk_print(p, ")");
    }
    tk_print(p, "\">");
    put_cell(p, row, cell);
    tk_print(p, "</td>");
}

static void html_head(struct tk_print *p, const char *name, const char *caption, const char *const *titles)
{
    const struct tk_html h = tk_print_html(p);
    tk_html_table(h, "night", name, TK_HTML_FOCUS, caption);
    for (; *titles; titles++)
        tk_html_column(h, "", *titles);
    for (size_t i = 0; i < CELLS; i++)
        tk_html_column(h, i == BOUND ? "" : TK_HTML_NUMBERS, cell_title(i));
    tk_html_rows(h);
}

static void html_text(struct tk_print *p, const struct tk_str *s)
{
    tk_print(p, "<td>");
    put_fact(p, s, tk_print_xml);
    tk_print(p, "</td>");
}

/* The budget that is over by most, in the colour of its level. */
static void html_worst(struct tk_print *p, const struct tk_night_row *row)
{
    const unsigned level = tk_night_level(row);
    tk_print(p, "<td class=\"%s\">",
             level == TK_BUDGET_ERROR     ? "bad error"
             : level == TK_BUDGET_WARNING ? "warning"
                                          : "");
    put_fact(p, row->worst, tk_print_xml);
    put_owner(p, row, tk_print_xml);
    tk_print(p, "</td>");
}

static void html_capture(struct tk_print *p, const struct tk_night_row *row)
{
    tk_print(p, "<td>");
    if (row->link) {
        tk_print(p, "<a href=\"");
        tk_print_xml(p, row->link);
        tk_print(p, "\">");
    }
    put_fact(p, row->facts[TK_NIGHT_CAPTURE], tk_print_xml);
    tk_print(p, "%s</td>", row->link ? "</a>" : "");
}

void tk_night_print_html(struct tk_print *p, const struct tk_night *night)
{
    static const char *const groups[] = {"map", "build", "n", NULL},
                             *const of_platforms[] = {"map", "build", "platform", "n", NULL},
                             *const rows[] = {"capture", "map", "build", "state", "worst budget", NULL};
    const bool platforms = count_different(night, TK_NIGHT_PLATFORM) > 1;
    tk_html_section(tk_print_html(p), "night", "Captures");
    tk_print(p, "<p>");
    tk_night_headline(p, night);
    tk_print(p, ".</p>\n");
    html_head(p, "groups", "By map, build and platform: medians of the runs, the longest frame of all",
              platforms ? of_platforms : groups);
    for (size_t i = 0; i < night->groups.n; i++) {
        tk_print(p, "<tr>");
        for (int k = 0; k < 2 + platforms; k++)
            html_text(p, night->groups.v[i].row.facts[name_facts[k]]);
        tk_print(p, "<td class=\"n\">%zu</td>", night->groups.v[i].n);
        for (size_t k = 0; k < CELLS; k++)
            html_cell(p, &night->groups.v[i].row, k);
        tk_print(p, "</tr>\n");
    }
    tk_html_table_end(tk_print_html(p));
    html_head(p, "captures", "Each capture", rows);
    for (size_t i = 0; i < night->rows.n; i++) {
        const struct tk_night_row *row = &night->rows.v[i];
        tk_print(p, "<tr>");
        html_capture(p, row);
        html_text(p, row->facts[TK_NIGHT_MAP]);
        html_text(p, row->facts[TK_NIGHT_BUILD]);
        tk_print(p, "<td>%s</td>", tk_night_state_name(row->state));
        html_worst(p, row);
        for (size_t k = 0; k < CELLS; k++)
            html_cell(p, row, k);
        tk_print(p, "</tr>\n");
    }
    tk_html_table_end(tk_print_html(p));
    tk_html_section_end(tk_print_html(p));
}
