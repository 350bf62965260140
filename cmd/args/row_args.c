/*
 * Rows: from options to the conditions of a query. See row_args.h.
 */
#include "args/row_args.h"

#include "terminal/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct tk_row_args, member)

const struct tk_opt tk_row_options[TK_ROW_COUNT] = {
    {0, "where", TK_OPT_LIST, AT(where), "CONDITION",
     "only rows that match: 'dur>5ms', 'verbosity<=warning', 'text~stream'; may be repeated"},
    {0, "counter", TK_OPT_LIST, AT(counters), "GLOB", "only counters with this name; may be repeated"},
    {0, "log", TK_OPT_LIST, AT(logs), "TEXT",
     "only log messages that contain this text; may be repeated (for a category: --where 'category=LogAI')"},
    {0, "callstack", TK_OPT_TEXT, AT(callstack), "ID", "the frames of the callstack with this id"},
};

static void tell_filtered(void *ctx, const char *table, uint64_t kept, uint64_t rows)
{
    const struct tk_row_filtering *f = ctx;
    if (!f->quiet && (f->each || kept == 0))
        tk_message_say(f->program, TK_MESSAGE_NOTE, "%s: %" PRIu64 " of %" PRIu64 " rows match", table, kept,
                       rows);
}

/* Counters of any of the names, as alternatives of one pattern. */
static bool add_counters(struct tk_opt_list *to, const struct tk_opt_list *names)
{
    static const char key[] = "counter=";
    size_t n = sizeof key - 1;
    for (size_t i = 0; i < names->n; i++)
        n += strlen(names->v[i]) + 1;
    char *text = malloc(n);
    if (!text)
        return false;
    memcpy(text, key, sizeof key - 1);
    char *end = text + sizeof key - 1;
    for (size_t i = 0; i < names->n; i++) {
        const size_t length = strlen(names->v[i]);
        if (i)
            *end++ = '|';
        memcpy(end, names->v[i], length);
        end += length;
    }
    const bool added = tk_opt_list_add(to, text, (size_t)(end - text));
    free(text);
    return added;
}

static bool add_part(struct tk_opt_list *to, const char *before, const char *part)
{
    const size_t n = strlen(before) + strlen(part) + 1;
    char *text = malloc(n);
    if (!text)
        return false;
    snprintf(text, n, "%s%s", before, part);
    const bool added = tk_opt_list_add(to, text, n - 1);
    free(text);
    return added;
}

bool tk_row_fill(struct tk_row_filtering *f, struct tk_query *query, const struct tk_row_args *args,
                 struct tk_opt_list *tables)
{
    const bool named = !tables || tables->n;
    bool ok = true;
    for (size_t i = 0; i < args->where.n && ok; i++)
        ok = tk_opt_list_add(&f->conditions, args->where.v[i], strlen(args->where.v[i]));
    for (size_t i = 0; i < args->logs.n && ok; i++)
        ok = add_part(&f->conditions, "logs.text~", args->logs.v[i]);
    if (args->counters.n && ok)
        ok = add_counters(&f->conditions, &args->counters);
    if (args->callstack && ok)
        ok = add_part(&f->conditions, "callstacks.callstack_id=", args->callstack);
    if (args->counters.n && !named && ok)
        ok = tk_opt_list_add(tables, "counters", 8);
    if (args->logs.n && !named && ok)
        ok = tk_opt_list_add(tables, "logs", 4);
    if (args->callstack && !named && ok)
        ok = tk_opt_list_add(tables, "callstacks", 10);
    query->where = (const char *const *)f->conditions.v;
    query->n_where = f->conditions.n;
    query->filtered = tell_filtered;
    query->filtered_ctx = f;
    return ok;
}
