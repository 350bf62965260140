/*
 * Source locations: those of the program's static data, which are requested, and those that come with a zone
 * (tracy-live 7.3).
 */
#include "live/tracy/state/state.h"

#include <string.h>

/*
 * What frames of callstacks stand for: functions, symbols and their code (tracy-live 7.10).
 */

#define ADDRESS_BITS ((UINT64_C(1) << 62) - 1)

enum { CODE_MOST = 131072 };

/* ---- frames: a head, then its places one by one ---- */

int tk_tl_on_callstack_frame_size(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t image = tk_tl_take_text(s) + 1;
    const uint32_t i = tk_map_get(&s->code_frame_of, tk_load64(p) & ADDRESS_BITS);
    s->answer.open = p[8] > 0;
    s->answer.left = p[8];
    s->answer.image = image;
    s->answer.ignored = i == TK_MAP_NONE || s->code_frames.v[i].known;
    s->answer.frame = i;
    s->odd.answers += s->answer.ignored;
    if (s->answer.ignored || !p[8])
        return TK_OK;
    s->code_frames.v[i].image = image;
    s->code_frames.v[i].first = (uint32_t)s->code_places.n;
    s->code_frames.v[i].n = 0;
    return TK_OK;
}

static bool has_end(struct tk_tl_text t, const char *end)
{
    const size_t n = strlen(end);
    return t.n >= n && memcmp(t.p + t.n - n, end, n) == 0;
}

/* Files of functions that a compiler puts into others, and that say nothing. */
static bool is_skipped(struct tk_tl_text file)
{
    static const char include[] = "/include/";
    const size_t n = sizeof include - 1;
    if (has_end(file, "/atomic") || has_end(file, "/bits/atomic_base.h") ||
        has_end(file, "/include/arm_neon.h"))
        return true;
    if (!has_end(file, "intrin.h"))
        return false;
    size_t at = file.n;
    while (at && file.p[at - 1] != '/')
        at--;
    return at >= n && memcmp(file.p + at - n, include, n) == 0;
}

/* The first place of a frame names the symbol of its code; others are those inlined. */
static int want_symbol(struct tk_tl_state *s, const struct tk_tl_code_place *place, uint32_t size)
{
    const struct tk_tl_symbol symbol = {.address = place->symbol,
                                        .name = place->name,
                                        .image = s->answer.image,
                                        .call_file = place->file,
                                        .call_line = place->line,
                                        .size = size,
                                        .is_inline = s->answer.left > 0};
    if (!place->symbol || s->failure.what || tk_map_get(&s->symbol_of, place->symbol) != TK_MAP_NONE)
        return TK_OK;
    TK_TL_TRY(tk_tl_map_put(s, &s->symbol_of, place->symbol, (uint32_t)s->symbols.n));
    TK_TL_TRY(tk_tl_push(s, &s->symbols, symbol));
    return tk_tl_ask(s, TK_TL_ASK_SYMBOL, place->symbol, 0);
}

static int take_place(struct tk_tl_state *s, const struct tk_tl_code_place *place, uint32_t size)
{
    struct tk_tl_code_frame *f = &s->code_frames.v[s->answer.frame];
    if (!f->n && s->answer.left && is_skipped(tk_tl_text_of(s, place->file)))
        return TK_OK;
    f->n++;
    TK_TL_TRY(tk_tl_push(s, &s->code_places, *place));
    TK_TL_TRY(want_symbol(s, place, size));
    return tk_tl_source_file(s, place->file, s->answer.image);
}

int tk_tl_on_callstack_frame(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_code_place place = {.line = tk_load32(p), .symbol = tk_load64(p + 4)};
    place.name = tk_tl_take_text(s);
    place.file = s->second;
    s->second = TK_TL_NONE;
    if (!s->answer.open || place.file == TK_TL_NONE) {
        s->odd.frames++;
        return TK_OK;
    }
    s->answer.left--;
    s->answer.open = s->answer.left > 0;
    if (s->answer.ignored)
        return TK_OK;
    TK_TL_TRY(take_place(s, &place, tk_load32(p + 12)));
    s->code_frames.v[s->answer.frame].known = !s->answer.open;
    return TK_OK;
}

/* ---- symbols ---- */

