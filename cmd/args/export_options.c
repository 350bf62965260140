/*
 */
#include "args/export_options.h"

#include "args/select.h"
#include "terminal/host.h"

#include <string.h>

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

#define AT(member) offsetof(struct tk_memory_args, member)

const struct tk_opt tk_memory_options[TK_MEMORY_COUNT] = {
    {0, "at", TK_OPT_TEXT, AT(at), "TIME", "memory: show what is alive at this time (default: at the end)"},
    {0, "alloc-window", TK_OPT_WORDS, AT(window), "A,B[,C]",
     "memory: only what was allocated from A up to B (exclusive) and is alive at C (default: at the end)"},
    {0, "allocators", TK_OPT_TEXT, AT(allocators), "FILE",
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

#define CSV     "csv tsv"
#define COLUMNS "parquet arrow arrows"
#define ROWS    "csv tsv ndjson " COLUMNS
#define TRACY   "tracy"

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
    {"compress", COLUMNS, "parquet and arrow"},
    {"partition", COLUMNS, "parquet and arrow"},
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
