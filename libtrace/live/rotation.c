/*
 * A recording of an Unreal program that goes on in a new file: each file begins with the header, which says
 * what piece it is, and with all declarations and definitions so far, so that it can be read without the
 * others. Behind that it is what the program sent, so that pieces can be joined to what one file would have
 * been.
 */
#include "live/rotation.h"

#include "base/cursor.h"
#include "format/utrace/wire/header.h"
#include "format/utrace/wire/index.h"
#include "os/clock.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 6, VERSIONS = 2, PROTOCOL = 5 };

int tk_rotation_begin(struct tk_rotation *t, const struct tk_rotation_options *o, const char *path,
                      const uint8_t *hello, size_t n, double now)
{
    uint8_t *copy = malloc(n);
    if (!copy)
        return TK_ENOMEM;
    memcpy(copy, hello, n);
    struct tk_os_file *from;
    if (tk_os_file_open_read(&from, path).error) {
        free(copy);
        return TK_EIO;
    }
    *t = (struct tk_rotation){.options = *o,
                              .from = from,
                              .number = 1,
                              .hello = copy,
                              .n_hello = n,
                              .own = n,
                              .stream = n,
                              .began = now,
                              .limit = o->bytes};
    return TK_OK;
}

void tk_rotation_release(struct tk_rotation *t)
{
    free(t->hello);
    tk_vec_release(&t->names);
    tk_os_file_close(t->from);
    *t = (struct tk_rotation){0};
}

int tk_rotation_note(struct tk_rotation *t, const uint8_t *packet, size_t n, uint64_t offset)
{
    const uint16_t tid = tk_load16(packet + 2) & (TK_UT_TIDS - 1);
    if (tid > t->highest && tid < TK_UT_TID_CONNECT)
        t->highest = tid;
    if (tid > TK_UT_TID_IMPORTANT)
        return TK_OK;
    struct tk_rotation_span *last = t->names.n ? tk_stack_top(&t->names) : NULL;
    const uint64_t at = tk_rotation_place(t, offset);
    if (last && last->offset + last->n == at) {
        last->n += n;
        return TK_OK;
    }
    const struct tk_rotation_span span = {at, n};
    return tk_vec_push(&t->names, span) ? TK_ENOMEM : TK_OK;
}

bool tk_rotation_is_due(const struct tk_rotation *t, uint64_t bytes, uint64_t whole, double now)
{
    const struct tk_rotation_options *o = &t->options;
    return t->number && whole > t->stream &&
           ((t->limit && bytes >= t->limit) || (o->seconds > 0 && now - t->began >= o->seconds));
}

/* ---- the next file ---- */

char *tk_rotation_name(const char *path, uint32_t number)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const size_t n = strlen(path), stem = dot && dot > path && dot[-1] != '/' ? (size_t)(dot - path) : n;
    char *out = malloc(n + 16);
    if (out)
        snprintf(out, n + 16, "%.*s-%03u%s", (int)stem, path, (unsigned)number, path + stem);
    return out;
}

static void put_number(uint8_t *p, uint64_t v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = (uint8_t)(v >> 8 * i);
}

/* The header of the stream, with a field that says what piece it is. */
static struct tk_os_result put_hello(const struct tk_rotation *t, struct tk_live_file *to, uint64_t stream,
                                     uint64_t repeated)
{
    uint8_t field[2 + TK_UT_PIECE_BYTES] = {TK_UT_PIECE_BYTES, TK_UT_PIECE_FIELD}, size[2];
    const size_t block = t->n_hello - FIELDS - VERSIONS;
    put_number(field + 2, t->number + 1, 4);
    put_number(field + 6, stream, 8);
    put_number(field + 14, repeated, 8);
    put_number(field + 22, t->highest, 2);
    put_number(size, block + sizeof field, 2);
    struct tk_os_result put = tk_live_file_append(to, t->hello, FIELDS - 2);
    if (!put.error)
        put = tk_live_file_append(to, size, sizeof size);
    if (!put.error)
        put = tk_live_file_append(to, t->hello + FIELDS, block);
    if (!put.error)
        put = tk_live_file_append(to, field, sizeof field);
    return put.error ? put : tk_live_file_append(to, t->hello + FIELDS + block, VERSIONS);
}

