/*
 * Options: the help text and the list of names, from the same tables as parsing.
 */
#include "args/opt.h"
#include "terminal/host.h"

#include <string.h>

#define HELP_COLUMN 28
#define WIDEST      96
#define NARROWEST   60

/* "  -o, --output FILE"; returns its length. */
static int put_name_opt_help(const struct tk_opt *o, FILE *to)
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

/* Columns of a line: those of the terminal, where that is neither too narrow nor wider than one reads well.
 */
static int line_width(FILE *to)
{
    const unsigned width = tk_host_width(to);
    return width == 0 || width > WIDEST ? WIDEST : width < NARROWEST ? NARROWEST : (int)width;
}

void tk_opt_put_words(const char *text, int column, int indent, FILE *to)
{
    const int width = line_width(to);
    for (int words = 0; *text; words++) {
        const int n = (int)strcspn(text, " ");
        if (words && column + 1 + n > width) {
            fputc('\n', to);
            column = words = 0;
        }
        const int gap = column < indent ? indent - column : words > 0;
        fprintf(to, "%*s%.*s", gap, "", n, text);
        column += gap + n;
        text += n + (text[n] == ' ');
    }
    fputc('\n', to);
}

static void put_help(const char *help, int column, FILE *to)
{
    if (column >= HELP_COLUMN) {
        fputc('\n', to);
        column = 0;
    }
    tk_opt_put_words(help, column, HELP_COLUMN, to);
}

void tk_opt_help(const struct tk_opt_set *set, FILE *to)
{
    for (size_t g = 0; g < set->n_groups; g++) {
        const struct tk_opt_group *group = &set->groups[g];
        fprintf(to, "\n%s:\n", group->title);
        for (size_t i = 0; i < group->n; i++)
            if (group->options[i].help)
                put_help(group->options[i].help, put_name_opt_help(&group->options[i], to), to);
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
