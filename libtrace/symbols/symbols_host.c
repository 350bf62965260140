/*
 * Between symbol files and the tables of code.
 */
#include "base/err.h"
#include "base/text/path.h"
#include "symbols/symbols_in.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What symbols knew, in a sentence.
 */

enum { MOST_NAMES = 5 };

struct sentence {
    char *text;
    size_t capacity, n;
};

static void say(struct sentence *s, const char *format, ...) TK_PRINTF(2, 3);

/* What has no space is cut. */
static void say(struct sentence *s, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = s->n < s->capacity ? vsnprintf(s->text + s->n, s->capacity - s->n, format, values) : 0;
    va_end(values);
    s->n += n > 0 ? (size_t)n : 0;
}

static bool is_requested(const struct tk_module_symbols *m)
{
    return m->addresses > 0;
}

/* The modules of a state, with the cause or the file where there is one. */
static size_t say_state(struct sentence *s, const struct tk_symbols *symbols, enum tk_module_state state,
                        const char *what)
{
    size_t n = 0;
    for (size_t i = 0; i < symbols->modules.n; i++) {
        const struct tk_module_symbols *m = symbols->modules.v[i];
        if (!is_requested(m) || m->state != state)
            continue;
        if (n++ < MOST_NAMES)
            say(s, "%s%s", n == 1 ? what : ", ", m->wanted.name);
        if (n <= MOST_NAMES && m->path && state < TK_MODULE_NOT_VERIFIED)
            say(s, " (%s%s%s)", m->path, m->why ? ": " : "", m->why ? m->why : "");
    }
    if (n > MOST_NAMES)
        say(s, " and %zu more", n - MOST_NAMES);
    return n;
}

/* Files that were read in part. */
static size_t say_lost(struct sentence *s, const struct tk_symbols *symbols)
{
    size_t n = 0;
    for (size_t i = 0; i < symbols->modules.n; i++) {
        const struct tk_module_symbols *m = symbols->modules.v[i];
        if (is_requested(m) && m->state >= TK_MODULE_NOT_VERIFIED && m->why && n++ < MOST_NAMES)
            say(s, "; %s: %s", m->path ? m->path : m->wanted.name, m->why);
    }
    return n;
}

/* Files that were sent along and are of no use. */
static size_t say_sent(struct sentence *s, const struct tk_symbols *symbols)
{
    size_t n = 0;
    for (size_t i = 0; i < symbols->sent.n; i++)
        if (symbols->sent.v[i].why && n++ < MOST_NAMES)
            say(s, "; %s: %s", symbols->sent.v[i].path, symbols->sent.v[i].why);
    return n;
}

int tk_symbols_host_tell(const struct tk_symbols_host *host, char *text, size_t n)
{
    struct sentence s = {.text = text, .capacity = n};
    uint64_t modules = 0, found = 0, addresses = 0, resolved = 0;
    for (size_t i = 0; host->symbols && i < host->symbols->modules.n; i++) {
        const struct tk_module_symbols *m = host->symbols->modules.v[i];
        modules += is_requested(m);
        found += is_requested(m) && m->state >= TK_MODULE_NOT_VERIFIED;
        addresses += m->addresses;
        resolved += m->resolved;
    }
    if (!addresses)
        return 0;
    say(&s, "%" PRIu64 " of %" PRIu64 " modules, %" PRIu64 " of %" PRIu64 " addresses", found, modules,
        resolved, addresses);
    say_state(&s, host->symbols, TK_MODULE_NO_FILE, "; no file: ");
    size_t bad = say_state(&s, host->symbols, TK_MODULE_OTHER_BUILD, "; wrong build: ");
    bad += say_state(&s, host->symbols, TK_MODULE_UNREADABLE, "; unreadable: ");
    say_state(&s, host->symbols, TK_MODULE_NO_SYMBOLS, "; no symbols: ");
    say_state(&s, host->symbols, TK_MODULE_NOT_VERIFIED, "; not verified: ");
    bad += say_lost(&s, host->symbols) + say_sent(&s, host->symbols);
    for (size_t i = 0; i < host->symbols->search.missing.n && i < MOST_NAMES; i++, bad++)
        say(&s, "; there is no %s", host->symbols->search.missing.v[i]);
    for (size_t i = 0; i < host->symbols->search.useless.n && i < MOST_NAMES; i++, bad++)
        say(&s, "; %s: %s", host->symbols->search.useless.v[i].path, host->symbols->search.useless.v[i].why);
    if (host->symbols->search.index.full)
        say(&s, "; the folders have too many files: not all were looked at");
    bad += host->symbols->search.index.full;
    if (host->symbols->search.servers)
        say(&s, "; servers in _NT_SYMBOL_PATH that were not asked: %" PRIu64, host->symbols->search.servers);
    return bad ? 2 : 1;
}

static struct tk_module_symbols *find(struct tk_symbols_host *host, const struct tk_fact_module *module)
{
    const struct tk_str *name = module->name, *format = module->format;
    bool named = name && name->enc != TK_ENC_UTF16, formed = format && format->enc == TK_ENC_UTF8;
    struct tk_wanted w =
        tk_wanted_of(named ? name->p : "", named ? name->n : 0, module->image, module->n_image, module->size,
                     formed ? format->p : "", formed ? format->n : 0);
    return tk_symbols_module(host->symbols, &w);
}

