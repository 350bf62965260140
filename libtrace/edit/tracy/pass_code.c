/*
 * Callstacks, their frames, symbols and code (tracy-file 5.13, 5.19 to 5.21): those to which nothing refers
 * any more go with what referred to them. Part of a pass.
 *
 * In the file, whatever refers to a callstack stands in front of the callstacks, and frames behind them.
 * Which symbols stay is known when all is read.
 */
#include "base/sort.h"
#include "edit/tracy/edit_tracy.h"
#include "edit/tracy/pass_in.h"

enum { PLAIN, INLINED, SYMBOLS, CODE, PARTS }; /* in used.places */

static bool has(const struct tk_map *set, uint64_t key)
{
    return tk_map_get(set, key) != TK_MAP_NONE;
}

static void add(struct tk_tracy_pass *p, struct tk_map *set, uint64_t key)
{
    p->failed |= tk_map_put(set, key, 1) != 0;
}

/* ---- callstacks ---- */

void tk_tracy_pass_use_stack(struct tk_tracy_pass *p, uint64_t number)
{
    enum { MOST = 1 << 24 }; /* numbers have 3 bytes */
    struct tk_tracy_used_code *used = &p->used;
    if (p->out || !p->unlinks || !number || number >= MOST)
        return;
    if (number > used->stacks.n && tk_vec_reach(&used->stacks, (size_t)number)) {
        p->failed = true;
        return;
    }
    used->stacks.v[number - 1] = 1;
    used->last_stack = number > used->last_stack ? number : used->last_stack;
}

static void pass_stack(struct tk_tracy_pass *p, bool stays)
{
    struct tk_tracy_callstack stack;
    struct tk_tracy_stack_frame frame;
    if (!tk_tracy_read_callstack(p->in, &stack))
        return;
    const uint16_t depth = stack.depth;
    stack.depth = stays ? depth : 0;
    tk_tracy_pass_put_callstack(p, &stack);
    for (unsigned i = 0; i < depth && tk_tracy_pass_going(p); i++) {
        if (!tk_tracy_read_stack_frame(p->in, &frame) || !stays)
            continue;
        if (!p->out)
            add(p, &p->used.frames, frame.id);
        tk_tracy_pass_put_stack_frame(p, &frame);
    }
}

/* Numbers stay: in front of one that is used, others are without a frame. */
void tk_tracy_pass_callstacks(struct tk_tracy_pass *p)
{
    const struct tk_tracy_used_code *used = &p->used;
    const uint64_t n = tk_tracy_u64(p->in, "callstacks");
    const uint64_t kept = n < used->last_stack ? n : used->last_stack;
    p->items += n;
    tk_tracy_pass_put(p, kept, 8);
    for (uint64_t i = 0; i < kept && tk_tracy_pass_going(p); i++) {
        p->kept[p->section] += !p->out && used->stacks.v[i];
        pass_stack(p, used->stacks.v[i]);
    }
    struct tk_tracy_callstack stack;
    for (uint64_t i = kept; i < n && tk_tracy_pass_going(p); i++)
        if (tk_tracy_read_callstack(p->in, &stack))
            tk_tracy_skip(p->in, 8 * (uint64_t)stack.depth, "callstack");
}

static void pass_place(struct tk_tracy_pass *p, bool stays)
{
    struct tk_tracy_code_place place;
    if (!tk_tracy_read_code_place(p->in, &place) || !stays)
        return;
    if (!p->out && p->unlinks)
        add(p, &p->used.symbols, place.symbol);
    tk_tracy_pass_put_code_place(p, &place);
}

static void pass_code_frame(struct tk_tracy_pass *p, size_t count)
{
    struct tk_tracy_code_frame frame;
    if (!tk_tracy_read_code_frame(p->in, &frame))
        return;
    const bool stays = !p->unlinks || has(&p->used.frames, frame.id);
    if (stays) {
        tk_tracy_pass_keep(p, count);
        tk_tracy_pass_put_code_frame(p, &frame);
    }
    for (unsigned k = 0; k < frame.places && tk_tracy_pass_going(p); k++)
        pass_place(p, stays);
}

void tk_tracy_pass_callstack_frames(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "callstack frames");
    const size_t count = tk_tracy_pass_count(p, 8);
    p->items += n;
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        pass_code_frame(p, count);
}

/* ---- symbols ---- */

/* The function whose code has the address; NULL: none. */
static const struct tk_tracy_symbol *function_at(const struct tk_tracy_used_code *used, uint64_t address)
{
    size_t from = 0, to = used->functions.n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (used->functions.v[middle].address <= address)
            from = middle + 1;
        else
            to = middle;
    }
    const struct tk_tracy_symbol *s = from ? &used->functions.v[from - 1] : NULL;
    return s && (address == s->address || address - s->address < s->size) ? s : NULL;
}

/* What a function inlines is needed where its code is. */
static bool part_stays(const struct tk_tracy_used_code *used, uint64_t code)
{
    const struct tk_tracy_symbol *function = function_at(used, code);
    return function && has(&used->symbols, function->address);
}

static void pass_symbol(struct tk_tracy_pass *p)
{
    struct tk_tracy_symbol s;
    if (!tk_tracy_read_symbol(p->in, &s))
        return;
    if (!p->unlinks || (p->out && has(&p->used.symbols, s.address)))
        tk_tracy_pass_put_symbol(p, &s);
    if (!p->unlinks || p->out)
        return;
    p->failed |= tk_vec_push(&p->used.all, s) != 0;
    p->failed |= !s.is_inline && tk_vec_push(&p->used.functions, s);
}

