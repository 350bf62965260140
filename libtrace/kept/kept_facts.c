/*
 * Facts as bytes.
 *
 *   kind, thread + 1, time, seq + 1 | what the kind has; a text is its bytes + 1, encoding, bytes, or 0
 */
#include "kept/kept_in.h"

/* ---- to bytes ---- */

static void put_text(struct tk_kept_bytes *b, const struct tk_str *text)
{
    tk_kept_put(b, text ? (uint64_t)text->n + 1 : 0);
    if (!text)
        return;
    tk_kept_put(b, (uint64_t)text->enc);
    tk_kept_put_bytes(b, text->p, text->n);
}

static void put_rest(struct tk_kept_bytes *b, const struct tk_fact *fact)
{
    switch (fact->kind) {
    case TK_FACT_FRAME:
        tk_kept_put(b, fact->u.frame.type);
        tk_kept_put(b, fact->u.frame.begin);
        tk_kept_put(b, fact->u.frame.number);
        put_text(b, fact->u.frame.type_name);
        break;
    case TK_FACT_REGION:
        tk_kept_put(b, (fact->u.region.begin ? 1u : 0u) | (fact->u.region.has_id ? 2u : 0u));
        tk_kept_put(b, fact->u.region.id);
        put_text(b, fact->u.region.name);
        put_text(b, fact->u.region.category);
        break;
    case TK_FACT_BOOKMARK:
        put_text(b, fact->u.bookmark.file);
        tk_kept_put(b, fact->u.bookmark.line);
        tk_kept_put(b, fact->u.bookmark.callstack);
        put_text(b, &fact->u.bookmark.text);
        break;
    case TK_FACT_STALL:
        tk_kept_put_signed(b, fact->u.stall.end);
        break;
    case TK_FACT_GAP:
    case TK_FACT_LATE_GAP:
        tk_kept_put(b, fact->u.gap.last);
        break;
    default:
        tk_kept_put_signed(b, fact->u.extent.from);
        break;
    }
}

void tk_kept_fact_put(struct tk_kept_bytes *b, const struct tk_fact *fact)
{
    tk_kept_put(b, fact->kind);
    const uint32_t thread = fact->thread + 1u; /* none: 0 */
    tk_kept_put(b, thread);
    tk_kept_put_signed(b, fact->time);
    tk_kept_put(b, fact->seq + 1);
    put_rest(b, fact);
}

/* ---- from bytes ---- */

static int take_text(struct tk_cur *c, struct tk_intern *texts, const struct tk_str **out)
{
    const uint64_t size = tk_varint(c, "a text");
    *out = NULL;
    if (!size)
        return TK_OK;
    const uint64_t enc = tk_varint(c, "a text");
    const uint8_t *p = size - 1 <= tk_cur_left(c) ? tk_take(c, (size_t)size - 1, "a text") : NULL;
    if (!p || enc > TK_ENC_UTF16) {
        c->fault = "a text";
        return TK_OK;
    }
    *out = tk_intern(texts, p, (size_t)size - 1, (enum tk_encoding)enc);
    return *out ? TK_OK : TK_ENOMEM;
}

static int take_rest(struct tk_cur *c, struct tk_intern *texts, struct tk_fact *f)
{
    const struct tk_str *text = NULL;
    uint64_t flags;
    int rc = TK_OK;
    switch (f->kind) {
    case TK_FACT_FRAME:
        f->u.frame.type = (uint32_t)tk_varint(c, "a frame");
        f->u.frame.begin = tk_varint(c, "a frame") != 0;
        f->u.frame.number = tk_varint(c, "a frame");
        return take_text(c, texts, &f->u.frame.type_name);
    case TK_FACT_REGION:
        flags = tk_varint(c, "a region");
        f->u.region.begin = flags & 1;
        f->u.region.has_id = flags & 2;
        f->u.region.id = tk_varint(c, "a region");
        rc = take_text(c, texts, &f->u.region.name);
        return rc == TK_OK ? take_text(c, texts, &f->u.region.category) : rc;
    case TK_FACT_BOOKMARK:
        rc = take_text(c, texts, &f->u.bookmark.file);
        f->u.bookmark.line = (uint32_t)tk_varint(c, "a bookmark");
        f->u.bookmark.callstack = (uint32_t)tk_varint(c, "a bookmark");
        rc = rc == TK_OK ? take_text(c, texts, &text) : rc;
        f->u.bookmark.text = text ? *text : (struct tk_str){.p = "", .enc = TK_ENC_UTF8};
        return rc;
    case TK_FACT_STALL:
        f->u.stall.end = tk_kept_signed(c, "a stall");
        return TK_OK;
    case TK_FACT_GAP:
    case TK_FACT_LATE_GAP:
        f->u.gap.last = tk_varint(c, "a gap");
        return TK_OK;
    default:
        f->u.extent.from = tk_kept_signed(c, "an extent");
        return TK_OK;
    }
}

int tk_kept_fact_take(struct tk_cur *c, struct tk_intern *texts, struct tk_fact *out)
{
    const uint64_t kind = tk_varint(c, "a fact");
    *out = (struct tk_fact){.size = sizeof *out};
    if (kind >= TK_FACT_COUNT || !(TK_KEPT_FACTS >> kind & 1)) {
        c->fault = "a fact";
        return TK_OK;
    }
    out->kind = (uint16_t)kind;
    out->thread = (uint32_t)tk_varint(c, "a thread") - 1u;
    out->time = tk_kept_signed(c, "a time");
    out->seq = tk_varint(c, "a number") - 1;
    return take_rest(c, texts, out);
}
