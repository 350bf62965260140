/*
 * Rows by the value of one column.
 */
#include "api/trace.h"
#include "base/sort.h"
#include "io/scratch/spill.h"
#include "sql/tables/tables_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Reads when a capture began, and its game frames, and finds the one that a time is in.
 */

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

/* Baselines have none. */
static int read_frames_sql(struct tk_sql_connection *c, struct tk_sql_source *s, struct tk_sql_frames *frames,
                           struct tk_err *err)
{
    static const char *const tables[] = {"frames"}, *const columns[] = {"type_id", "frame", "start", "end"};
    const struct tk_sink sink = {.self = frames, .rows = keep_frames};
    struct tk_query query = TK_INIT(struct tk_query);
    size_t handle;
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 4;
    int rc = tk_sql_source_take(c, s, &handle, err);
    if (rc < 0 || handle == SIZE_MAX)
        return rc;
    if (tk_has_table(s->handles.v[handle].trace, tables[0])) {
        c->readings++;
        rc = tk_query_run(s->handles.v[handle].trace, &query, &sink, err);
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

int tk_sql_begin_get(struct tk_sql_connection *c, struct tk_sql_source *s, struct tk_err *err)
{
    size_t handle;
    if (s->dated)
        return TK_OK;
    s->begin = INT64_MIN;
    s->dated = true;
    int rc = tk_sql_source_take(c, s, &handle, err);
    if (rc < 0 || handle == SIZE_MAX)
        return rc;
    c->readings++;
    rc = tk_trace_begin(s->handles.v[handle].trace, &s->begin, err);
    tk_sql_source_leave(s, handle);
    return rc;
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

/* A group with so many bytes is worth a write. */
enum { PIECE = 1 << 13 };

/* What stays in memory before rows go to the file. */
#define IN_MEMORY (UINT64_C(32) << 20)

struct group {
    struct tk_sql_value key;
    TK_VEC(uint8_t) rows; /* those not in the file */
    struct tk_spilled spilled;
};

struct tk_sql_grouped {
    size_t n, size; /* values, bytes of a row */
    char *dir;      /* owned */
    struct tk_map places;
    TK_VEC(struct group) groups;
    struct tk_spill *spill; /* owned; NULL: all is in memory */
    uint64_t bytes;
    size_t group, piece;      /* to read next */
    const uint8_t *at, *end;  /* rows that are being read */
    uint8_t *buffer;          /* owned; where they are, unless in a group */
    struct tk_sql_value *row; /* owned */
};

int tk_sql_grouped_new(struct tk_sql_grouped **out, size_t n, const char *dir, struct tk_err *err)
{
    struct tk_sql_grouped *g = calloc(1, sizeof *g);
    *out = g;
    if (g)
        g->row = calloc(n + 1, sizeof *g->row);
    if (g && dir)
        g->dir = tk_sql_copy(dir);
    if (!g || !g->row || (dir && !g->dir)) {
        tk_sql_grouped_free(g);
        *out = NULL;
        return tk_err_nomem(err, "groups");
    }
    g->n = n;
    g->size = n * 9;
    return TK_OK;
}

void tk_sql_grouped_free(struct tk_sql_grouped *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->groups.n; i++) {
        tk_vec_release(&g->groups.v[i].rows);
        tk_vec_release(&g->groups.v[i].spilled.pieces);
    }
    tk_vec_release(&g->groups);
    tk_spill_close(g->spill);
    tk_map_release(&g->places);
    free(g->buffer);
    free(g->row);
    free(g->dir);
    free(g);
}

/* ---- adding ---- */

static void pack(const struct tk_sql_grouped *g, uint8_t *to, const struct tk_sql_value *row)
{
    for (size_t i = 0; i < g->n; i++, to += 9) {
        to[0] = row[i].type;
        memcpy(to + 1, &row[i].v, 8);
    }
}

static int add_group(struct tk_sql_grouped *g, const struct tk_sql_value *key, uint32_t *at,
                     struct tk_err *err)
{
    const struct group group = {.key = *key};
    *at = (uint32_t)g->groups.n;
    if (g->groups.n >= TK_MAP_NONE - 1)
        return tk_err_set(err, TK_ELIMIT, "there are too many groups");
    return tk_vec_push(&g->groups, group) ? tk_err_nomem(err, "groups") : TK_OK;
}

/* The place of a group. Values of one type that are equal are so bit by bit, and NULL has no bits. */
static int find_group(struct tk_sql_grouped *g, const struct tk_sql_value *key, uint32_t *at,
                      struct tk_err *err)
{
    uint64_t bits = 0;
    if (key->type != TK_SQL_NULL)
        memcpy(&bits, &key->v, sizeof bits);
    bits = key->type == TK_SQL_NULL ? UINT64_MAX : bits;
    *at = tk_map_get(&g->places, bits);
    while (*at != TK_MAP_NONE && g->groups.v[*at].key.type != key->type)
        *at = tk_map_get(&g->places, --bits); /* NULL with -1 */
    if (*at != TK_MAP_NONE)
        return TK_OK;
    int rc = add_group(g, key, at, err);
    return rc == TK_OK && tk_map_put(&g->places, bits, *at) ? tk_err_nomem(err, "groups") : rc;
}

static int spill_group(struct tk_sql_grouped *g, struct group *p, size_t least, struct tk_err *err)
{
    int rc = TK_OK;
    if (p->rows.n < least || p->rows.n == 0)
        return TK_OK;
    if (!g->spill)
        rc = tk_spill_open(&g->spill, g->dir, err);
    if (rc == TK_OK)
        rc = tk_spill_write(g->spill, &p->spilled, p->rows.v, p->rows.n, err);
    g->bytes -= p->rows.n;
    p->rows.n = 0;
    return rc;
}

/* Groups with much go first; where there is none, all. */
static int spill_all(struct tk_sql_grouped *g, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t least = PIECE; g->bytes > IN_MEMORY / 2 && rc == TK_OK; least = 1)
        for (size_t i = 0; i < g->groups.n && rc == TK_OK; i++)
            rc = spill_group(g, &g->groups.v[i], least, err);
    return rc;
}

int tk_sql_grouped_add(struct tk_sql_grouped *g, const struct tk_sql_value *key,
                       const struct tk_sql_value *row, struct tk_err *err)
{
    uint32_t at;
    int rc = find_group(g, key, &at, err);
    if (rc < 0)
        return rc;
    struct group *p = &g->groups.v[at];
    if (tk_vec_reserve(&p->rows, p->rows.n + g->size))
        return tk_err_nomem(err, "groups");
    pack(g, p->rows.v + p->rows.n, row);
    p->rows.n += g->size;
    g->bytes += g->size;
    return g->bytes > IN_MEMORY ? spill_all(g, err) : TK_OK;
}

/* ---- reading ---- */

static int compare_up(const void *a, const void *b)
{
    return tk_sql_value_order(&((const struct group *)a)->key, &((const struct group *)b)->key);
}

static int compare_down(const void *a, const void *b)
{
    return compare_up(b, a);
}

int tk_sql_grouped_sort(struct tk_sql_grouped *g, bool down, struct tk_err *err)
{
    tk_map_release(&g->places);
    return tk_sort(g->groups.v, g->groups.n, sizeof *g->groups.v, down ? compare_down : compare_up)
               ? tk_err_nomem(err, "groups")
               : TK_OK;
}

/* A piece of a group, in the file or the rest. */
static int load_piece(struct tk_sql_grouped *g, const struct group *p, struct tk_err *err)
{
    free(g->buffer);
    g->buffer = NULL;
    if (g->piece == p->spilled.pieces.n) {
        g->at = p->rows.v;
        g->end = p->rows.n ? g->at + p->rows.n : g->at;
        return TK_OK;
    }
    const size_t n = p->spilled.pieces.v[g->piece].n;
    g->buffer = malloc(n);
    if (!g->buffer)
        return tk_err_nomem(err, "groups");
    g->at = g->buffer;
    g->end = g->buffer + n;
    return tk_spill_read(g->spill, &p->spilled, g->piece, g->buffer, err);
}

static void unpack(struct tk_sql_grouped *g)
{
    for (size_t i = 0; i < g->n; i++, g->at += 9) {
        g->row[i].type = g->at[0];
        memcpy(&g->row[i].v, g->at + 1, 8);
    }
}

int tk_sql_grouped_next(struct tk_sql_grouped *g, const struct tk_sql_value **row, struct tk_err *err)
{
    while (g->at == g->end) {
        if (g->group == g->groups.n)
            return TK_OK;
        const struct group *p = &g->groups.v[g->group];
        int rc = load_piece(g, p, err);
        if (rc < 0)
            return rc;
        if (g->piece++ == p->spilled.pieces.n) {
            g->group++;
            g->piece = 0;
        }
    }
    unpack(g);
    *row = g->row;
    return TK_ITEM;
}
