/*
 * Reading of answers that are kept.
 */
#include "base/checksum.h"
#include "symbols/symbols_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Sorted answers.
 */

const struct tk_sym_question *tk_answer_list_find(struct tk_answer_list *list, uint64_t address)
{
    size_t at = list->at;
    while (at < list->v.n && at <= list->at + 1 && list->v.v[at].address < address)
        at++;
    if (at >= list->v.n || list->v.v[at].address != address)
        at = tk_sym_from(list->v.v, list->v.n, address);
    if (at >= list->v.n || list->v.v[at].address != address)
        return NULL;
    list->at = at;
    return &list->v.v[at];
}

int tk_answer_list_add(struct tk_answer_list *list, const struct tk_sym_question *v, size_t n)
{
    size_t old = list->v.n, at = old + n;
    if (at >= UINT32_MAX || tk_vec_reserve(&list->v, at))
        return -1;
    list->v.n = at;
    while (n)
        list->v.v[--at] = old && list->v.v[old - 1].address > v[n - 1].address ? list->v.v[--old] : v[--n];
    return 0;
}

void tk_answer_list_release(struct tk_answer_list *list)
{
    tk_vec_release(&list->v);
    list->at = 0;
}

static int refuse(const char **why, const char *text)
{
    *why = text;
    return -1;
}

/* ---- opening ---- */

static int check_head(struct tk_bytes b, const char **why)
{
    if (b.n < TK_ANSWERS_HEAD || tk_load32(b.p + TK_AT_MAGIC) != TK_ANSWERS_MAGIC)
        return refuse(why, "not answers of symbols");
    if (tk_load32(b.p + TK_AT_VERSION) != TK_ANSWERS_VERSION ||
        tk_load32(b.p + TK_AT_READER) > TK_ANSWERS_OF_READER)
        return refuse(why, "made by another version");
    uint64_t size = tk_load64(b.p + TK_AT_SIZE);
    if (size < TK_ANSWERS_HEAD || size > b.n || size % 8)
        return refuse(why, "cut");
    if (tk_checksum(b.p + TK_AT_SIZE, (size_t)size - TK_AT_SIZE, 0) != tk_load64(b.p + TK_AT_CHECKSUM))
        return refuse(why, "damaged");
    return 0;
}

/* Takes n bytes and what fills up to a multiple of eight. */
static bool take(struct tk_bytes *rest, uint64_t n, struct tk_bytes *out)
{
    if (n > rest->n)
        return false;
    uint64_t whole = (n + 7) / 8 * 8 <= rest->n ? (n + 7) / 8 * 8 : rest->n;
    *out = (struct tk_bytes){rest->p, (size_t)n};
    *rest = (struct tk_bytes){rest->p + whole, rest->n - (size_t)whole};
    return true;
}

static char *copy_text(char *to, struct tk_bytes from)
{
    if (from.n)
        memcpy(to, from.p, from.n);
    to[from.n] = '\0';
    return to;
}

static int take_texts(struct tk_answer_section *s, const uint8_t *head, struct tk_bytes *rest,
                      const char **why)
{
    struct tk_bytes name, path, how;
    if (!take(rest, tk_load32(head + TK_AT_N_NAME), &name) ||
        !take(rest, tk_load32(head + TK_AT_N_PATH), &path) ||
        !take(rest, tk_load32(head + TK_AT_N_HOW), &how) || path.n >= TK_ANSWERS_MOST_PATH || how.n >= 64)
        return refuse(why, "damaged");
    s->path = malloc(path.n + how.n + 2);
    if (!s->path)
        return refuse(why, NULL);
    s->origin.path = copy_text(s->path, path);
    s->origin.how = copy_text(s->path + path.n + 1, how);
    static const char *const kinds[] = {
        [TK_SYMBOLS_PDB] = "pdb", [TK_SYMBOLS_DWARF] = "dwarf", [TK_SYMBOLS_PSYM] = "psym"};
    const uint8_t kind = head[TK_AT_KIND];
    const char *format = kind < sizeof kinds / sizeof *kinds && kinds[kind] ? kinds[kind] : "";
    s->origin.wanted = tk_wanted_of((const char *)name.p, name.n, head + TK_AT_ID,
                                    head[TK_AT_N_ID] <= TK_WANTED_ID ? head[TK_AT_N_ID] : 0,
                                    tk_load64(head + TK_AT_MODULE_SIZE), format, strlen(format));
    return 0;
}

