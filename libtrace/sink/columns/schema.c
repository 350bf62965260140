/*
 * The schema of a table for Arrow: its columns and their descriptions, and the FlatBuffers that it is made
 * of.
 *
 * As in batches, a child may outlive its parent and owns its texts.
 */
#include "base/given.h"
#include "sink/columns/columns_in.h"
#include "tracekit/sinks.h"

#include <stdlib.h>
#include <string.h>

/*
 * Streams of batches for Arrow, of tables of results.
 *
 * All batches are made when the stream is, as nobody can say whether the result is still there when they are
 * taken.
 */

/* What functions of a stream return: numbers of errno.h, as Arrow wants them, of every system. */
enum { ARROW_ENOMEM = 12 };

struct stream {
    const struct tk_table *table; /* in `kept` */
    struct tk_result *kept;       /* owned: a result without rows, which has the description of the table */
    struct ArrowArray *batches;   /* owned, n of them */
    size_t n, next;
    struct tk_err err;
};

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
    struct stream *s = self->private_data;
    return tk_table_schema(s->table, out, &s->err) < 0 ? ARROW_ENOMEM : 0;
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
    struct stream *s = self->private_data;
    *out = (struct ArrowArray){0};
    if (s->next < s->n) {
        *out = s->batches[s->next];
        s->batches[s->next++].release = NULL;
    }
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *self)
{
    const struct stream *s = self->private_data;
    return s->err.n ? tk_err_text(&s->err, s->err.code) : NULL;
}

static void free_stream(struct stream *s)
{
    for (size_t i = s->next; i < s->n; i++)
        if (s->batches[i].release)
            s->batches[i].release(&s->batches[i]);
    free(s->batches);
    tk_result_free(s->kept);
    free(s);
}

static void release(struct ArrowArrayStream *self)
{
    free_stream(self->private_data);
    self->release = NULL;
}

/* A copy of the description of the table. */
static int keep_table(struct stream *s, const struct tk_table *table, struct tk_err *err)
{
    int rc = tk_result_new(&s->kept, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_result_sink(s->kept);
    rc = sink.begin(sink.self, table, err);
    if (rc == TK_OK)
        s->table = tk_result_table(s->kept, 0, NULL);
    return rc;
}

struct place {
    const struct tk_result *result;
    size_t table;
};

static const struct tk_cell *row_at(const void *ctx, size_t i)
{
    const struct place *place = ctx;
    return tk_result_row(place->result, place->table, i);
}

static int make_batches(struct stream *s, const struct place *place, size_t rows, size_t batch_rows,
                        struct tk_err *err)
{
    int rc = TK_OK;
    const size_t most = batch_rows ? rows / batch_rows + 1 : 1;
    s->batches = calloc(most, sizeof *s->batches);
    if (!s->batches)
        return tk_err_nomem(err, "the batches of a table");
    for (size_t at = 0; rc == TK_OK && s->n < most && (at < rows || !batch_rows);) {
        const size_t left = rows - at, n = batch_rows && batch_rows < left ? batch_rows : left;
        rc = tk_batch_make(&s->batches[s->n++], s->table, row_at, place, at, n, err);
        at += n;
    }
    return rc;
}

int tk_result_columns(const struct tk_result *result, size_t table, size_t batch_rows,
                      struct ArrowArrayStream *out, struct tk_err *err)
{
    TK_GIVEN(err, result, out);
    *out = (struct ArrowArrayStream){0};
    if (table >= tk_result_count(result))
        return tk_err_set(err, TK_EUSAGE, "the result has %zu tables", tk_result_count(result));
    size_t rows;
    const struct tk_table *described = tk_result_table(result, table, &rows);
    if (rows && !tk_result_row(result, table, 0))
        return tk_err_set(err, TK_EUSAGE, "the rows of the result are packed");
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return tk_err_nomem(err, "a stream");
    int rc = keep_table(s, described, err);
    if (rc == TK_OK)
        rc = make_batches(s, &(struct place){result, table}, rows, batch_rows, err);
    if (rc < 0)
        free_stream(s);
    else
        *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release, s};
    return rc;
}

struct child {
    char format[2];
    struct tk_buffer name, metadata;
    struct ArrowSchema dictionary;
};

struct parent {
    struct ArrowSchema *children; /* owned */
    struct ArrowSchema **list;    /* owned: their addresses */
    struct tk_buffer name;
};

