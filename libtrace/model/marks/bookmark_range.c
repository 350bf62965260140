/*
 * Bookmarks by their texts. See bookmark_range.h.
 */
#include "model/marks/bookmark_range.h"

#include "base/text/glob.h"

#include <string.h>

void tk_bookmark_range_init(struct tk_bookmark_range *p, const char *from, const char *to)
{
    *p = (struct tk_bookmark_range){.from = {.pattern = from}, .to = {.pattern = to}};
}

void tk_bookmark_range_release(struct tk_bookmark_range *p)
{
    tk_vec_release(&p->from.marks);
    tk_vec_release(&p->to.marks);
}

static int feed_bookmark_range(struct tk_mark_list *list, const struct tk_fact *fact)
{
    const struct tk_str *text = &fact->u.bookmark.text;
    struct tk_mark mark = {.time = fact->time};
    if (!list->pattern)
        return 0;
    size_t n = strlen(list->pattern);
    mark.exact = text->n == n && memcmp(text->p, list->pattern, n) == 0;
    if (!mark.exact && !tk_glob_typed(list->pattern, n, text->p, text->n))
        return 0;
    list->exact |= mark.exact;
    return tk_vec_push(&list->marks, mark);
}

int tk_bookmark_range_feed(struct tk_bookmark_range *p, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_BOOKMARK)
        return 0;
    return feed_bookmark_range(&p->from, fact) || feed_bookmark_range(&p->to, fact) ? -1 : 0;
}

/* The first that is later than `after`; false: none. */
static bool find_bookmark_range(const struct tk_mark_list *list, int64_t after, int64_t *out)
{
    bool found = false;
    for (size_t i = 0; i < list->marks.n; i++) {
        const struct tk_mark *m = &list->marks.v[i];
        if ((list->exact && !m->exact) || m->time <= after || (found && m->time >= *out))
            continue;
        *out = m->time;
        found = true;
    }
    return found;
}

int tk_bookmark_range_range(const struct tk_bookmark_range *p, struct tk_range *out, struct tk_err *err)
{
    *out = (struct tk_range){INT64_MIN, INT64_MAX};
    if (p->from.pattern && !find_bookmark_range(&p->from, INT64_MIN, &out->from))
        return tk_err_set(err, TK_EMATCH, "there is no bookmark '%.200s'", p->from.pattern);
    if (p->to.pattern && !find_bookmark_range(&p->to, out->from, &out->to))
        return tk_err_set(err, TK_EMATCH, "there is no bookmark '%.200s'%s", p->to.pattern,
                          p->from.pattern ? " after the first one" : "");
    return TK_OK;
}
