/*
 * Names of tags, heaps and callstacks.
 */
#include "model/memory/memory_names.h"

#include "query/context_cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KEPT_FRAMES 12u /* of a callstack: the innermost, of which some may be allocators */

enum { MOST_PARENTS = 32, LONGEST_PATH = 1024 };

void tk_memory_names_init(struct tk_memory_names *n, struct tk_context *ctx)
{
    *n = (struct tk_memory_names){.ctx = ctx};
    tk_callstack_list_init(&n->callstacks, &ctx->health, ctx->limits.callstack_bytes, KEPT_FRAMES);
}

static int add_tag(struct tk_memory_names *n, const struct tk_fact_memory_tag *tag)
{
    uint32_t i = tk_map_get(&n->tag_index, (uint32_t)tag->id);
    if (i != TK_MAP_NONE) {
        n->tags.v[i] = *tag;
        return 0;
    }
    if (tk_vec_push(&n->tags, *tag))
        return -1;
    return tk_map_put(&n->tag_index, (uint32_t)tag->id, (uint32_t)n->tags.n - 1);
}

static int add_heap(struct tk_memory_names *n, const struct tk_fact_memory_heap *heap)
{
    uint32_t i = tk_map_get(&n->heap_index, heap->id);
    if (i != TK_MAP_NONE) {
        n->heaps.v[i] = *heap;
        return 0;
    }
    if (tk_vec_push(&n->heaps, *heap))
        return -1;
    return tk_map_put(&n->heap_index, heap->id, (uint32_t)n->heaps.n - 1);
}

int tk_memory_names_feed(struct tk_memory_names *n, const struct tk_fact *fact)
{
    switch (fact->kind) {
    case TK_FACT_MEMORY_TAG:
        return add_tag(n, &fact->u.memory_tag);
    case TK_FACT_MEMORY_HEAP:
        return add_heap(n, &fact->u.memory_heap);
    case TK_FACT_CALLSTACK:
        return tk_callstack_list_feed(&n->callstacks, fact);
    case TK_FACT_SYMBOL:
    case TK_FACT_MODULE:
        return tk_code_map_feed(&n->code, fact);
    default:
        return 0;
    }
}

/* ---- tags ---- */

static const struct tk_fact_memory_tag *tag_of(const struct tk_memory_names *n, int32_t tag)
{
    uint32_t i = tk_map_get(&n->tag_index, (uint32_t)tag);
    return i == TK_MAP_NONE ? NULL : &n->tags.v[i];
}

/* What follows the last '/' of a name that may be a path. */
static struct tk_str leaf(const struct tk_str *name)
{
    struct tk_str s = *name;
    for (uint32_t i = s.n; s.enc != TK_ENC_UTF16 && i-- > 0;) {
        if (s.p[i] == '/') {
            s.p += i + 1;
            s.n -= i + 1;
            break;
        }
    }
    return s;
}

static uint64_t leaf_key(const struct tk_str *name)
{
    struct tk_str s = leaf(name);
    return tk_hash_bytes(s.p, s.n, s.enc);
}

int tk_memory_names_settle(struct tk_memory_names *n)
{
    for (size_t i = 0; i < n->tags.n; i++) {
        uint64_t key = leaf_key(n->tags.v[i].name);
        uint32_t tags = tk_map_get(&n->called, key);
        if (tk_map_put(&n->called, key, tags == TK_MAP_NONE ? 1 : tags + 1))
            return -1;
    }
    for (size_t i = 0; i < n->callstacks.frames.n; i++)
        if (tk_code_map_want(&n->code, n->callstacks.frames.v[i], false))
            return -1;
    return tk_code_map_settle(&n->code, n->ctx);
}

struct tk_cell tk_memory_tag_name(const struct tk_memory_names *n, int32_t tag)
{
    const struct tk_fact_memory_tag *info = tag_of(n, tag);
    if (!info)
        return tag == 0 ? tk_cell_of_c("Untagged") : (struct tk_cell){.kind = TK_NONE};
    struct tk_str name = leaf(info->name);
    return tk_cell_of_text(&name);
}

/* Projects group names of their own under a tag that only says so; it is no part of a path. */
static bool is_dropped(const struct tk_str *name)
{
    return name->n == 10 && memcmp(name->p, "CustomName", 10) == 0;
}

struct tk_cell tk_memory_tag_path(const struct tk_memory_names *n, int32_t tag, struct tk_emit *emit)
{
    const struct tk_fact_memory_tag *info = tag_of(n, tag);
    char path[LONGEST_PATH];
    size_t at = sizeof path;
    if (!info)
        return tk_memory_tag_name(n, tag);
    for (unsigned depth = 0; info && depth < MOST_PARENTS; depth++) {
        struct tk_str name = leaf(info->name);
        bool first = depth == 0;
        if (name.enc != TK_ENC_UTF8 || name.n + 1 > at)
            break;
        if (first || !is_dropped(&name)) {
            path[at - 1] = '/';
            at -= first ? 0 : 1;
            at -= name.n;
            memcpy(path + at, name.p, name.n);
        }
        info = info->parent == -1 ? NULL : tag_of(n, info->parent);
    }
    const char *kept = tk_emit_bytes(emit, path + at, sizeof path - at);
    if (!kept || at == sizeof path)
        return tk_memory_tag_name(n, tag);
    return (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)(sizeof path - at), .v.p = kept};
}

