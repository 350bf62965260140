/*
 * References to counters.
 */
#include "base/health/health.h"
#include "model/marks/counting.h"

#include <stdio.h>

static const struct {
    enum tk_fact_kind values;
    const char *noun, *nouns;
    bool numbered; /* its ids are those of the capture */
} kinds[TK_COUNTER_KINDS] = {
    [TK_COUNTER_PLAIN] = {TK_FACT_COUNTER_VALUE, "counter", "counters", true},
    [TK_COUNTER_STAT] = {TK_FACT_STAT_VALUE, "statistic", "statistics", true},
    [TK_COUNTER_SERIES] = {TK_FACT_SERIES_VALUE, "series", "series", false},
    [TK_COUNTER_TAG] = {TK_FACT_TAG_VALUE, "memory tag", "memory tags", false},
    [TK_COUNTER_TASK] = {TK_FACT_TASK, "counter of tasks", "counters of tasks", false},
};

enum tk_fact_kind tk_counter_value_fact(enum tk_counter_kind kind)
{
    return kinds[kind].values;
}

const char *tk_counter_noun(enum tk_counter_kind kind)
{
    return kinds[kind].noun;
}

static int use_counter(struct tk_counter_references *r, enum tk_counter_kind kind, uint64_t id, bool named)
{
    struct tk_counter_uses *k = &r->kinds[kind];
    uint32_t at = tk_map_get(&k->index, id);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)k->uses.n;
        if (k->uses.n >= r->most || k->uses.n >= TK_MAP_NONE)
            return 0;
        if (tk_map_put(&k->index, id, at) || tk_vec_push(&k->uses, (struct tk_counter_use){.id = id}))
            return -1;
    }
    k->uses.v[at].named |= named;
    return 0;
}

int tk_counter_references_feed(struct tk_counter_references *r, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_COUNTER && fact->u.counter.kind < TK_COUNTER_KINDS)
        return use_counter(r, (enum tk_counter_kind)fact->u.counter.kind, fact->u.counter.id,
                           fact->u.counter.name != NULL);
    for (int kind = 0; kind < TK_COUNTER_KINDS; kind++)
        if (fact->kind == (int)kinds[kind].values && kind != TK_COUNTER_TASK)
            return use_counter(r, (enum tk_counter_kind)kind, fact->u.counter_value.id, false);
    return 0;
}

void tk_counter_note_unnamed(struct tk_health *health, enum tk_counter_kind kind, uint64_t n, uint64_t first)
{
    char which[48] = "";
    if (kinds[kind].numbered)
        snprintf(which, sizeof which, "; the first has id %llu", (unsigned long long)first);
    if (n)
        tk_health_note_once(health, TK_HEALTH_DEFINITION_MISSING, n,
                            "%s with values and without a definition%s", kinds[kind].nouns, which);
}

void tk_counter_references_note(const struct tk_counter_references *r, struct tk_health *health)
{
    for (int kind = 0; kind < TK_COUNTER_KINDS; kind++) {
        const struct tk_counter_uses *k = &r->kinds[kind];
        uint64_t n = 0, first = 0;
        for (size_t i = k->uses.n; i-- > 0;) {
            n += !k->uses.v[i].named;
            first = k->uses.v[i].named ? first : k->uses.v[i].id;
        }
        tk_counter_note_unnamed(health, (enum tk_counter_kind)kind, n, first);
    }
}

void tk_counter_references_release(struct tk_counter_references *r)
{
    for (int kind = 0; kind < TK_COUNTER_KINDS; kind++) {
        tk_vec_release(&r->kinds[kind].uses);
        tk_map_release(&r->kinds[kind].index);
    }
}
