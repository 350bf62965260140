/*
 * Endings: which formats the name of an output asks for. See endings.h.
 */
#include "args/endings.h"

#include "terminal/host.h"

#include <string.h>

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

/* The length of a path without what tells how it is compressed. */
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
