/*
 * Choosing, shrinking and putting the recorded pictures of a page.
 */
#include "page/album.h"

#include "base/err.h"
#include "sink/write/human.h"
#include "sink/write/picture.h"
#include "table/cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EDGE = 360,  /* pixels: a picture is about as wide at most */
    TRIES = 6,   /* each with one step more */
    SMALL = 8000 /* bytes: what a picture may have in any case */
};

/* The columns of a table: those of pixels, and those of files. */
static const struct form {
    const char *table, *id;
    bool blocks;
} forms[] = {{"frame_images", "image_id", true}, {"screenshots", "screenshot_id", false}};

#define FORMS (sizeof forms / sizeof *forms)

const char *tk_album_table(size_t i)
{
    return i < FORMS ? forms[i].table : NULL;
}

static const struct form *form_of(const struct tk_table *table)
{
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(table->name, forms[i].table) == 0)
            return &forms[i];
    return NULL;
}

static const struct tk_cell *cell_of(const struct tk_table *table, const struct tk_cell *row,
                                     const char *column)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    const int at = tk_table_column(table, column);
    return at < 0 ? &none : &row[at];
}

void tk_album_release(struct tk_album *album)
{
    for (size_t i = 0; i < album->pictures.n; i++)
        free(album->pictures.v[i].file);
    tk_vec_release(&album->pictures);
    tk_vec_release(&album->known);
}

/* ---- which ---- */

int tk_album_note_row(struct tk_album *album, const struct tk_table *table, const struct tk_cell *row)
{
    const struct form *form = form_of(table);
    const struct tk_cell *time = cell_of(table, row, "time"), *id = cell_of(table, row, form ? form->id : "");
    if (!form || time->kind != TK_TIME || id->kind != TK_UINT ||
        cell_of(table, row, "data")->kind != TK_BYTES)
        return TK_OK;
    return tk_vec_push(&album->known, ((struct tk_album_note){time->v.i, id->v.u})) ? TK_ENOMEM : TK_OK;
}

/* How far a moment is from a time that is wanted; 0 within. The end is not within, and is by 1 further. */
static uint64_t distance(int64_t time, const struct tk_album_want *to)
{
    const uint64_t after = (uint64_t)time - (uint64_t)to->begin, length = (uint64_t)to->length;
    if (time < to->begin)
        return (uint64_t)to->begin - (uint64_t)time;
    return after < length ? 0 : after - length + 1;
}

static const struct tk_album_note *nearest_known(const struct tk_album *album, const struct tk_album_want *to)
{
    const struct tk_album_note *best = NULL;
    for (size_t i = 0; i < album->known.n; i++)
        if (!best || distance(album->known.v[i].time, to) < distance(best->time, to))
            best = &album->known.v[i];
    return best;
}

static struct tk_album_picture *find_chosen(const struct tk_album *album, struct tk_album_note of)
{
    for (size_t i = 0; i < album->pictures.n; i++)
        if (album->pictures.v[i].of.time == of.time && album->pictures.v[i].of.id == of.id)
            return &album->pictures.v[i];
    return NULL;
}

static int by_time(const void *a, const void *b)
{
    const struct tk_album_picture *x = a, *y = b;
    if (x->of.time != y->of.time)
        return x->of.time < y->of.time ? -1 : 1;
    return (x->of.id > y->of.id) - (x->of.id < y->of.id);
}

static void sort_pictures(struct tk_album *album)
{
    if (album->pictures.n)
        qsort(album->pictures.v, album->pictures.n, sizeof *album->pictures.v, by_time);
}

int tk_album_choose(struct tk_album *album, const struct tk_album_want *wanted, size_t n,
                    const struct tk_album_limit *limit)
{
    for (size_t i = 0; i < n && album->pictures.n < limit->pictures; i++) {
        const struct tk_album_note *note = nearest_known(album, &wanted[i]);
        if (!note || find_chosen(album, *note))
            continue;
        if (tk_vec_push(&album->pictures,
                        ((struct tk_album_picture){.of = *note, .rank = album->pictures.n})))
            return TK_ENOMEM;
    }
    album->share = limit->bytes / (album->pictures.n ? album->pictures.n : 1);
    sort_pictures(album);
    return TK_OK;
}

/* ---- reading ---- */

/* Bytes of a file in base64. */
static size_t coded(size_t bytes)
{
    return (bytes + 2) / 3 * 4;
}

static int write_smaller(struct tk_buffer *out, const struct form *form, const struct tk_blocks *blocks,
                         uint32_t step)
{
    out->n = 0;
    return form->blocks ? tk_picture_png(out, blocks, step)
                        : tk_picture_shrink(out, blocks->data, blocks->n, step);
}

/* The largest that takes its share of the bytes, or the smallest that was tried. false: it cannot be done. */
static bool shrink(struct tk_buffer *out, const struct form *form, const struct tk_blocks *blocks,
                   size_t most)
{
    const uint32_t first = (blocks->width + EDGE - 1) / EDGE;
    for (uint32_t i = 0; i < TRIES; i++) {
        if (write_smaller(out, form, blocks, (first ? first : 1) + i))
            return false;
        if (coded(out->n) <= most)
            return true;
    }
    return true;
}

