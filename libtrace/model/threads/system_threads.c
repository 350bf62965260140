/*
 * Who threads of the operating system are.
 */
#include "model/threads/switch_list.h"
#include "query/context_cells.h"

uint32_t tk_system_thread_of(struct tk_system_threads *s, uint64_t system_id)
{
    uint32_t at = tk_map_get(&s->index, system_id);
    if (at != TK_MAP_NONE)
        return at;
    struct tk_system_thread fresh = {.system_id = system_id, .thread = TK_NO_THREAD};
    at = (uint32_t)s->v.n;
    if (tk_map_put(&s->index, system_id, at) || tk_vec_push(&s->v, fresh))
        return TK_MAP_NONE;
    return at;
}

int tk_system_threads_feed(struct tk_system_threads *s, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_SYSTEM_THREAD)
        return 0;
    uint32_t at = tk_system_thread_of(s, fact->u.system_thread.system_id);
    if (at == TK_MAP_NONE)
        return -1;
    s->v.v[at].name = fact->u.system_thread.name;
    s->v.v[at].process_id = fact->u.system_thread.process_id;
    s->v.v[at].has_process = true;
    return 0;
}

void tk_system_threads_resolve(struct tk_system_threads *s, const struct tk_dict *dict)
{
    for (size_t i = 0; i < dict->threads.n; i++) {
        const struct tk_thread *t = &dict->threads.v[i];
        uint32_t at = t->info.has_system ? tk_map_get(&s->index, t->info.system_id) : TK_MAP_NONE;
        if (at != TK_MAP_NONE)
            s->v.v[at].thread = t->id;
    }
}

const struct tk_str *tk_system_thread_name(const struct tk_system_thread *t, const struct tk_dict *dict)
{
    return t->thread == TK_NO_THREAD ? t->name : tk_dict_thread_name(dict, t->thread);
}

bool tk_system_thread_selected(const struct tk_system_thread *t, const struct tk_query_context *view)
{
    if (t->thread == TK_NO_THREAD)
        return view->select->threads.n == 0;
    return tk_select_thread(view->select, view->dict, t->thread);
}

void tk_system_thread_fill(const struct tk_system_thread *t, const struct tk_query_context *view,
                           struct tk_cell *cells)
{
    cells[0] = tk_cell_of_int((int64_t)t->system_id);
    cells[1] = tk_query_context_thread_id(t->thread);
    tk_thread_put(view, t->thread, &cells[2]);
    cells[2 + TK_THREAD_NAME] = tk_cell_of_text(tk_system_thread_name(t, view->dict));
    if (t->has_process)
        cells[2 + TK_THREAD_PROCESS_ID] = tk_cell_of_int((int64_t)t->process_id);
}

void tk_system_threads_release(struct tk_system_threads *s)
{
    tk_vec_release(&s->v);
    tk_map_release(&s->index);
}
