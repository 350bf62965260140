/*
 * Rules page: what is found in a capture, with its evidence, and the names of what is not.
 */
#include "base/text/text.h"
#include "pages/summary_pages.h"

#include <stdio.h>
#include <string.h>

/* What is left of a line behind the name of a rule. */
enum { EVIDENCE_WIDTH = 80 - 2 - 18, LONGEST = 2000, LONGEST_NAME = 96 };

enum { RULE, EVIDENCE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {{"rule", TK_TEXT, 0, NULL, ""},
                                                  {"evidence", TK_TEXT, 0, NULL, ""}};

static const struct tk_table page = {
    .name = "rules", .help = "", .columns = columns, .n_columns = COLUMNS, .none = "no rules"};

struct lines {
    const struct tk_answer *answer;
    const struct tk_sink *sink;
    struct tk_err *err;
    int status;
};

static struct tk_cell text_of(const char *p, size_t n)
{
    return (struct tk_cell){.kind = n ? TK_TEXT : TK_NONE, .enc = TK_ENC_UTF8, .n = (uint32_t)n, .v.p = p};
}

static void put_line(struct lines *l, const char *name, const char *p, size_t n)
{
    const struct tk_cell cells[COLUMNS] = {text_of(name, strlen(name)), text_of(p, n)};
    const struct tk_rows rows = {1, cells};
    if (l->status >= 0 && l->sink->rows)
        l->status = l->sink->rows(l->sink->self, &page, &rows, l->err);
}

/* Bytes of a text that fit a line: up to a blank, where there is one. */
static size_t fitting(const char *p, size_t n)
{
    size_t end = 0, blank = 0;
    while (end < n) {
        size_t next = end + 1;
        while (next < n && ((unsigned char)p[next] & 0xC0) == 0x80)
            next++;
        if (tk_utf8_width(p, next) > EVIDENCE_WIDTH)
            break;
        if (p[end] == ' ')
            blank = end;
        end = next;
    }
    return end == n ? n : blank ? blank : end;
}

/* A text in lines; the name stands in front of the first. */
static void put_wrapped(struct lines *l, const char *name, const char *p, size_t n)
{
    do {
        const size_t fits = fitting(p, n);
        put_line(l, name, p, fits);
        p += fits;
        n -= fits;
        while (n && *p == ' ') {
            p++;
            n--;
        }
        name = "";
    } while (n);
}

static void put_cell(struct lines *l, const char *name, size_t row, const char *column)
{
    const struct tk_cell *cell = tk_answer_cell(l->answer, row, column);
    if (cell->kind == TK_TEXT)
        put_wrapped(l, name, cell->v.p, cell->n);
}

static bool is_state(const struct lines *l, size_t row, const char *state)
{
    return tk_answer_is_text(tk_answer_cell(l->answer, row, "state"), state);
}

static size_t count(const struct lines *l, const char *state)
{
    size_t n = 0;
    for (size_t i = 0; i < l->answer->n_rows; i++)
        n += is_state(l, i, state);
    return n;
}

/* The name of a rule, which is short. */
static void copy_name(const struct lines *l, size_t row, char name[LONGEST_NAME])
{
    const struct tk_cell *cell = tk_answer_cell(l->answer, row, "rule");
    snprintf(name, LONGEST_NAME, "%.*s", (int)cell->n, (const char *)cell->v.p);
}

/* A rule each, with some of its texts. */
static void put_each(struct lines *l, const char *state, const char *const *texts)
{
    char n[24], name[LONGEST_NAME + 2];
    snprintf(n, sizeof n, "%zu", count(l, state));
    if (count(l, state))
        put_wrapped(l, state, n, strlen(n));
    for (size_t i = 0; i < l->answer->n_rows; i++) {
        if (!is_state(l, i, state))
            continue;
        snprintf(name, sizeof name, "  ");
        copy_name(l, i, name + 2);
        for (const char *const *text = texts; *text; text++)
            put_cell(l, text == texts ? name : "", i, *text);
    }
}

/* The names of all that are in a state. */
static void put_names(struct lines *l, const char *state)
{
    char names[LONGEST], name[LONGEST_NAME];
    size_t n = (size_t)snprintf(names, sizeof names, "%zu: ", count(l, state)), found = 0;
    for (size_t i = 0; i < l->answer->n_rows && n + sizeof name < sizeof names; i++) {
        if (!is_state(l, i, state))
            continue;
        copy_name(l, i, name);
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", found++ ? ", " : "", name);
    }
    if (found)
        put_wrapped(l, state, names, n);
}

int tk_rules_page_send(const struct tk_result *result, bool all, const struct tk_sink *sink,
                       struct tk_err *err)
{
    static const char *const found[] = {"evidence", "advice", NULL};
    static const char *const whole[] = {"evidence", "advice", "command", NULL};
    static const char *const others[] = {"question", "record", NULL};
    static const char *const states[] = {"not found in what was read", "ruled out", "not judged"};
    const struct tk_answer answer = tk_answer_find(result, "rules");
    struct lines l = {&answer, sink, err, sink->begin ? sink->begin(sink->self, &page, err) : TK_OK};
    if (answer.table)
        put_each(&l, "found", all ? whole : found);
    for (size_t i = 0; i < sizeof states / sizeof *states && answer.table; i++)
        if (all)
            put_each(&l, states[i], others);
        else
            put_names(&l, states[i]);
    return l.status >= 0 && sink->end ? sink->end(sink->self, &page, err) : l.status;
}
