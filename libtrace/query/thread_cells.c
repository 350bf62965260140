/*
 * What rows say of a thread behind its name.
 */
#include "query/context_cells.h"

static enum tk_role role_of(const struct tk_query_context *view, uint8_t kind, uint32_t id)
{
    return kind == TK_LANE_THREAD ? tk_dict_thread_role(view->dict, id) : TK_ROLE_GPU;
}

void tk_lane_more_put(const struct tk_query_context *view, uint8_t kind, uint32_t id, struct tk_cell *cells)
{
    const enum tk_role role = role_of(view, kind, id);
    if (role != TK_ROLES)
        cells[TK_THREAD_ROLE - 1] = tk_cell_of_c(tk_role_name(role));
    const struct tk_fact_thread *info = kind == TK_LANE_THREAD ? tk_dict_thread_info(view->dict, id) : NULL;
    if (info && info->has_process)
        cells[TK_THREAD_PROCESS_ID - 1] = tk_cell_of_int((int64_t)info->process_id);
    if (info && info->process)
        cells[TK_THREAD_PROCESS - 1] = tk_cell_of_text(info->process);
}
