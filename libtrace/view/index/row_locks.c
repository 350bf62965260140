/*
 * Locks: a lane for each, in which threads wait and hold. Locks beyond LOCKS_MOST, in the order in which they
 * are requested first, share a lane.
 */
#include "base/err.h"
#include "table/cell.h"
#include "view/index/index_in.h"

enum { LOCK, LOCK_ID, THREAD, REQUESTED, OBTAINED, RELEASED };

enum { LOCKS_MOST = 512 };

static int lane_of(struct tk_index_rows *r, const struct tk_cell *cells, struct tk_index_span_lane *lane)
{
    const struct tk_str name =
        cells[LOCK].kind == TK_TEXT ? tk_cell_text(&cells[LOCK]) : (struct tk_str){.p = ""};
    const uint64_t id = cells[LOCK_ID].kind == TK_UINT ? cells[LOCK_ID].v.u : 0;
    const uint64_t key = tk_hash_pair(tk_hash_bytes(name.p, name.n, name.enc), id);
    uint32_t number = tk_map_get(&r->lock_of, key);
    if (number == TK_MAP_NONE) {
        number = r->n_locks < LOCKS_MOST ? r->n_locks++ : LOCKS_MOST;
        if (tk_map_put(&r->lock_of, key, number))
            return tk_err_nomem(r->err, "locks");
    }
    *lane = (struct tk_index_span_lane){TK_INDEX_LOCK, number,
                                        number < LOCKS_MOST ? name : tk_index_text("other locks")};
    return TK_OK;
}

static int take_lock(struct tk_index_rows *r, const struct tk_cell *cells)
{
    struct tk_index_span_lane lane;
    const bool obtained = cells[OBTAINED].kind == TK_TIME, released = cells[RELEASED].kind == TK_TIME;
    if (cells[REQUESTED].kind != TK_TIME)
        return TK_OK;
    int rc = lane_of(r, cells, &lane);
    const struct tk_str thread = tk_cell_text(&cells[THREAD]);
    if (rc == TK_OK && (!obtained || cells[OBTAINED].v.i > cells[REQUESTED].v.i))
        rc = tk_index_rows_span(r, &lane, cells[REQUESTED].v.i, obtained ? cells[OBTAINED].v.i : INT64_MAX,
                                thread, " waits");
    if (rc == TK_OK && obtained)
        rc = tk_index_rows_span(r, &lane, cells[OBTAINED].v.i, released ? cells[RELEASED].v.i : INT64_MAX,
                                thread, " holds");
    return rc;
}

const struct tk_index_row_kind tk_index_row_locks = {
    .name = "lock",
    .table = "lock_rows",
    .facts = TK_FACT_MASK(LOCK),
    .columns = {"lock", "lock_id", "thread", "requested", "obtained", "released"},
    .take = take_lock,
};