static int keep(struct tk_album_picture *picture, const char *kind, const void *p, size_t n)
{
    if (picture->file || !n)
        return TK_OK;
    picture->file = malloc(n);
    if (!picture->file)
        return TK_ENOMEM;
    memcpy(picture->file, p, n);
    picture->bytes = n;
    picture->kind = kind;
    return TK_OK;
}

/* A file that is small enough stays as it is; one that cannot be made smaller, too, as long as a page may
 * have it. */
static int take_picture(const struct tk_album *album, struct tk_album_picture *picture,
                        const struct form *form, const struct tk_blocks *blocks)
{
    const size_t most = album->share > SMALL ? album->share : SMALL;
    uint32_t width, height;
    const char *kind = form->blocks ? "png" : tk_picture_kind(blocks->data, blocks->n, &width, &height);
    if (!kind)
        return TK_OK;
    if (!form->blocks && coded(blocks->n) <= most)
        return keep(picture, kind, blocks->data, blocks->n);
    struct tk_buffer out;
    int rc = tk_buffer_init(&out, NULL, NULL);
    if (rc == TK_OK && shrink(&out, form, blocks, most))
        rc = out.status == TK_OK ? keep(picture, "png", out.p, out.n) : TK_ENOMEM;
    else if (rc == TK_OK && !form->blocks && coded(blocks->n) <= TK_ALBUM_BYTES)
        rc = keep(picture, kind, blocks->data, blocks->n);
    tk_buffer_release(&out);
    return rc;
}

static int take_row(struct tk_album *album, const struct tk_table *table, const struct tk_cell *row)
{
    const struct form *form = form_of(table);
    const struct tk_cell *time = cell_of(table, row, "time"), *data = cell_of(table, row, "data");
    if (!form || time->kind != TK_TIME || data->kind != TK_BYTES)
        return TK_OK;
    struct tk_album_picture *picture =
        find_chosen(album, (struct tk_album_note){time->v.i, cell_of(table, row, form->id)->v.u});
    struct tk_blocks blocks = {.data = data->v.p, .n = data->n};
    if (!picture)
        return TK_OK;
    if (!form->blocks)
        tk_picture_kind(blocks.data, blocks.n, &blocks.width, &blocks.height);
    else {
        blocks.width = (uint32_t)cell_of(table, row, "width")->v.u;
        blocks.height = (uint32_t)cell_of(table, row, "height")->v.u;
        blocks.flipped = cell_of(table, row, "flipped")->v.u != 0;
    }
    picture->width = blocks.width;
    picture->height = blocks.height;
    return form->blocks && !tk_blocks_valid(&blocks) ? TK_OK : take_picture(album, picture, form, &blocks);
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    for (size_t i = 0; i < rows->n; i++)
        if (take_row(self, table, rows->cells + i * table->n_columns))
            return tk_err_nomem(err, "a recorded picture");
    return TK_OK;
}

struct tk_sink tk_album_sink(struct tk_album *album)
{
    return (struct tk_sink){.self = album, .rows = take_rows};
}

static int by_rank(const void *a, const void *b)
{
    const struct tk_album_picture *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

void tk_album_end(struct tk_album *album, struct tk_album_limit *limit)
{
    size_t n = 0;
    if (album->pictures.n)
        qsort(album->pictures.v, album->pictures.n, sizeof *album->pictures.v, by_rank);
    for (size_t i = 0; i < album->pictures.n; i++) {
        struct tk_album_picture *p = &album->pictures.v[i];
        if (p->file && coded(p->bytes) <= limit->bytes) {
            limit->bytes -= coded(p->bytes);
            album->pictures.v[n++] = *p;
            continue;
        }
        free(p->file);
        album->omitted++;
    }
    album->pictures.n = n;
    limit->pictures -= n < limit->pictures ? n : limit->pictures;
    sort_pictures(album);
}

/* ---- putting ---- */

size_t tk_album_nearest(const struct tk_album *album, const struct tk_album_want *to)
{
    size_t best = album->pictures.n;
    for (size_t i = 0; i < album->pictures.n; i++)
        if (best == album->pictures.n ||
            distance(album->pictures.v[i].of.time, to) < distance(album->pictures.v[best].of.time, to))
            best = i;
    return best;
}

void tk_album_put(const struct tk_album_picture *picture, const char *alt, struct tk_html h)
{
    tk_html_format(h, "<img alt=\"%s\" src=\"data:image/%s;base64,", alt,
                   strcmp(picture->kind, "jpg") == 0 ? "jpeg" : "png");
    tk_html_base64(h, (const uint8_t *)picture->file, picture->bytes);
    tk_html_put(h, "\">");
}

void tk_album_put_distance(const struct tk_album_picture *picture, const struct tk_album_want *frame,
                           struct tk_html h)
{
    const bool before = picture->of.time < frame->begin;
    const uint64_t far = distance(picture->of.time, frame) - !before;
    struct tk_buffer text;
    if (!before && far == UINT64_MAX) {
        tk_html_put(h, "in this frame");
        return;
    }
    if (tk_buffer_init(&text, NULL, NULL) == TK_OK) {
        tk_human_span(&text, far < INT64_MAX ? (int64_t)far : INT64_MAX);
        h.put(h.to, text.p, text.n);
        tk_html_put(h, before ? " before this frame" : " after this frame");
    }
    tk_buffer_release(&text);
}
