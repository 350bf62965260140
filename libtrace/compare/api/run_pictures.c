/*
 * Recorded pictures of runs: the longest frames of each, and the picture that is nearest to it.
 */
#include "compare/api/run_pictures.h"

#include "api/trace.h"
#include "base/err.h"
#include "base/given.h"
#include "compare/baseline/baseline.h"
#include "page/album.h"
#include "place/place.h"
#include "table/cell.h"
#include "tracekit/queries.h"
#include "tracekit/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frames of a page, of each side; and what each side has of the bytes of a page. */
enum { LONGEST = 4, SIDE_BYTES = TK_ALBUM_BYTES / 2 };

struct long_frame {
    uint64_t frame;
    struct tk_album_want at;
};

/* What readings of a capture find. */
struct finding {
    struct tk_album album;
    struct long_frame frames[LONGEST]; /* the longest first, n_frames */
    size_t n_frames;
};

static int64_t int_of(const struct tk_table *table, const struct tk_cell *row, const char *column)
{
    return row[tk_table_column(table, column)].v.i;
}

static void take_frame(struct finding *f, const struct tk_table *table, const struct tk_cell *row)
{
    const struct long_frame frame = {(uint64_t)int_of(table, row, "frame"),
                                     {int_of(table, row, "start"), int_of(table, row, "dur")}};
    size_t at = f->n_frames;
    if (row[tk_table_column(table, "dur")].kind != TK_DURATION || int_of(table, row, "type_id") != 0)
        return;
    while (at && f->frames[at - 1].at.length < frame.at.length)
        at--;
    if (at == LONGEST)
        return;
    f->n_frames += f->n_frames < LONGEST;
    memmove(f->frames + at + 1, f->frames + at, (f->n_frames - at - 1) * sizeof *f->frames);
    f->frames[at] = frame;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct finding *f = self;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        if (strcmp(table->name, "frames") == 0)
            take_frame(f, table, row);
        else if (tk_album_note_row(&f->album, table, row))
            return tk_err_nomem(err, "recorded pictures");
    }
    return TK_OK;
}

static int read_tables(struct tk_trace *trace, const struct tk_selection *select, const char *const *tables,
                       size_t n, const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_query query = TK_INIT(struct tk_query);
    if (select)
        query.select = *select;
    query.tables = tables;
    query.n_tables = n;
    query.by = TK_BY_EXTRA;
    query.unit = TK_UNIT_NS;
    return tk_query_run(trace, &query, sink, err);
}

/* The tables of pictures that the capture has. */
static size_t picture_tables(struct tk_trace *trace, const char *tables[2])
{
    size_t n = 0;
    for (size_t i = 0; tk_album_table(i); i++)
        if (tk_has_table(trace, tk_album_table(i)))
            tables[n++] = tk_album_table(i);
    return n;
}

/* First whether there are any at all: most captures have none, and that is known soon. */
static int find(struct finding *f, struct tk_trace *trace, const struct tk_selection *select,
                struct tk_err *err)
{
    static const char *const frames = "frames";
    const char *tables[2];
    const size_t n = picture_tables(trace, tables);
    const struct tk_sink notes = {.self = f, .rows = take_rows}, pictures = tk_album_sink(&f->album);
    struct tk_album_limit limit = {LONGEST, SIDE_BYTES};
    struct tk_album_want wanted[LONGEST];
    int rc = n ? read_tables(trace, select, tables, n, &notes, err) : TK_OK;
    if (rc != TK_OK || !f->album.known.n)
        return rc;
    rc = read_tables(trace, select, &frames, 1, &notes, err);
    for (size_t i = 0; i < f->n_frames; i++)
        wanted[i] = f->frames[i].at;
    if (rc == TK_OK && tk_album_choose(&f->album, wanted, f->n_frames, &limit))
        return TK_ENOMEM;
    if (rc == TK_OK)
        rc = read_tables(trace, select, tables, n, &pictures, err);
    tk_album_end(&f->album, &limit);
    return rc;
}

static int copy(struct tk_run_picture *to, const char *file, size_t n)
{
    to->file = malloc(n);
    if (!to->file)
        return TK_ENOMEM;
    memcpy(to->file, file, n);
    to->bytes = n;
    return TK_OK;
}

static int keep(struct tk_base_run *run, const struct finding *f)
{
    for (size_t i = 0; i < f->n_frames; i++) {
        const struct long_frame *frame = &f->frames[i];
        const size_t at = tk_album_nearest(&f->album, &frame->at);
        if (at == f->album.pictures.n)
            return TK_OK;
        const struct tk_album_picture *p = &f->album.pictures.v[at];
        struct tk_run_picture picture = {.frame = frame->frame,
                                         .begin = frame->at.begin,
                                         .length = frame->at.length,
                                         .time = p->of.time,
                                         .kind = p->kind};
        if (copy(&picture, p->file, p->bytes))
            return TK_ENOMEM;
        if (tk_vec_push(&run->pictures, picture)) {
            free(picture.file);
            return TK_ENOMEM;
        }
    }
    return TK_OK;
}

