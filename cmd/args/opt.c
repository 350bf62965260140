/*
 * Options: parsing.
 */
#include "args/opt.h"

#include "terminal/host.h"
#include "tracekit/captures.h"
#include "tracekit/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Options: the help text and the list of names, from the same tables as parsing.
 */

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
        if (group->title)
            fprintf(to, "\n%s:\n", group->title);
        for (size_t i = 0; i < group->n && group->title; i++)
            if (group->options[i].help)
                put_help(group->options[i].help, put_name_opt_help(&group->options[i], to), to);
    }
}

void tk_opt_print_names(const struct tk_opt_set *set, FILE *to)
{
    for (size_t g = 0; g < set->n_groups; g++) {
        for (size_t i = 0; i < set->groups[g].n && set->groups[g].title; i++) {
            const struct tk_opt *o = &set->groups[g].options[i];
            if (!o->help)
                continue;
            fprintf(to, "--%s%s\n", o->name, o->kind == TK_OPT_FLAG || o->kind == TK_OPT_REST ? "" : "=");
            if (o->brief)
                fprintf(to, "-%c\n", o->brief);
        }
    }
}

struct parse {
    const struct tk_opt_set *set;
    int argc, at;
    char **argv;
    struct tk_opt_list *operands;
    const struct tk_opt *rest; /* whose these operands are; NULL: those of the command */
    char *message;
};

/* An option that was found, and where its group's struct is. */
struct found {
    const struct tk_opt *opt;
    char *base;
};

static bool out_of_memory(struct parse *p)
{
    p->message[0] = 0;
    return false;
}

