/*
 * Opens and reads input files. Everything that is not a plain file goes through spool.c.
 */
#include "io/file.h"

#include "base/hash.h"
#include "io/decompress.h"
#include "io/io_in.h"
#include "io/os_error.h"
#include "os/file.h"
#include "os/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Windows over input files: the bytes around a position. They come from a mapped view (os/map.h) or from a
 * buffer.
 */

enum { BUFFER_BYTES = 256 << 10 };

static const uint8_t nothing[1];

int tk_window_open(struct tk_window **out, const struct tk_file *f, bool map, struct tk_err *err)
{
    *out = NULL;
    struct tk_window *w = calloc(1, sizeof *w);
    if (!w)
        return tk_err_nomem(err, "a window over a file");
    w->bytes = nothing;
    w->file = f;
    w->view = map && f->os ? tk_os_map_open(f->os, f->size) : NULL;
    *out = w;
    return TK_OK;
}

static void set_sight(struct tk_window *w, const uint8_t *bytes, uint64_t start, uint64_t have)
{
    uint64_t left = w->file->size - start;
    w->bytes = bytes;
    w->start = start;
    w->have = (size_t)(left < have ? left : have);
}

void tk_window_show(struct tk_window *w, uint64_t offset)
{
    uint64_t start = offset & ~(TK_OS_MAP_ALIGN - 1);
    if (w->have)
        tk_os_map_leave(w->view, w->start, w->have);
    set_sight(w, tk_os_map_bytes(w->view) + start, start, TK_WINDOW_VIEW);
}

static int fill_buffer(struct tk_window *w, uint64_t offset, struct tk_err *err)
{
    if (!w->buffer && !(w->buffer = malloc(BUFFER_BYTES)))
        return tk_err_nomem(err, "a window over a file");
    size_t got;
    w->have = 0;
    int rc = tk_file_read(w->file, offset, w->buffer, BUFFER_BYTES, &got, err);
    if (rc != TK_OK)
        return rc;
    set_sight(w, w->buffer, offset, BUFFER_BYTES);
    if (got < w->have) {
        w->shrank = true;
        memset(w->buffer + got, 0, w->have - got);
    }
    return TK_OK;
}

const uint8_t *tk_window_move(struct tk_window *w, uint64_t offset, size_t n, size_t *got, struct tk_err *err)
{
    uint64_t size = w->file->size;
    *got = 0;
    if (offset >= size)
        return nothing;
    if (n > TK_WINDOW_MOST)
        n = TK_WINDOW_MOST;
    if (n > size - offset)
        n = (size_t)(size - offset);
    uint64_t skip = offset - w->start;
    if (skip > w->have || n > w->have - skip) {
        if (w->view)
            tk_window_show(w, offset);
        else if (fill_buffer(w, offset, err) != TK_OK)
            return NULL;
    }
    *got = n;
    return w->bytes + (offset - w->start);
}

bool tk_window_shrank(const struct tk_window *w)
{
    if (w->shrank || (w->view && tk_os_map_faulted(w->view)))
        return true;
    /* The rest of a file's last page reads as zeros without a fault. */
    struct tk_os_info info;
    return w->file->os && tk_os_file_info(w->file->os, &info).error == TK_OS_OK && info.size < w->file->size;
}

void tk_window_close(struct tk_window *w)
{
    if (!w)
        return;
    tk_os_map_close(w->view);
    free(w->buffer);
    free(w);
}

enum { LONGEST_NAME = 256, MAGIC_BYTES = 4096 };

/* How messages call a place: a path is quoted. Returns a text, or buf, cut to its size. */
static const char *name_of_file(char *buf, size_t size, const struct tk_file_place *place)
{
    if (!place->path)
        return place->descriptor ? "the descriptor" : "the bytes of the program";
    if (strcmp(place->path, "-") == 0)
        return "standard input";
    int n = snprintf(buf, size, "'%s'", place->path);
    if (n >= 0 && (size_t)n >= size)
        memcpy(buf + size - 5, "...'", 5);
    return buf;
}

static struct tk_os_result open_os(struct tk_file *f, const struct tk_file_place *place)
{
    if (!place->path)
        return place->descriptor ? tk_os_file_of_descriptor(&f->os, *place->descriptor)
                                 : tk_os_result_of(TK_OS_NOT_FOUND);
    if (strcmp(place->path, "-") != 0)
        return tk_os_file_open_read(&f->os, place->path);
    f->os = tk_os_standard_input();
    return tk_os_result_of(TK_OS_OK);
}