struct tk_cell tk_memory_tag_own_name(const struct tk_memory_names *n, int32_t tag, struct tk_emit *emit)
{
    const struct tk_fact_memory_tag *info = tag_of(n, tag);
    struct tk_cell name = tk_memory_tag_name(n, tag);
    if (!info || tk_map_get(&n->called, leaf_key(info->name)) == 1)
        return name;
    struct tk_cell path = tk_memory_tag_path(n, tag, emit);
    return path.n > name.n ? path : tk_cell_of_text(info->name);
}

/* ---- heaps and callstacks ---- */

struct tk_cell tk_memory_heap_name(const struct tk_memory_names *n, uint32_t heap)
{
    uint32_t i = tk_map_get(&n->heap_index, heap);
    return i == TK_MAP_NONE ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_text(n->heaps.v[i].name);
}

/* A function in a frame: place i of a symbol, or none. */
static const struct tk_symbol_place *place_of(const struct tk_memory_names *n, uint64_t address, uint32_t i)
{
    const struct tk_symbol *symbol = tk_code_symbol(&n->code, address, false);
    return symbol && !symbol->open && i < symbol->n ? tk_symbol_place(&n->code.symbols, symbol, i) : NULL;
}

/* The first function that is not an allocator, with its address; a frame whose function is not known is one.
 */
static uint64_t find_place(struct tk_memory_names *n, const struct tk_callstack *stack,
                           const struct tk_symbol_place **out)
{
    const uint64_t *frames = &n->callstacks.frames.v[stack->first];
    for (uint32_t i = 0; i < stack->n; i++) {
        *out = place_of(n, frames[i], 0);
        if (!*out)
            return frames[i];
        for (uint32_t k = 0; (*out = place_of(n, frames[i], k)); k++)
            if (!tk_allocator_rules_match(&n->allocators, (*out)->function, (*out)->file))
                return frames[i];
    }
    *out = place_of(n, frames[0], 0);
    return frames[0];
}

static const struct tk_str *own_text(struct tk_memory_names *n, const struct tk_str *text)
{
    return tk_intern(&n->texts, text->p, text->n, (enum tk_encoding)text->enc);
}

const struct tk_str *tk_memory_not_defined(void)
{
    static const struct tk_str missing = {"(not in the capture)", 20, TK_ENC_UTF8};
    return &missing;
}

int tk_memory_place_of(struct tk_memory_names *n, uint64_t callstack, struct tk_memory_place *out)
{
    const struct tk_callstack *stack = tk_callstack_of(&n->callstacks, callstack);
    *out = (struct tk_memory_place){.function = NULL};
    if (!stack && callstack && !n->callstacks.full)
        out->function = tk_memory_not_defined();
    if (!stack || !stack->n)
        return 0;
    const struct tk_symbol_place *place;
    const uint64_t address = find_place(n, stack, &place);
    const struct tk_code_place where =
        tk_code_place_of(&n->code, tk_module_at(&n->code.modules, address), address);
    if (where.module.p && !(out->module = own_text(n, &where.module)))
        return -1;
    if (place && place->file && !(out->file = own_text(n, place->file)))
        return -1;
    out->line = place ? place->line : 0;
    out->function = place && place->function ? own_text(n, place->function)
                                             : tk_code_bare_text(&n->texts, &where, address);
    return out->function ? 0 : -1;
}

struct tk_cell tk_memory_callstack_name(struct tk_memory_names *n, uint64_t callstack, struct tk_emit *emit)
{
    struct tk_memory_place place;
    if (tk_memory_place_of(n, callstack, &place)) {
        tk_emit_no_memory(emit);
        place.function = NULL;
    }
    return place.function ? tk_cell_of_text(place.function) : (struct tk_cell){.kind = TK_NONE};
}

void tk_memory_names_forget(struct tk_memory_names *n)
{
    tk_vec_release(&n->tags);
    tk_map_release(&n->tag_index);
    tk_map_release(&n->called);
    tk_vec_release(&n->heaps);
    tk_map_release(&n->heap_index);
    tk_vec_release(&n->callstacks.stacks);
    tk_vec_release(&n->callstacks.frames);
    tk_code_map_release(&n->code);
    tk_allocator_rules_release(&n->allocators);
}

void tk_memory_names_release(struct tk_memory_names *n)
{
    tk_memory_names_forget(n);
    tk_callstack_list_release(&n->callstacks);
    tk_intern_release(&n->texts);
}
