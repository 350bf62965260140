/*
 * Callstacks, as lists of frames that are stored once, and where they wait for their event (tracy-live 7.10).
 * code.c has what the frames stand for.
 */
#include "live/tracy/state/state.h"

#include <string.h>

#define ADDRESS_BITS ((UINT64_C(1) << 62) - 1)

enum { DEPTH_MOST = 65535 };

static int want_frame(struct tk_tl_state *s, uint64_t id)
{
    const struct tk_tl_code_frame frame = {.id = id, .address = id | (id & UINT64_C(3) << 60) << 2};
    if (id >> 62 || tk_map_get(&s->code_frame_of, id) != TK_MAP_NONE)
        return TK_OK;
    TK_TL_TRY(tk_tl_map_put(s, &s->code_frame_of, id, (uint32_t)s->code_frames.n));
    TK_TL_TRY(tk_tl_push(s, &s->code_frames, frame));
    return tk_tl_ask(s, TK_TL_ASK_CODE_FRAME, frame.address, 0);
}

int tk_tl_frame_want(struct tk_tl_state *s, uint64_t address)
{
    return want_frame(s, address & ADDRESS_BITS);
}

static bool is_stack(const struct tk_tl_state *s, uint32_t i, const uint64_t *ids, size_t n)
{
    const struct tk_tl_stack *k = &s->stacks.v[i];
    return k->n == n && (!n || memcmp(s->stack_frames.v + k->first, ids, n * sizeof *ids) == 0);
}

static int add_stack(struct tk_tl_state *s, const uint64_t *ids, size_t n)
{
    const struct tk_tl_stack stack = {s->stack_frames.n, (uint32_t)n};
    TK_TL_TRY(tk_tl_charge(s, n * sizeof *ids));
    if (tk_vec_reserve(&s->stack_frames, s->stack_frames.n + n))
        return tk_tl_nomem(s);
    if (n)
        memcpy(s->stack_frames.v + s->stack_frames.n, ids, n * sizeof *ids);
    s->stack_frames.n += n;
    return tk_tl_push(s, &s->stacks, stack);
}

int tk_tl_stack_of(struct tk_tl_state *s, const uint64_t *ids, size_t n, bool ask, uint32_t *stack)
{
    uint64_t hash = tk_hash_bytes(ids, n * sizeof *ids, 2);
    for (uint32_t i; (i = tk_map_get(&s->stack_of, hash)) != TK_MAP_NONE; hash++)
        if (is_stack(s, i, ids, n)) {
            *stack = i + 1;
            return TK_OK;
        }
    if (s->stacks.n >= 0xffffff)
        return tk_err_set(s->err, TK_ELIMIT, "the program has more callstacks than a .tracy can hold");
    TK_TL_TRY(tk_tl_map_put(s, &s->stack_of, hash, (uint32_t)s->stacks.n));
    TK_TL_TRY(add_stack(s, ids, n));
    *stack = (uint32_t)s->stacks.n;
    for (size_t i = 0; ask && i < n; i++)
        TK_TL_TRY(want_frame(s, ids[i]));
    return TK_OK;
}

/* Space for a list that is made. */
static int begin_list(struct tk_tl_state *s, size_t n)
{
    s->stack_space.n = 0;
    return tk_vec_reserve(&s->stack_space, n + 1) ? tk_tl_nomem(s) : TK_OK;
}

static void append_stack(struct tk_tl_state *s, uint32_t stack)
{
    const struct tk_tl_stack *k = &s->stacks.v[stack - 1];
    if (k->n)
        memcpy(s->stack_space.v + s->stack_space.n, s->stack_frames.v + k->first, k->n * sizeof(uint64_t));
    s->stack_space.n += k->n;
}

static size_t depth_of(const struct tk_tl_state *s, uint32_t stack)
{
    return stack ? s->stacks.v[stack - 1].n : 0;
}

int tk_tl_stack_join(struct tk_tl_state *s, uint32_t a, uint32_t b, uint32_t *stack)
{
    const size_t n = depth_of(s, a) + depth_of(s, b);
    *stack = a ? a : b;
    if (!a || !b || n > DEPTH_MOST)
        return TK_OK;
    TK_TL_TRY(begin_list(s, n));
    append_stack(s, a);
    append_stack(s, b);
    return tk_tl_stack_of(s, s->stack_space.v, n, false, stack);
}

int tk_tl_on_callstack_payload(struct tk_tl_state *s, const uint8_t *p)
{
    const size_t n = s->data.n / 8;
    (void)p;
    s->odd.payloads += s->data.n % 8 != 0;
    TK_TL_TRY(begin_list(s, n));
    for (size_t i = 0; i < n; i++)
        s->stack_space.v[i] = tk_load64(s->data.p + 8 * i) & ADDRESS_BITS;
    return tk_tl_stack_of(s, s->stack_space.v, n, true, &s->pending_stack);
}

