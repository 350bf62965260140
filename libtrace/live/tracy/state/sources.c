/*
 * Files of sources, and the texts of pointers, which may name them (tracy-live 7.4, 7.11).
 */
#include "live/tracy/state/topics.h"

#include <string.h>

/* The program is asked for sources; nothing is read here. */

/* A text with its NUL, in pieces of 12 bytes. */
static int send_text(struct tk_tl_state *s, struct tk_tl_text t)
{
    TK_TL_TRY(tk_tl_ask(s, TK_TL_ASK_DATA, (uint64_t)t.n + 1, 0));
    for (size_t at = 0; at < (size_t)t.n + 1; at += 12) {
        uint8_t piece[12] = {0};
        const size_t left = t.n - at < sizeof piece ? t.n - at : sizeof piece;
        if (at < t.n)
            memcpy(piece, t.p + at, left);
        TK_TL_TRY(tk_tl_ask(s, TK_TL_ASK_DATA_PART, tk_load64(piece), tk_load32(piece + 8)));
    }
    return TK_OK;
}

int tk_tl_source_file(struct tk_tl_state *s, uint32_t path, uint32_t image)
{
    const struct tk_tl_source source = {.path = path};
    const bool possible =
        s->welcome.exec_time && (!s->protocol.code_for_sources || s->welcome.flags & TK_TL_CODE_TRANSFER);
    if (!s->options.want_sources || !possible || tk_map_get(&s->source_of, path) != TK_MAP_NONE)
        return TK_OK;
    TK_TL_TRY(tk_tl_map_put(s, &s->source_of, path, (uint32_t)s->sources.n));
    if (image)
        TK_TL_TRY(send_text(s, tk_tl_text_of(s, image - 1)));
    TK_TL_TRY(send_text(s, tk_tl_text_of(s, path)));
    TK_TL_TRY(tk_tl_push(s, &s->sources, source));
    return tk_tl_ask(s, TK_TL_ASK_SOURCE, s->sources.n - 1, 0);
}

int tk_tl_on_source_code(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    if (s->key >= s->sources.n || s->sources.v[s->key].known) {
        s->odd.answers++;
        return TK_OK;
    }
    s->sources.v[s->key].known = true;
    s->sources.v[s->key].n = (uint32_t)s->data.n;
    TK_TL_TRY(tk_tl_push(s, &s->source_answers, (uint32_t)s->key));
    return tk_spill_column_add_bytes(&s->source_bytes, s->data.p, s->data.n) ? TK_OK : tk_tl_column_error(s);
}

int tk_tl_on_ack_source_code_not_available(struct tk_tl_state *s, const uint8_t *p)
{
    (void)s;
    (void)p;
    return TK_OK;
}

int tk_tl_on_ack_server_query_noop(struct tk_tl_state *s, const uint8_t *p)
{
    (void)s;
    (void)p;
    return TK_OK;
}

int tk_tl_on_string_data(struct tk_tl_state *s, const uint8_t *p)
{
    struct tk_tl_pointer *k = tk_tl_pointer_find(s, s->key);
    (void)p;
    if (!k || k->text != TK_TL_NONE) {
        s->odd.answers++;
        return TK_OK;
    }
    TK_TL_TRY(tk_tl_store(s, s->data.p, s->data.n, &k->text));
    if (!k->source)
        return TK_OK;
    k->source = false;
    return tk_tl_source_file(s, k->text, 0);
}
