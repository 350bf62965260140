/*
 * The state of a capture on standard error: one sentence, and the first of its faults.
 */
#include "terminal/message.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"

#include <stdio.h>
#include <string.h>

#define LISTED 10
#define RANKS  3 /* of what is listed */

/* The columns of the table `health` that are used here. */
struct health_columns {
    int damage, kind, count, offset, text;
};

static bool find_columns(const struct tk_table *table, struct health_columns *c)
{
    *c = (struct health_columns){tk_table_column(table, "damage"), tk_table_column(table, "kind"),
                                 tk_table_column(table, "count"), tk_table_column(table, "offset"),
                                 tk_table_column(table, "text")};
    return c->damage >= 0 && c->kind >= 0 && c->count >= 0 && c->offset >= 0 && c->text >= 0;
}

static bool is_text(const struct tk_cell *c, const char *text)
{
    return c->kind == TK_TEXT && c->n == strlen(text) && memcmp(c->v.p, text, c->n) == 0;
}

/* Notices that belong to sound captures are for trace-info. */
static bool is_reported(const struct tk_cell *row, const struct health_columns *c)
{
    static const char *const kinds[] = {"file_truncated", "events_lost",        "loss_announced",
                                        "serial_late",    "definition_missing", "scope_after_end",
                                        "limit_reached"};
    bool reported = row[c->damage].v.u;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        reported |= is_text(&row[c->kind], kinds[i]);
    return reported;
}

/* Does the text give the number itself, as "344 hitches are not explained" does? */
static bool says_count(const struct tk_cell *text, uint64_t count)
{
    char number[24];
    const int n = snprintf(number, sizeof number, "%llu ", (unsigned long long)count);
    const char *at = text->v.p, *end = at + text->n;
    for (; at + n <= end; at++)
        if (memcmp(at, number, (size_t)n) == 0 && (at == text->v.p || at[-1] == ' '))
            return true;
    return false;
}

static void put_fault(const struct tk_cell *row, const struct health_columns *c)
{
    fputs("  ", stderr);
    if (row[c->offset].kind != TK_NONE)
        fprintf(stderr, "offset %llu: ", (unsigned long long)row[c->offset].v.u);
    tk_message_put(row[c->text].v.p, row[c->text].n);
    if (row[c->count].v.u > 1 && !says_count(&row[c->text], row[c->count].v.u))
        fprintf(stderr, " (%llu %s)", (unsigned long long)row[c->count].v.u,
                is_text(&row[c->kind], "events_lost") ? "events" : "times");
    fputc('\n', stderr);
}

/* Counts those that are reported, and lists the first. */
struct reported {
    unsigned listed;
    uint64_t rest;
};

static void tell_fault(struct reported *reported, const struct tk_cell *row, const struct health_columns *c)
{
    if (reported->listed < LISTED && ++reported->listed)
        put_fault(row, c);
    else
        reported->rest += row[c->count].v.u;
}

/* Limits first, which can be raised, and are few; then damage, so that many lost events do not hide it. */
static unsigned rank_of(const struct tk_cell *row, const struct health_columns *c)
{
    return is_text(&row[c->kind], "limit_reached") ? 0 : row[c->damage].v.u ? 1 : RANKS - 1;
}

/* Are there events with serial numbers that others have, or lower ones, and nothing that is lost? */
static bool is_only_late(const struct tk_result *health)
{
    struct health_columns c;
    size_t n_rows;
    bool late = false;
    if (tk_result_count(health) == 0 || !find_columns(tk_result_table(health, 0, &n_rows), &c))
        return false;
    for (size_t i = 0; i < n_rows; i++) {
        const struct tk_cell *row = tk_result_row(health, 0, i);
        if (is_text(&row[c.kind], "serial_late"))
            late = true;
        else if (is_reported(row, &c))
            return false;
    }
    return late;
}

static void put_faults(const struct tk_result *health)
{
    struct health_columns c;
    size_t n_rows;
    struct reported reported = {0};
    if (tk_result_count(health) == 0 || !find_columns(tk_result_table(health, 0, &n_rows), &c))
        return;
    for (unsigned rank = 0; rank < RANKS; rank++)
        for (size_t i = 0; i < n_rows; i++) {
            const struct tk_cell *row = tk_result_row(health, 0, i);
            if (is_reported(row, &c) && rank_of(row, &c) == rank)
                tell_fault(&reported, row, &c);
        }
    if (reported.rest)
        fprintf(stderr, "  and %llu more; trace-info --full shows all\n", (unsigned long long)reported.rest);
}

/* What is said of the capture as a whole, the worst first. NULL: nothing. */
static const char *sentence_of(const struct tk_trace *trace)
{
    const bool in_part = tk_in_part(trace, NULL, 0);
    const struct {
        bool is;
        const char *sentence;
    } states[] = {
        {tk_damaged(trace), "the capture is damaged; what could be read was used"},
        {tk_truncated(trace) && in_part, "the capture is cut off at its end"},
        {tk_truncated(trace), "the capture is cut off at its end; everything before that was used"},
        {tk_partial(trace), "a limit was reached; what lies beyond it was left out"},
        {tk_lossy(trace), "events of the capture were lost; the others were used"},
    };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (states[i].is)
            return states[i].sentence;
    return NULL;
}

/* The faults of a capture; NULL: out of memory. */
static struct tk_result *health_of(struct tk_trace *trace)
{
    struct tk_result *health = NULL;
    if (tk_result_new(&health, NULL) != TK_OK)
        return NULL;
    const struct tk_sink sink = tk_result_sink(health);
    if (tk_health(trace, &sink, NULL) == TK_OK)
        return health;
    tk_result_free(health);
    return NULL;
}

bool tk_message_only_late(struct tk_trace *trace)
{
    struct tk_result *health = health_of(trace);
    const bool late = health && is_only_late(health);
    tk_result_free(health);
    return late;
}

void tk_message_health(const char *program, const char *path, struct tk_trace *trace)
{
    static const char only_late[] =
        "events of the capture come late or have serial numbers that others have; all were used";
    const char *sentence = sentence_of(trace);
    if (!sentence)
        return;
    struct tk_result *health = health_of(trace);
    tk_message_about(program, TK_MESSAGE_WARNING, path,
                     health && is_only_late(health) ? only_late : sentence);
    if (health)
        put_faults(health);
    tk_result_free(health);
}
