/*
 * Callstacks and their frames: callstacks, symbols of their addresses, and records; callstacks are numbered
 * from 1 on. Ids of frames stand for addresses.
 *
 *   callstacks: u64 n, each with its frame ids
 *   frames:     u64 n, each with its functions                                                tracy-file 5.13
 */
#include "format/tracy/walk/section.h"

#include <string.h>

struct callstacks {
    struct tk_tracy_list list;
    uint64_t number;
};

/* One function of a frame; the innermost comes first. */
struct frame {
    uint64_t at;
    uint32_t place; /* 0: the innermost */
    struct tk_tracy_code_frame of;
    struct tk_tracy_code_place v;
};

static int say_callstack(struct tk_tracy_walk *w, uint64_t number, uint64_t at, const uint8_t *ids,
                         uint16_t depth)
{
    struct tk_cell cells[] = {
        tk_cell_of_uint(number),
        tk_cell_of_uint(depth),
        {.kind = TK_ARRAY, .elem = TK_UINT, .width = 8, .n = depth, .v.p = ids},
    };
    return tk_tracy_say_timeless(w, TK_TRACY_CALLSTACK, at, cells);
}

/* Of an address the id keeps 62 bits, and bit 61 stands for those above; what is no address stays as it is.
 */
static uint64_t address_of(uint64_t id)
{
    const uint64_t sign = UINT64_C(1) << 61;
    return id >> 62 ? id : ((id & (sign * 2 - 1)) ^ sign) - sign;
}

static int say_fact_callstacks(struct tk_tracy_walk *w, uint64_t number, const uint8_t *ids, uint16_t depth)
{
    uint64_t *frames = tk_arena_alloc(&w->out->arena, (size_t)depth * sizeof *frames);
    struct tk_fact *fact = frames ? tk_tracy_batch_fact(w->out, TK_FACT_CALLSTACK, TK_NO_THREAD, 0) : NULL;
    if (!fact)
        return TK_ENOMEM;
    for (uint16_t i = 0; i < depth; i++)
        frames[i] = address_of(tk_load64(ids + 8 * (size_t)i));
    fact->u.callstack = (struct tk_fact_callstack){.id = number, .frames = frames, .n = depth};
    return TK_OK;
}

static int say_both(struct tk_tracy_walk *w, uint64_t number, uint64_t at, const uint8_t *ids, uint16_t depth)
{
    int rc = tk_tracy_wants_fact(w, TK_FACT_CALLSTACK) ? say_fact_callstacks(w, number, ids, depth) : TK_OK;
    if (rc == TK_OK && tk_tracy_wants(w, TK_TRACY_CALLSTACK))
        rc = say_callstack(w, number, at, ids, depth);
    return rc;
}

static int read_callstack(struct tk_tracy_walk *w, void *state)
{
    struct callstacks *s = state;
    uint64_t at = tk_tracy_at(&w->in);
    struct tk_tracy_callstack v;
    uint8_t *ids = NULL;
    (void)tk_tracy_read_callstack(&w->in, &v);
    const uint16_t depth = v.depth;
    s->number++;
    if (!tk_tracy_wants(w, TK_TRACY_CALLSTACK) && !tk_tracy_wants_fact(w, TK_FACT_CALLSTACK)) {
        tk_tracy_skip(&w->in, 8 * (uint64_t)depth, "callstack");
    } else {
        if (!(ids = tk_arena_alloc(&w->out->arena, 8 * (size_t)depth)))
            return TK_ENOMEM;
        tk_tracy_copy(&w->in, ids, 8 * (size_t)depth, "callstack");
    }
    if (!tk_tracy_ok(&w->in))
        return TK_OK;
    tk_tracy_count(w, TK_TRACY_CALLSTACK, 1, tk_tracy_callstack_size(&w->c->layout) + 8 * (uint64_t)depth);
    return ids ? say_both(w, s->number, at, ids, depth) : TK_OK;
}

static int step_callstacks(struct tk_tracy_walk *w, void *state)
{
    struct callstacks *s = state;
    const int rc = tk_tracy_list_walk(w, &s->list, "callstacks", read_callstack, s);
    if (rc == TK_OK)
        tk_tracy_note_stacks(w, s->number);
    return rc;
}

static int say_frame(struct tk_tracy_walk *w, const struct frame *f)
{
    const struct tk_tracy_strings *strings = &w->c->strings;
    struct tk_cell cells[] = {
        tk_cell_of_hex(f->of.id),
        tk_cell_of_uint(f->place),
        tk_cell_of_text(tk_tracy_string_of_index(strings, f->v.function)),
        tk_cell_of_text(tk_tracy_string_of_index(strings, f->v.file)),
        tk_cell_of_uint(f->v.line),
        tk_cell_of_hex(f->v.symbol),
        tk_cell_of_text(tk_tracy_string_of_index(strings, f->of.image)),
    };
    return tk_tracy_say_timeless(w, TK_TRACY_CALLSTACK_FRAME, f->at, cells);
}

