/*
 * Opens one writer a table and passes each batch of rows to the writer of its table. export_tables.c feeds
 * it.
 */
#include "sink/tables/table_folder.h"

#include "base/err.h"
#include "base/vec.h"
#include "io/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    const struct tk_table *table; /* borrowed during the run */
    struct tk_output *output;     /* owned */
    struct tk_writer *writer;     /* owned */
};

struct tk_folder {
    struct tk_new_folder place;
    const char *format;
    struct tk_writer_options opt;
    bool force;
    size_t last; /* index of the file that rows came for last */
    TK_VEC(struct file) files;
};

int tk_folder_open(struct tk_folder **out, const char *path, const char *format, bool force,
                   const struct tk_writer_options *opt, struct tk_err *err)
{
    struct tk_folder *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return tk_err_nomem(err, "a folder");
    f->format = format;
    f->force = force;
    f->opt = opt ? *opt : TK_INIT(struct tk_writer_options);
    int rc = tk_folder_make(&f->place, path, force, err);
    if (rc == TK_OK)
        *out = f;
    else
        tk_folder_discard(f);
    return rc;
}

static int open_file_table_folder(struct tk_folder *f, struct file *file, struct tk_err *err)
{
    size_t room = strlen(f->place.path) + strlen(file->table->name) + strlen(f->format) + 3;
    char *path = malloc(room);
    if (!path)
        return tk_err_nomem(err, "a file name");
    snprintf(path, room, "%s/%s.%s", f->place.path, file->table->name, f->format);
    int rc = tk_output_open(&file->output, path, f->force, err);
    free(path);
    return rc == TK_OK ? tk_writer_new(&file->writer, f->format, file->output, &f->opt, err) : rc;
}

static int begin_table_folder(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_folder *f = self;
    struct file file = {.table = table};
    if (tk_vec_push(&f->files, file))
        return tk_err_nomem(err, "a folder");
    f->last = f->files.n - 1;
    struct file *made = &f->files.v[f->last];
    int rc = open_file_table_folder(f, made, err);
    if (rc < 0)
        return rc;
    struct tk_sink sink = tk_writer_sink(made->writer);
    return sink.begin(sink.self, table, err);
}

static struct file *find_table_folder(struct tk_folder *f, const struct tk_table *table)
{
    for (size_t i = 0; f->files.n && i <= f->files.n; i++) {
        size_t k = i == 0 ? f->last : i - 1;
        if (f->files.v[k].table == table)
            return &f->files.v[f->last = k];
    }
    return NULL;
}

static int rows_table_folder(void *self, const struct tk_table *table, const struct tk_rows *batch,
                             struct tk_err *err)
{
    struct file *file = find_table_folder(self, table);
    if (!file)
        return tk_err_set(err, TK_EUSAGE, "rows of table '%s' come before it begins", table->name);
    struct tk_sink sink = tk_writer_sink(file->writer);
    return sink.rows(sink.self, table, batch, err);
}

static int end_table_folder(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct file *file = find_table_folder(self, table);
    if (!file)
        return tk_err_set(err, TK_EUSAGE, "table '%s' ends before it begins", table->name);
    struct tk_sink sink = tk_writer_sink(file->writer);
    int rc = sink.end(sink.self, table, err);
    if (rc == TK_OK)
        rc = tk_writer_finish(file->writer, err);
    tk_writer_free(file->writer);
    file->writer = NULL;
    return rc;
}

struct tk_sink tk_folder_sink(struct tk_folder *f)
{
    return (struct tk_sink){
        .self = f, .begin = begin_table_folder, .rows = rows_table_folder, .end = end_table_folder};
}

int tk_folder_commit(struct tk_folder *f, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < f->files.n && rc == TK_OK; i++) {
        struct tk_output *output = f->files.v[i].output;
        f->files.v[i].output = NULL;
        rc = tk_output_commit(output, err);
    }
    if (rc == TK_OK)
        rc = tk_folder_keep(&f->place, err);
    tk_folder_discard(f);
    return rc;
}

void tk_folder_discard(struct tk_folder *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->files.n; i++) {
        tk_writer_free(f->files.v[i].writer);
        tk_output_discard(f->files.v[i].output);
    }
    tk_folder_drop(&f->place);
    tk_vec_release(&f->files);
    free(f);
}
