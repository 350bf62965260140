/*
 * Counts, keeps and names faults. Readers of all formats note faults here while they read.
 */
#include "base/health/health.h"

#include "base/text/text.h"
#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Notes that are made once.
 */

static bool is_noted(const struct tk_health *h, enum tk_health_kind kind, uint64_t count, const char *text)
{
    for (size_t i = 0; i < h->n_items; i++) {
        const struct tk_health_item *item = &h->items[i];
        if (item->kind == kind && item->count == count && item->offset == TK_NO_OFFSET &&
            strcmp(item->text, text) == 0)
            return true;
    }
    return false;
}

void tk_health_note_once(struct tk_health *h, enum tk_health_kind kind, uint64_t count, const char *fmt, ...)
{
    char text[256];
    va_list ap;
    va_start(ap, fmt);
    if (vsnprintf(text, sizeof text, fmt, ap) < 0)
        text[0] = '\0';
    va_end(ap);
    if (!is_noted(h, kind, count, text))
        tk_health_note(h, kind, TK_NO_OFFSET, count, "%s", text);
}

/*
 * Merges the health of several readings of one capture. The engine calls it around each reading.
 */

void tk_health_reread_copy(struct tk_health *to, const struct tk_health *from)
{
    *to = (struct tk_health){.max_items = from->max_items};
    for (size_t i = 0; i < from->n_items; i++)
        tk_health_repeat(to, &from->items[i]);
    to->lost |= from->lost;
    memcpy(to->counts, from->counts, sizeof to->counts);
    memcpy(to->ledger, from->ledger, sizeof to->ledger);
    to->muted = from->muted;
}

void tk_health_reread_start(struct tk_health *now, struct tk_health *before, const struct tk_health *opened)
{
    *before = *now;
    if (opened) {
        tk_health_reread_copy(now, opened);
        return;
    }
    *now = (struct tk_health){.max_items = before->max_items, .muted = before->muted};
    memcpy(now->ledger, before->ledger, sizeof now->ledger);
}

/* Is it among the first n items? */
static bool is_listed(const struct tk_health *h, size_t n, const struct tk_health_item *item)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_health_item *known = &h->items[i];
        if (known->kind == item->kind && known->offset == item->offset && known->count == item->count &&
            strcmp(known->text, item->text) == 0)
            return true;
    }
    return false;
}

/* Both readings met these events: the one that went further met more of them. */
static bool is_summed_already(struct tk_health *now, const struct tk_health_item *item)
{
    struct tk_health_item *same = tk_health_same(now, item->kind, item->text);
    if (!same)
        return false;
    same->count = same->count > item->count ? same->count : item->count;
    same->offset = same->offset < item->offset ? same->offset : item->offset;
    return true;
}

static void add(struct tk_health *now, const struct tk_health *before)
{
    uint64_t counts[TK_HEALTH_COUNT];
    size_t own = now->n_items;
    for (size_t kind = 0; kind < TK_HEALTH_COUNT; kind++)
        counts[kind] = now->counts[kind] > before->counts[kind] ? now->counts[kind] : before->counts[kind];
    for (size_t i = 0; i < before->n_items; i++) {
        const struct tk_health_item *item = &before->items[i];
        if (now->counts[item->kind] < before->counts[item->kind] && !is_listed(now, own, item) &&
            !is_summed_already(now, item))
            tk_health_repeat(now, item);
    }
    now->lost |= before->lost;
    memcpy(now->counts, counts, sizeof counts);
    if (before->ledger[TK_LEDGER_UNREADABLE] > now->ledger[TK_LEDGER_UNREADABLE])
        memcpy(now->ledger, before->ledger, sizeof now->ledger);
}

void tk_health_reread_finish(struct tk_health *now, struct tk_health *before)
{
    add(now, before);
    tk_health_release(before);
}

void tk_health_reread_known(const struct tk_health *now, const struct tk_health *before,
                            struct tk_health *out)
{
    tk_health_reread_copy(out, now);
    if (before)
        add(out, before);
}

enum { LONGEST_TEXT = 512 };
enum tier { NOTICE, DAMAGE, LOSS, PARTIAL };

static const struct {
    const char *name, *help;
    int tier;
} kinds[] = {
#define KIND_ROW(symbol, name, tier, help) {name, help, tier},
    TK_HEALTH_KINDS(KIND_ROW)
#undef KIND_ROW
};

_Static_assert(TK_HEALTH_COUNT <= 64, "tk_health.muted has a bit for each kind");

