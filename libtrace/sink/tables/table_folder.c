/*
 * Opens one writer a table and passes each batch of rows to the writer of its table. export_tables.c feeds
 * it.
 */
#include "sink/tables/table_folder.h"

#include "base/err.h"
#include "base/text/path.h"
#include "base/vec.h"
#include "io/output/output.h"
#include "io/output/shared.h"

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
    const char *partition; /* borrowed; NULL: none */
    size_t last;           /* index of the file that rows came for last */
    TK_VEC(struct file) files;
};

/* A folder that is there already, or is made, and to which others add files, too. */
static int share(struct tk_folder *f, const char *path, struct tk_err *err)
{
    size_t n = strlen(path);
    while (n > 1 && tk_path_is_separator(path[n - 1]))
        n--;
    f->place.path = calloc(1, n + 1);
    if (!f->place.path)
        return tk_err_nomem(err, "a folder");
    memcpy(f->place.path, path, n);
    return tk_shared_folder(f->place.path, err);
}

int tk_folder_open(struct tk_folder **out, const char *path, const char *format, bool force,
                   const char *partition, const struct tk_writer_options *opt, struct tk_err *err)
{
    struct tk_folder *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return tk_err_nomem(err, "a folder");
    f->format = format;
    f->force = force;
    f->opt = opt ? *opt : TK_INIT(struct tk_writer_options);
    f->partition = partition;
    int rc = partition ? share(f, path, err) : tk_folder_make(&f->place, path, force, err);
    if (rc == TK_OK)
        *out = f;
    else
        tk_folder_discard(f);
    return rc;
}

/* The name of a file; on the way there the folders of a partition are made. */
static int name_file(const struct tk_folder *f, const char *table, char *path, size_t room,
                     struct tk_err *err)
{
    int rc;
    if (!f->partition) {
        snprintf(path, room, "%s/%s.%s", f->place.path, table, f->format);
        return TK_OK;
    }
    snprintf(path, room, "%s/%s", f->place.path, table);
    rc = tk_shared_folder(path, err);
    snprintf(path, room, "%s/%s/capture=%s", f->place.path, table, f->partition);
    if (rc == TK_OK)
        rc = tk_shared_folder(path, err);
    snprintf(path, room, "%s/%s/capture=%s/part-0.%s", f->place.path, table, f->partition, f->format);
    return rc;
}

static int open_file_table_folder(struct tk_folder *f, struct file *file, struct tk_err *err)
{
    static const char between[] = "//capture=/part-0.";
    const size_t named = f->partition ? strlen(f->partition) : 0;
    const size_t room =
        strlen(f->place.path) + strlen(file->table->name) + strlen(f->format) + named + sizeof between;
    char *path = malloc(room);
    if (!path)
        return tk_err_nomem(err, "a file name");
    int rc = name_file(f, file->table->name, path, room, err);
    if (rc == TK_OK)
        rc = tk_output_open(&file->output, path, f->force, err);
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
