/*
 * Plays the recorded bytes of a Tracy program to the product's session and saves the capture, without a
 * network.
 *
 *   tracy-session PROTOCOL CLIENT.BIN OUT.tracy [--split SEED] [--bytes N] [--blocks N] [--columns BYTES]
 * [--code] [--rotate N] [--forget] [--change SEED]
 *
 * --split: hands the bytes over in pieces of random sizes. --bytes: the connection breaks there. --blocks:
 * leaves after so many blocks. --columns: memory of columns. --code: takes code, too, and source files.
 * --rotate: goes on in another capture after so many blocks, again and again: OUT.tracy.1, OUT.tracy.2, ...
 * --forget: at each of them the session is written to a file and read again, as after a crash.
 * --change: with bytes of that file changed at random, once in each half of it.
 * It prints what there was as one line of JSON; the exit status is 0, or 3 when no capture could be written.
 */
#include "live/tracy/state/protocol.h"
#include "live/tracy/state/state.h"
#include "live/tracy/tracy_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    unsigned protocol;
    const char *in, *out;
    uint64_t seed, bytes, blocks, rotate, change;
    bool forget;
    struct tk_tl_options session;
};

static uint64_t random_state;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static bool parse(struct options *o, int argc, char **argv)
{
    *o = (struct options){.bytes = UINT64_MAX, .blocks = UINT64_MAX};
    if (argc < 4)
        return false;
    o->protocol = (unsigned)strtoul(argv[1], NULL, 10);
    o->in = argv[2];
    o->out = argv[3];
    for (int i = 4; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--code") == 0) {
            o->session.want_code = o->session.want_sources = true;
            continue;
        }
        if (strcmp(argv[i], "--forget") == 0) {
            o->forget = true;
            continue;
        }
        if (!value)
            return false;
        const uint64_t n = strtoull(value, NULL, 10);
        if (strcmp(argv[i], "--split") == 0)
            o->seed = n;
        else if (strcmp(argv[i], "--bytes") == 0)
            o->bytes = n;
        else if (strcmp(argv[i], "--blocks") == 0)
            o->blocks = n;
        else if (strcmp(argv[i], "--rotate") == 0)
            o->rotate = n;
        else if (strcmp(argv[i], "--change") == 0)
            o->change = n;
        else if (strcmp(argv[i], "--columns") == 0)
            o->session.columns = (size_t)n;
        else
            return false;
        i++;
    }
    return true;
}

static uint8_t *read_all(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    uint8_t *p = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        *n = (size_t)ftell(f);
        p = malloc(*n + 1);
        rewind(f);
        if (p && fread(p, 1, *n, f) != *n) {
            free(p);
            p = NULL;
        }
    }
    if (f)
        fclose(f);
    return p;
}

static int write_file(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    return fwrite(p, 1, n, ctx) == n ? TK_OK : tk_err_set(err, TK_EOUTPUT, "cannot write");
}

struct playing {
    struct tk_tl_stream *stream;
    struct tk_tl_session session;
    uint64_t blocks, taken;
    const struct options *options;
};

static int save(struct playing *k, const char *path, struct tk_err *err)
{
    FILE *f = fopen(path, "wb");
    int rc = f ? tk_tl_save(k->session.state, write_file, f, err) : TK_EOUTPUT;
    if (f && fclose(f))
        rc = TK_EOUTPUT;
    return rc;
}

static int write_memo(void *ctx, void *p, size_t n, struct tk_err *err)
{
    return write_file(ctx, p, n, err);
}

static int read_memo(void *ctx, void *p, size_t n, struct tk_err *err)
{
    return fread(p, 1, n, ctx) == n ? TK_OK : tk_err_set(err, TK_EIO, "cannot read");
}

/* Numbers that are small are as likely as any. Behind the sign, without which nothing would be read. */
static void change(FILE *f, uint64_t size)
{
    for (unsigned half = 0; half < 2 && size > 400; half++) {
        const uint64_t at = 96 + half * (size - 96) / 2 + random_next() % ((size - 96) / 2);
        const int byte = (int)(random_next() % (random_next() % 2 ? 4 : 256));
        fseek(f, (long)at, SEEK_SET);
        fputc(byte, f);
    }
}

