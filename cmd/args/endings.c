/*
 * Endings: which formats the name of an output requests.
 */
#include "args/endings.h"

#include "terminal/host.h"

#include <string.h>

static bool is_one_of(const char *path, const struct tk_opt_list *operands)
{
    for (size_t i = 0; operands && i < operands->n; i++)
        if (tk_host_same_file(path, operands->v[i]))
            return true;
    return false;
}

const char *tk_overwrite_find(const struct tk_opt_set *set, const struct tk_opt_list *operands)
{
    static const char *const names[] = {"output", "write-budget"};
    const struct tk_opt_list *more = tk_opt_listed(set, "vs"), *reports = tk_opt_listed(set, "report");
    const char *path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((path = tk_opt_given(set, names[i])) && (is_one_of(path, operands) || is_one_of(path, more)))
            return path;
    for (size_t i = 0; reports && i < reports->n; i++) /* KIND or KIND=FILE */
        if ((path = strchr(reports->v[i], '=')) &&
            (is_one_of(path + 1, operands) || is_one_of(path + 1, more)))
            return path + 1;
    return NULL;
}

const char *tk_overwrite_twice(const struct tk_opt_set *set)
{
    const char *output = tk_opt_given(set, "output"), *index = tk_opt_given(set, "index");
    return output && index && (strcmp(output, index) == 0 || tk_host_same_file(output, index)) ? index : NULL;
}

/*
 * Options for texts.
 */

#define AT(member) offsetof(struct tk_text_args, member)

const struct tk_opt tk_text_options[TK_TEXT_COUNT] = {
    {0, "anonymise", TK_OPT_MAYBE, AT(anonymise), "CLASS,...",
     "replace texts by pseudonyms: users, addresses, paths, commands, project, logs, assets, objects, "
     "functions, "
     "names, pictures, sources, timers, all; without a value all but timers"},
    {0, "keep-text", TK_OPT_LIST, AT(keep_text), "GLOB", "leave these texts as they are; may be repeated"},
    {0, "key", TK_OPT_TEXT, AT(key), "FILE",
     "derive pseudonyms from this key, so that a text always gets the same pseudonym (default: a random "
     "key)"},
};

#define COLUMNS                                                                                              \
    {"parquet", "parquet", NULL}, {"arrow", "arrow", NULL}, {"feather", "arrow", NULL},                      \
    {                                                                                                        \
        "arrows", "arrows", NULL                                                                             \
    }

#define OTHER_FILES                                                                                          \
    {"html", NULL, NULL}, {"svg", NULL, NULL}, {"png", NULL, NULL}, {"pdf", NULL, NULL},                     \
        {"zip", NULL, NULL}, {"7z", NULL, NULL}, {"xz", NULL, NULL}, {"bz2", NULL, NULL},                    \
        {"xlsx", NULL, NULL}, COLUMNS,                                                                       \
    {                                                                                                        \
        NULL, NULL, NULL                                                                                     \
    }

const struct tk_ending tk_endings_of_tables[] = {{"csv", "csv", NULL},
                                                 {"tsv", "tsv", NULL},
                                                 {"json", "json", "ndjson"},
                                                 {"ndjson", "ndjson", NULL},
                                                 {"jsonl", "ndjson", NULL},
                                                 {"md", "markdown", NULL},
                                                 {"txt", "table", "text"},
                                                 {"db", NULL, NULL},
                                                 {"sqlite", NULL, NULL},
                                                 {"pftrace", NULL, NULL},
                                                 OTHER_FILES};

const struct tk_ending tk_endings_of_exports[] = {{"csv", "csv", NULL},
                                                  {"tsv", "tsv", NULL},
                                                  {"ndjson", "ndjson", NULL},
                                                  {"jsonl", "ndjson", NULL},
                                                  {"db", "sqlite", NULL},
                                                  {"sqlite", "sqlite", NULL},
                                                  {"sqlite3", "sqlite", NULL},
                                                  {"speedscope.json", "speedscope", NULL},
                                                  {"json", "chrome", "speedscope ndjson"},
                                                  {"pftrace", "perfetto", NULL},
                                                  {"perfetto-trace", "perfetto", NULL},
                                                  {"folded", "folded", NULL},
                                                  {"collapsed", "folded", NULL},
                                                  {"svg", "flamegraph", NULL},
                                                  {"pprof", "pprof", NULL},
                                                  {"tksym", "tksym", NULL},
                                                  {"pb", "pprof", "perfetto"},
                                                  {"md", NULL, NULL},
                                                  OTHER_FILES};

/* Does the path end so, behind a dot and at least one other character? */
static bool ends_so(const char *path, size_t n, const char *ending)
{
    const size_t m = strlen(ending);
    return n > m + 1 && path[n - m - 1] == '.' && tk_host_base_name(path) != path + n - m - 1 &&
           memcmp(path + n - m, ending, m) == 0;
}

/* The length of a path without what says how it is compressed. */
static size_t uncompressed(const char *path)
{
    static const char *const packed[] = {"gz", "zst", "lz4"};
    const size_t n = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (ends_so(path, n, packed[i]))
            return n - strlen(packed[i]) - 1;
    return n;
}

static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (size_t length; *words; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        if (length == n && memcmp(words, word, n) == 0)
            return true;
    }
    return false;
}

static const char *choose_format(const struct tk_ending *found, const char *format, const char *path,
                                 char message[TK_OPT_MESSAGE])
{
    if (!found->format) {
        snprintf(message, TK_OPT_MESSAGE, "'%.100s': no format belongs to files that end in '.%s'%s", path,
                 found->ending,
                 strcmp(found->ending, "html") == 0 ? "; 'trace-report' writes an HTML report" : "");
        return NULL;
    }
    if (!format || strcmp(format, found->format) == 0)
        return found->format;
    if (found->others && has_word(found->others, format))
        return format;
    snprintf(message, TK_OPT_MESSAGE, "the format '%.40s' contradicts '%.100s', which ends in '.%s'", format,
             path, found->ending);
    return NULL;
}

const char *tk_endings_format(const struct tk_ending *endings, const char *format, const char *path,
                              const char *usual, char message[TK_OPT_MESSAGE])
{
    const size_t n = path ? uncompressed(path) : 0;
    message[0] = 0;
    for (; n && endings->ending; endings++)
        if (ends_so(path, n, endings->ending))
            return choose_format(endings, format, path, message);
    return format ? format : usual;
}