/* Begins the symbol of a frame: its places are to be filled in. */
static struct tk_symbol_place *begin_symbol(struct tk_tracy_walk *w, const struct frame *f, uint8_t n)
{
    struct tk_symbol_place *places = tk_arena_alloc(&w->out->arena, (size_t)n * sizeof *places);
    struct tk_fact *fact = places ? tk_tracy_batch_fact(w->out, TK_FACT_SYMBOL, TK_NO_THREAD, 0) : NULL;
    if (!fact)
        return NULL;
    fact->u.symbol = (struct tk_fact_symbol){.address = address_of(f->of.id),
                                             .places = places,
                                             .image = tk_tracy_name_of_index(&w->c->strings, f->of.image)};
    return places;
}

/* Did the program leave it to others to find out the function? Then the address of its symbol is an offset in
 * the image. (symbols 2) */
static bool is_open(const struct tk_str *function)
{
    static const char name[] = "[unresolved]";
    return function && function->n == sizeof name - 1 && memcmp(function->p, name, sizeof name - 1) == 0;
}

/* The place is part of the symbol, which is fact `at` of the batch, when all of it was there. */
static void add_place(struct tk_tracy_walk *w, const struct frame *f, struct tk_symbol_place *places,
                      size_t at)
{
    struct tk_fact_symbol *symbol = &w->out->facts.v[at].u.symbol;
    const struct tk_str *function = tk_tracy_string_of_index(&w->c->strings, f->v.function);
    symbol->open = f->place == 0 && is_open(function);
    symbol->offset = f->v.symbol;
    places[symbol->n++] =
        (struct tk_symbol_place){.function = tk_tracy_name_of_index(&w->c->strings, f->v.function),
                                 .file = tk_tracy_name_of_index(&w->c->strings, f->v.file),
                                 .line = f->v.line};
}

static int read_functions(struct tk_tracy_walk *w, struct frame *f)
{
    const uint8_t n = f->of.places;
    struct tk_symbol_place *places = NULL;
    bool records = tk_tracy_wants(w, TK_TRACY_CALLSTACK_FRAME);
    int rc = TK_OK;
    if (tk_tracy_wants_fact(w, TK_FACT_SYMBOL) && !(places = begin_symbol(w, f, n)))
        return TK_ENOMEM;
    const size_t at = w->out->facts.n - 1;
    for (f->place = 0; f->place < n && rc == TK_OK; f->place++) {
        const bool whole = tk_tracy_read_code_place(&w->in, &f->v);
        tk_tracy_use_text(w, f->v.function);
        tk_tracy_use_text(w, f->v.file);
        if (whole && places)
            add_place(w, f, places, at);
        if (whole && records)
            rc = say_frame(w, f);
    }
    return rc;
}

static int read_frame(struct tk_tracy_walk *w, void *state)
{
    (void)state;
    struct frame f = {.at = tk_tracy_at(&w->in)};
    (void)tk_tracy_read_code_frame(&w->in, &f.of);
    const uint64_t bytes = tk_tracy_code_place_size(&w->c->layout) * (uint64_t)f.of.places;
    tk_tracy_use_text(w, f.of.image);
    const int rc = read_functions(w, &f);
    if (tk_tracy_ok(&w->in)) {
        tk_tracy_tally(w, TK_TRACY_CALLSTACK_FRAME, f.of.places,
                       tk_tracy_code_frame_size(&w->c->layout) + bytes);
        w->items++;
    }
    return rc;
}

static int step_frames(struct tk_tracy_walk *w, void *state)
{
    return tk_tracy_list_walk(w, state, "callstack frames", read_frame, NULL);
}

const struct tk_tracy_section tk_tracy_sec_callstacks = {.name = "callstacks",
                                                         .step = step_callstacks,
                                                         .size = sizeof(struct callstacks),
                                                         .facts = TK_FACT_MASK(CALLSTACK),
                                                         .records = TK_TRACY_RECORD_MASK(CALLSTACK)};

const struct tk_tracy_section tk_tracy_sec_callstack_frames = {.name = "callstack_frames",
                                                               .step = step_frames,
                                                               .size = sizeof(struct tk_tracy_list),
                                                               .facts = TK_FACT_MASK(SYMBOL),
                                                               .records =
                                                                   TK_TRACY_RECORD_MASK(CALLSTACK_FRAME)};
