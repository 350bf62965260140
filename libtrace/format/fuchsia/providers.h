/*
 * Providers of a Fuchsia trace: strings, threads and tick rates belong to the one whose section it is (import
 * 4.3).
 */
#ifndef TK_FORMAT_FUCHSIA_PROVIDERS_H
#define TK_FORMAT_FUCHSIA_PROVIDERS_H

#include "format/events/feed.h"

/* An entry of a table of threads. */
struct tk_fx_thread {
    bool known;
    uint64_t process, thread; /* koids */
};

struct tk_fx_provider {
    uint32_t id;
    uint64_t ticks;           /* a second */
    TK_VEC(uint32_t) strings; /* by index: a name + 1; 0: not known */
    struct tk_fx_thread threads[256];
};

struct tk_fx_providers {
    TK_VEC(struct tk_fx_provider *) list; /* owned each */
    struct tk_map index;
};

/* A provider begins anew, or is made. NULL if out of memory or there are too many. */
struct tk_fx_provider *tk_fx_provider_new(struct tk_fx_providers *p, uint32_t id);

/* The provider of an id, or NULL. */
struct tk_fx_provider *tk_fx_provider_of(const struct tk_fx_providers *p, uint32_t id);

/* Ticks as nanoseconds, rounded down; beyond 64 bits false. */
bool tk_fx_time(const struct tk_fx_provider *p, uint64_t ticks, int64_t *ns);

void tk_fx_providers_release(struct tk_fx_providers *p);

#endif
