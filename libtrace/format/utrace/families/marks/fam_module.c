/*
 * Modules (events 6.5): executables and libraries, and where they are loaded.
 */
#include "format/utrace/feed/family_list.h"

#define OLD_SHIFT 16 /* where a base has 32 bits and nobody says how far to shift it */

struct state {
    bool initialised;
    uint8_t shift;
    const struct tk_str *format;
};

enum { FORMAT, SHIFT };

static int on_init(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint64_t shift = tk_ut_has(ev, SHIFT) ? tk_ut_u64(ev, SHIFT) : OLD_SHIFT;
    if (shift > 63) {
        tk_ut_bad_payload(feed, ev, "bases cannot be shifted that far");
        shift = 0;
    }
    s->initialised = true;
    s->shift = (uint8_t)shift;
    s->format = tk_ut_str(feed, ev, FORMAT, 1);
    return s->format ? TK_OK : TK_ENOMEM;
}

enum { BASE, NAME, SIZE, IMAGE };

/* Bases of 64 bits are whole where no shift is known. */
static uint64_t base_of(const struct state *s, const struct tk_ut_event *ev)
{
    uint8_t usual = tk_ut_has(ev, BASE) && ev->bound[BASE]->size == 8 ? 0 : OLD_SHIFT;
    return tk_ut_u64(ev, BASE) << (s->initialised ? s->shift : usual);
}

static int say_module(struct tk_ut_feed *feed, const struct tk_ut_event *ev, struct tk_fact_module module)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_MODULE, 0);
    fact.thread = TK_NO_THREAD;
    fact.u.module = module;
    return tk_ut_define(feed, &fact);
}

static int on_load(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct state *s = state;
    struct tk_bytes image = {NULL, 0};
    struct tk_fact_module module = {.base = base_of(s, ev),
                                    .size = tk_ut_u64(ev, SIZE),
                                    .name = tk_ut_str(feed, ev, NAME, 2),
                                    .format = s->format,
                                    .loaded = true};
    if (tk_ut_has(ev, IMAGE))
        image = tk_ut_bytes(ev, IMAGE);
    if (image.n)
        module.image = tk_arena_copy(&feed->capture->arena, image.p, image.n);
    module.n_image = (uint32_t)image.n;
    return module.name && (module.image || !image.n) ? say_module(feed, ev, module) : TK_ENOMEM;
}

static int on_unload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return say_module(feed, ev, (struct tk_fact_module){.base = base_of(state, ev)});
}

static const struct tk_ut_bind binds[] = {
    {"Diagnostics.ModuleInit", on_init, true, {"SymbolFormat", "ModuleBaseShift"}},
    {"Diagnostics.ModuleLoad", on_load, true, {"Base", "Name", "Size", "ImageId"}},
    {"Diagnostics.ModuleUnload", on_unload, true, {"Base"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_module = {
    .name = "module", .binds = binds, .state = sizeof(struct state)};
