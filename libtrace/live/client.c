/*
 * Queries a store.
 */
#include "live/access.h"
#include "live/server.h"
#include "os/clock.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 4, REQUEST = 256, GOOD = 200, BAD = 400, TICKS = 10000000 };

static const int64_t unix_begin = INT64_C(621355968000000000);

struct tk_store_client {
    struct tk_os_socket *socket;
    struct tk_os_address at;
    uint8_t *answer; /* owned */
    size_t n, cap;
};

int tk_store_client_open(struct tk_store_client **out, const struct tk_os_address *at, struct tk_err *err)
{
    struct tk_store_client *c = calloc(1, sizeof *c);
    char text[TK_OS_ADDRESS_TEXT];
    *out = NULL;
    if (!c)
        return tk_err_nomem(err, "a connection");
    const struct tk_os_result connected = tk_connect_within(&c->socket, at, TK_CLIENT_SECONDS);
    if (connected.error) {
        free(c);
        return tk_err_set(err, TK_EIO, "no store answers at %s port %u: %s", tk_os_address_text(at, text),
                          at->port, tk_os_text(connected));
    }
    tk_os_socket_no_delay(c->socket);
    c->at = *at;
    *out = c;
    return TK_OK;
}

/* Moves n bytes before a moment comes. */
static struct tk_os_result move(struct tk_os_socket *s, uint8_t *p, size_t n, bool write, double end)
{
    struct tk_os_result result = tk_os_result_of(TK_OS_OK);
    while (n > 0 && result.error == TK_OS_OK) {
        struct tk_os_wait wait = {.socket = s, .read = !write, .write = write};
        const double left = end - tk_os_seconds();
        size_t k = 0;
        result = write ? tk_os_socket_write(s, p, n, &k) : tk_os_socket_read(s, p, n, &k);
        if (result.error == TK_OS_OK && k == 0)
            result = tk_os_result_of(TK_OS_RESET);
        if (result.error == TK_OS_AGAIN)
            result = left > 0 ? tk_os_socket_wait(&wait, 1, NULL, left) : tk_os_result_of(TK_OS_TIMEOUT);
        p += k;
        n -= k;
    }
    return result;
}

static int failed(struct tk_err *err, struct tk_os_result why)
{
    return tk_err_set(err, TK_EIO, "the store does not answer: %s", tk_os_text(why));
}

static int space_for(struct tk_store_client *c, size_t n, struct tk_err *err)
{
    if (n > TK_CLIENT_ANSWER)
        return tk_err_set(err, TK_EFORMAT, "the answer claims to have %zu bytes, so this is not a store", n);
    if (n <= c->cap)
        return TK_OK;
    uint8_t *grown = realloc(c->answer, n);
    if (!grown)
        return tk_err_nomem(err, "an answer");
    c->answer = grown;
    c->cap = n;
    return TK_OK;
}

/* Sends a request that stands behind space for its count, and gets the answer. *status is that of the answer.
 */