int tk_tl_on_symbol_information(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t file = tk_tl_take_text(s), i = tk_map_get(&s->symbol_of, tk_load64(p + 4));
    if (i == TK_MAP_NONE || s->symbols.v[i].known) {
        s->odd.answers++;
        return TK_OK;
    }
    struct tk_tl_symbol *k = &s->symbols.v[i];
    const uint32_t image = k->image;
    k->known = true;
    k->file = file;
    k->line = tk_load32(p);
    if (s->options.want_code && s->welcome.flags & TK_TL_CODE_TRANSFER && k->size && k->size <= CODE_MOST)
        TK_TL_TRY(tk_tl_ask(s, TK_TL_ASK_CODE, k->address, k->size));
    return tk_tl_source_file(s, file, image);
}

/* The line of each instruction, and the functions that are called from here, whose code follows. */
static int want_instructions(struct tk_tl_state *s)
{
    struct tk_tl_instruction i;
    for (size_t at = 0; tk_tl_instruction_read(s->welcome.arch, s->data.p + at, s->data.n - at, &i);
         at += i.size) {
        const uint64_t address = s->key + at;
        TK_TL_TRY(tk_tl_frame_want(s, address));
        if (i.leads)
            TK_TL_TRY(tk_tl_frame_want(s, address + (uint64_t)i.to));
    }
    return TK_OK;
}

int tk_tl_on_symbol_code(struct tk_tl_state *s, const uint8_t *p)
{
    const uint32_t i = tk_map_get(&s->symbol_of, s->key);
    const struct tk_tl_code code = {s->key, (uint32_t)s->data.n};
    (void)p;
    if (!s->options.want_code || i == TK_MAP_NONE || s->data.n > CODE_MOST ||
        tk_map_get(&s->code_of, s->key) != TK_MAP_NONE) {
        s->odd.answers++;
        return TK_OK;
    }
    TK_TL_TRY(tk_tl_map_put(s, &s->code_of, s->key, (uint32_t)s->code.n));
    TK_TL_TRY(tk_tl_push(s, &s->code, code));
    if (!tk_spill_column_add_bytes(&s->code_bytes, s->data.p, s->data.n))
        return tk_tl_column_error(s);
    return want_instructions(s);
}

int tk_tl_on_ack_symbol_code_not_available(struct tk_tl_state *s, const uint8_t *p)
{
    (void)s;
    (void)p;
    return TK_OK;
}

enum { STATICS_MOST = 32767, EXPAND_MOST = 32766, NO_PLACE = 32767 };

static int add_static(struct tk_tl_state *s, uint64_t pointer, uint32_t *i)
{
    const struct tk_tl_static k = {.pointer = pointer};
    if (s->statics.n > STATICS_MOST)
        return tk_tl_fail(s, "too many source locations", 0, 0, 0);
    *i = (uint32_t)s->statics.n;
    TK_TL_TRY(tk_tl_map_put(s, &s->static_of, pointer, *i));
    TK_TL_TRY(tk_tl_push(s, &s->statics, k));
    return tk_tl_ask(s, TK_TL_ASK_LOCATION, pointer, 0);
}

