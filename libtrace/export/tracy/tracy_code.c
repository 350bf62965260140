/*
 * Callstacks for a .tracy: the functions of their addresses, by the capture and by symbols of its modules.
 * See tracy_events.h.
 */
#include "export/tracy/tracy_events.h"

uint32_t tk_ts_stack_number(const struct tk_ts_events *e, uint64_t id)
{
    const struct tk_callstack *stack = id ? tk_callstack_of(&e->stacks, id) : NULL;
    const size_t at = stack ? (size_t)(stack - e->stacks.stacks.v) : 0;
    return stack && at < TK_TS_STACKS ? (uint32_t)at + 1 : 0;
}

/* Where a sample found its thread is exact, all other addresses are those of returns. */
static bool is_exact(const struct tk_ts_events *e, const struct tk_callstack *stack, uint32_t i)
{
    return stack->id >> 32 && tk_code_is_exact(e->stacks.frames.v + stack->first, i);
}

/* NULL where there is none; it is kept in *out. 0, or -1 without memory. */
static int keep(struct tk_ts_events *e, const struct tk_str *text, const struct tk_str **out)
{
    *out = text && text->p ? tk_intern(&e->texts, text->p, text->n, (enum tk_encoding)text->enc) : NULL;
    return text && text->p && !*out ? -1 : 0;
}

/* The address that stands for a function: the first at which it was seen and that no other has. 0 without
 * memory.
 */
static uint64_t symbol_of(struct tk_ts_events *e, const struct tk_ts_frame_place *place,
                          const struct tk_str *image, uint64_t address)
{
    const void *const key[] = {place->function, place->file, image};
    uint64_t hash = tk_hash_bytes((const char *)key, sizeof key, 3);
    uint32_t i;
    for (; (i = tk_map_get(&e->symbol_of, hash)) != TK_MAP_NONE; hash++) {
        const struct tk_ts_symbol *s = &e->symbols.v[i];
        if (s->function == place->function && s->file == place->file && s->image == image)
            return s->address;
    }
    while (tk_map_get(&e->symbol_at, address) != TK_MAP_NONE)
        address++;
    const struct tk_ts_symbol s = {address, place->function, place->file, image, place->line};
    i = (uint32_t)e->symbols.n;
    return tk_vec_push(&e->symbols, s) || tk_map_put(&e->symbol_of, hash, i) ||
                   tk_map_put(&e->symbol_at, address, i)
               ? 0
               : address;
}

static int add_place(struct tk_ts_events *e, const struct tk_symbol_place *place, const struct tk_str *image,
                     uint64_t address)
{
    struct tk_ts_frame_place p = {.line = place->line};
    if (keep(e, place->function, &p.function) || keep(e, place->file, &p.file))
        return -1;
    p.symbol = symbol_of(e, &p, image, address);
    return p.symbol ? tk_vec_push(&e->places, p) : -1;
}

/* Without a function the place says where it is in its image, as Tracy has it (symbols 2). */
static int add_open(struct tk_ts_events *e, uint64_t offset)
{
    static const struct tk_str unresolved = {"[unresolved]", 12, TK_ENC_UTF8};
    struct tk_ts_frame_place p = {.symbol = offset};
    return keep(e, &unresolved, &p.function) ? -1 : tk_vec_push(&e->places, p);
}

static int add_frame(struct tk_ts_events *e, uint64_t address, bool exact)
{
    const struct tk_symbol *symbol = tk_code_symbol(&e->code, address, exact);
    const struct tk_module *module = tk_module_at(&e->code.modules, address);
    const struct tk_str name = module ? tk_module_short_name(module) : (struct tk_str){0};
    const struct tk_str *image = tk_code_image(&e->code, address);
    struct tk_ts_frame frame = {.address = address, .first = (uint32_t)e->places.n};
    int rc = keep(e, image ? image : module ? &name : NULL, &frame.image);
    if (!symbol && !module)
        return rc; /* nothing is known of it */
    if (rc == 0 && (!symbol || symbol->open))
        rc = add_open(e, symbol ? symbol->offset : address - module->info.base);
    for (uint32_t i = 0; symbol && !symbol->open && i < symbol->n && i < TK_TS_PLACES_OF_FRAME && rc == 0;
         i++)
        rc = add_place(e, tk_symbol_place(&e->code.symbols, symbol, i), frame.image, address ? address : 1);
    frame.n = (uint32_t)e->places.n - frame.first;
    return rc == 0 ? tk_vec_push(&e->frames, frame) : rc;
}

static int for_all(struct tk_ts_events *e, int (*call)(struct tk_ts_events *e, uint64_t address, bool exact),
                   struct tk_map *seen)
{
    for (size_t i = 0; i < e->stacks.stacks.n; i++) {
        const struct tk_callstack *stack = &e->stacks.stacks.v[i];
        for (uint32_t k = 0; k < stack->n; k++) {
            const uint64_t address = e->stacks.frames.v[stack->first + k];
            if (tk_map_get(seen, address) != TK_MAP_NONE)
                continue;
            if (tk_map_put(seen, address, 1) || call(e, address, is_exact(e, stack, k)))
                return -1;
        }
    }
    return 0;
}

static int want(struct tk_ts_events *e, uint64_t address, bool exact)
{
    return tk_code_map_want(&e->code, address, exact);
}

int tk_ts_code_settle(struct tk_ts_events *e)
{
    struct tk_map wanted = {0}, seen = {0};
    int rc = for_all(e, want, &wanted);
    if (rc == 0)
        rc = tk_code_map_settle(&e->code, e->view->ctx);
    if (rc == 0)
        rc = for_all(e, add_frame, &seen);
    tk_map_release(&wanted);
    tk_map_release(&seen);
    return rc;
}
