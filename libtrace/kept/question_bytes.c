/*
 * Questions as bytes: the fields of a query (query/query_fields.h) and its size.
 */
#include "base/checksum.h"
#include "kept/kept_in.h"
#include "tracekit/captures.h"
#include "query/query_fields.h"

#include <string.h>

/*
 * Health as bytes.
 *
 *   counts | ledger | is an item lost? | how many items | of each: kind, offset + 1, count, limit, bytes of
 *   the text with its NUL, text
 */

void tk_kept_health_put(struct tk_kept_bytes *out, const struct tk_health *health)
{
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++)
        tk_kept_put(out, health->counts[i]);
    for (size_t i = 0; i < TK_LEDGER_COUNT; i++)
        tk_kept_put(out, health->ledger[i]);
    tk_kept_put(out, health->lost);
    tk_kept_put(out, health->n_items);
    for (size_t i = 0; i < health->n_items; i++) {
        const struct tk_health_item *item = &health->items[i];
        tk_kept_put(out, (uint64_t)item->kind);
        tk_kept_put(out, item->offset + 1);
        tk_kept_put(out, item->count);
        tk_kept_put(out, item->limit);
        tk_kept_put(out, strlen(item->text) + 1);
        tk_kept_put_bytes(out, item->text, strlen(item->text) + 1);
    }
}

static void take_item(struct tk_cur *c, struct tk_health *out)
{
    const uint64_t kind = tk_varint(c, "a fault");
    struct tk_health_item item = {.offset = tk_varint(c, "a fault") - 1};
    item.count = tk_varint(c, "a fault");
    const uint64_t limit = tk_varint(c, "a fault"), n = tk_varint(c, "a fault");
    const uint8_t *text = n <= tk_cur_left(c) ? tk_take(c, (size_t)n, "a fault") : NULL;
    if (!text || !n || text[n - 1] || kind >= TK_HEALTH_COUNT || limit > TK_LIMIT_COUNT) {
        c->fault = "a fault";
        c->p = c->end;
        return;
    }
    item.kind = (enum tk_health_kind)kind;
    item.limit = (uint8_t)limit;
    item.text = (const char *)text;
    tk_health_repeat(out, &item);
}

void tk_kept_health_take(struct tk_cur *c, struct tk_health *out, uint64_t max_items)
{
    uint64_t counts[TK_HEALTH_COUNT];
    *out = (struct tk_health){.max_items = max_items};
    for (size_t i = 0; i < TK_HEALTH_COUNT; i++)
        counts[i] = tk_varint(c, "a count");
    for (size_t i = 0; i < TK_LEDGER_COUNT; i++)
        out->ledger[i] = tk_varint(c, "a part of the file");
    const bool lost = tk_varint(c, "faults") != 0;
    const uint64_t n = tk_varint(c, "faults");
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++)
        take_item(c, out);
    memcpy(out->counts, counts, sizeof counts);
    out->lost |= lost;
}

/*
 * The section of answers.
 *
 *   of each: bytes of the question, question, bytes of the answer, answer
 */

static struct tk_bytes take_bytes(struct tk_cur *c)
{
    const uint64_t n = tk_varint(c, "an answer");
    const uint8_t *p = n <= tk_cur_left(c) ? tk_take(c, (size_t)n, "an answer") : NULL;
    if (!p)
        c->p = c->end;
    return (struct tk_bytes){p, p ? (size_t)n : 0};
}

/* The last one is the newest. */
static struct tk_bytes find(struct tk_cur c, struct tk_bytes question)
{
    struct tk_bytes found = {NULL, 0};
    while (tk_cur_left(&c)) {
        const struct tk_bytes requested = take_bytes(&c), answer = take_bytes(&c);
        if (answer.n && requested.p && requested.n == question.n &&
            memcmp(requested.p, question.p, requested.n) == 0)
            found = answer;
    }
    return found;
}

/* What is there now, with what was made. */
static struct tk_bytes all(const struct tk_kept *kept)
{
    const struct tk_kept_bytes *made = &kept->made[TK_KEPT_ANSWERS];
    return made->bytes.n && !made->failed ? (struct tk_bytes){made->bytes.v, made->bytes.n}
                                          : kept->has[TK_KEPT_ANSWERS];
}

