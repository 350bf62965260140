/*
 * Plan: names, columns and order of statistics.
 */
#include "args/table_plan.h"

#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

/*
 * Words of groupings.
 */

#define WORDS(X)                                                                                             \
    X("thread", TK_BY_THREAD)                                                                                \
    X("class", TK_BY_CLASS)                                                                                  \
    X("file", TK_BY_FILE)                                                                                    \
    X("label", TK_BY_LABEL)                                                                                  \
    X("region", TK_BY_REGION)                                                                                \
    X("frame-type", TK_BY_FRAME_TYPE)                                                                        \
    X("tag", TK_BY_TAG)                                                                                      \
    X("heap", TK_BY_HEAP)                                                                                    \
    X("size", TK_BY_SIZE)                                                                                    \
    X("asset", TK_BY_ASSET)                                                                                  \
    X("callstack", TK_BY_CALLSTACK)                                                                          \
    X("function", TK_BY_FUNCTION)                                                                            \
    X("module", TK_BY_MODULE)                                                                                \
    X("source", TK_BY_SOURCE)

#define WORD(word, bit) word,
#define BIT(word, bit)  bit,

static const char *const words_of_by[] = {WORDS(WORD) NULL};
static const unsigned bits[] = {WORDS(BIT)};

enum { KNOWN = sizeof words_of_by / sizeof *words_of_by - 1 };

const char *const *tk_by_words(void)
{
    return words_of_by;
}

/* The bit of a word; 0 and a sentence. */
static unsigned bit_of(const char *word, const char *option, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        if (strcmp(word, words_of_by[i]) == 0)
            return bits[i];
    if (strcmp(word, "capture") == 0) {
        snprintf(
            message, TK_OPT_MESSAGE,
            "option '%s' does not take 'capture'; trace-trend follows values from capture to capture, and "
            "trace-diff compares two",
            option);
        return 0;
    }
    char sentence[64];
    snprintf(sentence, sizeof sentence, "option '%s' does not take", option);
    tk_message_unknown(message, sentence, word, words_of_by, KNOWN);
    return 0;
}

/* The only table that can be grouped so; NULL: several can. */
static const char *table_of(unsigned bit)
{
    const unsigned memory =
        TK_BY_TAG | TK_BY_HEAP | TK_BY_SIZE | TK_BY_ASSET | TK_BY_CALLSTACK | TK_BY_FUNCTION | TK_BY_MODULE;
    return bit & TK_BY_GROUPINGS ? "groups" : bit & memory ? "memory" : NULL;
}

static bool has_table(const struct tk_query *query, const char *table)
{
    for (size_t i = 0; i < query->n_tables; i++)
        if (strcmp(query->tables[i], table) == 0)
            return true;
    return false;
}

bool tk_by_check(const struct tk_query *query, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        const char *table = query->by & bits[i] ? table_of(bits[i]) : NULL;
        const bool memory = table && (strcmp(table, "memory") == 0 || bits[i] == TK_BY_FILE);
        if (!table || has_table(query, table) ||
            (memory && (has_table(query, "memory") || has_table(query, "memory_growth"))))
            continue;
        snprintf(
            message, TK_OPT_MESSAGE,
            "'--by %s' makes rows of the table '%s'; ask for it with '--table %s', or leave '--table' out",
            words_of_by[i], table, table);
        return false;
    }
    return true;
}

bool tk_by_fill(unsigned *by, const struct tk_opt_list *words, const char *option,
                char message[TK_OPT_MESSAGE])
{
    *by = 0;
    for (size_t i = 0; i < words->n; i++) {
        const unsigned bit = bit_of(words->v[i], option, message);
        if (!bit)
            return false;
        *by |= bit;
    }
    return true;
}

#define MOST_NAMES 256

/* What other tools call the rows of a table. */
static const struct {
    const char *theirs, *ours;
} other_words[] = {{"zones", "timers"},       {"plots", "counters"}, {"messages", "logs"},
                   {"slices", "scopes"},      {"tracks", "threads"}, {"sched", "switches"},
                   {"memory_tags", "memory"}, {"gpu_zones", "gpu"}};

static bool unknown_table(const char *name, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < sizeof other_words / sizeof *other_words; i++)
        if (strcmp(name, other_words[i].theirs) == 0) {
            snprintf(message, TK_OPT_MESSAGE, "there is no table '%s'; its rows are in '%s'", name,
                     other_words[i].ours);
            return false;
        }
    if (strcmp(name, "cells") == 0) {
        snprintf(message, TK_OPT_MESSAGE,
                 "the table 'cells' is made by '--by cell=SIZE', for example '--by cell=5000'; leave "
                 "'--table' out");
        return false;
    }
    const char *names[MOST_NAMES];
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    if (n > MOST_NAMES)
        n = MOST_NAMES;
    for (size_t i = 0; i < n; i++)
        names[i] = tables[i]->name;
    tk_message_unknown(message, "there is no table", name, names, n);
    if (!strstr(message, "did you mean")) {
        const size_t used = strlen(message);
        snprintf(message + used, TK_OPT_MESSAGE - used, "; 'trace-stats --list' lists all");
    }
    return false;
}