/* ---- frames of scripts, which come with their names ---- */

/* The number of one, or TK_MAP_NONE: then *hash is where it would be. */
static uint32_t find_script_frame(const struct tk_tl_state *s, const struct tk_tl_code_place *place,
                                  uint64_t *hash)
{
    const uint32_t key[3] = {place->name, place->file, place->line};
    uint32_t i;
    *hash = tk_hash_bytes(key, sizeof key, 3);
    for (; (i = tk_map_get(&s->script_frame_of, *hash)) != TK_MAP_NONE; ++*hash) {
        const struct tk_tl_code_place *k = &s->code_places.v[s->code_frames.v[i].first];
        if (k->name == place->name && k->file == place->file && k->line == place->line)
            return i;
    }
    return TK_MAP_NONE;
}

int tk_tl_script_frame_enter(struct tk_tl_state *s, uint32_t i)
{
    const struct tk_tl_code_frame *f = &s->code_frames.v[i];
    uint64_t hash;
    if (f->n != 1 || f->first >= s->code_places.n ||
        find_script_frame(s, &s->code_places.v[f->first], &hash) != TK_MAP_NONE)
        return tk_tl_impossible(s);
    return tk_tl_map_put(s, &s->script_frame_of, hash, i);
}

static int script_frame(struct tk_tl_state *s, const struct tk_tl_code_place *place, uint64_t *id)
{
    uint64_t hash;
    const uint32_t i = find_script_frame(s, place, &hash);
    if (i != TK_MAP_NONE) {
        *id = s->code_frames.v[i].id;
        return TK_OK;
    }
    const struct tk_tl_code_frame frame = {.id = UINT64_C(1) << 62 | s->script_frames++,
                                           .known = true,
                                           .script = true,
                                           .first = (uint32_t)s->code_places.n,
                                           .n = 1};
    *id = frame.id;
    TK_TL_TRY(tk_tl_map_put(s, &s->script_frame_of, hash, (uint32_t)s->code_frames.n));
    TK_TL_TRY(tk_tl_push(s, &s->code_places, *place));
    return tk_tl_push(s, &s->code_frames, frame);
}

static int take_counted_text(struct tk_tl_state *s, struct tk_cur *c, uint32_t *text)
{
    const size_t n = tk_u16(c, "text");
    const uint8_t *p = tk_take(c, n, "text");
    *text = 0;
    return p ? tk_tl_store(s, p, n, text) : TK_OK;
}

int tk_tl_on_callstack_alloc_payload(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_cur c = tk_cur_of(s->data.p, s->data.n);
    const size_t n = tk_u8(&c, "frames");
    (void)p;
    TK_TL_TRY(begin_list(s, n + depth_of(s, s->pending_stack)));
    for (size_t i = 0; i < n && tk_cur_ok(&c); i++) {
        struct tk_tl_code_place place = {.line = tk_u32(&c, "line")};
        TK_TL_TRY(take_counted_text(s, &c, &place.name));
        TK_TL_TRY(take_counted_text(s, &c, &place.file));
        if (tk_cur_ok(&c))
            TK_TL_TRY(script_frame(s, &place, &s->stack_space.v[s->stack_space.n++]));
    }
    s->odd.payloads += !tk_cur_ok(&c);
    if (s->pending_stack)
        append_stack(s, s->pending_stack);
    const size_t depth = s->stack_space.n < DEPTH_MOST ? s->stack_space.n : DEPTH_MOST;
    return tk_tl_stack_of(s, s->stack_space.v, depth, true, &s->pending_stack);
}

/* ---- where a stack waits ---- */

uint32_t tk_tl_take_stack(struct tk_tl_thread *t)
{
    const uint32_t stack = t->callstack;
    t->callstack = 0;
    return stack;
}

uint32_t tk_tl_take_serial_stack(struct tk_tl_state *s)
{
    const uint32_t stack = s->serial_stack;
    s->serial_stack = 0;
    return stack;
}

int tk_tl_on_callstack(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_thread *t;
    (void)p;
    TK_TL_TRY(tk_tl_thread_current(s, &t));
    t->callstack = s->pending_stack;
    s->pending_stack = 0;
    return TK_OK;
}

int tk_tl_on_callstack_alloc(struct tk_tl_state *s, const uint8_t *p)
{
    return tk_tl_on_callstack(s, p);
}

int tk_tl_on_callstack_serial(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    s->serial_stack = s->pending_stack;
    s->pending_stack = 0;
    return TK_OK;
}