static int exchange(struct tk_store_client *c, uint8_t *request, size_t n, uint64_t *status,
                    struct tk_err *err)
{
    const double end = tk_os_seconds() + (double)TK_CLIENT_SECONDS;
    struct tk_cbor_item item;
    uint8_t count[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        request[i] = (uint8_t)(n >> 8 * i);
    struct tk_os_result moved = move(c->socket, request, COUNT + n, true, end);
    if (moved.error == TK_OS_OK)
        moved = move(c->socket, count, COUNT, false, end);
    if (moved.error)
        return failed(err, moved);
    c->n = count[0] | (size_t)count[1] << 8 | (size_t)count[2] << 16 | (size_t)count[3] << 24;
    const int rc = space_for(c, c->n, err);
    if (rc != TK_OK)
        return rc;
    moved = move(c->socket, c->answer, c->n, false, end);
    if (moved.error)
        return failed(err, moved);
    if (!tk_cbor_find(c->answer, c->n, "$status", &item) || item.kind != TK_CBOR_NUMBER)
        return tk_err_set(err, TK_EFORMAT, "the answer has no status, so this is not a store");
    *status = item.value;
    return TK_OK;
}

/* Requests a path, with one number as argument where key is not NULL. */
static int ask(struct tk_store_client *c, const char *path, const char *key, uint64_t value, uint64_t *status,
               struct tk_err *err)
{
    uint8_t request[COUNT + REQUEST];
    struct tk_cbor_writer w = {.p = request + COUNT, .capacity = REQUEST};
    tk_cbor_begin(&w);
    tk_cbor_put_request(&w, "$request", "GET");
    tk_cbor_put_request(&w, "$path", path);
    if (key)
        tk_cbor_put_argument(&w, key, value);
    tk_cbor_end(&w);
    return exchange(c, request, w.n, status, err);
}

/* A number of the answer, at most `most`. */
static int number_of(const struct tk_store_client *c, const char *key, uint64_t most, uint64_t *out,
                     struct tk_err *err)
{
    struct tk_cbor_item item;
    if (tk_cbor_find(c->answer, c->n, key, &item) && item.kind == TK_CBOR_NUMBER && item.value <= most) {
        *out = item.value;
        return TK_OK;
    }
    return tk_err_set(err, TK_EFORMAT, "the store's answer lacks '%s', or has an impossible value for it",
                      key);
}

static int refused(uint64_t status, struct tk_err *err)
{
    return tk_err_set(err, TK_EIO, "the store refuses: status %llu", (unsigned long long)status);
}

int tk_store_client_count(struct tk_store_client *c, bool sessions, uint64_t *out, struct tk_err *err)
{
    uint64_t status;
    int rc = ask(c, sessions ? "v1/session/count" : "v1/trace/count", NULL, 0, &status, err);
    if (rc != TK_OK)
        return rc;
    if (status != GOOD)
        return refused(status, err);
    return number_of(c, "count", TK_CLIENT_ENTRIES, out, err);
}

/* Requests one of many. TK_ITEM, TK_OK for none, or negative. */
static int ask_one(struct tk_store_client *c, const char *path, const char *key, uint64_t value,
                   struct tk_err *err)
{
    uint64_t status;
    const int rc = ask(c, path, key, value, &status, err);
    if (rc != TK_OK)
        return rc;
    return status == GOOD ? TK_ITEM : status == BAD ? TK_OK : refused(status, err);
}

static void take_name(const struct tk_store_client *c, char out[TK_CLIENT_NAME])
{
    struct tk_cbor_item item;
    size_t n = 0;
    if (tk_cbor_find(c->answer, c->n, "name", &item) && item.kind == TK_CBOR_STRING)
        for (; n < item.n && n < TK_CLIENT_NAME - 1; n++)
            out[n] = item.text[n] >= ' ' && item.text[n] <= '~' ? item.text[n] : '?';
    out[n] = '\0';
}

static int ask_capture(struct tk_store_client *c, const char *key, uint64_t value,
                       struct tk_client_capture *out, struct tk_err *err)
{
    uint64_t id = 0, stamp = 0;
    const int rc = ask_one(c, "v1/trace/info", key, value, err);
    if (rc != TK_ITEM)
        return rc;
    if (number_of(c, "id", UINT32_MAX, &id, err) != TK_OK ||
        number_of(c, "size", INT64_MAX, &out->size, err) != TK_OK ||
        number_of(c, "timestamp", INT64_MAX, &stamp, err) != TK_OK)
        return TK_EFORMAT;
    out->id = (uint32_t)id;
    out->modified = ((int64_t)stamp - unix_begin) / TICKS;
    take_name(c, out->name);
    return TK_ITEM;
}

int tk_store_client_capture(struct tk_store_client *c, uint64_t i, struct tk_client_capture *out,
                            struct tk_err *err)
{
    return ask_capture(c, "index", i, out, err);
}

int tk_store_client_find(struct tk_store_client *c, uint32_t id, struct tk_client_capture *out,
                         struct tk_err *err)
{
    return ask_capture(c, "id", id, out, err);
}

int tk_store_client_session(struct tk_store_client *c, uint64_t i, struct tk_client_session *out,
                            struct tk_err *err)
{
    static const char *const keys[] = {"id", "trace_id", "ip_address", "control_port"};
    uint64_t values[4] = {0};
    const int rc = ask_one(c, "v1/session/info", "index", i, err);
    if (rc != TK_ITEM)
        return rc;
    for (size_t k = 0; k < 4; k++)
        if (number_of(c, keys[k], k == 3 ? UINT16_MAX : UINT32_MAX, &values[k], err) != TK_OK)
            return TK_EFORMAT;
    *out = (struct tk_client_session){(uint32_t)values[0], (uint32_t)values[1], (uint32_t)values[2],
                                      (uint16_t)values[3]};
    return TK_ITEM;
}

int tk_store_client_read(struct tk_store_client *c, uint32_t id, struct tk_os_socket **out,
                         struct tk_err *err)
{
    struct tk_os_address at = c->at;
    uint64_t port = 0;
    *out = NULL;
    int rc = ask_one(c, "v1/trace/read", "id", id, err);
    if (rc != TK_ITEM)
        return rc;
    rc = number_of(c, "port", UINT16_MAX, &port, err);
    if (rc != TK_OK)
        return rc;
    at.port = (uint16_t)port;
    const struct tk_os_result connected = tk_connect_within(out, &at, TK_CLIENT_SECONDS);
    if (connected.error)
        return tk_err_set(err, TK_EIO, "the store does not send the capture: %s", tk_os_text(connected));
    return TK_ITEM;
}

void tk_store_client_close(struct tk_store_client *c)
{
    if (!c)
        return;
    tk_os_socket_close(c->socket);
    free(c->answer);
    free(c);
}