static void release_child(struct ArrowSchema *schema)
{
    struct child *child = schema->private_data;
    tk_buffer_release(&child->name);
    tk_buffer_release(&child->metadata);
    free(child);
    schema->release = NULL;
}

static void release_dictionary(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_parent(struct ArrowSchema *schema)
{
    struct parent *parent = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (parent->children[i].release)
            parent->children[i].release(&parent->children[i]);
    tk_buffer_release(&parent->name);
    free(parent->children);
    free(parent->list);
    free(parent);
    schema->release = NULL;
}

const char *tk_column_kind_name(uint8_t kind)
{
    static const char *const names[] = {
        [TK_NONE] = "none",         [TK_BOOL] = "bool",     [TK_INT] = "int",   [TK_UINT] = "uint",
        [TK_HEX] = "hex",           [TK_REAL32] = "real32", [TK_REAL] = "real", [TK_TIME] = "time",
        [TK_DURATION] = "duration", [TK_MEAN] = "mean",     [TK_SIZE] = "size", [TK_TEXT] = "text",
        [TK_BYTES] = "bytes",       [TK_ARRAY] = "array",   [TK_LIST] = "list", [TK_RECORD] = "record",
    };
    return kind < sizeof names / sizeof *names ? names[kind] : names[TK_NONE];
}

const char *tk_column_unit_name(const struct tk_column *column, enum tk_unit unit)
{
    const bool time = column->kind == TK_TIME || column->kind == TK_DURATION || column->kind == TK_MEAN;
    if (time)
        return unit == TK_UNIT_CYCLES ? "cycles" : "ns";
    if (column->unit)
        return column->unit;
    return column->kind == TK_SIZE ? "bytes" : "";
}

static void put_counted(struct tk_buffer *b, const char *text)
{
    const int32_t n = (int32_t)strlen(text);
    tk_buffer_put(b, &n, sizeof n);
    tk_buffer_text(b, text);
}

static void put_pair(struct tk_buffer *b, const char *key, const char *value)
{
    put_counted(b, key);
    put_counted(b, value);
}

static int make_child(struct ArrowSchema *schema, const struct tk_column *column, enum tk_unit unit,
                      struct tk_err *err)
{
    const int32_t pairs = 3;
    struct child *child = calloc(1, sizeof *child);
    if (!child)
        return tk_err_nomem(err, "a column");
    *schema =
        (struct ArrowSchema){.flags = ARROW_FLAG_NULLABLE, .release = release_child, .private_data = child};
    if (tk_buffer_init(&child->name, NULL, err) || tk_buffer_init(&child->metadata, NULL, err))
        return TK_ENOMEM;
    child->format[0] = tk_column_format(column->kind);
    tk_buffer_put(&child->name, column->name, strlen(column->name) + 1);
    tk_buffer_put(&child->metadata, &pairs, sizeof pairs);
    put_pair(&child->metadata, "tracekit.kind", tk_column_kind_name(column->kind));
    put_pair(&child->metadata, "tracekit.unit", tk_column_unit_name(column, unit));
    put_pair(&child->metadata, "tracekit.help", column->help ? column->help : "");
    child->dictionary = (struct ArrowSchema){.format = "U", .name = "", .release = release_dictionary};
    schema->dictionary = child->format[0] == 'i' ? &child->dictionary : NULL;
    schema->format = child->format;
    schema->name = child->name.p;
    schema->metadata = child->metadata.p;
    return child->name.status < 0 ? child->name.status : child->metadata.status;
}

static int make_parent(struct ArrowSchema *out, const struct tk_table *table, struct tk_err *err)
{
    struct parent *parent = calloc(1, sizeof *parent);
    struct ArrowSchema *children = calloc((size_t)table->n_columns + 1, sizeof *children);
    struct ArrowSchema **list = calloc((size_t)table->n_columns + 1, sizeof *list);
    if (!parent || !children || !list) {
        free(parent);
        free(children);
        free(list);
        return tk_err_nomem(err, "the columns of a table");
    }
    for (size_t i = 0; i < table->n_columns; i++)
        list[i] = &children[i];
    *parent = (struct parent){.children = children, .list = list};
    *out = (struct ArrowSchema){.format = "+s",
                                .n_children = table->n_columns,
                                .children = list,
                                .release = release_parent,
                                .private_data = parent};
    int rc = tk_buffer_init(&parent->name, NULL, err);
    if (rc == TK_OK) {
        tk_buffer_put(&parent->name, table->name, strlen(table->name) + 1);
        out->name = parent->name.p;
        rc = parent->name.status;
    }
    return rc;
}

int tk_table_schema(const struct tk_table *table, struct ArrowSchema *out, struct tk_err *err)
{
    TK_GIVEN(err, table, out);
    *out = (struct ArrowSchema){0};
    int rc = make_parent(out, table, err);
    for (size_t i = 0; i < table->n_columns && rc == TK_OK; i++)
        rc = make_child(out->children[i], &table->columns[i], table->unit, err);
    if (rc < 0 && out->release)
        out->release(out);
    return rc;
}

/* ---- building of FlatBuffers ---- */

enum { FEWEST = 1024 };

void tk_flat_release(struct tk_flat *f)
{
    free(f->p);
    *f = (struct tk_flat){0};
}

/* Space for n more bytes in front; false without memory. */
static bool reserve(struct tk_flat *f, size_t n)
{
    if (f->status == TK_OK && f->cap - f->n >= n)
        return true;
    const size_t cap = f->cap * 2 + n + FEWEST;
    uint8_t *p = f->status == TK_OK ? malloc(cap) : NULL;
    if (!p) {
        f->status = TK_ENOMEM;
        return false;
    }
    if (f->n)
        memcpy(p + (cap - f->n), f->p + (f->cap - f->n), f->n);
    free(f->p);
    f->p = p;
    f->cap = cap;
    return true;
}

static void put(struct tk_flat *f, const void *p, size_t n)
{
    if (!reserve(f, n))
        return;
    f->n += n;
    if (n)
        memcpy(f->p + (f->cap - f->n), p, n);
}

void tk_flat_align(struct tk_flat *f, size_t align, size_t behind)
{
    static const uint8_t zeros[8];
    put(f, zeros, (align - (f->n + behind) % align) % align);
}

void tk_flat_number(struct tk_flat *f, uint64_t v, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    tk_flat_align(f, size, 0);
    put(f, bytes, size);
}

void tk_flat_reference(struct tk_flat *f, size_t place)
{
    tk_flat_align(f, 4, 0);
    tk_flat_number(f, f->n + 4 - place, 4);
}

size_t tk_flat_text(struct tk_flat *f, const char *p, size_t n)
{
    tk_flat_align(f, 4, n + 1);
    put(f, "", 1);
    put(f, p, n);
    tk_flat_number(f, n, 4);
    return f->n;
}

size_t tk_flat_list(struct tk_flat *f, const size_t *places, size_t n)
{
    tk_flat_align(f, 4, 0);
    for (size_t i = n; i-- > 0;)
        tk_flat_reference(f, places[i]);
    tk_flat_number(f, n, 4);
    return f->n;
}

size_t tk_flat_words(struct tk_flat *f, const uint64_t *v, size_t n, size_t words)
{
    tk_flat_align(f, 8, 0);
    for (size_t i = n * words; i-- > 0;)
        tk_flat_number(f, v[i], 8);
    tk_flat_number(f, n, 4);
    return f->n;
}

void tk_flat_open(struct tk_flat *f)
{
    memset(f->slots, 0, sizeof f->slots);
    f->table = f->n;
}

void tk_flat_field(struct tk_flat *f, unsigned slot, uint64_t v, size_t size)
{
    tk_flat_number(f, v, size);
    f->slots[slot] = f->n;
}

void tk_flat_field_reference(struct tk_flat *f, unsigned slot, size_t place)
{
    tk_flat_reference(f, place);
    f->slots[slot] = f->n;
}

size_t tk_flat_close(struct tk_flat *f)
{
    unsigned n = TK_FLAT_SLOTS;
    tk_flat_number(f, 0, 4); /* how far before it the vtable is, once that is known */
    const size_t table = f->n;
    while (n && !f->slots[n - 1])
        n--;
    for (unsigned i = n; i-- > 0;)
        tk_flat_number(f, f->slots[i] ? table - f->slots[i] : 0, 2);
    tk_flat_number(f, table - f->table, 2);
    tk_flat_number(f, 4 + 2 * (uint64_t)n, 2);
    for (size_t i = 0; i < 4 && f->status == TK_OK; i++)
        f->p[f->cap - table + i] = (uint8_t)((f->n - table) >> 8 * i);
    return table;
}

void tk_flat_finish(struct tk_flat *f, size_t root)
{
    tk_flat_align(f, 8, 4);
    tk_flat_reference(f, root);
}