static struct tk_os_result copy_span(struct tk_live_file *to, const struct tk_os_file *from,
                                     const struct tk_rotation_span *span)
{
    uint8_t part[4096];
    struct tk_os_result done = tk_os_result_of(TK_OS_OK);
    for (uint64_t at = 0; at < span->n && !done.error;) {
        const uint64_t left = span->n - at;
        size_t got = 0;
        done = tk_os_file_read_at(from, span->offset + at, part,
                                  left < sizeof part ? (size_t)left : sizeof part, &got);
        if (!done.error)
            done = got ? tk_live_file_append(to, part, got) : tk_os_result_of(TK_OS_IO);
        at += got;
    }
    return done;
}

static uint64_t bytes_of_names(const struct tk_rotation *t)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->names.n; i++)
        n += t->names.v[i].n;
    return n;
}

static struct tk_os_result fill(const struct tk_rotation *t, struct tk_live_file *to, uint64_t whole)
{
    struct tk_os_result done = put_hello(t, to, whole, bytes_of_names(t));
    for (size_t i = 0; i < t->names.n && !done.error; i++)
        done = copy_span(to, t->from, &t->names.v[i]);
    return done;
}

static int create_next(const struct tk_rotation *t, struct tk_live_file *to, struct tk_err *err)
{
    const struct tk_rotation_options *o = &t->options;
    if (!o->file)
        return tk_live_file_create_by_clock(to, o->folder, o->prefix, tk_os_now(), ".utrace", err);
    char *name = tk_rotation_name(o->file, t->number + 1);
    const int rc = name ? tk_live_file_create(to, name, o->replace, err) : tk_err_nomem(err, "a recording");
    free(name);
    return rc;
}

static int check(const struct tk_rotation *t, struct tk_err *err)
{
    const uint8_t *p = t->hello;
    if (t->n_hello < FIELDS + VERSIONS || p[0] != '2' || p[t->n_hello - 1] < PROTOCOL)
        return tk_err_set(err, TK_EUSAGE, "programs of Unreal Engine 4 say what things are called once only");
    if (t->n_hello + TK_UT_PIECE_BYTES + 2 > TK_UT_HEADER_MAX)
        return tk_err_set(err, TK_ELIMIT, "its header has no space for one more field");
    return TK_OK;
}

/* What is repeated stands in the new file in one span. */
static void settle(struct tk_rotation *t, uint64_t repeated, uint64_t own, uint64_t whole)
{
    const uint64_t half = t->options.bytes / 2;
    t->names.n = 0;
    if (repeated) {
        const struct tk_rotation_span span = {own - repeated, repeated};
        (void)tk_vec_push(&t->names, span); /* it had more */
    }
    t->number++;
    t->own = own;
    t->stream = whole;
    t->limit = t->options.bytes && own > half ? own + half : t->options.bytes;
}

int tk_rotation_turn(struct tk_rotation *t, struct tk_live_file *file, struct tk_live_file *old,
                     const struct tk_live_packets *packets, double now, struct tk_err *err)
{
    const uint64_t whole = packets->whole, repeated = bytes_of_names(t), behind = file->bytes;
    struct tk_live_file next = {0};
    struct tk_os_file *from = NULL;
    t->began = now;
    if (t->limit)
        t->limit = behind + t->options.bytes;
    int rc = check(t, err);
    if (rc == TK_OK)
        rc = create_next(t, &next, err);
    if (rc != TK_OK)
        return rc;
    struct tk_os_result done = fill(t, &next, whole);
    const uint64_t own = next.bytes;
    if (!done.error && packets->n_carry)
        done = tk_live_file_append(&next, packets->carry, packets->n_carry);
    if (!done.error)
        done = tk_os_file_open_read(&from, next.path);
    if (!done.error)
        done = tk_live_file_cut(file, tk_rotation_place(t, whole));
    if (done.error) {
        tk_os_file_close(from);
        tk_os_path_remove(next.path);
        tk_err_set(err, TK_EIO, "cannot write '%s': %s", next.path, tk_os_text(done));
        tk_live_file_release(&next);
        return TK_EIO;
    }
    settle(t, repeated, own, whole);
    tk_os_file_close(t->from);
    t->from = from;
    *old = *file;
    *file = next;
    return TK_OK;
}
