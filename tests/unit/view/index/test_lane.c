/* Tests of lanes of an index that are built of given scopes: any length, any distance. Alongside the index
 * itself. */
#include "run.h"
#include "view/index/index_in.h"

#include <stdlib.h>

/* The longest scopes there can be, in bins of one cycle, are kept in the last level. */
START_TEST(longest_scopes)
{
    static uint8_t buffer[TK_INDEX_SCOPES_BYTES + TK_INDEX_CELLS_BYTES];
    static const int64_t begins[] = {0, INT64_MAX / 2, -1, INT64_MIN};
    uint8_t *bytes[] = {buffer};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        struct tk_index_maker maker = {.bytes = bytes};
        struct tk_index_strip *lane = calloc(1, sizeof *lane);
        const struct tk_index_scope scope = {.begin = begins[i], .end = INT64_MAX};
        const uint64_t length = (uint64_t)INT64_MAX - (uint64_t)begins[i];
        uint64_t kept = 0;
        ck_assert(lane != NULL);
        ck_assert_int_eq(tk_index_store_open(&maker.store, NULL, 1, NULL), TK_OK);
        ck_assert_int_eq(tk_index_strip_add(&maker, lane, &scope, 0), TK_OK);
        ck_assert_int_eq(tk_index_strip_finish(&maker, lane, 0), TK_OK);
        for (unsigned k = 0; k < lane->n_levels; k++)
            for (size_t chunk = 0; chunk < lane->levels[k]->scope_chunks.v.n; chunk++) {
                ck_assert_uint_ge(length, UINT64_C(1) << 2 * k);
                kept += lane->levels[k]->scope_chunks.v.v[chunk].n;
            }
        ck_assert_uint_eq(kept, 1);
        tk_index_strip_free(lane);
        tk_index_store_close(maker.store);
    }
}
END_TEST

/* Short scopes at both ends of all time, and two timers: windows of 1,024 cycles do not get from one to the
 * other. */
START_TEST(next_over_a_gap)
{
    enum { ONE, OTHER, UNKNOWN, TIMERS };
    static uint8_t buffer[TK_INDEX_SCOPES_BYTES + TK_INDEX_CELLS_BYTES];
    static const int64_t far = INT64_C(1) << 61;
    static const struct tk_index_scope scopes[] = {{-far, -far, ONE, 0, 0},
                                                   {1 - far, 1 - far, OTHER, 0, 0},
                                                   {far, far, ONE, 0, 0},
                                                   {far + 9, far + 9, ONE, 0, 0}};
    enum { N = sizeof scopes / sizeof *scopes };
    static const struct {
        uint32_t timer;
        int64_t time;
        bool back;
        int at; /* the scope that is found; -1: none */
    } rows[] = {{ONE, -far, false, 2},      {ONE, far, false, 3},        {ONE, far + 9, false, -1},
                {ONE, INT64_MIN, false, 0}, {ONE, far, true, 0},         {ONE, INT64_MAX, true, 3},
                {ONE, -far, true, -1},      {OTHER, INT64_MAX, true, 1}, {OTHER, 1 - far, false, -1},
                {OTHER, 1, false, -1},      {OTHER, INT64_MIN, false, 1}};
    uint8_t *bytes[] = {buffer};
    struct tk_index_maker maker = {.bytes = bytes};
    struct tk_index_strip *lane = calloc(1, sizeof *lane);
    struct tk_index_name timers[TIMERS] = {0};
    struct tk_index index = {.lanes = {&lane, 1, 1}, .timers = {timers, TIMERS, TIMERS}};
    ck_assert_int_eq(tk_index_store_open(&maker.store, NULL, 1, NULL), TK_OK);
    ck_assert_int_eq(tk_presence_init(&index.presence, 0, TK_INDEX_COUNTS), 0);
    ck_assert(lane != NULL);
    lane->keeps_brief = true;
    lane->info.first = -far;
    lane->info.last = far + 9;
    index.store = maker.store;
    for (size_t i = 0; i < N; i++) {
        ck_assert_int_eq(tk_index_strip_add(&maker, lane, &scopes[i], 0), TK_OK);
        ck_assert_int_eq(tk_presence_count(&index.presence, scopes[i].end, scopes[i].timer), 0);
    }
    ck_assert_int_eq(tk_index_strip_finish(&maker, lane, 0), TK_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tk_index_box box;
        const int rc = tk_index_next(&index, 0, rows[i].timer, rows[i].time, rows[i].back, &box, NULL);
        ck_assert_int_eq(rc, rows[i].at < 0 ? TK_OK : TK_ITEM);
        if (rows[i].at >= 0)
            ck_assert_int_eq(box.begin, scopes[rows[i].at].begin);
    }
    tk_index_strip_free(lane);
    tk_presence_release(&index.presence);
    tk_index_store_close(maker.store);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {longest_scopes, next_over_a_gap};
    return RUN_TESTS("lane", tests);
}