int tk_baseline_add_pictures(struct tk_baseline *b, size_t run, struct tk_trace *trace,
                             const struct tk_selection *select, struct tk_err *err)
{
    TK_GIVEN(err, b, trace);
    struct finding f = {.n_frames = 0};
    if (run >= b->runs.n)
        return tk_err_set(err, TK_EUSAGE, "there is no run %zu", run);
    int rc = find(&f, trace, select, err);
    if (rc == TK_OK)
        rc = keep(b->runs.v[run], &f);
    tk_album_release(&f.album);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "recorded pictures") : rc;
}

/* ---- of a side ---- */

/* The longest frame of all runs that comes behind `last` ones that were taken, by run and place. */
static bool find_next(const struct tk_baseline *b, const size_t *taken, size_t *run)
{
    int64_t longest = -1;
    for (size_t r = 0; r < b->runs.n; r++)
        if (taken[r] < b->runs.v[r]->pictures.n && b->runs.v[r]->pictures.v[taken[r]].length > longest) {
            longest = b->runs.v[r]->pictures.v[taken[r]].length;
            *run = r;
        }
    return longest >= 0;
}

static int take_side(struct tk_comparison *c, size_t side, const struct tk_baseline *b, size_t *taken)
{
    size_t run = 0, bytes = 0;
    for (size_t n = 0; n < LONGEST && find_next(b, taken, &run); n++) {
        const struct tk_run_picture *from = &b->runs.v[run]->pictures.v[taken[run]++];
        struct tk_side_picture picture = {*from, run};
        bytes += (from->bytes + 2) / 3 * 4;
        if (bytes > SIDE_BYTES)
            return TK_OK;
        if (copy(&picture.picture, from->file, from->bytes))
            return TK_ENOMEM;
        if (tk_vec_push(&c->pictures[side], picture)) {
            free(picture.picture.file);
            return TK_ENOMEM;
        }
    }
    return TK_OK;
}

int tk_comparison_take_pictures(struct tk_comparison *c, size_t side, const struct tk_baseline *b)
{
    size_t *taken = calloc(b->runs.n + 1, sizeof *taken);
    const int rc = taken ? take_side(c, side, b, taken) : TK_ENOMEM;
    free(taken);
    return rc;
}

/* ---- where the frames of runs were drawn ---- */

struct placing {
    const struct tk_base_run *run;
    struct tk_run_place *v; /* by frame of the run */
};

static int take_place(void *ctx, uint64_t frame, const double *at, struct tk_err *err)
{
    struct placing *p = ctx;
    const size_t i = frame <= UINT32_MAX ? tk_base_run_find_frame(p->run, (uint32_t)frame) : p->run->frames.n;
    (void)err;
    for (int k = 0; k < 3 && at && i < p->run->frames.n; k++)
        p->v[i].at[k] = at[k];
    return TK_OK;
}

static int place_run(struct tk_base_run *run, struct tk_trace *trace, const char *position,
                     struct tk_err *err)
{
    struct placing p = {run, malloc((run->frames.n + 1) * sizeof *p.v)};
    if (!p.v)
        return tk_err_nomem(err, "places of frames");
    for (size_t i = 0; i < run->frames.n; i++)
        p.v[i] = (struct tk_run_place){{NAN, NAN, NAN}};
    int rc = tk_frame_positions(trace, position, take_place, &p, err);
    if (rc == TK_OK && tk_base_run_place(run, p.v, position ? position : ""))
        rc = tk_err_nomem(err, "places of frames");
    free(p.v);
    return rc;
}

int tk_baseline_add_places(struct tk_baseline *b, size_t run, struct tk_trace *trace, const char *position,
                           struct tk_err *err)
{
    TK_GIVEN(err, b, trace);
    struct tk_err unclear = {0};
    if (run >= b->runs.n)
        return tk_err_set(err, TK_EUSAGE, "there is no run %zu", run);
    if (position)
        return place_run(b->runs.v[run], trace, position, err);
    if (!tk_has_table(trace, "spatial"))
        return TK_OK;
    const int rc = place_run(b->runs.v[run], trace, NULL, &unclear);
    if (rc < 0 && rc != TK_EMATCH && err)
        *err = unclear;
    return rc == TK_EMATCH ? TK_OK : rc;
}
