/*
 * Options: the help text and the list of names, from the same tables as parsing.
 */
#include "opt.h"

#include <string.h>

#define HELP_COLUMN 28
#define HELP_WIDTH  96

/* "  -o, --output FILE"; returns its length. */
static int put_name(const struct tk_opt *o, FILE *to)
{
    const char *join = o->kind == TK_OPT_FLAG || o->kind == TK_OPT_REST ? ""
                       : o->kind == TK_OPT_MAYBE                        ? "[="
                                                                        : " ";
    const char *value = o->kind == TK_OPT_FLAG || o->kind == TK_OPT_REST ? "" : o->value;
    const char *close = o->kind == TK_OPT_MAYBE ? "]" : "";
    char brief[8] = "    ";
    if (o->brief)
        snprintf(brief, sizeof brief, "-%c, ", o->brief);
    return fprintf(to, "  %s--%s%s%s%s", brief, o->name, join, value, close);
}

/* Breaks the text between words. */
static void put_help(const char *help, int column, FILE *to)
{
    if (column >= HELP_COLUMN) {
        fputc('\n', to);
        column = 0;
    }
    while (*help) {
        size_t n = strcspn(help, " ");
        if (column > HELP_COLUMN && column + 1 + (int)n > HELP_WIDTH) {
            fputc('\n', to);
            column = 0;
        }
        if (column < HELP_COLUMN)
            fprintf(to, "%*s", HELP_COLUMN - column, "");
        else
            fputc(' ', to);
        column = (column < HELP_COLUMN ? HELP_COLUMN : column + 1) + (int)n;
        fprintf(to, "%.*s", (int)n, help);
        help += n + (help[n] == ' ');
    }
    fputc('\n', to);
}

void tk_opt_help(const struct tk_opt_set *set, FILE *to)
{
    for (size_t g = 0; g < set->n_groups; g++) {
        const struct tk_opt_group *group = &set->groups[g];
        fprintf(to, "\n%s:\n", group->title);
        for (size_t i = 0; i < group->n; i++)
            if (group->options[i].help)
                put_help(group->options[i].help, put_name(&group->options[i], to), to);
    }
}

void tk_opt_print_names(const struct tk_opt_set *set, FILE *to)
{
    for (size_t g = 0; g < set->n_groups; g++) {
        for (size_t i = 0; i < set->groups[g].n; i++) {
            const struct tk_opt *o = &set->groups[g].options[i];
            if (!o->help)
                continue;
            fprintf(to, "--%s%s\n", o->name, o->kind == TK_OPT_FLAG || o->kind == TK_OPT_REST ? "" : "=");
            if (o->brief)
                fprintf(to, "-%c\n", o->brief);
        }
    }
}
