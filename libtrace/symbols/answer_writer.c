/*
 * Writing of answers that are kept.
 */
#include "base/checksum.h"
#include "base/text/path.h"
#include "symbols/symbols_in.h"

#include <stdlib.h>
#include <string.h>

/* ---- texts and nodes, each once ---- */

static const struct tk_str *short_file(struct tk_answer_writer *w, const struct tk_str *file)
{
    size_t from = file->n;
    while (from && file->p[from - 1] != '/' && file->p[from - 1] != '\\')
        from--;
    return tk_intern(&w->short_files, file->p + from, file->n - from, (enum tk_encoding)file->enc);
}

/* The number of a text, from 1; 0: none. TK_MAP_NONE if out of memory. Texts are distinguished by where they
 * are, as answers keep each once. */
static uint32_t text_number(struct tk_answer_writer *w, const struct tk_str *text)
{
    if (!text || !text->n)
        return 0;
    uint64_t key = (uint64_t)(uintptr_t)text;
    uint32_t at = tk_map_get(&w->text_index, key);
    if (at != TK_MAP_NONE)
        return at;
    if (w->texts.n >= TK_MAP_NONE - 2 || tk_vec_push(&w->texts, text) ||
        tk_map_put(&w->text_index, key, (uint32_t)w->texts.n))
        return TK_MAP_NONE;
    return (uint32_t)w->texts.n;
}

static bool is_same(const struct tk_answer_node *a, const struct tk_answer_node *b)
{
    return a->function == b->function && a->file == b->file && a->line == b->line && a->caller == b->caller;
}

/* The place of a node, from 1; TK_MAP_NONE if out of memory. */
static uint32_t node_place(struct tk_answer_writer *w, struct tk_answer_node node)
{
    uint64_t key = tk_hash_pair(tk_hash_pair(node.function, node.file), tk_hash_pair(node.line, node.caller));
    uint32_t at = tk_map_get(&w->node_index, key);
    if (at != TK_MAP_NONE && is_same(&w->nodes.v[at - 1], &node))
        return at;
    if (w->nodes.n >= TK_MAP_NONE - 2 || tk_vec_push(&w->nodes, node) ||
        tk_map_put(&w->node_index, key, (uint32_t)w->nodes.n))
        return TK_MAP_NONE;
    return (uint32_t)w->nodes.n;
}

static uint32_t reach(struct tk_answer_writer *w, const struct tk_sym_frame *frame, uint32_t caller)
{
    const struct tk_str *file = frame->file && w->strip ? short_file(w, frame->file) : frame->file;
    struct tk_answer_node node = {text_number(w, frame->function), text_number(w, file), frame->line, caller};
    if ((frame->file && !file) || node.function == TK_MAP_NONE || node.file == TK_MAP_NONE)
        return TK_MAP_NONE;
    return node_place(w, node);
}

int tk_answer_writer_add(struct tk_answer_writer *w, uint64_t address, const struct tk_sym_frame *frames,
                         uint32_t n)
{
    uint32_t place = 0;
    for (uint32_t i = n; i-- > 0 && place != TK_MAP_NONE;)
        place = reach(w, &frames[i], place);
    if (place == TK_MAP_NONE || w->addresses.n >= UINT32_MAX)
        return -1;
    return tk_vec_push(&w->addresses, ((struct tk_sym_question){.address = address, .first = place}));
}

/* ---- bytes ---- */

static void put32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

static void put64(uint8_t *p, uint64_t v)
{
    put32(p, (uint32_t)v);
    put32(p + 4, (uint32_t)(v >> 32));
}

static uint64_t filled(uint64_t n)
{
    return (n + 7) / 8 * 8;
}

static uint64_t text_bytes(const struct tk_answer_writer *w)
{
    uint64_t n = 0;
    for (size_t i = 0; i < w->texts.n; i++)
        n += w->texts.v[i]->n;
    return n;
}

static uint64_t size_of(const struct tk_answer_writer *w, const struct tk_answer_origin *o, uint64_t texts)
{
    return TK_ANSWERS_HEAD + filled(strlen(o->wanted.name)) + filled(strlen(o->path)) +
           filled(strlen(o->how)) + filled(UINT64_C(4) * w->texts.n) + filled(texts) +
           (uint64_t)TK_ANSWERS_NODE * w->nodes.n + UINT64_C(8) * w->addresses.n +
           filled(UINT64_C(4) * w->addresses.n);
}

