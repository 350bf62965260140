/*
 * Who had the core meanwhile. See core_causes.h.
 */
#include "model/frames/core_causes.h"

#include "base/binary_search.h"
#include "base/wrap.h"

/* Runs that began so many places before a time may still go on then; they are short. */
#define LOOK_BACK 4096u

/* First run that begins at or after a time. */
static size_t first_from(const struct tk_switch_list *list, int64_t time)
{
    size_t at;
    TK_SEARCH(at, list->v.n, list->v.v[at].begin < time);
    return at;
}

static bool is_of(const struct tk_switch_list *list, const struct tk_switch *s, uint32_t thread)
{
    return list->threads.v.v[s->thread].thread == thread;
}

static void offer(struct tk_core_cause *out, int64_t *begin, int64_t from, int64_t to, uint32_t core)
{
    int64_t off = tk_wrap_sub(to, from);
    if (off <= out->off)
        return;
    out->off = off;
    out->core = core;
    *begin = from;
}

/* The longest stretch without a run of the thread, behind one of its runs. */
static bool find_stretch(const struct tk_switch_list *list, size_t first, uint32_t thread, int64_t from,
                         int64_t to, struct tk_core_cause *out, int64_t *begin)
{
    const struct tk_switch *last = NULL;
    for (size_t i = first; i < list->v.n && list->v.v[i].begin < to; i++) {
        const struct tk_switch *s = &list->v.v[i];
        if (!is_of(list, s, thread))
            continue;
        if (last && s->begin > from)
            offer(out, begin, last->end > from ? last->end : from, s->begin, last->core);
        last = s;
    }
    if (last && last->end < to)
        offer(out, begin, last->end > from ? last->end : from, to, last->core);
    return out->off > 0;
}

/* Time of a run inside of a stretch. */
static int64_t inside(const struct tk_switch *s, int64_t begin, int64_t end)
{
    int64_t from = s->begin > begin ? s->begin : begin, to = s->end < end ? s->end : end;
    return to > from ? tk_wrap_sub(to, from) : 0;
}

bool tk_core_cause_find(const struct tk_switch_list *list, const struct tk_dict *dict, uint32_t thread,
                        int64_t from, int64_t to, struct tk_core_cause *out)
{
    size_t first = first_from(list, from);
    const struct tk_switch *longest = NULL;
    int64_t begin = 0;
    *out = (struct tk_core_cause){.off = 0};
    first = first > LOOK_BACK ? first - LOOK_BACK : 0;
    if (!find_stretch(list, first, thread, from, to, out, &begin))
        return false;
    for (size_t i = first; i < list->v.n && list->v.v[i].begin < begin + out->off; i++) {
        const struct tk_switch *s = &list->v.v[i];
        int64_t least = longest ? inside(longest, begin, begin + out->off) : 0;
        if (s->core == out->core && !is_of(list, s, thread) && inside(s, begin, begin + out->off) > least)
            longest = s;
    }
    if (longest)
        out->name = tk_system_thread_name(&list->threads.v.v[longest->thread], dict);
    return true;
}
