/*
 * What symbols knew, in a sentence. See symbols_host.h.
 */
#include "base/err.h"
#include "symbols/symbols_host.h"
#include "symbols/symbols.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { MOST_NAMES = 5 };

struct sentence {
    char *text;
    size_t room, n;
};

static void say(struct sentence *s, const char *format, ...) TK_PRINTF(2, 3);

/* What has no room is cut. */
static void say(struct sentence *s, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = s->n < s->room ? vsnprintf(s->text + s->n, s->room - s->n, format, values) : 0;
    va_end(values);
    s->n += n > 0 ? (size_t)n : 0;
}

static bool is_asked(const struct tk_module_symbols *m)
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
        if (!is_asked(m) || m->state != state)
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
        if (is_asked(m) && m->state >= TK_MODULE_NOT_VERIFIED && m->why && n++ < MOST_NAMES)
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
    struct sentence s = {.text = text, .room = n};
    uint64_t modules = 0, found = 0, addresses = 0, resolved = 0;
    for (size_t i = 0; host->symbols && i < host->symbols->modules.n; i++) {
        const struct tk_module_symbols *m = host->symbols->modules.v[i];
        modules += is_asked(m);
        found += is_asked(m) && m->state >= TK_MODULE_NOT_VERIFIED;
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
