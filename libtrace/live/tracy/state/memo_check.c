/*
 * Looks at what memo.c has read: whoever made the file, all numbers lead to something that is there. What is
 * only written to a capture again may be anything, as in a capture that somebody made.
 */
#include "live/tracy/state/state.h"

enum { PLACES_MOST = 32767 };

static bool is_text(const struct tk_tl_state *s, uint32_t text)
{
    return text < s->strings.n;
}

static bool is_text_or_none(const struct tk_tl_state *s, uint32_t text)
{
    return text == TK_TL_NONE || is_text(s, text);
}

/* Of those whose number is one more, and 0 for none. */
static bool is_text_ref(const struct tk_tl_state *s, uint32_t ref)
{
    return ref <= s->strings.n;
}

static bool is_stack(const struct tk_tl_state *s, uint32_t stack)
{
    return stack <= s->stacks.n;
}

static bool are_names(const struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->pointers.n; i++)
        if (!is_text_or_none(s, s->pointers.v[i].text))
            return false;
    for (size_t i = 0; i < s->thread_names.n; i++)
        if (!is_text_or_none(s, s->thread_names.v[i].text))
            return false;
    for (size_t i = 0; i < s->external_names.n; i++)
        if (!is_text_or_none(s, s->external_names.v[i].process) ||
            !is_text_or_none(s, s->external_names.v[i].name))
            return false;
    return is_text_or_none(s, s->single) && is_text_or_none(s, s->second) && is_text(s, s->last_single);
}

static bool are_places(const struct tk_tl_state *s)
{
    if (s->dynamics.n > PLACES_MOST || s->expand.n > PLACES_MOST || !s->expand.n ||
        s->static_answered > s->statics.n)
        return false;
    for (size_t i = 1; i < s->expand.n; i++)
        if (tk_map_get(&s->static_of, s->expand.v[i]) == TK_MAP_NONE)
            return false;
    for (size_t i = 0; i < s->dynamics.n; i++) {
        const struct tk_tl_dynamic *d = &s->dynamics.v[i];
        if (!is_text_or_none(s, d->name) || !is_text(s, d->function) || !is_text(s, d->file))
            return false;
    }
    return true;
}

static bool are_frames_of_code(const struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->code_frames.n; i++) {
        const struct tk_tl_code_frame *f = &s->code_frames.v[i];
        if (!is_text_ref(s, f->image) || f->first > s->code_places.n || f->n > s->code_places.n - f->first)
            return false;
    }
    for (size_t i = 0; i < s->code_places.n; i++)
        if (!is_text(s, s->code_places.v[i].name) || !is_text(s, s->code_places.v[i].file))
            return false;
    return !s->answer.open || (s->answer.left && is_text_ref(s, s->answer.image) &&
                               (s->answer.ignored || s->answer.frame < s->code_frames.n));
}

static bool is_code(const struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->symbols.n; i++) {
        const struct tk_tl_symbol *k = &s->symbols.v[i];
        if (!is_text(s, k->name) || !is_text(s, k->file) || !is_text_ref(s, k->image) ||
            !is_text(s, k->call_file))
            return false;
    }
    for (size_t i = 0; i < s->sources.n; i++)
        if (!is_text(s, s->sources.v[i].path))
            return false;
    for (size_t i = 0; i < s->source_answers.n; i++)
        if (s->source_answers.v[i] >= s->sources.n)
            return false;
    return is_stack(s, s->pending_stack) && is_stack(s, s->serial_stack);
}

static bool is_thread(const struct tk_tl_state *s, const struct tk_tl_thread *t)
{
    for (size_t i = 0; i < t->open.n; i++) {
        const struct tk_tl_extra *e = &t->open.v[i].extra;
        if (!is_stack(s, e->callstack) || !is_text_ref(s, e->text) || !is_text_ref(s, e->name))
            return false;
    }
    return is_stack(s, t->callstack) && is_stack(s, t->held_callstack);
}

static bool are_threads(const struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->threads.n; i++)
        if (!is_thread(s, s->threads.v[i]))
            return false;
    for (size_t i = 0; i < s->fibers.n; i++)
        if (!tk_tl_thread_find(s, UINT64_C(1) << 32 | i))
            return false;
    return true;
}

static bool are_listed(const uint32_t *v, size_t n, size_t most)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] >= most)
            return false;
    return true;
}

static bool are_sets_and_plots(const struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->frame_sets.n; i++)
        if (s->frame_sets.v[i]->instead != TK_TL_NONE && s->frame_sets.v[i]->instead >= s->frame_sets.n)
            return false;
    for (size_t i = 0; i < s->plots.n; i++)
        if (s->plots.v[i]->instead != TK_TL_NONE && s->plots.v[i]->instead >= s->plots.n)
            return false;
    return are_listed(s->listed_sets.v, s->listed_sets.n, s->frame_sets.n) &&
           are_listed(s->listed_plots.v, s->listed_plots.n, s->plots.n) &&
           (s->cpu_plot == TK_TL_NONE || s->cpu_plot < s->plots.n);
}

static bool are_locks(const struct tk_tl_state *s)
{
    for (size_t i = 0; i < s->locks.n; i++) {
        const struct tk_tl_lock *l = s->locks.v[i];
        if (l->n_threads > TK_TL_LOCK_THREADS)
            return false;
        for (size_t k = 0; k < TK_TL_LOCK_THREADS; k++)
            if (l->last_wait[k] > tk_spill_column_count(&l->events))
                return false;
    }
    return true;
}

static bool are_sections(const struct tk_tl_state *s)
{
    uint64_t id;
    for (uint32_t i = 0; i < s->sections_open.n; i++) {
        const struct tk_tl_section_open *open = tk_record_map_at(&s->sections_open, i, &id);
        if (open && (open->category >= s->categories.n ||
                     open->index >= tk_spill_column_count(&s->categories.v[open->category]->items)))
            return false;
    }
    return true;
}

int tk_tl_memo_check(struct tk_tl_state *s)
{
    const bool possible = are_names(s) && are_places(s) && are_frames_of_code(s) && is_code(s) &&
                          are_threads(s) && are_sets_and_plots(s) && are_locks(s) && are_sections(s);
    return possible ? TK_OK : tk_tl_impossible(s);
}
