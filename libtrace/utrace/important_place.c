/*
 * Where important events begin and end, by what they hold: see important_place.h.
 */
#include "utrace/important_place.h"

#include "utrace/lane_parse.h"

#define HEAD  4
#define PROOF 3 /* sound events in a row that prove a place */

static bool fits(const struct tk_ut_type *t, size_t size)
{
    return t->flags & TK_UT_FLAG_AUX ? size >= t->fixed : size == t->fixed;
}

/* What follows the event at p by its declaration and its array data; NULL when that is not all there. */
static const uint8_t *end_of_content(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end)
{
    const struct tk_ut_type *t = tk_ut_schema_find(d->schema, tk_load16(p), UINT64_MAX);
    if (!t || (size_t)(end - p - HEAD) < t->fixed)
        return NULL;
    p += HEAD + t->fixed;
    if (!(t->flags & TK_UT_FLAG_AUX))
        return p;
    while (end - p >= HEAD && *p == TK_UT_IMPORTANT_BLOB && (size_t)(end - p - HEAD) >= tk_load32(p) >> 13)
        p += HEAD + (tk_load32(p) >> 13);
    return p < end && *p == TK_UT_IMPORTANT_TERMINAL ? p + 1 : NULL;
}

/* The end of the event at p if it agrees with its declaration; NULL if not. *more: its bytes are not all
 * there. */
static const uint8_t *sound_event(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end,
                                  bool *more)
{
    if (end - p < HEAD) {
        *more = true;
        return NULL;
    }
    const struct tk_ut_type *t = tk_ut_schema_find(d->schema, tk_load16(p), UINT64_MAX);
    uint32_t size = tk_load16(p + 2);
    if (!t || !(t->flags & TK_UT_FLAG_IMPORTANT) || !fits(t, size))
        return NULL;
    if (end - p < HEAD + (ptrdiff_t)size) {
        *more = true;
        return NULL;
    }
    return end_of_content(d, p, p + HEAD + size) ? p + HEAD + size : NULL;
}

int tk_ut_important_proven(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last)
{
    for (int i = 0; i < PROOF; i++) {
        bool more = false;
        if (i && p == end && last)
            return TK_ITEM;
        const uint8_t *next = sound_event(d, p, end, &more);
        if (!next)
            return more && !last ? TK_UT_MORE : TK_OK;
        p = next;
    }
    return TK_ITEM;
}

/* Does what is at p go on behind others that are damaged? */
static bool leads_on(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end)
{
    bool more = false;
    for (int i = 0; i < PROOF && p < end && !sound_event(d, p, end, &more); i++) {
        const uint8_t *content = end - p < HEAD ? NULL : end_of_content(d, p, end);
        if (content && (content == end || sound_event(d, content, end, &more)))
            return true;
        if (end - p < HEAD || end - p - HEAD < (ptrdiff_t)tk_load16(p + 2))
            return false;
        p += HEAD + tk_load16(p + 2);
    }
    return p == end || sound_event(d, p, end, &more);
}

/* Do sound events follow from p on, as far as they are there? TK_ITEM yes, TK_OK no, TK_UT_MORE: not even one
 * is. */
static int follows(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end)
{
    bool more = false;
    const uint8_t *next = sound_event(d, p, end, &more);
    if (!next)
        return more ? TK_UT_MORE : TK_OK;
    for (int i = 1; i < PROOF && next; i++)
        next = sound_event(d, next, end, &more);
    return next || more ? TK_ITEM : TK_OK;
}

int tk_ut_important_size(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last,
                         size_t *size)
{
    const uint8_t *content = end_of_content(d, p, end), *stated = p + HEAD + *size;
    bool whole = *size <= (size_t)(end - p - HEAD);
    if (content == stated || (whole && stated == end))
        return TK_ITEM;
    int by_content = content ? follows(d, content, end) : TK_OK,
        by_size = whole ? follows(d, stated, end) : TK_OK;
    if (by_content == TK_ITEM)
        *size = (size_t)(content - p - HEAD);
    if (by_content == TK_ITEM || by_size == TK_ITEM)
        return TK_ITEM;
    if (!whole || (!last && (by_content == TK_UT_MORE || by_size == TK_UT_MORE)))
        return TK_UT_MORE;
    return by_size == TK_UT_MORE || leads_on(d, stated, end) ? TK_ITEM : TK_OK;
}

bool tk_ut_important_begins(const struct tk_ut_decoder *d, const uint8_t *p, size_t n)
{
    const struct tk_ut_type *t = n >= HEAD ? tk_ut_schema_find(d->schema, tk_load16(p), UINT64_MAX) : NULL;
    size_t size = n >= HEAD ? tk_load16(p + 2) : 0, at = HEAD;
    if (n < HEAD)
        return true;
    if (!t || !fits(t, size))
        return false;
    for (at += t->fixed; at + HEAD <= n && p[at] == TK_UT_IMPORTANT_BLOB;)
        at += HEAD + (tk_load32(p + at) >> 13);
    return at >= n || p[at] == TK_UT_IMPORTANT_BLOB || p[at] == TK_UT_IMPORTANT_TERMINAL;
}