static const struct {
    const char *name, *help;
} parts[] = {
#define PART_ROW(symbol, name, help) {name, help},
    TK_LEDGER_PARTS(PART_ROW)
#undef PART_ROW
};

/* Copies a text so that it is printable UTF-8, with a NUL; out has space for 3 * n + 1 bytes. */
static size_t make_printable(char *out, const char *text, size_t n)
{
    size_t at = 0, len, w = 0;
    for (; at < n; at += len) {
        uint32_t cp = tk_utf8_next((const uint8_t *)text + at, n - at, &len);
        bool control = cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
        w += tk_utf8_put((uint8_t *)out + w, control ? 0xfffd : cp);
    }
    out[w] = '\0';
    return w;
}

static bool is_muted(const struct tk_health *h, enum tk_health_kind kind)
{
    return h->muted >> kind & 1;
}

/* Is there space for an item? Each limit is named once whatever else is reported. */
static bool has_space_health(const struct tk_health *h, uint8_t limit)
{
    return h->n_items < h->max_items || (limit && !(h->named >> (limit - 1) & 1));
}

/* ---- items that stand for several faults ---- */

/* One lost declaration makes each event of its type such a fault. */
static bool is_summed(enum tk_health_kind kind)
{
    return kind == TK_HEALTH_TYPE_UNDECLARED;
}

static uint64_t text_key(const char *text)
{
    return tk_hash_bytes(text, strlen(text), 0);
}

struct tk_health_item *tk_health_same(struct tk_health *h, enum tk_health_kind kind, const char *text)
{
    const uint32_t at = is_summed(kind) ? tk_map_get(&h->by_text, text_key(text)) : TK_MAP_NONE;
    return at != TK_MAP_NONE && strcmp(h->items[at].text, text) == 0 ? &h->items[at] : NULL;
}

static bool add_to_same(struct tk_health *h, const struct tk_health_item *more, const char *text)
{
    struct tk_health_item *same = tk_health_same(h, more->kind, text);
    if (!same)
        return false;
    same->count += more->count;
    same->offset = more->offset < same->offset ? more->offset : same->offset;
    return true;
}

void tk_health_moved(struct tk_health *h)
{
    tk_map_release(&h->by_text);
    for (size_t i = 0; i < h->n_items; i++)
        if (is_summed(h->items[i].kind))
            h->lost |= tk_map_put(&h->by_text, text_key(h->items[i].text), (uint32_t)i) != 0;
}

/* ---- items ---- */

/* Keeps an item, with a copy of its text (n bytes and a NUL), while there is space. */
static void keep_health(struct tk_health *h, struct tk_health_item item, const char *text, size_t n)
{
    if (add_to_same(h, &item, text) || !has_space_health(h, item.limit))
        return;
    if (item.limit)
        h->named |= UINT64_C(1) << (item.limit - 1);
    char *copy = NULL;
    if (tk_vec_grow((void **)&h->items, &h->cap_items, h->n_items + 1, sizeof *h->items) == 0)
        copy = tk_arena_bytes(&h->arena, n + 1);
    h->lost |= !copy;
    if (!copy)
        return;
    memcpy(copy, text, n);
    copy[n] = '\0';
    item.text = copy;
    if (is_summed(item.kind))
        h->lost |= tk_map_put(&h->by_text, text_key(copy), (uint32_t)h->n_items) != 0;
    h->items[h->n_items++] = item;
}

/* Counts; keeps the text when instructed to, and there is space. */
static bool is_kept(struct tk_health *h, enum tk_health_kind kind, uint64_t count, uint8_t limit)
{
    if (is_muted(h, kind))
        return false;
    h->counts[kind] += count;
    return is_summed(kind) || has_space_health(h, limit);
}

static void keep_text(struct tk_health *h, struct tk_health_item item, const char *text)
{
    char clean[3 * LONGEST_TEXT + 1];
    size_t n = make_printable(clean, text, strlen(text));
    keep_health(h, item, clean, n);
}

static void put_text_health(char text[LONGEST_TEXT], const char *fmt, va_list ap)
{
    if (vsnprintf(text, LONGEST_TEXT, fmt, ap) < 0)
        text[0] = '\0';
}

void tk_health_note(struct tk_health *h, enum tk_health_kind kind, uint64_t offset, uint64_t count,
                    const char *fmt, ...)
{
    char text[LONGEST_TEXT];
    va_list ap;
    if (!is_kept(h, kind, count, 0))
        return;
    va_start(ap, fmt);
    put_text_health(text, fmt, ap);
    va_end(ap);
    keep_text(h, (struct tk_health_item){.kind = kind, .offset = offset, .count = count}, text);
}

