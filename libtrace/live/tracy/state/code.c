/*
 * What frames of callstacks stand for: functions, symbols and their code (tracy-live 7.10).
 */
#include "live/tracy/state/topics.h"

#include <string.h>

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
    return tk_spill_column_add_bytes(&s->code_bytes, s->data.p, s->data.n) ? TK_OK : tk_tl_column_error(s);
}

int tk_tl_on_ack_symbol_code_not_available(struct tk_tl_state *s, const uint8_t *p)
{
    (void)s;
    (void)p;
    return TK_OK;
}
