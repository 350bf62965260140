/*
 * Reads the game frames of a capture and finds the one that a time is in. See frames.h.
 */
#include "sql/tables/frames.h"

#include <stdlib.h>

static int keep_frames(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    struct tk_sql_frames *frames = self;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        const struct tk_sql_frame frame = {row[2].v.i, row[3].kind == TK_NONE ? INT64_MAX : row[3].v.i,
                                           (int64_t)row[1].v.u};
        if (row[0].v.u == 0 && row[2].kind != TK_NONE && tk_vec_push(frames, frame))
            return tk_err_nomem(err, "frames");
    }
    return TK_OK;
}

static int read_frames_sql(struct tk_sql_connection *c, struct tk_sql_source *s, struct tk_sql_frames *frames,
                           struct tk_err *err)
{
    static const char *const tables[] = {"frames"}, *const columns[] = {"type_id", "frame", "start", "end"};
    struct tk_query query = TK_INIT(struct tk_query);
    size_t handle;
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 4;
    int rc = tk_sql_source_take(c, s, &handle, err);
    if (rc < 0 || handle == SIZE_MAX)
        return rc;
    if (tk_has_table(s->handles.v[handle].trace, "frames")) {
        c->readings++;
        rc = tk_query_run(s->handles.v[handle].trace, &query,
                          &(struct tk_sink){.self = frames, .rows = keep_frames}, err);
    }
    tk_sql_source_leave(s, handle);
    return rc;
}

int tk_sql_frames_get(struct tk_sql_connection *c, struct tk_sql_source *s, const struct tk_sql_frames **out,
                      struct tk_err *err)
{
    int rc = TK_OK;
    *out = s->frames;
    if (s->frames)
        return TK_OK;
    struct tk_sql_frames *frames = calloc(1, sizeof *frames);
    if (!frames)
        return tk_err_nomem(err, "frames");
    rc = read_frames_sql(c, s, frames, err);
    if (rc < 0) {
        tk_sql_frames_free(frames);
        return rc;
    }
    *out = s->frames = frames;
    return TK_OK;
}

static bool is_in(const struct tk_sql_frame *frame, int64_t time)
{
    return time >= frame->begin && time < frame->end;
}

const struct tk_sql_frame *tk_sql_frames_at(const struct tk_sql_frames *frames, int64_t time, size_t *hint)
{
    size_t low = 0, high = frames->n;
    if (*hint < frames->n && is_in(&frames->v[*hint], time))
        return &frames->v[*hint];
    while (low < high) { /* the last that begins by then */
        const size_t mid = low + (high - low) / 2;
        if (frames->v[mid].begin <= time)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == 0 || !is_in(&frames->v[low - 1], time))
        return NULL;
    *hint = low - 1;
    return &frames->v[low - 1];
}