void tk_health_note_limit(struct tk_health *h, enum tk_health_kind kind, enum tk_limit limit, uint64_t offset,
                          uint64_t count, const char *fmt, ...)
{
    char text[LONGEST_TEXT];
    va_list ap;
    const struct tk_health_item item = {
        .kind = kind, .offset = offset, .count = count, .limit = (uint8_t)(limit + 1)};
    if (!is_kept(h, kind, count, item.limit))
        return;
    va_start(ap, fmt);
    put_text_health(text, fmt, ap);
    va_end(ap);
    tk_limit_tell(text, sizeof text, limit);
    keep_text(h, item, text);
}

void tk_health_left_out(struct tk_health *h, uint64_t *left_out)
{
    if (*left_out)
        tk_health_limit(h, TK_LIMIT_strings, TK_NO_OFFSET, *left_out, "further texts were left out");
    *left_out = 0;
}

void tk_health_repeat(struct tk_health *h, const struct tk_health_item *item)
{
    if (is_kept(h, item->kind, item->count, item->limit))
        keep_health(h, *item, item->text, strlen(item->text));
}

void tk_health_merge(struct tk_health *to, struct tk_health *from)
{
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++)
        to->counts[i] += is_muted(to, (enum tk_health_kind)i) ? 0 : from->counts[i];
    to->lost |= from->lost;
    for (size_t i = 0; i < from->n_items; i++) {
        const struct tk_health_item *item = &from->items[i];
        if (!is_muted(to, item->kind))
            keep_health(to, *item, item->text, strlen(item->text));
    }
    tk_health_clear(from);
}

void tk_health_move(struct tk_health *h, enum tk_ledger_part from, enum tk_ledger_part to, uint64_t n)
{
    /* The sum of the parts is the size of the file, whatever a caller requests. */
    if (n > h->ledger[from])
        n = h->ledger[from];
    h->ledger[from] -= n;
    h->ledger[to] += n;
}

static int has_tier(const struct tk_health *h, int tier)
{
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++) {
        if (kinds[i].tier == tier && h->counts[i])
            return 1;
    }
    return 0;
}

int tk_health_damaged(const struct tk_health *h)
{
    return has_tier(h, DAMAGE);
}

int tk_health_lossy(const struct tk_health *h)
{
    return has_tier(h, LOSS);
}

int tk_health_partial(const struct tk_health *h)
{
    return has_tier(h, PARTIAL);
}

const char *tk_health_name(enum tk_health_kind kind)
{
    return kinds[kind].name;
}

const char *tk_health_help(enum tk_health_kind kind)
{
    return kinds[kind].help;
}

int tk_health_is_damage(enum tk_health_kind kind)
{
    return kinds[kind].tier == DAMAGE;
}

int tk_health_is_loss(enum tk_health_kind kind)
{
    return kinds[kind].tier == LOSS;
}

const char *tk_ledger_name(enum tk_ledger_part part)
{
    return parts[part].name;
}

const char *tk_ledger_help(enum tk_ledger_part part)
{
    return parts[part].help;
}

void tk_health_clear(struct tk_health *h)
{
    memset(h->counts, 0, sizeof h->counts);
    h->n_items = 0;
    h->lost = false;
    h->named = 0;
    tk_map_release(&h->by_text);
    tk_arena_clear(&h->arena);
}

void tk_health_release(struct tk_health *h)
{
    tk_arena_release(&h->arena);
    tk_map_release(&h->by_text);
    free(h->items);
    *h = (struct tk_health){0};
}

/*
 * Takes notes of a limit back.
 */

uint64_t tk_health_take_limit(struct tk_health *h, enum tk_limit limit)
{
    uint64_t taken = 0;
    size_t kept = 0;
    bool others = false;
    for (size_t i = 0; i < h->n_items; i++) {
        const struct tk_health_item item = h->items[i];
        if (item.kind == TK_HEALTH_LIMIT_REACHED && item.limit == limit + 1) {
            taken += item.count;
            continue;
        }
        others |= item.kind == TK_HEALTH_LIMIT_REACHED;
        h->items[kept++] = item;
    }
    h->n_items = kept;
    tk_health_moved(h);
    h->named &= ~(UINT64_C(1) << limit);
    uint64_t *count = &h->counts[TK_HEALTH_LIMIT_REACHED];
    if (taken && !others)
        taken = *count; /* those without an item are of this limit, as each limit has an item */
    *count -= taken < *count ? taken : *count;
    return taken;
}