struct tk_bytes tk_kept_answer_find(const struct tk_kept *kept, struct tk_bytes question)
{
    const struct tk_bytes there = all(kept);
    return find(tk_cur_of(there.p, there.n), question);
}

/* How many bytes of the oldest have to go so that no more than `most` are left. */
static size_t too_many(struct tk_bytes there, size_t most)
{
    struct tk_cur c = tk_cur_of(there.p, there.n);
    while (tk_cur_left(&c) > most) {
        (void)take_bytes(&c);
        (void)take_bytes(&c);
    }
    return tk_cur_at(&c);
}

static void put(struct tk_kept_bytes *out, struct tk_bytes bytes)
{
    tk_kept_put(out, bytes.n);
    tk_kept_put_bytes(out, bytes.p, bytes.n);
}

void tk_kept_answer_add(struct tk_kept *kept, struct tk_bytes question, struct tk_bytes answer, size_t most)
{
    const struct tk_bytes there = all(kept);
    const size_t n = question.n + answer.n + 20;
    struct tk_kept_bytes now = {.failed = false};
    if (n > most)
        return;
    const size_t gone = too_many(there, most - n);
    if (there.n > gone)
        tk_kept_put_bytes(&now, there.p + gone, there.n - gone);
    put(&now, question);
    put(&now, answer);
    if (now.failed) {
        tk_kept_release(&now);
        return;
    }
    tk_kept_release(&kept->made[TK_KEPT_ANSWERS]);
    kept->made[TK_KEPT_ANSWERS] = now;
}

static void put_text(struct tk_kept_bytes *out, const char *text)
{
    tk_kept_put(out, text ? strlen(text) + 1 : 0);
    if (text)
        tk_kept_put_bytes(out, text, strlen(text));
}

static void put_texts(struct tk_kept_bytes *out, const char *const *texts, size_t n)
{
    tk_kept_put(out, n);
    for (size_t i = 0; i < n; i++)
        put_text(out, texts[i]);
}

static void put_real(struct tk_kept_bytes *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tk_kept_put(out, bits);
}

static void put_numbers(struct tk_kept_bytes *out, const uint32_t *numbers, size_t n)
{
    tk_kept_put(out, n);
    for (size_t i = 0; i < n; i++)
        tk_kept_put(out, numbers[i]);
}

#define PUT_TEXT(v)     put_text(out, v);
#define PUT_BOOL(v)     tk_kept_put(out, v);
#define PUT_UNSIGNED(v) tk_kept_put(out, v);
#define PUT_ENUM(v)     tk_kept_put(out, (uint64_t)(v));
#define PUT_I64(v)      tk_kept_put_signed(out, v);
#define PUT_U64(v)      tk_kept_put(out, v);
#define PUT_REAL(v)     put_real(out, v);

#define PUT_LIST(name, member, number)       put_texts(out, q->member, q->number);
#define PUT_FIELD(kind, name, member)        PUT_##kind(q->member)
#define PUT_MARKED(kind, name, member, flag) PUT_BOOL(q->flag) PUT_##kind(q->member)
#define PUT_NUMBERS(member, number)          put_numbers(out, q->member, q->number);

static void put_query(struct tk_kept_bytes *out, const struct tk_query *q)
{
    tk_kept_put(out, sizeof *q);
    TK_QUERY_FIELDS(PUT_LIST, PUT_FIELD, PUT_MARKED, PUT_NUMBERS)
}

/* Faults can be many: two checksums stand for them. */
static void put_state(struct tk_kept_bytes *out, const struct tk_context *ctx)
{
    struct tk_kept_bytes health = {.failed = false};
    tk_kept_health_put(&health, &ctx->health);
    tk_kept_put(out, health.bytes.n);
    for (uint64_t seed = 0; seed < 2; seed++)
        tk_kept_put(out, health.bytes.n ? tk_checksum(health.bytes.v, health.bytes.n, seed) : 0);
    out->failed |= health.failed;
    tk_kept_release(&health);
    tk_kept_put(out, ctx->read);
    tk_kept_put(out, ctx->options && ctx->options->strict);
    tk_kept_put(out, ctx->symbolizer != NULL);
}

void tk_kept_question_put(struct tk_kept_bytes *out, const struct tk_context *ctx,
                          const struct tk_query *query)
{
    put_query(out, query);
    put_state(out, ctx);
}
