/*
 * Captures side by side. See side_by_side.h.
 */
#include "run/side_by_side.h"

#include "terminal/message.h"

#include <string.h>

#define PEOPLE_TOP 20 /* rows of each capture and of the trend */

static const char *const known[] = {"groups", "trend"};

static bool wants_side_by_side(const struct tk_side_by_side *c, const char *table)
{
    const struct tk_opt_list *named = &c->plan->tables;
    for (size_t i = 0; i < named->n; i++)
        if (strcmp(named->v[i], table) == 0)
            return true;
    return named->n == 0;
}

static bool check_side_by_side(const struct tk_side_by_side *c, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < c->plan->tables.n; i++) {
        const char *name = c->plan->tables.v[i];
        if (strcmp(name, known[0]) != 0 && strcmp(name, known[1]) != 0)
            return tk_message_unknown(message, "by capture there is no table", name, known, 2);
    }
    if (c->plan->columns.n || c->plan->sort) {
        snprintf(message, TK_OPT_MESSAGE, "options '--columns' and '--sort' do not go with '--by capture'");
        return false;
    }
    return true;
}

/* A capture without the timers that others have is one in which they took nothing: it is read once more for
 * all of its timers, as what else was selected may be missing, too. */
static bool only_lacks_timers(const struct tk_side_by_side *c, struct tk_trace *trace, int rc)
{
    static const char *const tables[] = {"timers"}, *const columns[] = {"timer"};
    const struct tk_sink nowhere = {0};
    struct tk_query query = *c->query;
    if (rc != TK_EMATCH || !query.select.n_timers)
        return false;
    query.tables = tables;
    query.columns = columns;
    query.n_tables = query.n_columns = 1;
    query.select.n_timers = 0;
    return tk_query_run(trace, &query, &nowhere, NULL) == TK_OK;
}

/* *lacks: it has none of the timers. */
static enum tk_exit add_side_by_side(const struct tk_side_by_side *c, struct tk_trend *trend,
                                     const char *path, bool last, bool *lacks)
{
    struct tk_capture_run run;
    enum tk_exit code = tk_capture_open(&run, c->call->program, path, c->common);
    if (code != TK_EXIT_DONE)
        return code;
    int rc = tk_trend_add(trend, run.trace, path, c->query, &run.err);
    bool forgiven = !(last && *lacks) && only_lacks_timers(c, run.trace, rc);
    *lacks = *lacks && rc == TK_EMATCH;
    return tk_capture_close(&run, forgiven ? TK_OK : rc);
}

static enum tk_exit add_all(const struct tk_side_by_side *c, struct tk_trend *trend)
{
    const struct tk_opt_list *paths = c->call->operands;
    enum tk_exit code = TK_EXIT_DONE;
    bool lacks = true;
    for (size_t i = 0; i < paths->n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i++)
        code = tk_exit_worse(code, add_side_by_side(c, trend, paths->v[i], i + 1 == paths->n, &lacks));
    return code;
}

static int write_tables(const struct tk_side_by_side *c, struct tk_trend *trend, struct tk_err *err)
{
    struct tk_out out;
    size_t top = c->plan->top ? (size_t)c->plan->top : tk_out_is_for_people(c->format) ? PEOPLE_TOP : 0;
    bool groups = wants_side_by_side(c, known[0]), changes = wants_side_by_side(c, known[1]);
    int rc = tk_out_open(&out, c->out, c->format, groups && changes, true, err);
    if (rc >= 0 && groups)
        rc = tk_trend_groups(trend, top, &out.sink, err);
    if (rc >= 0 && changes)
        rc = tk_trend_changes(trend, top, &out.sink, err);
    return tk_out_close(&out, rc, err);
}

int tk_side_by_side_run(const struct tk_side_by_side *c)
{
    char message[TK_OPT_MESSAGE];
    struct tk_trend *trend = NULL;
    struct tk_err err = {0};
    if (!check_side_by_side(c, message))
        return tk_message_usage(c->call->program, message);
    int rc = tk_trend_new(&trend, &err);
    enum tk_exit code = rc < 0 ? TK_EXIT_DONE : add_all(c, trend);
    if (rc >= 0 && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED))
        rc = write_tables(c, trend, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(c->call->program, NULL, rc, &err);
    tk_trend_free(trend);
    return (int)tk_exit_worse(code, tk_exit_of(rc));
}
