/*
 * Names of what decoders find, numbered; and timers, which are names with a place in the source.
 */
#ifndef TK_FORMAT_EVENTS_NAMES_H
#define TK_FORMAT_EVENTS_NAMES_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"

#define TK_EV_NO_NAME UINT32_MAX

struct tk_ev_name {
    const struct tk_str *text;
    uint64_t hash;
    uint32_t timer; /* the timer of this name without a place; TK_EV_NO_NAME: not used yet */
};

struct tk_ev_timer {
    uint32_t name; /* TK_EV_NO_NAME: it has none */
    const struct tk_str *file;
    uint32_t line;
};

/* What asynchronous work is called, and its category. */
struct tk_ev_label {
    uint32_t name, category;
};

enum { TK_EV_RECENT = 1024 };

/* A name that was asked for, at a place that some of its bytes say. */
struct tk_ev_recent {
    const char *p; /* of its text; NULL: the place is free */
    uint32_t n, name;
};

/* Zero-initialise all but interned. */
struct tk_ev_names {
    struct tk_intern *interned; /* borrowed */
    TK_VEC(struct tk_ev_name) names;
    uint32_t *slots; /* owned: open-addressed, number + 1 */
    size_t mask;
    struct tk_ev_recent recent[TK_EV_RECENT];
    TK_VEC(struct tk_ev_timer) timers;
    TK_VEC(uint32_t) name_of_timer;
    struct tk_map places; /* of name, file and line: timers that have a place */
    TK_VEC(struct tk_ev_label) labels;
    struct tk_map label_index; /* of name and category */
    uint32_t nameless;         /* timer of scopes without a name, + 1; 0: not used yet */
    uint64_t most_timers;
    uint64_t not_utf8; /* texts that were mended */
    bool failed;       /* out of memory */
};

/* The timer that stands for all beyond the limit. */
static inline bool tk_ev_timer_is_beyond(const struct tk_ev_names *n, uint32_t timer)
{
    return timer == n->most_timers;
}

/* The number of a name: bytes that are valid UTF-8. TK_EV_NO_NAME and `failed` if out of memory. */
uint32_t tk_ev_name(struct tk_ev_names *n, const void *p, size_t len);

/* The same where it is known already, else TK_EV_NO_NAME. */
uint32_t tk_ev_name_find(const struct tk_ev_names *n, const void *p, size_t len, uint64_t hash);

/*
 * Bytes as UTF-8: what is none becomes U+FFFD. Interned; where the limit of texts allows no more, one text
 * that stands for all others. NULL if out of memory.
 */
const struct tk_str *tk_ev_text(struct tk_ev_names *n, const void *p, size_t len);

/* A name of bytes of any kind, cleaned. */
uint32_t tk_ev_name_clean(struct tk_ev_names *n, const void *p, size_t len);

/* The timer of a name, or of none; with a place where file is not NULL. TK_EV_NO_NAME and `failed` as above.
 */
uint32_t tk_ev_timer(struct tk_ev_names *n, uint32_t name, const struct tk_str *file, uint32_t line);

/* The number of a name with a category, of which each may be none. TK_EV_NO_NAME and `failed` as above. */
uint32_t tk_ev_label(struct tk_ev_names *n, uint32_t name, uint32_t category);

static inline const struct tk_str *tk_ev_name_text(const struct tk_ev_names *n, uint32_t name)
{
    return name < n->names.n ? n->names.v[name].text : NULL;
}

void tk_ev_names_release(struct tk_ev_names *n);

#endif