static int forget(struct playing *k, struct tk_err *err)
{
    FILE *f = tmpfile();
    struct tk_tl_memo to = {write_memo, f, false, 0, err, TK_OK};
    if (!f)
        return TK_EOUTPUT;
    int rc = tk_tl_memo(&to, &k->session, k->stream);
    struct tk_tl_memo from = {read_memo, f, true, (uint64_t)ftell(f), err, TK_OK};
    if (k->options->change)
        change(f, from.left);
    rewind(f);
    tk_tl_session_end(&k->session);
    tk_tl_session_begin(&k->session, k->options->protocol, &k->options->session);
    rc = rc == TK_OK ? tk_tl_memo(&from, &k->session, k->stream) : rc;
    if (rc == TK_OK && from.left)
        rc = tk_err_set(err, TK_EFORMAT, "not all of it was read");
    fclose(f);
    if (rc != TK_OK)
        tk_tl_session_end(&k->session);
    return rc;
}

/* Goes on in another capture. */
static int rotate(struct playing *k, struct tk_err *err)
{
    struct tk_tl_state *s = k->session.state;
    char path[4096];
    if (s->terminated || k->session.failed)
        return TK_OK;
    snprintf(path, sizeof path, "%s.%03u", k->options->out, (unsigned)s->piece.number + 1);
    s->piece.goes_on = true;
    int rc = save(k, path, err);
    rc = rc == TK_OK ? tk_tl_rotate(s, err) : rc;
    return rc == TK_OK && k->options->forget ? forget(k, err) : rc;
}

static int take_welcome(void *ctx, const struct tk_tl_welcome *w, struct tk_err *err)
{
    return tk_tl_session_welcome(&((struct playing *)ctx)->session, w, err);
}

static int take_block(void *ctx, const uint8_t *p, size_t n, struct tk_err *err)
{
    struct playing *k = ctx;
    uint8_t question[TK_TL_QUESTION_BYTES];
    if (k->blocks-- == 0)
        return TK_ECANCELED;
    int rc = tk_tl_session_block(&k->session, p, n, err);
    while (tk_tl_session_question(&k->session, question))
        ;
    if (rc == TK_OK && k->options->rotate && ++k->taken % k->options->rotate == 0)
        rc = rotate(k, err);
    if (rc == TK_OK && k->session.state && k->session.failed && tk_tl_session_failure_reported(&k->session))
        return TK_ECANCELED;
    return rc;
}

static int feed(struct playing *k, struct tk_tl_stream *stream, const struct options *o, const uint8_t *p,
                size_t n, struct tk_err *err)
{
    const struct tk_tl_stream_taker taker = {k, take_welcome, take_block};
    int rc = TK_OK;
    for (size_t at = 0, now; rc == TK_OK && at < n; at += now) {
        now = o->seed ? 1 + (size_t)(random_next() % (random_next() % 2 ? 7 : 70000)) : n;
        now = now < n - at ? now : n - at;
        rc = tk_tl_stream_feed(stream, p + at, now, &taker, err);
    }
    return rc;
}

static void tell(const struct playing *k, int fed, const struct tk_err *err)
{
    const struct tk_tl_state *s = k->session.state;
    printf("{\"fed\": %d, \"failure\": \"%s\", \"asked\": %llu, \"zones\": %llu, \"open\": %llu, \"memory\": "
           "%llu",
           fed, s->failure.what ? s->failure.what : "", (unsigned long long)s->requested,
           (unsigned long long)s->zones, (unsigned long long)s->open_zones, (unsigned long long)s->charged);
#define ODD(name, help) printf(", \"odd_%s\": %llu", #name, (unsigned long long)s->odd.name);
    TK_TL_ODDITIES(ODD)
#undef ODD
    printf("}\n");
    if (fed < 0 && fed != TK_ECANCELED)
        fprintf(stderr, "tracy-session: %s\n", err->n ? err->text[0] : "failed");
}

int main(int argc, char **argv)
{
    struct options o;
    struct tk_tl_protocol protocol;
    struct tk_tl_stream stream;
    struct playing k = {.blocks = 0};
    struct tk_err err = {0};
    size_t n = 0;
    if (!parse(&o, argc, argv) || !tk_tl_protocol_set(&protocol, o.protocol))
        return 2;
    uint8_t *bytes = read_all(o.in, &n);
    if (!bytes)
        return 3;
    random_state = (o.seed + o.change) * 2654435761u + 88172645463325252u;
    n = o.bytes < n ? (size_t)o.bytes : n;
    k.blocks = o.blocks;
    k.options = &o;
    k.stream = &stream;
    tk_tl_session_begin(&k.session, o.protocol, &o.session);
    int rc = tk_tl_stream_begin(&stream, &protocol, &err);
    if (rc == TK_OK)
        rc = feed(&k, &stream, &o, bytes, n, &err);
    int status = 3;
    if (k.session.state) {
        tell(&k, rc, &err);
        status = save(&k, o.out, &err) == TK_OK ? 0 : 3;
    }
    tk_tl_stream_release(&stream);
    tk_tl_session_end(&k.session);
    free(bytes);
    return status;
}