static int take_parts(struct tk_answer_section *s, const uint8_t *head, struct tk_bytes *rest,
                      const char **why)
{
    s->n_texts = tk_load32(head + TK_AT_N_TEXTS);
    s->n_nodes = tk_load32(head + TK_AT_N_NODES);
    s->n_addresses = tk_load32(head + TK_AT_N_ADDRESSES);
    if (!take(rest, UINT64_C(4) * s->n_texts, &s->text_ends) ||
        !take(rest, tk_load64(head + TK_AT_TEXT_BYTES), &s->text_bytes) ||
        !take(rest, (uint64_t)TK_ANSWERS_NODE * s->n_nodes, &s->nodes) ||
        !take(rest, UINT64_C(8) * s->n_addresses, &s->addresses) ||
        !take(rest, UINT64_C(4) * s->n_addresses, &s->places))
        return refuse(why, "damaged");
    /* texts that overlap would be more than the file holds */
    for (uint32_t i = 0, last = 0; i < s->n_texts; i++) {
        const uint32_t end = tk_load32(s->text_ends.p + 4 * (size_t)i);
        if (end < last || end > s->text_bytes.n)
            return refuse(why, "damaged");
        last = end;
    }
    s->texts = calloc((size_t)s->n_texts + 1, sizeof *s->texts);
    return s->texts ? 0 : refuse(why, NULL);
}

int tk_answer_section_open(struct tk_answer_section *s, struct tk_bytes bytes, size_t *used, const char **why)
{
    *s = (struct tk_answer_section){.n_texts = 0};
    if (check_head(bytes, why))
        return -1;
    const uint8_t *head = bytes.p;
    *used = (size_t)tk_load64(head + TK_AT_SIZE);
    struct tk_bytes rest = {head + TK_ANSWERS_HEAD, *used - TK_ANSWERS_HEAD};
    s->origin.state = head[TK_AT_STATE];
    s->origin.depth = head[TK_AT_DEPTH];
    s->origin.extent = tk_load64(head + TK_AT_EXTENT);
    s->origin.file_size = tk_load64(head + TK_AT_FILE_SIZE);
    s->reader = tk_load32(head + TK_AT_READER);
    s->origin.file_modified = (int64_t)tk_load64(head + TK_AT_MODIFIED);
    return take_texts(s, head, &rest, why) || take_parts(s, head, &rest, why) ? -1 : 0;
}

/* ---- answers ---- */

uint64_t tk_answer_section_address(const struct tk_answer_section *s, uint32_t i, uint32_t *place)
{
    *place = tk_load32(s->places.p + 4 * (size_t)i);
    return tk_load64(s->addresses.p + 8 * (size_t)i);
}

bool tk_answer_section_find(const struct tk_answer_section *s, uint64_t address, uint32_t *place)
{
    size_t at;
    TK_SEARCH(at, s->n_addresses, tk_load64(s->addresses.p + 8 * at) < address);
    return at < s->n_addresses && tk_answer_section_address(s, (uint32_t)at, place) == address;
}

/* Text `number`, from 1; NULL: none. */
static const struct tk_str *text_of(struct tk_answer_section *s, uint32_t number, struct tk_sym_answers *to)
{
    if (!number || number > s->n_texts)
        return NULL;
    const size_t i = number - 1;
    if (s->texts[i])
        return s->texts[i];
    size_t from = i ? tk_load32(s->text_ends.p + 4 * (i - 1)) : 0, end = tk_load32(s->text_ends.p + 4 * i);
    if (from >= end || end > s->text_bytes.n)
        return NULL;
    s->texts[i] = tk_sym_text(to, (const char *)s->text_bytes.p + from, end - from);
    return s->texts[i];
}

void tk_answer_section_add(struct tk_answer_section *s, uint32_t place, struct tk_sym_answers *answers,
                           struct tk_sym_question *q)
{
    const uint32_t requested = place;
    if (s->last_n && s->last_place == place) {
        q->first = s->last_first;
        q->n = s->last_n;
        return;
    }
    for (int i = 0; i < TK_ANSWERS_MOST_FRAMES && place && place <= s->n_nodes; i++) {
        const uint8_t *node = s->nodes.p + TK_ANSWERS_NODE * (size_t)(place - 1);
        struct tk_sym_frame frame = {text_of(s, tk_load32(node), answers),
                                     text_of(s, tk_load32(node + 4), answers), tk_load32(node + 8)};
        tk_sym_add(answers, q, frame);
        place = tk_load32(node + 12);
    }
    s->last_place = requested;
    s->last_first = q->first;
    s->last_n = q->n;
}

void tk_answer_section_release(struct tk_answer_section *s)
{
    free(s->texts);
    free(s->path);
    *s = (struct tk_answer_section){.n_texts = 0};
}
