/*
 * See export_fit.h.
 */
#include "export_fit.h"

#include <string.h>

enum {
    CSV = 1,
    TSV = 2,
    SQLITE = 4,
    CHROME = 8,
    PERFETTO = 16,
    FOLDED = 32,
    PPROF = 64,
    TRACY = 128,
    OTHERS = 256
};

#define PRESETS (TRACY | OTHERS)

static const struct {
    const char *option, *what;
    unsigned kinds;
} fits[] = {
    {"counter", "presets", PRESETS},
    {"top", "presets", PRESETS},
    {"self", "the preset 'tracy'", TRACY},
    {"unwrap", "the preset 'tracy'", TRACY},
    {"filter", "the preset 'tracy'", TRACY},
    {"match-case", "the preset 'tracy'", TRACY},
    {"separator", "the preset 'tracy'", TRACY},
    {"truncated-mean", "the preset 'tracy'", TRACY},
    {"raw-quoting", "the preset 'tracy'", TRACY},
    {"split", "the format 'chrome'", CHROME},
    {"no-header", "csv and tsv", CSV | TSV | PRESETS},
    {"eol", "csv and tsv", CSV | TSV | PRESETS},
    {"bom", "csv and tsv", CSV | TSV | PRESETS},
    {"guard", "csv and tsv", CSV | TSV | PRESETS},
    {"args", "the formats 'chrome' and 'perfetto'", CHROME | PERFETTO},
    {"per-thread", "the formats 'folded' and 'pprof'", FOLDED | PPROF},
    {"weight", "the format 'folded'", FOLDED},
    {"index", "the format 'sqlite'", SQLITE},
    {"append", "the format 'sqlite'", SQLITE},
};

static unsigned kind_of(const char *format, const char *preset)
{
    static const struct {
        const char *format;
        unsigned kind;
    } kinds[] = {{"csv", CSV},           {"tsv", TSV},       {"sqlite", SQLITE}, {"chrome", CHROME},
                 {"perfetto", PERFETTO}, {"folded", FOLDED}, {"pprof", PPROF}};
    if (preset)
        return strncmp(preset, "tracy", 5) == 0 ? TRACY : OTHERS;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].format, format) == 0)
            return kinds[i].kind;
    return 0;
}

bool tk_export_fit(const struct tk_opt_set *set, const char *format, const char *preset,
                   char message[TK_OPT_MESSAGE])
{
    const unsigned kind = kind_of(format, preset);
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        if (!(fits[i].kinds & kind) && tk_opt_is_set(set, fits[i].option)) {
            snprintf(message, TK_OPT_MESSAGE, "option '--%s' is for %s", fits[i].option, fits[i].what);
            return false;
        }
    return true;
}