bool tk_plan_check_tables(const struct tk_opt_list *names, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < names->n; i++)
        if (!tk_table_find(names->v[i]))
            return unknown_table(names->v[i], message);
    return true;
}

static bool check_column(const struct tk_table *table, const char *name, char message[TK_OPT_MESSAGE])
{
    const char *names[MOST_NAMES];
    size_t n = 0;
    if (tk_table_column(table, name) >= 0)
        return true;
    for (; n < table->n_columns && n < MOST_NAMES; n++)
        names[n] = table->columns[n].name;
    return tk_message_no_column(message, table->name, name, names, n);
}

static bool choose_tables(const struct tk_plan *plan, struct tk_query *query, char message[TK_OPT_MESSAGE])
{
    static const char *const usual[] = {"timers"};
    const struct tk_plan_args *args = plan->args;
    query->tables = args->tables.n ? (const char *const *)args->tables.v : usual;
    query->n_tables = args->tables.n ? args->tables.n : 1;
    for (size_t i = 0; i < query->n_tables; i++)
        if (!tk_table_find(query->tables[i]))
            return unknown_table(query->tables[i], message);
    if (args->columns.n && query->n_tables > 1) {
        snprintf(message, TK_OPT_MESSAGE, "option '--columns' is for a single table");
        return false;
    }
    return true;
}

static bool parse_sort(struct tk_plan *plan, const struct tk_query *query, char message[TK_OPT_MESSAGE])
{
    const char *text = plan->args->sort;
    if (!text)
        return true;
    size_t n = strcspn(text, ":");
    char *column = malloc(n + 1);
    if (!column)
        return false;
    memcpy(column, text, n);
    column[n] = 0;
    plan->sort = column;
    plan->ascending = strcmp(text + n, ":asc") == 0;
    if (text[n] && !plan->ascending && strcmp(text + n, ":desc") != 0) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--sort' takes COLUMN, COLUMN:asc or COLUMN:desc, not '%.60s'", text);
        return false;
    }
    for (size_t i = 0; i < query->n_tables; i++)
        if (!check_column(tk_table_find(query->tables[i]), column, message))
            return false;
    return true;
}

/* Of these a row is not what is counted: a hitch has several. */
static bool is_of_hitches(const char *table)
{
    return strcmp(table, "hitches") == 0 || strcmp(table, "hitch_events") == 0;
}

/* The column by which a table is sorted, or NULL. */
static const char *sort_of(const struct tk_plan *plan, const char *table)
{
    if (plan->sort)
        return plan->sort;
    return plan->people || plan->args->top ? tk_table_find(table)->sort_by : NULL;
}

static bool is_usual(const struct tk_column *column, unsigned by, bool people)
{
    bool displayed = !(column->flags & TK_COL_EXTRA) || (people && column->flags & TK_COL_HUMAN_ONLY);
    return displayed && (!(column->flags & TK_COL_GROUP) || (by & TK_BY_THREAD));
}

/* What is requested by name, or what is usual. */
static void list_columns(struct tk_plan *plan, const struct tk_table *table, struct tk_query *query)
{
    const struct tk_opt_list *requested = &plan->args->columns;
    for (size_t i = 0; i < requested->n; i++)
        plan->columns[query->n_columns++] = requested->v[i];
    for (uint32_t i = 0; requested->n == 0 && i < table->n_columns; i++)
        if (is_usual(&table->columns[i], query->by, plan->people))
            plan->columns[query->n_columns++] = table->columns[i].name;
}

static bool is_listed(const struct tk_plan *plan, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(plan->columns[i], name) == 0)
            return true;
    return false;
}

/* Is some table sorted by a column that is not there unasked? */
static bool sorts_by_extra(const struct tk_plan *plan, const struct tk_query *query)
{
    for (size_t i = 0; plan->sort && i < query->n_tables; i++) {
        const struct tk_table *table = tk_table_find(query->tables[i]);
        if (table->columns[tk_table_column(table, plan->sort)].flags & TK_COL_EXTRA)
            return true;
    }
    return false;
}

/* The columns of the only table; that to sort by is added and not displayed where nobody requested to see it.
 */
