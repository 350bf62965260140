/*
 * Writes each picture of a table to a file of its own. left_out.c feeds it with the tables of screenshots and
 * of frame images.
 */
#include "base/err.h"
#include "io/output.h"
#include "sink/tables/table_folder.h"
#include "sink/write/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 100 }; /* characters of a name that a file gets */

const struct tk_picture_table tk_picture_tables[2] = {
    {"screenshots", {"data", "name"}, 2, false},
    {"frame_images", {"data", "width", "height", "flipped"}, 4, true},
};

enum { DATA, NAME, WIDTH = NAME, HEIGHT, FLIPPED };

struct tk_pictures {
    struct tk_new_folder place;
    struct tk_output_set *set;            /* owned */
    const struct tk_picture_table *table; /* whose rows come */
    bool force;
    size_t rows, refused;
};

int tk_pictures_open(struct tk_pictures **out, const char *path, bool force, struct tk_err *err)
{
    struct tk_pictures *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return tk_err_nomem(err, "a folder");
    p->force = force;
    int rc = tk_folder_make(&p->place, path, force, err);
    if (rc == TK_OK)
        rc = tk_output_set_new(&p->set, NULL, err);
    if (rc == TK_OK)
        *out = p;
    else
        tk_pictures_discard(p);
    return rc;
}

/* What is behind the last slash, in characters that every file system takes. */
static size_t plain_name(const struct tk_cell *name, char out[MOST_NAME])
{
    const char *p = name->kind == TK_TEXT ? name->v.p : "";
    size_t n = name->kind == TK_TEXT ? name->n : 0, at = 0;
    for (size_t i = n; i-- > 0;) {
        if (p[i] == '/' || p[i] == '\\') {
            p += i + 1;
            n -= i + 1;
            break;
        }
    }
    for (; at < n && at < MOST_NAME; at++) {
        bool plain = (p[at] >= '0' && p[at] <= '9') || (p[at] >= 'A' && p[at] <= 'Z') ||
                     (p[at] >= 'a' && p[at] <= 'z') || p[at] == '-' || p[at] == '.';
        out[at] = plain ? p[at] : '_';
    }
    bool ends = at >= 4 && memcmp(out + at - 4, ".png", 4) == 0;
    return ends ? at - 4 : at;
}

static int write_file(struct tk_pictures *p, const char *name, int n, const char *kind, const void *data,
                      size_t bytes, struct tk_err *err)
{
    size_t capacity = strlen(p->place.path) + MOST_NAME + 32;
    char *path = malloc(capacity);
    struct tk_output *output = NULL;
    if (!path)
        return tk_err_nomem(err, "a file name");
    snprintf(path, capacity, "%s/%04zu%s%.*s.%s", p->place.path, p->rows, n ? "-" : "", n, name, kind);
    int rc = tk_output_open_in(&output, p->set, path, p->force, TK_PACKING_NONE, err);
    free(path);
    if (rc == TK_OK)
        rc = tk_output_write(output, data, bytes, err);
    if (rc == TK_OK)
        return tk_output_commit(output, err);
    tk_output_discard(output);
    return rc;
}

/* A picture file as it was recorded, whatever it holds. */
static int write_picture(struct tk_pictures *p, const struct tk_cell *row, struct tk_err *err)
{
    char name[MOST_NAME];
    uint32_t width, height;
    const char *kind = tk_picture_kind(row[DATA].v.p, row[DATA].n, &width, &height);
    const int n = (int)plain_name(&row[NAME], name);
    return write_file(p, name, n, kind ? kind : "png", row[DATA].v.p, row[DATA].n, err);
}

static int write_blocks(struct tk_pictures *p, const struct tk_cell *row, struct tk_err *err)
{
    const struct tk_blocks blocks = {row[DATA].v.p, row[DATA].n, (uint32_t)row[WIDTH].v.u,
                                     (uint32_t)row[HEIGHT].v.u, row[FLIPPED].v.u != 0};
    struct tk_buffer png;
    if (!tk_blocks_valid(&blocks)) {
        p->refused++;
        return TK_OK;
    }
    int rc = tk_buffer_init(&png, NULL, err);
    if (rc != TK_OK)
        return rc;
    if (tk_picture_png(&png, &blocks, 1) || png.status != TK_OK)
        rc = tk_err_nomem(err, "a picture");
    else
        rc = write_file(p, "", 0, "png", png.p, png.n, err);
    tk_buffer_release(&png);
    return rc;
}

static int begin_pictures(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_pictures *p = self;
    for (size_t i = 0; i < p->table->n; i++)
        if (table->n_columns != p->table->n || strcmp(table->columns[i].name, p->table->columns[i]) != 0)
            return tk_err_set(err, TK_EUSAGE, "table '%s' has no pictures", table->name);
    return TK_OK;
}

static int rows_pictures(void *self, const struct tk_table *table, const struct tk_rows *batch,
                         struct tk_err *err)
{
    struct tk_pictures *p = self;
    int rc = TK_OK;
    for (size_t i = 0; i < batch->n && rc == TK_OK; i++) {
        const struct tk_cell *row = batch->cells + i * table->n_columns;
        p->rows++;
        if (row[DATA].kind == TK_BYTES)
            rc = p->table->blocks ? write_blocks(p, row, err) : write_picture(p, row, err);
    }
    return rc;
}

size_t tk_pictures_refused(const struct tk_pictures *p)
{
    return p->refused;
}

struct tk_sink tk_pictures_sink(struct tk_pictures *p, const struct tk_picture_table *table)
{
    p->table = table;
    return (struct tk_sink){.self = p, .begin = begin_pictures, .rows = rows_pictures};
}

int tk_pictures_commit(struct tk_pictures *p, struct tk_err *err)
{
    int rc = tk_output_set_commit(p->set, err);
    p->set = NULL;
    if (rc == TK_OK)
        rc = tk_folder_keep(&p->place, err);
    tk_pictures_discard(p);
    return rc;
}

void tk_pictures_discard(struct tk_pictures *p)
{
    if (!p)
        return;
    tk_output_set_discard(p->set);
    tk_folder_drop(&p->place);
    free(p);
}