static int describe(void *self, const struct tk_fact_module *module, struct tk_module_file_info *out)
{
    const struct tk_module_symbols *m = find(self, module);
    if (!m)
        return -1;
    *out = (struct tk_module_file_info){.file = m->path,
                                        .how = m->how,
                                        .why = m->why,
                                        .state = tk_module_state_text(m->state),
                                        .extent = m->extent,
                                        .addresses = m->addresses,
                                        .resolved = m->resolved,
                                        .usable = m->state >= TK_MODULE_NO_SYMBOLS};
    return 0;
}

/* A return address stands for the call before it. */
static uint64_t looked_up(const struct tk_symbol_ask *ask)
{
    return ask->exact || !ask->offset ? ask->offset : ask->offset - 1;
}

enum { MOST_PLACES = 1024 };

struct giving {
    int (*give)(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n);
    void *to;
    bool fold;
    struct tk_symbol_place *places; /* owned: MOST_PLACES */
};

static int give_one(const struct giving *g, size_t i, const struct tk_sym_frame *frames, uint32_t n)
{
    uint32_t skip = g->fold && n ? n - 1 : 0, count = n - skip < MOST_PLACES ? n - skip : MOST_PLACES;
    for (uint32_t k = 0; k < count; k++)
        g->places[k] =
            (struct tk_symbol_place){frames[skip + k].function, frames[skip + k].file, frames[skip + k].line};
    return g->give(g->to, i, g->places, count);
}

static int resolve(void *self, const struct tk_fact_module *module, const struct tk_symbol_ask *wants,
                   size_t n,
                   int (*give)(void *to, size_t i, const struct tk_symbol_place *places, uint32_t n_places),
                   void *to)
{
    struct tk_symbols_host *host = self;
    struct giving g = {give, to, host->fold, malloc(MOST_PLACES * sizeof *g.places)};
    struct tk_module_symbols *m = find(host, module);
    uint64_t *addresses = malloc((n + 1) * sizeof *addresses);
    int rc = m && addresses && g.places ? 0 : -1;
    for (size_t i = 0; i < n && rc == 0; i++)
        addresses[i] = looked_up(&wants[i]);
    if (rc == 0)
        rc = tk_symbols_resolve(host->symbols, m, addresses, n);
    for (size_t i = 0; i < n && rc == 0; i++) {
        uint32_t count;
        const struct tk_sym_frame *frames = tk_symbols_frames(host->symbols, m, addresses[i], &count);
        rc = count ? give_one(&g, i, frames, count) : 0;
    }
    free(addresses);
    free(g.places);
    return rc;
}

static struct tk_symbols *open_symbols(const struct tk_options *options, const char *path)
{
    char folder[4096] = ".";
    size_t n = path ? tk_path_base(path) : 0;
    if (n && n < sizeof folder) {
        memcpy(folder, path, n);
        folder[n] = '\0';
    }
    return tk_symbols_open(&(struct tk_symbols_options){.paths = options->symbols,
                                                        .n = options->n_symbols,
                                                        .folder = path && n < sizeof folder ? folder : NULL,
                                                        .capture = path,
                                                        .map = options->map,
                                                        .cache = options->cache_symbols});
}

int tk_symbols_host_open(struct tk_symbols_host *host, const struct tk_options *options, const char *path)
{
    *host = (struct tk_symbols_host){.fold = options->no_inlines,
                                     .symbolizer = {.self = host, .module = describe, .resolve = resolve}};
    if (options->no_symbols)
        return 0;
    host->symbols = open_symbols(options, path);
    return host->symbols ? 0 : -1;
}

uint8_t *tk_symbols_host_bytes(struct tk_symbols_host *host, bool strip, size_t *n)
{
    return tk_kept_bytes(host->symbols, strip, n);
}

void tk_symbols_host_close(struct tk_symbols_host *host)
{
    tk_symbols_close(host->symbols);
}

/* ---- the wing ---- */

struct opened {
    struct tk_open_symbols displayed; /* first */
    struct tk_symbols_host host;
    struct tk_source_texts texts;
};

static void close_opened(struct tk_open_symbols *symbols)
{
    struct opened *o = (struct opened *)symbols;
    if (!o)
        return;
    tk_symbols_host_close(&o->host);
    tk_source_texts_close(&o->texts);
    free(o);
}

static struct tk_open_symbols *open_opened(const struct tk_options *options, const char *path)
{
    struct opened *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    if (tk_symbols_host_open(&o->host, options, path) ||
        tk_source_texts_open(&o->texts, options->sources, options->n_sources)) {
        close_opened(&o->displayed);
        return NULL;
    }
    o->displayed.symbolizer = o->host.symbols ? &o->host.symbolizer : NULL;
    o->displayed.finder = &o->texts.finder;
    return &o->displayed;
}

static int tell_opened(const struct tk_open_symbols *symbols, char *text, size_t n)
{
    const struct opened *o = (const struct opened *)symbols;
    const int said = tk_symbols_host_tell(&o->host, text, n);
    const size_t used = said ? strlen(text) : 0;
    const int more = tk_source_texts_tell(&o->texts, said ? "; " : "", text + used, n - used);
    return more > said ? more : said;
}

static uint8_t *bytes_opened(struct tk_open_symbols *symbols, bool strip, size_t *n)
{
    return tk_symbols_host_bytes(&((struct opened *)symbols)->host, strip, n);
}

extern const struct tk_symbols_wing tk_wing_symbols;
const struct tk_symbols_wing tk_wing_symbols = {open_opened, tell_opened, bytes_opened, close_opened};