/* Can it be read where it lies? A plain file on standard input may have been read in part already. */
static bool is_plain(const struct tk_file *f, const struct tk_os_info *info)
{
    return info->kind == TK_OS_FILE && tk_os_file_at_start(f->os);
}

/* How it is compressed: NULL with TK_OK when it is not. */
static int find_unpacker(const struct tk_file *f, const struct tk_decompressor **unpacker, struct tk_err *err)
{
    uint8_t *head = malloc(MAGIC_BYTES);
    if (!head)
        return tk_err_nomem(err, "the beginning of a file");
    size_t n = 0;
    int rc = tk_file_read(f, 0, head, MAGIC_BYTES, &n, err);
    *unpacker = rc == TK_OK ? tk_decompressor_of(head, n) : NULL;
    free(head);
    return rc;
}

/* What an opening needs alongside the file. */
struct opening {
    const char *name; /* for messages */
    const struct tk_options *opt;
    const struct tk_limits *limits;
    tk_file_accept *accept;
};

static int spool_file(struct tk_file *f, const struct opening *o, struct tk_err *err)
{
    return tk_spool(f, o->name, o->opt, o->limits, o->accept, err);
}

/* Unpacks what can be read where it lies, but is compressed. */
static int unpack_file(struct tk_file *f, const struct opening *o, struct tk_err *err)
{
    const struct tk_decompressor *unpacker = NULL;
    int rc = find_unpacker(f, &unpacker, err);
    if (rc != TK_OK)
        return tk_err_add(err, "cannot read %s", o->name);
    return unpacker ? spool_file(f, o, err) : TK_OK;
}

static int open_reader(struct tk_file *f, const struct tk_reader *reader, const struct opening *o,
                       struct tk_err *err)
{
    f->reader = *reader;
    f->size = f->stored = reader->size;
    int rc = tk_reader_begin(&f->reader, err);
    return rc == TK_OK ? unpack_file(f, o, err) : rc;
}

static int open_file(struct tk_file *f, const struct tk_file_place *place, const struct opening *o,
                     struct tk_err *err)
{
    struct tk_os_info info;
    struct tk_os_result why = open_os(f, place);
    if (why.error == TK_OS_OK)
        why = tk_os_file_info(f->os, &info);
    if (why.error)
        return tk_os_error_set(err, TK_EIO, why, "cannot open %s", o->name);
    if (info.kind == TK_OS_FOLDER)
        return tk_os_error_set(err, TK_EIO, tk_os_result_of(TK_OS_IS_FOLDER), "cannot read %s", o->name);
    if (!is_plain(f, &info))
        return spool_file(f, o, err);
    f->size = f->stored = info.size;
    return unpack_file(f, o, err);
}

int tk_file_open_place(struct tk_file **out, const struct tk_file_place *place, const struct tk_options *opt,
                       const struct tk_limits *limits, tk_file_accept *accept, struct tk_err *err)
{
    char buf[LONGEST_NAME];
    const struct opening o = {name_of_file(buf, sizeof buf, place), opt, limits, accept};
    uint64_t random;
    struct tk_file *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f)
        return tk_err_nomem(err, "a file");
    /* before anything of the file is hashed */
    if (tk_random(&random))
        tk_hash_propose_key(random);
    tk_table_memory_by(tk_os_heap_table);
    int rc =
        tk_reader_is(&place->reader) ? open_reader(f, &place->reader, &o, err) : open_file(f, place, &o, err);
    if (rc == TK_OK)
        *out = f;
    else
        tk_file_close(f);
    return rc;
}

int tk_file_open(struct tk_file **out, const char *path, const struct tk_options *opt,
                 const struct tk_limits *limits, tk_file_accept *accept, struct tk_err *err)
{
    return tk_file_open_place(out, &(struct tk_file_place){.path = path}, opt, limits, accept, err);
}

uint64_t tk_file_size(const struct tk_file *f)
{
    return f->size;
}

const char *tk_file_compression(const struct tk_file *f)
{
    return f->compression;
}

uint64_t tk_file_stored_size(const struct tk_file *f)
{
    return f->stored;
}

bool tk_file_cut(const struct tk_file *f)
{
    return f->cut;
}

void tk_file_close(struct tk_file *f)
{
    if (!f)
        return;
    tk_file_close(f->outer);
    tk_os_file_close(f->os);
    tk_reader_end(&f->reader);
    free(f);
}