/* Digits alone, of a number that there is space for. */
static bool read_number(const char *text, uint64_t *out)
{
    const char *p = text;
    for (*out = 0; *p >= '0' && *p <= '9'; p++) {
        const unsigned digit = (unsigned)(*p - '0');
        if (*out > (UINT64_MAX - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    return p != text && !*p;
}

static bool set_number(struct parse *p, const struct tk_opt *o, void *to, const char *value)
{
    uint64_t v;
    if (!read_number(value, &v)) {
        snprintf(p->message, TK_OPT_MESSAGE, "option '--%s' needs a number, not '%.100s'", o->name, value);
        return false;
    }
    *(uint64_t *)to = v;
    return true;
}

static bool set_words(struct parse *p, struct tk_opt_list *list, const char *value)
{
    for (;;) {
        size_t n = strcspn(value, ",");
        if (n && !tk_opt_list_add(list, value, n))
            return out_of_memory(p);
        if (value[n] == 0)
            return true;
        value += n + 1;
    }
}

static bool set_value(struct parse *p, const struct found *f, const char *value)
{
    void *to = f->base + f->opt->at;
    switch (f->opt->kind) {
    case TK_OPT_FLAG:
        *(bool *)to = true;
        return true;
    case TK_OPT_NUMBER:
        return set_number(p, f->opt, to, value);
    case TK_OPT_LIST:
        return tk_opt_list_add(to, value, strlen(value)) || out_of_memory(p);
    case TK_OPT_WORDS:
        return set_words(p, to, value);
    case TK_OPT_REST:
        p->operands = to;
        p->rest = f->opt;
        return true;
    default:
        *(const char **)to = value;
        return true;
    }
}

static bool is_name(const struct tk_opt *o, const char *name, size_t n)
{
    return strlen(o->name) == n && memcmp(o->name, name, n) == 0;
}

/* By long name, or by short one where name is NULL; in groups that repeat others, or in these. */
static struct found find_among(const struct tk_opt_set *set, const char *name, size_t n, char brief,
                               bool repeated)
{
    for (size_t g = 0; g < set->n_groups; g++) {
        const struct tk_opt_group *group = &set->groups[g];
        for (size_t i = 0; i < group->n && !group->title == repeated; i++) {
            const struct tk_opt *o = &group->options[i];
            if (name ? is_name(o, name, n) : o->brief == brief)
                return (struct found){o, (char *)set->args + group->at};
        }
    }
    return (struct found){NULL, NULL};
}

static struct found find_opt(const struct tk_opt_set *set, const char *name, size_t n, char brief)
{
    return find_among(set, name, n, brief, false);
}

/* The one that counts where the parser is. */
static struct found find_here(const struct parse *p, const char *name, size_t n, char brief)
{
    const struct found repeated =
        p->rest ? find_among(p->set, name, n, brief, true) : (struct found){NULL, NULL};
    return repeated.opt ? repeated : find_opt(p->set, name, n, brief);
}

static const char *nearest(const struct parse *p, const char *wanted)
{
    const char *names[128];
    size_t n = 0;
    for (size_t g = 0; g < p->set->n_groups; g++)
        for (size_t i = 0; i < p->set->groups[g].n && n < sizeof names / sizeof *names; i++)
            if (p->set->groups[g].options[i].help)
                names[n++] = p->set->groups[g].options[i].name;
    return tk_nearest(wanted, names, n);
}

/* The table of a name, '-' standing for '_', where the command has tables; else NULL. */
static const char *table_of(const struct parse *p, const char *wanted)
{
    char name[64];
    snprintf(name, sizeof name, "%s", wanted);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    const struct tk_table *table = find_opt(p->set, "table", 5, 0).opt ? tk_table_find(name) : NULL;
    return table ? table->name : NULL;
}

static bool unknown_name(struct parse *p, const char *name, size_t n)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(n < 63 ? n : 63), name);
    const char *near = nearest(p, wanted);
    const char *table = near ? NULL : table_of(p, wanted);
    snprintf(p->message, TK_OPT_MESSAGE, "unknown option '--%s'%s%s%s", wanted,
             near    ? "; did you mean '--"
             : table ? "; did you mean '-t "
                     : "",
             near    ? near
             : table ? table
                     : "",
             near || table ? "'?" : "");
    return false;
}

static bool takes_value(const struct tk_opt *o)
{
    return o->kind != TK_OPT_FLAG && o->kind != TK_OPT_MAYBE && o->kind != TK_OPT_REST;
}

/* A word with the name of an option is not taken for a value: that one is forgotten (--name=--word gives it).
 */
static bool is_option(const struct parse *p, const char *word)
{
    return strncmp(word, "--", 2) == 0 && word[2] &&
           find_opt(p->set, word + 2, strcspn(word + 2, "="), 0).opt != NULL;
}

/* The next argument as a value, or NULL and a message. */
static const char *next_value(struct parse *p, const struct tk_opt *o)
{
    if (p->at + 1 < p->argc && !is_option(p, p->argv[p->at + 1]))
        return p->argv[++p->at];
    snprintf(p->message, TK_OPT_MESSAGE, "option '--%s' needs a value (%s)", o->name, o->value);
    return NULL;
}

static bool parse_long(struct parse *p, const char *text)
{
    size_t n = strcspn(text, "=");
    struct found f = find_here(p, text, n, 0);
    const char *value = text[n] ? text + n + 1 : NULL;
    if (!f.opt)
        return unknown_name(p, text, n);
    if (value && (f.opt->kind == TK_OPT_FLAG || f.opt->kind == TK_OPT_REST)) {
        snprintf(p->message, TK_OPT_MESSAGE, "option '--%s' takes no value", f.opt->name);
        return false;
    }
    if (!value && takes_value(f.opt) && !(value = next_value(p, f.opt)))
        return false;
    return set_value(p, &f, value ? value : "");
}

/* A bundle: flags, and at its end perhaps an option whose value is the rest or the next argument. */
static bool parse_short(struct parse *p, const char *text)
{
    for (; *text; text++) {
        struct found f = find_here(p, NULL, 0, *text);
        if (!f.opt) {
            snprintf(p->message, TK_OPT_MESSAGE, "unknown option '-%c'", *text);
            return false;
        }
        if (takes_value(f.opt)) {
            const char *value = text[1] ? text + 1 : next_value(p, f.opt);
            return value && set_value(p, &f, value);
        }
        if (!set_value(p, &f, ""))
            return false;
    }
    return true;
}

static bool has_rest(const struct parse *p)
{
    if (!p->rest || p->operands->n)
        return true;
    snprintf(p->message, TK_OPT_MESSAGE, "option '--%s' needs operands after it", p->rest->name);
    return false;
}

/* "--": what follows are operands, of the option without a name where a command has one. */
static bool end_options(struct parse *p)
{
    const struct found f = find_opt(p->set, "", 0, 0);
    return !f.opt || set_value(p, &f, "");
}

bool tk_opt_parse(const struct tk_opt_set *set, int argc, char **argv, struct tk_opt_list *operands,
                  char message[TK_OPT_MESSAGE])
{
    struct parse p = {.set = set, .argc = argc, .argv = argv, .operands = operands, .message = message};
    bool options = true, good = true;
    for (p.at = 1; p.at < argc && good; p.at++) {
        const char *arg = argv[p.at];
        if (options && strcmp(arg, "--") == 0) {
            options = false;
            good = end_options(&p);
        } else if (options && arg[0] == '-' && arg[1] == '-')
            good = parse_long(&p, arg + 2);
        else if (options && arg[0] == '-' && arg[1])
            good = parse_short(&p, arg + 1);
        else
            good = tk_opt_list_add(p.operands, arg, strlen(arg)) || out_of_memory(&p);
    }
    return good && has_rest(&p);
}

/* Could it be a file that is not there? A number could not. */
static bool is_like_path(const char *word)
{
    return *word == '-' || (strpbrk(word, "./\\:") && !(*word >= '0' && *word <= '9'));
}

bool tk_opt_stray_value(const struct tk_opt_set *set, int argc, char **argv,
                        const struct tk_opt_list *operands, char message[TK_OPT_MESSAGE])
{
    for (int i = 1; i + 1 < argc && operands->n > 1 && strcmp(argv[i], "--") != 0; i++) {
        const char *word = argv[i + 1];
        if (argv[i][0] != '-' || argv[i][1] != '-')
            continue;
        const char *name = argv[i] + 2;
        const struct tk_opt *o = find_opt(set, name, strlen(name), 0).opt;
        if (!o || o->kind != TK_OPT_MAYBE || is_like_path(word) || tk_host_exists(word))
            continue;
        snprintf(message, TK_OPT_MESSAGE,
                 "'%.200s' is not a file; join the value of an option to it: --%s=%.200s", word, name, word);
        return true;
    }
    return false;
}

bool tk_opt_real(const char *name, const char *text, bool zero, double *out, char message[TK_OPT_MESSAGE])
{
    char *end;
    if (!text)
        return true;
    *out = strtod(text, &end);
    if (end != text && *end == 0 && (zero ? *out >= 0 : *out > 0) && *out < 1e6)
        return true;
    snprintf(message, TK_OPT_MESSAGE, "option '--%s' takes a number %s, not '%.60s'", name,
             zero ? "from 0 on" : "above 0", text);
    return false;
}

bool tk_opt_cell(const char *text, double *side, bool *z, char message[TK_OPT_MESSAGE])
{
    static const char by_cell[] = "cell=";
    const bool named = strncmp(text, by_cell, sizeof by_cell - 1) == 0;
    const char *size = named ? text + sizeof by_cell - 1 : text;
    char *end;
    *side = strtod(size, &end);
    *z = strcmp(end, ":z") == 0;
    if (named && end != size && (!*end || *z) && *side > 0 && *side < 1e15)
        return true;
    snprintf(message, TK_OPT_MESSAGE,
             "option '--by': a cell has a side above 0, as in cell=10000 or cell=10000:z, not '%.60s'", text);
    return false;
}

void tk_opt_release(const struct tk_opt_set *set)
{
    for (size_t g = 0; g < set->n_groups; g++) {
        for (size_t i = 0; i < set->groups[g].n; i++) {
            const struct tk_opt *o = &set->groups[g].options[i];
            if (o->kind == TK_OPT_LIST || o->kind == TK_OPT_WORDS || o->kind == TK_OPT_REST)
                tk_opt_list_release((void *)((char *)set->args + set->groups[g].at + o->at));
        }
    }
}

const char *tk_opt_given(const struct tk_opt_set *set, const char *name)
{
    const struct found f = find_opt(set, name, strlen(name), 0);
    return f.opt && f.opt->kind == TK_OPT_TEXT ? *(const char *const *)(f.base + f.opt->at) : NULL;
}

bool tk_opt_is_set(const struct tk_opt_set *set, const char *name)
{
    const struct found f = find_opt(set, name, strlen(name), 0);
    if (!f.opt)
        return false;
    switch (f.opt->kind) {
    case TK_OPT_FLAG:
        return *(const bool *)(f.base + f.opt->at);
    case TK_OPT_NUMBER:
        return *(const uint64_t *)(f.base + f.opt->at) != 0;
    case TK_OPT_LIST:
    case TK_OPT_WORDS:
    case TK_OPT_REST:
        return ((const struct tk_opt_list *)(f.base + f.opt->at))->n != 0;
    default:
        return *(const char *const *)(f.base + f.opt->at) != NULL;
    }
}

const struct tk_opt_list *tk_opt_listed(const struct tk_opt_set *set, const char *name)
{
    const struct found f = find_opt(set, name, strlen(name), 0);
    const bool list = f.opt && (f.opt->kind == TK_OPT_LIST || f.opt->kind == TK_OPT_REST);
    return list ? (const struct tk_opt_list *)(f.base + f.opt->at) : NULL;
}

#define MOST_TEXT (1u << 20)

bool tk_opt_patterns(const char *path, const char **out, char message[TK_OPT_MESSAGE])
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MOST_TEXT + 1) : NULL;
    size_t n = text ? fread(text, 1, MOST_TEXT + 1, file) : 0;
    bool good = text && !ferror(file) && n <= MOST_TEXT;
    if (file)
        fclose(file);
    if (good) {
        text[n] = 0;
        *out = text;
        return true;
    }
    free(text);
    snprintf(message, TK_OPT_MESSAGE, "the patterns of '%.120s' cannot be read", path);
    return false;
}
