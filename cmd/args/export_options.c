/*
 * See export_options.h.
 */
#include "args/export_options.h"

#include <string.h>

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