static bool choose_columns(struct tk_plan *plan, struct tk_query *query, char message[TK_OPT_MESSAGE])
{
    const struct tk_opt_list *requested = &plan->args->columns;
    const struct tk_table *table = tk_table_find(query->tables[0]);
    const char *sort = sort_of(plan, query->tables[0]);
    if (query->n_tables > 1 || (table->flags & TK_TABLE_VARIES && requested->n == 0)) {
        /* also where they are only there to sort by: see tk_column_filter */
        query->by |= plan->people || plan->args->top ? TK_BY_HUMAN : 0;
        query->by |= sorts_by_extra(plan, query) ? TK_BY_EXTRA : 0;
        return true;
    }
    for (size_t i = 0; i < requested->n; i++)
        if (!check_column(table, requested->v[i], message))
            return false;
    plan->columns = calloc(requested->n + table->n_columns + 1, sizeof *plan->columns);
    if (!plan->columns)
        return false;
    list_columns(plan, table, query);
    if (sort && !is_listed(plan, query->n_columns, sort))
        plan->hidden = plan->columns[query->n_columns++] = sort;
    if (requested->n || plan->hidden || plan->people)
        query->columns = plan->columns;
    else
        query->n_columns = 0;
    return true;
}

/* Hitches are counted by who finds them, the worst first, unless their rows are sorted. */
static void count_hitches(const struct tk_plan *plan, struct tk_query *query)
{
    bool any = false;
    for (size_t i = 0; i < query->n_tables; i++)
        any |= is_of_hitches(query->tables[i]);
    query->worst_first = any && plan->people;
    query->top_hitches = any && !plan->sort ? plan->args->top : 0;
}

bool tk_plan_init(struct tk_plan *plan, const struct tk_plan_args *args, bool people, struct tk_query *query,
                  char message[TK_OPT_MESSAGE])
{
    *plan = (struct tk_plan){.args = args, .people = people};
    message[0] = 0; /* out of memory */
    if (!choose_tables(plan, query, message) || !parse_sort(plan, query, message) ||
        !choose_columns(plan, query, message))
        return false;
    count_hitches(plan, query);
    plan->by = query->by;
    return true;
}

bool tk_plan_keeps(const struct tk_plan *plan, const struct tk_query *query)
{
    bool keeps = plan->args->top > 0;
    for (size_t i = 0; i < query->n_tables; i++)
        keeps = keeps || sort_of(plan, query->tables[i]) || (plan->people && is_of_hitches(query->tables[i]));
    return keeps;
}

/* Tables with several rows of each thread, region and the like, and the columns that identify it. */
static const struct grouped {
    const char *table;
    unsigned by;
    const char *columns[2];
} grouped[] = {
    {"timers", TK_BY_THREAD, {"thread_id", "thread"}},
    {"groups", TK_BY_CLASS | TK_BY_REGION | TK_BY_FRAME_TYPE, {"group", "number"}},
};

/* Keeps the first rows of each group, or of the table where it has none or --sort is given. */
static int cut(const struct tk_plan *plan, struct tk_result *result, size_t table, size_t top,
               struct tk_err *err)
{
    const struct tk_table *of = tk_result_table(result, table, NULL);
    const char *columns[2];
    size_t n = 0;
    for (size_t i = 0; !plan->sort && i < sizeof grouped / sizeof *grouped; i++)
        for (size_t k = 0; plan->by & grouped[i].by && strcmp(grouped[i].table, of->name) == 0 && k < 2; k++)
            if (tk_table_column(of, grouped[i].columns[k]) >= 0)
                columns[n++] = grouped[i].columns[k];
    if (n)
        return tk_result_group(result, table, columns, n, top, err);
    tk_result_top(result, table, top);
    return TK_OK;
}

int tk_plan_apply(const struct tk_plan *plan, struct tk_result *result, struct tk_err *err)
{
    for (size_t i = 0; i < tk_result_count(result); i++) {
        const char *name = tk_result_table(result, i, NULL)->name, *sort = sort_of(plan, name);
        const uint64_t top = plan->sort || !is_of_hitches(name) ? plan->args->top : 0;
        int rc = sort ? tk_result_sort(result, i, sort, !plan->ascending, err) : TK_OK;
        if (rc >= 0)
            rc = cut(plan, result, i, top && top < SIZE_MAX ? (size_t)top : SIZE_MAX, err);
        if (rc < 0)
            return rc;
    }
    return TK_OK;
}

void tk_plan_release(struct tk_plan *plan)
{
    free((void *)(uintptr_t)plan->sort);
    free(plan->columns);
    *plan = (struct tk_plan){0};
}
