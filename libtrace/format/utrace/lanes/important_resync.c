/*
 * Where important events begin and end, by what they hold: see important_resync.h.
 */
#include "format/utrace/lanes/important_resync.h"

#include "format/utrace/lanes/lane_parse.h"

#define HEAD  4
#define PROOF 3    /* sound events in a row that prove a place */
#define BLOBS 1024 /* of an event that are looked at */
#define CHAIN 64   /* damaged or undeclared ones in a row that lead to a sound one */

static bool fits_important_resync(const struct tk_ut_type *t, size_t size)
{
    return t->flags & TK_UT_FLAG_AUX ? size >= t->fixed : size == t->fixed;
}

/* What follows the event at p by its declaration and its array data; NULL where that is damaged. *more: it is
 * not all there. */
static const uint8_t *end_of_content(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end,
                                     bool *more)
{
    const struct tk_ut_type *t = tk_ut_schema_find(d->schema, tk_load16(p), UINT64_MAX);
    size_t left = (size_t)(end - p) - HEAD, at = t ? t->fixed : 0;
    const uint8_t *content = p + HEAD;
    bool aux = t && t->flags & TK_UT_FLAG_AUX;
    for (int i = 0; aux && at < left && content[at] == TK_UT_IMPORTANT_BLOB && i < BLOBS; i++)
        at += left - at < HEAD ? left : HEAD + (size_t)(tk_load32(content + at) >> 13);
    if (!t || at > UINT16_MAX || (aux && at < left && content[at] != TK_UT_IMPORTANT_TERMINAL))
        return NULL;
    *more = at + aux > left;
    return *more ? NULL : content + at + aux;
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
    if (!t || !(t->flags & TK_UT_FLAG_IMPORTANT) || !fits_important_resync(t, size))
        return NULL;
    if (end - p < HEAD + (ptrdiff_t)size) {
        *more = true;
        return NULL;
    }
    bool ignored = false;
    return end_of_content(d, p, p + HEAD + size, &ignored) ? p + HEAD + size : NULL;
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

/* Does a sound event begin at p? As tk_ut_important_proven(); the end of the stream and what it cuts off will
 * do. */
static int look_important_resync(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end,
                                 bool last)
{
    bool more = false;
    if (sound_event(d, p, end, &more))
        return TK_ITEM;
    return !more ? TK_OK : last ? TK_ITEM : TK_UT_MORE;
}

/* Does what is at p go on behind others that are damaged? */
static int leads_on(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last)
{
    for (int i = 0;; i++) {
        bool more = false;
        int rc = look_important_resync(d, p, end, last);
        if (rc != TK_OK || i == CHAIN)
            return rc;
        const uint8_t *content = i ? NULL : end_of_content(d, p, end, &more);
        if (more && !last)
            return TK_UT_MORE;
        if (content && (rc = look_important_resync(d, content, end, last)) != TK_OK)
            return rc;
        if (end - p - HEAD < (ptrdiff_t)tk_load16(p + 2))
            return last ? TK_OK : TK_UT_MORE;
        p += HEAD + tk_load16(p + 2);
    }
}

/* Do sound events follow from p on? As look(), but where not one is there at the `last` that is `cut`. */
static int follows(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last, int cut)
{
    for (int i = 0; i < PROOF; i++) {
        bool more = false;
        const uint8_t *next = sound_event(d, p, end, &more);
        if (!next)
            return !more ? TK_OK : !last ? TK_UT_MORE : i ? TK_ITEM : cut;
        p = next;
    }
    return TK_ITEM;
}

int tk_ut_important_size(const struct tk_ut_decoder *d, const uint8_t *p, const uint8_t *end, bool last,
                         size_t *size)
{
    bool more = false, whole = *size <= (size_t)(end - p - HEAD);
    const uint8_t *content = end_of_content(d, p, end, &more), *stated = p + HEAD + *size;
    if (content == stated)
        return TK_ITEM;
    if (!last && (!whole || more))
        return TK_UT_MORE;
    int rc = content ? follows(d, content, end, last, TK_OK) : TK_OK;
    if (rc == TK_ITEM)
        *size = (size_t)(content - p - HEAD);
    if (rc != TK_OK || !whole)
        return rc == TK_OK ? TK_UT_MORE : rc;
    rc = follows(d, stated, end, last, TK_ITEM);
    return rc == TK_OK ? leads_on(d, stated, end, last) : rc;
}

bool tk_ut_important_begins(const struct tk_ut_decoder *d, const uint8_t *p, size_t n)
{
    const struct tk_ut_type *t = n >= HEAD ? tk_ut_schema_find(d->schema, tk_load16(p), UINT64_MAX) : NULL;
    bool more = false;
    if (n < HEAD)
        return true;
    return t && fits_important_resync(t, tk_load16(p + 2)) && (end_of_content(d, p, p + n, &more) || more);
}
