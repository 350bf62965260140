/*
 * Describe: lines for generators.
 */
#include "args/table_plan.h"
#include "args/words.h"
#include "cmd_in.h"
#include "tracekit/exports.h"
#include "tracekit/runs.h"
#include "tracekit/trends.h"

#include <string.h>

/* Which options take which words. Without a command: wherever the option is. */
static const struct {
    const char *command, *option, *values;
} takes[] = {
    {"trend", "format", "trend-reports"},
    {"trend", "report", "trend-reports"},
    {"trend", "order", "run-orders"},
    {"export", "format", "exports"},
    {"record", "format", "live-formats"},
    {"control", "format", "live-formats"},
    {NULL, "format", "formats"},
    {"export", "preset", "presets"},
    {"diff", "preset", "pair-presets"},
    {"diff", "table", "pair-tables"},
    {"export", "table", "export-tables"},
    {NULL, "table", "tables"},
    {"events", "columns", "event-columns"},
    {NULL, "columns", "columns"},
    {"export", "sort", "orders-of-scopes"},
    {NULL, "sort", "columns"},
    {"stats", "by", "groupings"},
    {NULL, "color", "colours"},
    {"query", "unit", "units-of-sql"},
    {NULL, "unit", "units"},
    {NULL, "order", "orders"},
    {"check", "report", "budget-reports"},
    {NULL, "report", "reports"},
    {NULL, "eol", "eols"},
    {NULL, "args", "args"},
    {NULL, "weight", "weights"},
    {NULL, "limit", "limits"},
    {NULL, "output", "file"},
    {"control", "of", "file"},
    {NULL, "save", "file"},
    {"record", "resume", "file"},
    {NULL, "noise", "file"},
    {"check", "baseline", "file"},
    {"report", "budget", ""},
    {NULL, "budget", "file"},
    {NULL, "write-budget", "file"},
    {NULL, "work", "file"},
    {NULL, "metric", "file"},
    {NULL, "owners", "file"},
    {NULL, "map", "file"},
    {NULL, "accepted", "file"},
    {NULL, "symbols", "file"},
    {NULL, "allocators", "file"},
    {NULL, "key", "file"},
    {NULL, "anonymise", "classes"},
    {"query", "sql", "file"},
    {"query", "ask", "questions"},
};

static const char *values_of(const struct tk_command *c, const struct tk_opt *o)
{
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++)
        if (strcmp(takes[i].option, o->name) == 0 &&
            (!takes[i].command || strcmp(takes[i].command, c->name) == 0))
            return takes[i].values;
    return "";
}

static void put_option(const struct tk_command *c, const struct tk_opt *o, FILE *to)
{
    const bool bare = o->kind == TK_OPT_FLAG || o->kind == TK_OPT_REST;
    fprintf(to, "option\t%.*s\t%s\t%s\t%s\t%s\t%s\t%s\n", o->brief ? 1 : 0, &o->brief, o->name,
            bare ? "" : o->value, o->kind == TK_OPT_MAYBE ? "may" : "",
            o->kind == TK_OPT_WORDS ? "words" : "", bare ? "" : values_of(c, o), o->help);
}

static void put_help(const char *help, FILE *to)
{
    while (help && *help) {
        const size_t n = strcspn(help, "\n");
        fprintf(to, "help\t%.*s\n", (int)n, help);
        help += n + (help[n] == '\n');
    }
}

static void put_command(const struct tk_command *c, FILE *to)
{
    fprintf(to, "command\t%s\t%s\t%s\n", c->name, c->operands, c->summary);
    put_help(c->help, to);
    for (size_t g = 0; g < c->n_groups; g++) {
        const struct tk_opt_group *group = &c->groups[g];
        if (!group->title)
            continue;
        fprintf(to, "group\t%s\n", group->title);
        for (size_t i = 0; i < group->n; i++)
            if (group->options[i].help)
                put_option(c, &group->options[i], to);
    }
}

/* ---- words ---- */

static void put_names(const char *list, const char *const *names, FILE *to)
{
    fprintf(to, "words\t%s", list);
    for (; *names; names++)
        fprintf(to, "\t%s", *names);
    fputc('\n', to);
}

static void put_columns(const struct tk_table *table, FILE *to)
{
    for (uint32_t i = 0; i < table->n_columns; i++)
        fprintf(to, "column\t%s\t%s\t%s\n", table->name, table->columns[i].name,
                table->columns[i].help ? table->columns[i].help : "");
}

static void put_tables(FILE *to)
{
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "table\t%s\t%s\n", tables[i]->name, tables[i]->help ? tables[i]->help : "");
        put_columns(tables[i], to);
    }
}

static void put_exports(FILE *to)
{
    for (const struct tk_export_format *f = tk_export_formats(); f->name; f++)
        fprintf(to, "export\t%s\t%s\n", f->name, f->help);
    for (const struct tk_export_preset *const *p = tk_export_presets(); *p; p++) {
        char list[64];
        fprintf(to, "preset\t%s\t%s\n", (*p)->name, (*p)->help);
        snprintf(list, sizeof list, "preset-%s", (*p)->name);
        put_names(list, (*p)->tables, to);
    }
}

static void put_limits(FILE *to)
{
    for (size_t i = 0; i < tk_limit_count(); i++) {
        const char *name, *help;
        uint64_t value;
        tk_limit_describe(i, &name, &value, &help);
        fprintf(to, "limit\t%s\t%llu\t%s\n", name, (unsigned long long)value, help);
    }
}

static void put_questions(FILE *to)
{
    const struct tk_sql_question_text *question;
    fputs("words\tquestions", to);
    for (size_t i = 0; (question = tk_sql_question(i)); i++)
        fprintf(to, "\t%s", question->name);
    fputc('\n', to);
}

static void put_outcomes(FILE *to)
{
    const struct tk_outcome *o;
    for (size_t i = 0; (o = tk_outcome_at(i)); i++)
        fprintf(to, "outcome\t%s\t%d\t%d\t%s\t%s\t%s\t%s\n", o->name, o->status, o->strict,
                o->option ? o->option : "", o->commands, o->when, o->advice);
}

void tk_describe(const struct tk_command *const *commands, size_t n, FILE *to)
{
    for (size_t i = 0; i < n; i++)
        put_command(commands[i], to);
    for (const struct tk_word_list *list = tk_word_lists; list->name; list++)
        put_names(list->name, list->words, to);
    put_names("groupings", tk_by_words(), to);
    put_names("formats", tk_writer_formats(), to);
    put_names("reports", tk_comparison_reports(), to);
    put_names("budget-reports", tk_budgets_reports(), to);
    put_names("trend-reports", tk_trend_reports(), to);
    put_questions(to);
    put_exports(to);
    put_tables(to);
    put_limits(to);
    put_outcomes(to);
}
