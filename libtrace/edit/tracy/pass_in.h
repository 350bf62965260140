/*
 * What a pass does with each record of records.h: in the first walk it marks what the texts of the record are
 * used for, in the second it puts the record, with the new numbers of its strings.
 */
#ifndef TK_EDIT_TRACY_PASS_IN_H
#define TK_EDIT_TRACY_PASS_IN_H

#include "edit/tracy/edit_tracy.h"

/* The name of a lock stands in the function of its location. */
void tk_tracy_pass_mark_named(struct tk_tracy_pass *p, int16_t location);

/* What an edit says of itself is known by its text. */
enum tk_tracy_role tk_tracy_pass_info_role(const struct tk_tracy_pass *p, struct tk_tracy_ref text);

#define TK_TRACY_ROLE_FUNCTION_OR_TIMER (v->name.flags & 2 ? TK_TRACY_ROLE_FUNCTION : TK_TRACY_ROLE_TIMER)
#define TK_TRACY_ROLE_INFO_OR_EDIT      tk_tracy_pass_info_role(p, v->text)

/* ---- by role: what is marked ---- */

#define TK_TRACY_MARK_PLAIN(x, text)
#define TK_TRACY_MARK_TIME(x, text)
#define TK_TRACY_MARK_END(x, text)
#define TK_TRACY_MARK_LATER(x, text)
#define TK_TRACY_MARK_STACK(x, text) tk_tracy_pass_use_stack(p, x);
#define TK_TRACY_MARK_LOCAL(x, text)
#define TK_TRACY_MARK_EXTERNAL(x, text)
#define TK_TRACY_MARK_TID(x, text)
#define TK_TRACY_MARK_PLACE(x, text)
#define TK_TRACY_MARK_ADDRESS(x, text)
#define TK_TRACY_MARK_KEY(x, text)
#define TK_TRACY_MARK_LOCK(x, text)
#define TK_TRACY_MARK_IMAGE(x, text)
#define TK_TRACY_MARK_NAMED(x, text)   tk_tracy_pass_mark_named(p, x);
#define TK_TRACY_MARK_POINTER(x, text) tk_tracy_pass_mark_pointer(p, x, TK_TRACY_ROLE_##text);
#define TK_TRACY_MARK_INDEX(x, text)   tk_tracy_pass_mark(p, x, TK_TRACY_ROLE_##text);
#define TK_TRACY_MARK_STRING(x, text)  tk_tracy_pass_mark_key(p, x, TK_TRACY_ROLE_##text);
#define TK_TRACY_MARK_REF(x, text)     tk_tracy_pass_mark_ref(p, x, TK_TRACY_ROLE_##text);

/* ---- by role: what becomes of a value that is put ---- */

#define TK_TRACY_NOW_PLAIN(x)    x
#define TK_TRACY_NOW_TIME(x)     x
#define TK_TRACY_NOW_END(x)      x
#define TK_TRACY_NOW_LATER(x)    x
#define TK_TRACY_NOW_STACK(x)    (tk_tracy_pass_drops(p, TK_TRACY_STACKS) ? 0 : x)
#define TK_TRACY_NOW_LOCAL(x)    x
#define TK_TRACY_NOW_EXTERNAL(x) x
#define TK_TRACY_NOW_TID(x)      x
#define TK_TRACY_NOW_PLACE(x)    x
#define TK_TRACY_NOW_ADDRESS(x)  x
#define TK_TRACY_NOW_KEY(x)      x
#define TK_TRACY_NOW_LOCK(x)     x
#define TK_TRACY_NOW_IMAGE(x)    x
#define TK_TRACY_NOW_NAMED(x)    x
#define TK_TRACY_NOW_POINTER(x)  x
#define TK_TRACY_NOW_STRING(x)   x
#define TK_TRACY_NOW_INDEX(x)    tk_tracy_pass_new_index(p, x)
#define TK_TRACY_NOW_REF(x)      tk_tracy_pass_new_ref(p, x)

#define TK_TRACY_MARK_FIELD(name, kind, role, text, when, what) TK_TRACY_MARK_##role(v->name, text)

#define TK_TRACY_PUT_NOW(name, kind, role, text, when, what)                                                 \
    if (when)                                                                                                \
        TK_TRACY_PUT_##kind(p->out, TK_TRACY_NOW_##role(v->name));

#define TK_TRACY_DECLARE_PASS(record, FIELDS, how, title)                                                    \
    static inline void tk_tracy_pass_put_##record(struct tk_tracy_pass *p,                                   \
                                                  const struct tk_tracy_##record *v)                         \
    {                                                                                                        \
        const struct tk_tracy_layout *l = &p->c->layout;                                                     \
        (void)l;                                                                                             \
        if (p->out) {                                                                                        \
            FIELDS(TK_TRACY_PUT_NOW)                                                                         \
        } else {                                                                                             \
            FIELDS(TK_TRACY_MARK_FIELD)                                                                      \
        }                                                                                                    \
    }
TK_TRACY_EACH_RECORD(TK_TRACY_DECLARE_PASS)

/* Reads a record and puts it. */
#define TK_TRACY_DECLARE_THROUGH(record, FIELDS, how, title)                                                 \
    static inline void tk_tracy_pass_through_##record(struct tk_tracy_pass *p)                               \
    {                                                                                                        \
        struct tk_tracy_##record v;                                                                          \
        if (tk_tracy_read_##record(p->in, &v))                                                               \
            tk_tracy_pass_put_##record(p, &v);                                                               \
    }
TK_TRACY_EACH_RECORD(TK_TRACY_DECLARE_THROUGH)

/* A number, and so many of what `through` reads and puts. */
static inline void tk_tracy_pass_each(struct tk_tracy_pass *p, void (*through)(struct tk_tracy_pass *p))
{
    const uint64_t n = tk_tracy_pass_number(p);
    for (uint64_t i = 0; i < n && tk_tracy_pass_going(p); i++)
        through(p);
}

#undef TK_TRACY_DECLARE_PASS
#undef TK_TRACY_DECLARE_THROUGH
#undef TK_TRACY_PUT_NOW
#undef TK_TRACY_MARK_FIELD

#endif
