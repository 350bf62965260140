/*
 * Writes each picture of a table to a file of its own. export_pictures.c feeds it with the table of
 * screenshots.
 */
#include "sink/tables/pictures.h"

#include "base/err.h"
#include "io/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 100 }; /* characters of a name that a file gets */

const char *const tk_picture_columns[TK_PICTURE_COLUMNS] = {"name", "data"};

struct tk_pictures {
    struct tk_new_folder place;
    struct tk_output_set *set; /* owned */
    bool force;
    size_t rows;
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

static int write_picture(struct tk_pictures *p, const struct tk_cell *row, struct tk_err *err)
{
    char name[MOST_NAME];
    int n = (int)plain_name(&row[TK_PICTURE_NAME], name);
    size_t capacity = strlen(p->place.path) + MOST_NAME + 32;
    char *path = malloc(capacity);
    struct tk_output *output = NULL;
    if (!path)
        return tk_err_nomem(err, "a file name");
    snprintf(path, capacity, "%s/%04zu%s%.*s.png", p->place.path, p->rows, n ? "-" : "", n, name);
    int rc = tk_output_open_in(&output, p->set, path, p->force, TK_PACKING_NONE, err);
    free(path);
    if (rc == TK_OK)
        rc = tk_output_write(output, row[TK_PICTURE_DATA].v.p, row[TK_PICTURE_DATA].n, err);
    if (rc == TK_OK)
        return tk_output_commit(output, err);
    tk_output_discard(output);
    return rc;
}

static int begin_pictures(void *self, const struct tk_table *table, struct tk_err *err)
{
    (void)self;
    if (table->n_columns != TK_PICTURE_COLUMNS)
        return tk_err_set(err, TK_EUSAGE, "table '%s' has no pictures", table->name);
    return TK_OK;
}

static int rows_pictures(void *self, const struct tk_table *table, const struct tk_rows *batch,
                         struct tk_err *err)
{
    struct tk_pictures *p = self;
    int rc = TK_OK;
    (void)table;
    for (size_t i = 0; i < batch->n && rc == TK_OK; i++) {
        const struct tk_cell *row = batch->cells + i * TK_PICTURE_COLUMNS;
        p->rows++;
        if (row[TK_PICTURE_DATA].kind == TK_BYTES)
            rc = write_picture(p, row, err);
    }
    return rc;
}

struct tk_sink tk_pictures_sink(struct tk_pictures *p)
{
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
