/*
 * References to callstacks. See stack_references.h.
 */
#include "model/code/stack_references.h"

static struct tk_stack_use *use_of(struct tk_stack_references *r, uint64_t id)
{
    uint32_t at = tk_map_get(&r->index, id);
    if (at != TK_MAP_NONE)
        return &r->uses.v[at];
    if (tk_vec_push(&r->uses, (struct tk_stack_use){0}) || tk_map_put(&r->index, id, (uint32_t)r->uses.n - 1))
        return NULL;
    return &r->uses.v[r->uses.n - 1];
}

/* The callstack that a fact is about; 0 for none. */
static uint64_t stack_of(const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_CALLSTACK)
        return fact->u.callstack.id;
    if (fact->kind == TK_FACT_BOOKMARK)
        return fact->u.bookmark.callstack;
    bool made = fact->kind == TK_FACT_MEMORY &&
                (fact->u.memory.op == TK_MEMORY_ALLOC || fact->u.memory.op == TK_MEMORY_REALLOC_ALLOC);
    return made ? fact->u.memory.id : 0;
}

int tk_stack_references_feed(struct tk_stack_references *r, const struct tk_fact *fact)
{
    uint64_t id = stack_of(fact);
    if (!id || r->full)
        return 0;
    if (r->uses.n >= r->most && tk_map_get(&r->index, id) == TK_MAP_NONE) {
        r->full = true;
        return 0;
    }
    struct tk_stack_use *use = use_of(r, id);
    if (!use)
        return -1;
    use->defined |= fact->kind == TK_FACT_CALLSTACK;
    use->bookmarks += fact->kind == TK_FACT_BOOKMARK;
    use->allocations += fact->kind == TK_FACT_MEMORY;
    return 0;
}

static void note_undefined(struct tk_health *health, uint64_t users, const char *what, uint64_t ids)
{
    if (users)
        tk_health_note(health, TK_HEALTH_DEFINITION_MISSING, TK_NO_OFFSET, users,
                       "%llu %s refer%s to %llu callstack%s that the capture does not define",
                       (unsigned long long)users, what, users == 1 ? "s" : "", (unsigned long long)ids,
                       ids == 1 ? "" : "s");
}

void tk_stack_references_note(const struct tk_stack_references *r, struct tk_health *health)
{
    struct tk_stack_use users = {0}, ids = {0};
    for (size_t i = 0; i < r->uses.n && !r->full; i++) {
        const struct tk_stack_use *use = &r->uses.v[i];
        users.allocations += use->defined ? 0 : use->allocations;
        users.bookmarks += use->defined ? 0 : use->bookmarks;
        ids.allocations += !use->defined && use->allocations;
        ids.bookmarks += !use->defined && use->bookmarks;
    }
    note_undefined(health, users.allocations, users.allocations == 1 ? "allocation" : "allocations",
                   ids.allocations);
    note_undefined(health, users.bookmarks, users.bookmarks == 1 ? "bookmark" : "bookmarks", ids.bookmarks);
}

void tk_stack_references_release(struct tk_stack_references *r)
{
    tk_vec_release(&r->uses);
    tk_map_release(&r->index);
}
