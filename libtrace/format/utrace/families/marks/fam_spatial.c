/*
 * Points in space (changes-since 6): where they are, how fast they move and where they look. An event is
 * named after what it carries; a row each, as they come.
 */
#include "format/utrace/feed/family.h"
#include "format/utrace/feed/family_list.h"

#include <string.h>

enum {
    TIME,
    POINT,
    NAME,
    POSITION, /* three columns each */
    VELOCITY = POSITION + 3,
    DIRECTION = VELOCITY + 3,
    THREAD_ID = DIRECTION + 3,
    THREAD,
    COLUMNS = THREAD + TK_THREAD_COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was set"},
    [POINT] = {"point_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the point"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "name of the point; empty if it is not defined"},
    [POSITION] = {"x", TK_REAL, 0, NULL, "position"},
    [POSITION + 1] = {"y", TK_REAL, 0, NULL, "position"},
    [POSITION + 2] = {"z", TK_REAL, 0, NULL, "position"},
    [VELOCITY] = {"vx", TK_REAL, 0, NULL, "velocity"},
    [VELOCITY + 1] = {"vy", TK_REAL, 0, NULL, "velocity"},
    [VELOCITY + 2] = {"vz", TK_REAL, 0, NULL, "velocity"},
    [DIRECTION] = {"dx", TK_REAL, 0, NULL, "direction"},
    [DIRECTION + 1] = {"dy", TK_REAL, 0, NULL, "direction"},
    [DIRECTION + 2] = {"dz", TK_REAL, 0, NULL, "direction"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that set it"},
    [THREAD] = TK_THREAD_COLUMNS_AS(TK_COL_EXTRA, "the thread that set it"),
};

const struct tk_table tk_ut_table_spatial = {
    .name = "spatial",
    .help = "points in space: position, velocity and direction, whenever they are set",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

struct state {
    struct tk_ut_id_names names;
};

enum { P_ID, P_NAME };

static int on_point(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    return tk_ut_id_names_put(feed, &s->names, ev, tk_ut_u64(ev, P_ID), P_NAME, 2);
}

enum { CYCLE, SPEC, POS, VEL, DIR };

static bool is_vector(const struct tk_ut_event *ev, unsigned field)
{
    const uint8_t reals = TK_UT_INFO_ARRAY | TK_UT_INFO_FLOAT | 3;
    return (ev->bound[field]->info & (reals | TK_UT_INFO_WIDTH)) == reals && tk_ut_bytes(ev, field).n == 24;
}

/* Three numbers, or none: a build can leave out what has not changed. */
static void fill_vector(struct tk_ut_feed *feed, const struct tk_ut_event *ev, unsigned field,
                        struct tk_cell *row)
{
    if (!tk_ut_has(ev, field) || !tk_ut_bytes(ev, field).n)
        return;
    if (!is_vector(ev, field)) {
        tk_ut_bad_payload(feed, ev, "one of its vectors does not have three numbers");
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        uint64_t bits = tk_load64(tk_ut_bytes(ev, field).p + 8 * (size_t)i);
        double value;
        memcpy(&value, &bits, sizeof value);
        row[i] = tk_cell_of_real(value);
    }
}

static int on_set(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct state *s = state;
    int64_t time = tk_ut_since(feed, tk_ut_u64(ev, CYCLE));
    struct tk_cell *row = tk_ut_row(feed, &tk_ut_table_spatial, tk_ut_row_of(ev, time, time));
    if (!row)
        return TK_ENOMEM;
    row[TIME] = tk_cell_of_time(time);
    row[POINT] = tk_cell_of_uint(tk_ut_u64(ev, SPEC));
    row[NAME] = tk_cell_of_nonempty(tk_ut_id_names_get(&s->names, tk_ut_u64(ev, SPEC)));
    fill_vector(feed, ev, POS, row + POSITION);
    fill_vector(feed, ev, VEL, row + VELOCITY);
    fill_vector(feed, ev, DIR, row + DIRECTION);
    return TK_OK;
}

static void begin_spatial(void *state)
{
    struct state *s = state;
    tk_ut_id_names_release(&s->names);
}

#define SET(what)                                                                                            \
    {                                                                                                        \
        "Spatial.SetPoint" what, on_set, false,                                                              \
        {                                                                                                    \
            "Cycle", "SpecId", "Pos", "Vel", "Dir"                                                           \
        }                                                                                                    \
    }

static const struct tk_ut_bind binds[] = {
    {"Spatial.PointSpec", on_point, false, {"Id", "Name"}},
    SET("Pos"),
    SET("Vel"),
    SET("Dir"),
    SET("PosVel"),
    SET("PosDir"),
    SET("VelDir"),
    SET("PosVelDir"),
    {0},
};

static const struct tk_table *const tables[] = {&tk_ut_table_spatial, NULL};

const struct tk_ut_family tk_ut_fam_spatial = {.name = "spatial",
                                               .rows = tables,
                                               .binds = binds,
                                               .state = sizeof(struct state),
                                               .begin = begin_spatial,
                                               .release = begin_spatial};
