/*
 * Strings, and what pointers of the program stand for (tracy-live 7.4).
 */
#include "base/wrap.h"
#include "live/tracy/state/state.h"

#include <string.h>

/*
 * What all handlers use: memory that is counted, times, questions, broken rules (tracy-live 3, 6, 8, 11).
 */

enum { MAP_ENTRY = 32 };

int tk_tl_charge(struct tk_tl_state *s, uint64_t bytes)
{
    s->charged += bytes;
    if (s->charged <= s->options.names)
        return TK_OK;
    return tk_err_set(s->err, TK_ELIMIT,
                      "names, callstacks and what else a recording keeps in memory exceed %llu MiB",
                      (unsigned long long)(s->options.names >> 20));
}

int tk_tl_column_error(struct tk_tl_state *s)
{
    const int rc = tk_spill_columns_error(s->columns, s->err);
    return rc != TK_OK ? rc : tk_spill_columns_error(s->lasting, s->err);
}

int tk_tl_impossible(struct tk_tl_state *s)
{
    return tk_err_set(s->err, TK_EFORMAT, "what the capture before has left makes no sense");
}

int tk_tl_map_put(struct tk_tl_state *s, struct tk_map *m, uint64_t key, uint32_t value)
{
    TK_TL_TRY(tk_tl_charge(s, MAP_ENTRY));
    return tk_map_put(m, key, value) ? tk_tl_nomem(s) : TK_OK;
}

int64_t tk_tl_ns(const struct tk_tl_state *s, int64_t ticks)
{
    return tk_saturate_i64((double)tk_wrap_sub(ticks, s->welcome.base) * s->welcome.period);
}

int tk_tl_ask(struct tk_tl_state *s, enum tk_tl_question question, uint64_t pointer, uint32_t extra)
{
    struct tk_tl_queue *q = tk_tl_is_name(question) ? &s->names_first : &s->others;
    const struct tk_tl_question_entry entry = {pointer, extra, (uint8_t)question};
    if (q->head == q->v.n)
        q->head = q->v.n = 0;
    s->requested++;
    return tk_tl_push(s, &q->v, entry);
}

/*
 * Files of sources, and the texts of pointers, which may name them (tracy-live 7.4, 7.11).
 */

/* The program is requested sources; nothing is read here. */

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

enum { STRINGS_MOST = (1 << 24) - 2 };

int tk_tl_store(struct tk_tl_state *s, const void *p, size_t n, uint32_t *text)
{
    uint64_t hash = tk_hash_bytes(p, n, 0);
    for (uint32_t i; (i = tk_map_get(&s->string_of, hash)) != TK_MAP_NONE; hash++)
        if (s->strings.v[i].n == n && (!n || memcmp(s->strings.v[i].p, p, n) == 0)) {
            *text = i;
            return TK_OK;
        }
    struct tk_tl_text t = {.n = (uint32_t)n};
    if (s->strings.n >= STRINGS_MOST)
        return tk_err_set(
            s->err, TK_ELIMIT,
            "the program has more than 16777214 different strings, and no .tracy can hold them");
    TK_TL_TRY(tk_tl_charge(s, n));
    if (!(t.p = tk_arena_copy(&s->text_arena, p, n)))
        return tk_tl_nomem(s);
    *text = (uint32_t)s->strings.n;
    TK_TL_TRY(tk_tl_push(s, &s->strings, t));
    return tk_tl_map_put(s, &s->string_of, hash, *text);
}

struct tk_tl_text tk_tl_text_of(const struct tk_tl_state *s, uint32_t text)
{
    struct tk_tl_text t = s->strings.v[text];
    const uint8_t *end = t.n ? memchr(t.p, 0, t.n) : NULL;
    if (end)
        t.n = (uint32_t)(end - t.p);
    return t;
}

int tk_tl_on_single_string_data(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    TK_TL_TRY(tk_tl_store(s, s->data.p, s->data.n, &s->single));
    s->last_single = s->single;
    return TK_OK;
}

int tk_tl_on_second_string_data(struct tk_tl_state *s, const uint8_t *p)
{
    (void)p;
    return tk_tl_store(s, s->data.p, s->data.n, &s->second);
}

int tk_tl_on_single_string_data_8(struct tk_tl_state *s, const uint8_t *p)
{
    return tk_tl_on_single_string_data(s, p);
}

int tk_tl_on_second_string_data_8(struct tk_tl_state *s, const uint8_t *p)
{
    return tk_tl_on_second_string_data(s, p);
}

uint32_t tk_tl_take_text(struct tk_tl_state *s)
{
    const uint32_t text = s->single;
    s->single = TK_TL_NONE;
    if (text != TK_TL_NONE)
        return text;
    s->odd.texts++;
    return s->last_single;
}

struct tk_tl_pointer *tk_tl_pointer_find(const struct tk_tl_state *s, uint64_t pointer)
{
    const uint32_t i = tk_map_get(&s->pointer_of, pointer);
    return i == TK_MAP_NONE ? NULL : &s->pointers.v[i];
}

static int add_pointer(struct tk_tl_state *s, uint64_t pointer, uint32_t text)
{
    const struct tk_tl_pointer p = {pointer, text, false};
    TK_TL_TRY(tk_tl_map_put(s, &s->pointer_of, pointer, (uint32_t)s->pointers.n));
    return tk_tl_push(s, &s->pointers, p);
}

int tk_tl_want_text(struct tk_tl_state *s, uint64_t pointer, bool *known)
{
    *known = pointer == 0 || tk_tl_pointer_find(s, pointer);
    if (*known)
        return TK_OK;
    TK_TL_TRY(add_pointer(s, pointer, TK_TL_NONE));
    return tk_tl_ask(s, TK_TL_ASK_STRING, pointer, 0);
}

int tk_tl_name_pointer(struct tk_tl_state *s, uint64_t pointer, uint32_t text)
{
    struct tk_tl_pointer *p = tk_tl_pointer_find(s, pointer);
    if (!p)
        return add_pointer(s, pointer, text);
    if (p->text == TK_TL_NONE)
        p->text = text;
    return TK_OK;
}

uint32_t tk_tl_pointer_text(const struct tk_tl_state *s, uint64_t pointer)
{
    const struct tk_tl_pointer *p = tk_tl_pointer_find(s, pointer);
    return p ? p->text : TK_TL_NONE;
}