static void put_head(uint8_t *p, const struct tk_answer_writer *w, const struct tk_answer_origin *o,
                     uint64_t texts, uint64_t size)
{
    put32(p + TK_AT_MAGIC, TK_ANSWERS_MAGIC);
    put32(p + TK_AT_VERSION, TK_ANSWERS_VERSION);
    put64(p + TK_AT_SIZE, size);
    put32(p + TK_AT_READER, TK_ANSWERS_OF_READER);
    p[TK_AT_STATE] = o->state;
    p[TK_AT_DEPTH] = o->depth;
    p[TK_AT_KIND] = (uint8_t)o->wanted.kind;
    p[TK_AT_N_ID] = (uint8_t)o->wanted.n_raw;
    memcpy(p + TK_AT_ID, o->wanted.id, TK_WANTED_ID);
    put64(p + TK_AT_MODULE_SIZE, o->wanted.size);
    put64(p + TK_AT_EXTENT, o->extent);
    put64(p + TK_AT_FILE_SIZE, o->file_size);
    put64(p + TK_AT_MODIFIED, (uint64_t)o->file_modified);
    put32(p + TK_AT_N_NAME, (uint32_t)strlen(o->wanted.name));
    put32(p + TK_AT_N_PATH, (uint32_t)strlen(o->path));
    put32(p + TK_AT_N_HOW, (uint32_t)strlen(o->how));
    put32(p + TK_AT_N_TEXTS, (uint32_t)w->texts.n);
    put32(p + TK_AT_N_NODES, (uint32_t)w->nodes.n);
    put32(p + TK_AT_N_ADDRESSES, (uint32_t)w->addresses.n);
    put64(p + TK_AT_TEXT_BYTES, texts);
}

static uint8_t *put_text(uint8_t *p, const char *text)
{
    size_t n = strlen(text);
    memcpy(p, text, n);
    return p + filled(n);
}

static uint8_t *put_texts(uint8_t *p, const struct tk_answer_writer *w, uint64_t texts)
{
    uint8_t *bytes = p + filled(UINT64_C(4) * w->texts.n);
    uint32_t end = 0;
    for (size_t i = 0; i < w->texts.n; i++) {
        const struct tk_str *text = w->texts.v[i];
        memcpy(bytes + end, text->p, text->n);
        end += text->n;
        put32(p + 4 * i, end);
    }
    return bytes + filled(texts);
}

static void put_tree(uint8_t *p, const struct tk_answer_writer *w)
{
    for (size_t i = 0; i < w->nodes.n; i++, p += TK_ANSWERS_NODE) {
        const struct tk_answer_node *node = &w->nodes.v[i];
        put32(p, node->function);
        put32(p + 4, node->file);
        put32(p + 8, node->line);
        put32(p + 12, node->caller);
    }
    uint8_t *places = p + 8 * w->addresses.n;
    for (size_t i = 0; i < w->addresses.n; i++) {
        put64(p + 8 * i, w->addresses.v[i].address);
        put32(places + 4 * i, w->addresses.v[i].first);
    }
}

uint8_t *tk_answer_writer_end(const struct tk_answer_writer *w, const struct tk_answer_origin *origin,
                              size_t *n)
{
    const uint64_t texts = text_bytes(w), size = size_of(w, origin, texts);
    uint8_t *bytes = texts <= UINT32_MAX && size <= SIZE_MAX ? calloc(1, (size_t)size) : NULL;
    if (!bytes)
        return NULL;
    put_head(bytes, w, origin, texts, size);
    uint8_t *p = put_text(bytes + TK_ANSWERS_HEAD, origin->wanted.name);
    p = put_text(p, origin->path);
    p = put_text(p, origin->how);
    put_tree(put_texts(p, w, texts), w);
    put64(bytes + TK_AT_CHECKSUM, tk_checksum(bytes + TK_AT_SIZE, (size_t)size - TK_AT_SIZE, 0));
    *n = (size_t)size;
    return bytes;
}

void tk_answer_writer_release(struct tk_answer_writer *w)
{
    tk_vec_release(&w->texts);
    tk_vec_release(&w->nodes);
    tk_vec_release(&w->addresses);
    tk_map_release(&w->text_index);
    tk_map_release(&w->node_index);
    tk_intern_release(&w->short_files);
}