void tk_tracy_pass_symbols(struct tk_tracy_pass *p)
{
    struct tk_tracy_used_code *used = &p->used;
    if (!p->unlinks) {
        tk_tracy_pass_copy(p, 16);
    } else {
        tk_tracy_skip(p->in, 16, "numbers of symbols");
        used->places[PLAIN] = tk_tracy_pass_count(p, 8);
        used->places[INLINED] = tk_tracy_pass_count(p, 8);
    }
    const uint64_t n = tk_tracy_u64(p->in, "symbols");
    used->places[SYMBOLS] = tk_tracy_pass_count(p, 8);
    if (!p->unlinks)
        tk_tracy_pass_set(p, used->places[SYMBOLS], n);
    p->items += n;
    p->kept[p->section] = p->out ? p->kept[p->section] : n;
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        pass_symbol(p);
}

/* Its size stands in front of the code. */
void tk_tracy_pass_symbol_code(struct tk_tracy_pass *p)
{
    const uint64_t n = tk_tracy_u64(p->in, "code of symbols");
    p->used.places[CODE] = tk_tracy_pass_count(p, 8);
    p->items += n;
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_code v;
        if (!tk_tracy_read_code(p->in, &v))
            return;
        if (!p->out)
            p->failed |= tk_vec_push(&p->used.code, v.address) != 0;
        if (p->out && !part_stays(&p->used, v.address)) {
            tk_tracy_skip(p->in, v.n, "code of a symbol");
            continue;
        }
        tk_tracy_pass_put_code(p, &v);
        tk_tracy_pass_copy(p, v.n);
    }
}

void tk_tracy_pass_code_symbols(struct tk_tracy_pass *p)
{
    if (!p->c->layout.code_symbols)
        return;
    const uint64_t n = tk_tracy_u64(p->in, "symbols of code");
    p->used.places[PARTS] = tk_tracy_pass_count(p, 8);
    p->items += n;
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++) {
        struct tk_tracy_code_symbol v;
        if (!tk_tracy_read_code_symbol(p->in, &v))
            return;
        if (!p->out)
            p->failed |= tk_vec_push(&p->used.parts, v) != 0;
        else if (part_stays(&p->used, v.code))
            tk_tracy_pass_put_code_symbol(p, &v);
    }
}

static int by_address(const void *a, const void *b)
{
    const struct tk_tracy_symbol *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static void use_function(struct tk_tracy_pass *p, uint64_t address)
{
    const struct tk_tracy_symbol *function = function_at(&p->used, address);
    if (function)
        add(p, &p->used.symbols, function->address);
}

static void count_symbols(struct tk_tracy_pass *p)
{
    struct tk_tracy_used_code *used = &p->used;
    uint64_t n[2] = {0, 0};
    for (size_t i = 0; i < used->all.n; i++) {
        if (!has(&used->symbols, used->all.v[i].address))
            continue;
        n[used->all.v[i].is_inline != 0]++;
        tk_tracy_pass_put_symbol(p, &used->all.v[i]); /* its texts are used */
    }
    tk_tracy_pass_set(p, used->places[PLAIN], n[0]);
    tk_tracy_pass_set(p, used->places[INLINED], n[1]);
    tk_tracy_pass_set(p, used->places[SYMBOLS], n[0] + n[1]);
}

static void count_code(struct tk_tracy_pass *p)
{
    const struct tk_tracy_used_code *used = &p->used;
    uint64_t code = 0, parts = 0;
    for (size_t i = 0; i < used->code.n; i++)
        code += part_stays(used, used->code.v[i]);
    for (size_t i = 0; i < used->parts.n; i++)
        parts += part_stays(used, used->parts.v[i].code);
    if (used->code.n)
        tk_tracy_pass_set(p, used->places[CODE], code);
    if (used->parts.n)
        tk_tracy_pass_set(p, used->places[PARTS], parts);
}

void tk_tracy_pass_link_symbols(struct tk_tracy_pass *p)
{
    struct tk_tracy_used_code *used = &p->used;
    p->failed |= tk_sort(used->functions.v, used->functions.n, sizeof *used->functions.v, by_address) != 0;
    for (size_t i = 0; i < used->samples.n; i++)
        use_function(p, used->samples.v[i]);
    for (size_t i = 0; i < used->all.n; i++)
        if (used->all.v[i].is_inline && has(&used->symbols, used->all.v[i].address))
            use_function(p, used->all.v[i].address);
    for (size_t i = 0; i < used->parts.n; i++)
        if (part_stays(used, used->parts.v[i].code))
            add(p, &used->symbols, used->parts.v[i].symbol);
    if (used->all.n)
        count_symbols(p);
    count_code(p);
}

void tk_tracy_used_code_release(struct tk_tracy_used_code *used)
{
    tk_vec_release(&used->stacks);
    tk_map_release(&used->frames);
    tk_map_release(&used->symbols);
    tk_vec_release(&used->all);
    tk_vec_release(&used->functions);
    tk_vec_release(&used->parts);
    tk_vec_release(&used->code);
    tk_vec_release(&used->samples);
}
