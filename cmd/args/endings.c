/*
 * Endings: which formats the name of an output requests.
 */
#include "args/endings.h"

#include "args/select.h"
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

/*
 */

/* Readers disagree about characters beyond these in names of folders.
 */

static char allowed(char c)
{
    static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return c && strchr(set, c) ? c : '_';
}

void tk_partition_name(const char *path, char *name, size_t capacity)
{
    const char *base = strcmp(path, "-") == 0 ? "stdin" : tk_host_base_name(path);
    const size_t n = tk_host_stem(base);
    size_t to = 0;
    for (; to < n && to + 1 < capacity; to++)
        name[to] = allowed(base[to]);
    name[to] = 0;
}

/*
 * Memory: moments and windows.
 */

#define MEMORY_AT(member) offsetof(struct tk_memory_args, member)

const struct tk_opt tk_memory_options[TK_MEMORY_COUNT] = {
    {0, "at", TK_OPT_TEXT, MEMORY_AT(at), "TIME",
     "memory: show what is alive at this time (default: at the end)"},
    {0, "alloc-window", TK_OPT_WORDS, MEMORY_AT(window), "A,B[,C]",
     "memory: only what was allocated from A up to B (exclusive) and is alive at C (default: at the end)"},
    {0, "allocators", TK_OPT_TEXT, MEMORY_AT(allocators), "FILE",
     "memory: file with patterns of allocator functions, one per line, instead of the built-in ones"},
};

static bool wrong_time(const char *option, const char *value, char message[TK_OPT_MESSAGE])
{
    snprintf(message, TK_OPT_MESSAGE, "option '%s': '%.100s' is not a time (like 1.5s, 20ms, 7us)", option,
             value);
    return false;
}

static bool fill_window(struct tk_memory_query *out, const struct tk_opt_list *window,
                        char message[TK_OPT_MESSAGE])
{
    int64_t first[3] = {0, 0, 0}, last[3] = {0, 0, out->at_ns};
    if (window->n != 2 && window->n != 3) {
        snprintf(message, TK_OPT_MESSAGE, "option '--alloc-window' takes two or three times, A,B or A,B,C");
        return false;
    }
    for (size_t i = 0; i < window->n; i++)
        if (!tk_select_displayed(window->v[i], &first[i], &last[i]))
            return wrong_time("--alloc-window", window->v[i], message);
    out->from_ns = first[0];
    out->to_ns = first[1];
    out->at_ns = last[2];
    out->has_window = true;
    out->has_at = out->has_at || window->n == 3;
    if (out->from_ns < out->to_ns)
        return true;
    snprintf(message, TK_OPT_MESSAGE, "option '--alloc-window': nothing lies between '%.80s' and '%.80s'",
             window->v[0], window->v[1]);
    return false;
}

bool tk_memory_fill(struct tk_query *query, const struct tk_memory_args *args, char message[TK_OPT_MESSAGE])
{
    struct tk_memory_query *out = &query->memory;
    *out = (struct tk_memory_query){.has_at = args->at};
    if (args->allocators && !tk_opt_patterns(args->allocators, &query->allocators, message))
        return false;
    if (args->at && args->window.n == 3) {
        snprintf(message, TK_OPT_MESSAGE,
                 "option '--at' and the third time of '--alloc-window' say the same");
        return false;
    }
    int64_t first;
    if (args->at && !tk_select_displayed(args->at, &first, &out->at_ns))
        return wrong_time("--at", args->at, message);
    return args->window.n == 0 || fill_window(out, &args->window, message);
}

#define CSV      "csv tsv"
#define COLUMNAR "parquet arrow arrows"
#define ROWS     "csv tsv ndjson " COLUMNAR
#define TRACY    "tracy"

/* Names of formats and presets. `tracy` stands for the presets of its versions, too. */
static const struct {
    const char *option, *of, *what;
} fits[] = {
    {"table", ROWS " sqlite summarize insights tracy", "formats with tables"},
    {"where", ROWS " sqlite", "formats with tables"},
    {"counter", "insights", "the preset 'insights'"},
    {"top", "insights", "the preset 'insights'"},
    {"clip", ROWS " sqlite chrome perfetto speedscope folded flamegraph pprof",
     "scopes in tables, timelines and stacks"},
    {"sort", ROWS " sqlite chrome perfetto speedscope folded flamegraph pprof", "tables"},
    {"unit", ROWS, "csv, tsv, ndjson, parquet and arrow"},
    {"compress", COLUMNAR, "parquet and arrow"},
    {"partition", COLUMNAR, "parquet and arrow"},
    {"self", TRACY, "the preset 'tracy'"},
    {"unwrap", TRACY, "the preset 'tracy'"},
    {"filter", TRACY, "the preset 'tracy'"},
    {"match-case", TRACY, "the preset 'tracy'"},
    {"separator", TRACY, "the preset 'tracy'"},
    {"truncated-mean", TRACY, "the preset 'tracy'"},
    {"raw-quoting", TRACY, "the preset 'tracy'"},
    {"split", "chrome", "the format 'chrome'"},
    {"empty", CSV, "csv and tsv"},
    {"no-header", CSV, "csv and tsv"},
    {"eol", CSV, "csv and tsv"},
    {"bom", CSV, "csv and tsv"},
    {"guard", CSV, "csv and tsv"},
    {"args", "chrome perfetto", "the formats 'chrome' and 'perfetto'"},
    {"per-thread", "folded flamegraph pprof", "the formats 'folded', 'flamegraph' and 'pprof'"},
    {"weight", "folded flamegraph pprof", "the formats 'folded', 'flamegraph' and 'pprof'"},
    {"sql-index", "sqlite", "the format 'sqlite'"},
    {"append", "sqlite", "the format 'sqlite'"},
    {"strip-paths", "tksym", "the format 'tksym'"},
    {"run-info", "sqlite", "the format 'sqlite'"},
};

/* Is it one of the words? */
static bool is_of(const char *name, size_t n, const char *words)
{
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length == n && memcmp(at, name, n) == 0)
            return true;
        at += length;
    }
    return false;
}

bool tk_export_fit(const struct tk_opt_set *set, const char *format, const char *preset,
                   char message[TK_OPT_MESSAGE])
{
    const char *name = preset ? preset : format;
    const size_t n = preset ? strcspn(name, "-") : strlen(name);
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        if (!is_of(name, n, fits[i].of) && tk_opt_is_set(set, fits[i].option)) {
            snprintf(message, TK_OPT_MESSAGE, "option '--%s' is for %s", fits[i].option, fits[i].what);
            return false;
        }
    return true;
}
