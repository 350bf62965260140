/*
 * Opens one writer a table and passes each batch of rows to the writer of its table. export_tables.c feeds
 * it.
 */
#include "sink/tables/table_folder.h"

#include "base/err.h"
#include "base/text/path.h"
#include "base/vec.h"
#include "io/output.h"
#include "sink/tables/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    const struct tk_table *table; /* borrowed during the run */
    struct tk_output *output;     /* owned; NULL: complete */
    struct tk_writer *writer;     /* owned */
    char *part;                   /* owned: the folder that it has in a partition; NULL: none */
};

struct tk_folder {
    struct tk_new_folder place;
    struct tk_output_set *set; /* owned: the files, once they are complete */
    const char *format;
    struct tk_writer_options opt;
    bool force, empty;
    bool shared_made;                     /* the folder of a partition was not there before */
    bool kept;                            /* its files have their names */
    const struct tk_partition *partition; /* borrowed; NULL: none */
    size_t last;                          /* index of the file that rows came for last */
    TK_VEC(struct file) files;
};

/* Joins texts with a slash; NULL if out of memory. */
static char *join(const char *folder, const char *name)
{
    const size_t capacity = strlen(folder) + strlen(name) + 2;
    char *path = malloc(capacity);
    if (path)
        snprintf(path, capacity, "%s/%s", folder, name);
    return path;
}

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
    return tk_shared_folder(f->place.path, &f->shared_made, err);
}

static int make_set(struct tk_folder *f, struct tk_err *err)
{
    char *staged = join(f->place.path, "");
    const int rc = staged ? tk_output_set_new(&f->set, staged, err) : tk_err_nomem(err, "a folder");
    free(staged);
    return rc;
}

int tk_folder_open(struct tk_folder **out, const char *path, const char *format, bool force,
                   const struct tk_partition *partition, bool empty, const struct tk_writer_options *opt,
                   struct tk_err *err)
{
    struct tk_folder *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return tk_err_nomem(err, "a folder");
    f->format = format;
    f->force = force;
    f->empty = empty;
    f->opt = opt ? *opt : TK_INIT(struct tk_writer_options);
    f->partition = partition;
    int rc = partition ? share(f, path, err) : tk_folder_make(&f->place, path, force, err);
    if (rc == TK_OK)
        rc = make_set(f, err);
    if (rc == TK_OK)
        *out = f;
    else
        tk_folder_discard(f);
    return rc;
}

/* Makes the folders of a table in a partition. */
static int make_part(const struct tk_folder *f, struct file *file, struct tk_err *err)
{
    const size_t capacity = strlen(f->partition->key) + strlen(f->partition->name) + 2;
    char *table = join(f->place.path, file->table->name), *part = malloc(capacity);
    int rc = table && part ? tk_shared_folder(table, NULL, err) : tk_err_nomem(err, "a folder");
    if (rc == TK_OK) {
        snprintf(part, capacity, "%s=%s", f->partition->key, f->partition->name);
        file->part = join(table, part);
        rc = file->part ? tk_shared_folder(file->part, NULL, err) : tk_err_nomem(err, "a folder");
    }
    free(table);
    free(part);
    return rc;
}

/* Takes them away again, as far as they hold nothing. */
static void drop_part(struct file *file)
{
    char *slash = file->part ? strrchr(file->part, '/') : NULL;
    if (!slash)
        return;
    tk_shared_folder_drop(file->part);
    *slash = '\0';
    tk_shared_folder_drop(file->part);
}

static int open_file_table_folder(struct tk_folder *f, struct file *file, struct tk_err *err)
{
    int rc = f->partition ? make_part(f, file, err) : TK_OK;
    const char *name = f->partition ? "part-0" : file->table->name;
    const size_t capacity = strlen(name) + strlen(f->format) + 2;
    char *leaf = malloc(capacity), *path = NULL;
    if (rc == TK_OK && leaf) {
        snprintf(leaf, capacity, "%s.%s", name, f->format);
        path = join(f->partition ? file->part : f->place.path, leaf);
    }
    if (rc == TK_OK)
        rc = path ? tk_output_open_in(&file->output, f->set, path, f->force, tk_compressing_of(path), err)
                  : tk_err_nomem(err, "a file name");
    free(leaf);
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

struct tk_writer *tk_folder_writer(struct tk_folder *f, const struct tk_table *table)
{
    const struct file *file = find_table_folder(f, table);
    return file ? file->writer : NULL;
}

static int complete(struct file *file, struct tk_err *err)
{
    struct tk_output *output = file->output;
    file->output = NULL;
    return output ? tk_output_commit(output, err) : TK_OK;
}

static int end_table_folder(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_folder *f = self;
    struct file *file = find_table_folder(f, table);
    if (!file)
        return tk_err_set(err, TK_EUSAGE, "table '%s' ends before it begins", table->name);
    struct tk_sink sink = tk_writer_sink(file->writer);
    int rc = sink.end(sink.self, table, err);
    if (rc == TK_OK)
        rc = tk_writer_finish(file->writer, err);
    const bool left_out = !f->empty && file->writer->rows == 0;
    tk_writer_free(file->writer);
    file->writer = NULL;
    if (rc < 0 || !left_out)
        return rc == TK_OK ? complete(file, err) : rc;
    tk_output_discard(file->output);
    file->output = NULL;
    return TK_OK;
}

struct tk_sink tk_folder_sink(struct tk_folder *f)
{
    return (struct tk_sink){
        .self = f, .begin = begin_table_folder, .rows = rows_table_folder, .end = end_table_folder};
}

int tk_folder_commit(struct tk_folder *f, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < f->files.n && rc == TK_OK; i++)
        rc = complete(&f->files.v[i], err);
    if (rc == TK_OK) {
        rc = tk_output_set_commit(f->set, err);
        f->set = NULL;
    }
    if (rc == TK_OK)
        rc = tk_folder_keep(&f->place, err);
    f->kept = rc == TK_OK;
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
    tk_output_set_discard(f->set);
    for (size_t i = 0; i < f->files.n; i++) {
        if (!f->kept)
            drop_part(&f->files.v[i]);
        free(f->files.v[i].part);
    }
    if (f->shared_made && !f->kept)
        tk_shared_folder_drop(f->place.path);
    tk_folder_drop(&f->place);
    tk_vec_release(&f->files);
    free(f);
}