/* A few hundred places are most of those that zones begin at: they are found by bits of their addresses. */
static struct tk_tl_known_place *known_place(struct tk_tl_state *s, uint64_t pointer)
{
    return &s->known_places[(pointer * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

int tk_tl_place_of(struct tk_tl_state *s, uint64_t pointer, int16_t *place)
{
    struct tk_tl_known_place *known = known_place(s, pointer);
    if (known->place && known->pointer == pointer) {
        *place = known->place;
        return TK_OK;
    }
    uint32_t i = tk_map_get(&s->static_of, pointer);
    if (i == TK_MAP_NONE)
        TK_TL_TRY(add_static(s, pointer, &i));
    struct tk_tl_static *k = &s->statics.v[i];
    if (!k->id) {
        if (s->expand.n >= EXPAND_MOST) {
            *place = NO_PLACE;
            return TK_OK;
        }
        k->id = (int16_t)s->expand.n;
        TK_TL_TRY(tk_tl_push(s, &s->expand, pointer));
    }
    *place = k->id;
    *known = (struct tk_tl_known_place){pointer, k->id};
    return TK_OK;
}

/* Answers have no pointer: they come in the order of the questions. */
int tk_tl_on_source_location(struct tk_tl_state *s, const uint8_t *p)
{
    bool known;
    if (s->static_answered == s->statics.n) {
        s->odd.answers++;
        return TK_OK;
    }
    struct tk_tl_static *k = &s->statics.v[s->static_answered++];
    k->known = true;
    k->name = tk_load64(p);
    k->function = tk_load64(p + 8);
    k->file = tk_load64(p + 16);
    k->line = tk_load32(p + 24);
    k->colour = tk_tl_colour(p + 28);
    const uint64_t file = k->file, function = k->function;
    TK_TL_TRY(tk_tl_want_text(s, k->name, &known));
    TK_TL_TRY(tk_tl_want_text(s, file, &known));
    const uint32_t text = file ? tk_tl_pointer_text(s, file) : TK_TL_NONE;
    if (text != TK_TL_NONE)
        TK_TL_TRY(tk_tl_source_file(s, text, 0));
    else if (file)
        s->pointers.v[tk_map_get(&s->pointer_of, file)].source = true;
    return tk_tl_want_text(s, function, &known);
}

/* ---- dynamic ones ---- */

/* The number of one, or TK_MAP_NONE: then *hash is where it would be. */
static uint32_t find_dynamic(const struct tk_tl_state *s, const struct tk_tl_dynamic *d, uint64_t *hash)
{
    uint32_t i;
    *hash = tk_hash_bytes(d, sizeof *d, 1);
    for (; (i = tk_map_get(&s->dynamic_of, *hash)) != TK_MAP_NONE; ++*hash)
        if (memcmp(&s->dynamics.v[i], d, sizeof *d) == 0)
            return i;
    return TK_MAP_NONE;
}

int tk_tl_dynamic_enter(struct tk_tl_state *s, uint32_t i)
{
    uint64_t hash;
    if (i >= STATICS_MOST || find_dynamic(s, &s->dynamics.v[i], &hash) != TK_MAP_NONE)
        return tk_tl_impossible(s);
    return tk_tl_map_put(s, &s->dynamic_of, hash, i);
}

static int add_dynamic(struct tk_tl_state *s, const struct tk_tl_dynamic *d, uint32_t *i)
{
    uint64_t hash;
    if ((*i = find_dynamic(s, d, &hash)) != TK_MAP_NONE)
        return TK_OK;
    *i = (uint32_t)s->dynamics.n;
    if (*i + 1 > STATICS_MOST)
        return tk_tl_fail(s, "too many source locations", 0, 0, 0);
    TK_TL_TRY(tk_tl_push(s, &s->dynamics, *d));
    TK_TL_TRY(tk_tl_map_put(s, &s->dynamic_of, hash, *i));
    return tk_tl_source_file(s, d->file, 0);
}

int tk_tl_on_source_location_payload(struct tk_tl_state *s, const uint8_t *p)
{
    const uint8_t *end = s->data.p + s->data.n;
    struct tk_tl_dynamic d = {.name = TK_TL_NONE};
    uint32_t i;
    (void)p;
    const uint8_t *function = s->data.p + 8;
    const uint8_t *mid = s->data.n > 8 ? memchr(function, 0, s->data.n - 8) : NULL;
    const uint8_t *last = mid && mid + 1 < end ? memchr(mid + 1, 0, (size_t)(end - mid - 1)) : NULL;
    if (!last) {
        s->odd.payloads++;
        s->pending_dynamic = 0;
        return TK_OK;
    }
    const uint32_t colour = tk_load32(s->data.p);
    d.colour = (colour & 0xff0000) >> 16 | (colour & 0xff00) | (colour & 0xff) << 16;
    d.line = tk_load32(s->data.p + 4);
    TK_TL_TRY(tk_tl_store(s, function, (size_t)(mid - function), &d.function));
    TK_TL_TRY(tk_tl_store(s, mid + 1, (size_t)(last - mid - 1), &d.file));
    if (last + 1 < end)
        TK_TL_TRY(tk_tl_store(s, last + 1, (size_t)(end - last - 1), &d.name));
    TK_TL_TRY(add_dynamic(s, &d, &i));
    s->pending_dynamic = -(int32_t)i - 1;
    return TK_OK;
}

int tk_tl_place_dynamic(struct tk_tl_state *s, int16_t *place)
{
    *place = (int16_t)s->pending_dynamic;
    if (!s->pending_dynamic) {
        s->odd.payloads++;
        *place = NO_PLACE;
    }
    s->pending_dynamic = 0;
    return TK_OK;
}

const struct tk_tl_text *tk_tl_place_name(const struct tk_tl_state *s, int16_t place)
{
    uint32_t text = TK_TL_NONE;
    if (place < 0 && (size_t)-place <= s->dynamics.n) {
        const struct tk_tl_dynamic *d = &s->dynamics.v[-place - 1];
        text = d->name != TK_TL_NONE ? d->name : d->function;
    } else if (place > 0 && (size_t)place < s->expand.n) {
        const struct tk_tl_static *k = &s->statics.v[tk_map_get(&s->static_of, s->expand.v[place])];
        text = tk_tl_pointer_text(s, k->name ? k->name : k->function);
    }
    return text == TK_TL_NONE ? NULL : &s->strings.v[text];
}
