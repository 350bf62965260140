/*
 * A capture that a store gives out: see tap.h.
 */
#include "live/tap.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER = 256 << 10 };

struct tk_tap {
    struct tk_os_socket *socket;
    struct tk_hello hello;
    bool whole; /* hello */
    struct tk_live_packets packets;
    struct tk_live_summary *summary;
    tk_live_channel_fn *watch;
    void *watch_ctx;
    uint64_t seen, there; /* bytes that came, and those that the capture had */
    size_t n_head;
    uint8_t head[TK_HELLO_MOST];
    uint8_t buffer[BUFFER];
};

int tk_tap_open(struct tk_tap **out, struct tk_store_client *client, uint32_t id, struct tk_err *err)
{
    struct tk_tap *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return tk_err_nomem(err, "a capture");
    struct tk_client_capture capture = {0};
    int rc = tk_store_client_find(client, id, &capture, err);
    t->there = capture.size;
    if (rc == TK_ITEM)
        rc = tk_store_client_read(client, id, &t->socket, err);
    if (rc != TK_ITEM) {
        free(t);
        return rc;
    }
    *out = t;
    return TK_ITEM;
}

static void tell(void *tap, const char *name, uint32_t id, bool enabled)
{
    const struct tk_tap *t = tap;
    if (t->watch)
        t->watch(t->watch_ctx, name, id, enabled);
}

void tk_tap_watch(struct tk_tap *t, tk_live_channel_fn *fn, void *ctx)
{
    t->watch = fn;
    t->watch_ctx = ctx;
}

static int feed(void *summary, const uint8_t *packet, size_t n, uint64_t offset)
{
    tk_live_summary_feed(summary, packet, n, offset);
    return TK_OK;
}

static int look(struct tk_tap *t, const uint8_t *p, size_t n, struct tk_err *err)
{
    const int rc = t->summary ? tk_live_packets_feed(&t->packets, p, n, feed, t->summary) : TK_OK;
    return rc == TK_OK ? TK_ITEM : tk_err_nomem(err, "a capture");
}

/* Bytes of the header, and perhaps more behind it. */
static int take_head(struct tk_tap *t, size_t n, struct tk_err *err)
{
    const size_t k = n < sizeof t->head - t->n_head ? n : sizeof t->head - t->n_head, before = t->n_head;
    memcpy(t->head + t->n_head, t->buffer, k);
    t->n_head += k;
    const enum tk_hello_state state = tk_hello_judge(t->head, t->n_head, &t->hello);
    if (state == TK_HELLO_MORE)
        return TK_ITEM;
    if (state != TK_HELLO_WHOLE)
        return tk_err_set(err, TK_EFORMAT, "the store sent something that is not an Unreal capture");
    t->whole = true;
    t->packets.whole = t->hello.size;
    t->summary = tk_live_summary_new(&t->hello);
    if (t->summary)
        tk_live_summary_watch(t->summary, tell, t);
    return look(t, t->buffer + (t->hello.size - before), n - (t->hello.size - before), err);
}

int tk_tap_take(struct tk_tap *t, double seconds, struct tk_err *err)
{
    struct tk_os_wait wait = {.socket = t->socket, .read = true};
    size_t n;
    struct tk_os_result read = tk_os_socket_read(t->socket, t->buffer, sizeof t->buffer, &n);
    if (read.error == TK_OS_AGAIN) {
        tk_os_socket_wait(&wait, 1, NULL, seconds);
        read = tk_os_socket_read(t->socket, t->buffer, sizeof t->buffer, &n);
    }
    if (read.error == TK_OS_AGAIN)
        return TK_OK;
    if (n == 0)
        return TK_EPIPE;
    t->seen += n;
    return t->whole ? look(t, t->buffer, n, err) : take_head(t, n, err);
}

int tk_tap_catch_up(struct tk_tap *t, struct tk_err *err)
{
    int rc = TK_ITEM;
    while (rc == TK_ITEM && t->seen < t->there)
        rc = tk_tap_take(t, TK_CLIENT_SECONDS, err);
    if (rc == TK_OK)
        return tk_err_set(err, TK_EIO, "the store stopped sending the capture");
    return rc == TK_ITEM ? TK_OK : rc;
}

const struct tk_hello *tk_tap_hello(const struct tk_tap *t)
{
    return t->whole ? &t->hello : NULL;
}

const struct tk_live_summary *tk_tap_summary(const struct tk_tap *t)
{
    return t->summary;
}

void tk_tap_close(struct tk_tap *t)
{
    if (!t)
        return;
    tk_os_socket_close(t->socket);
    tk_live_packets_release(&t->packets);
    tk_live_summary_free(t->summary);
    free(t);
}
