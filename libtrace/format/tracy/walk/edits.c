/*
 * Records of edits. See edits.h.
 */
#include "format/tracy/walk/edits.h"

#include <string.h>

bool tk_tracy_edit_is(const struct tk_str *text)
{
    static const char mark[] = TK_TRACY_EDIT_MARK;
    return text && text->n >= sizeof mark - 1 && memcmp(text->p, mark, sizeof mark - 1) == 0;
}

/* The number behind a key; false where there is none. */
static bool number_of(const struct tk_str *record, const char *key, int64_t *out)
{
    const size_t n = strlen(key);
    size_t at = 0;
    uint64_t v = 0;
    while (at + n < record->n && memcmp(record->p + at, key, n) != 0)
        at++;
    if (at + n >= record->n)
        return false;
    at += n;
    const bool below = record->p[at] == '-';
    size_t digits = 0;
    for (at += below; at < record->n && digits < 18 && record->p[at] >= '0' && record->p[at] <= '9';
         at++, digits++)
        v = v * 10 + (uint64_t)(record->p[at] - '0');
    *out = below ? -(int64_t)v : (int64_t)v;
    return digits > 0;
}

void tk_tracy_edit_read(const struct tk_str *text, struct tk_tracy_edit *edit)
{
    const size_t skip = strcspn(TK_TRACY_EDIT_MARK, "{");
    *edit =
        (struct tk_tracy_edit){INT64_MIN, INT64_MAX, {text->p + skip, text->n - (uint32_t)skip, text->enc}};
    if (!number_of(&edit->record, "\"from\":", &edit->from))
        edit->from = INT64_MIN;
    if (!number_of(&edit->record, "\"to\":", &edit->to))
        edit->to = INT64_MAX;
}

struct tk_kept_part tk_tracy_edits_kept(const struct tk_tracy_capture *c)
{
    struct tk_kept_part kept = {false, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < c->strings.v.n; i++) {
        if (!tk_tracy_edit_is(&c->strings.v.v[i]))
            continue;
        struct tk_tracy_edit edit;
        tk_tracy_edit_read(&c->strings.v.v[i], &edit);
        kept.from = edit.from > kept.from ? edit.from : kept.from;
        kept.to = edit.to < kept.to ? edit.to : kept.to;
        kept.cut |= edit.from != INT64_MIN || edit.to != INT64_MAX;
    }
    kept.cut &= kept.from < kept.to;
    return kept;
}
