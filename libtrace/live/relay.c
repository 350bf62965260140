/*
 * Relays.
 */
#include "live/live_in.h"
#include "live/server.h"
#include "os/file.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A capture that a store gives out.
 */

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

/*
 * Which captures of a store stay.
 */

enum { PATH = 4096 };

bool tk_keep_is_ours(const char *name, const char *prefix)
{
    static const char form[] = "dddddddd_dddddd";
    const size_t n = prefix ? strlen(prefix) : 0;
    if (n && strncmp(name, prefix, n) != 0)
        return false;
    name += n;
    for (const char *f = form; *f; f++, name++)
        if (*f == 'd' ? *name < '0' || *name > '9' : *name != *f)
            return false;
    const size_t digits = *name == '_' ? strspn(name + 1, "0123456789") : 0;
    name += digits >= 2 ? digits + 1 : 0;
    return *name == '\0' || (*name == '.' && name[1] && name[1 + strspn(name + 1, TK_LIVE_NAME)] == '\0');
}

static int by_age(const void *a, const void *b)
{
    const struct tk_store_capture *x = a, *y = b;
    return x->modified < y->modified ? -1 : x->modified > y->modified ? 1 : strcmp(x->name, y->name);
}

/* Free bytes of the disk that a file is on. */
static uint64_t space_alongside(const char *path)
{
    struct tk_os_file *f;
    if (tk_os_file_open_read(&f, path).error)
        return UINT64_MAX;
    const uint64_t capacity = tk_os_file_space(f);
    tk_os_file_close(f);
    return capacity;
}

/* Removes a capture and what viewers keep alongside it. Not one that somebody writes. */
static bool remove_capture(const char *folder, const char *name, const char *end)
{
    char path[PATH];
    struct tk_os_file *lock;
    if (snprintf(path, sizeof path, "%s/%s%s", folder, name, end) >= (int)sizeof path)
        return false;
    const struct tk_os_result locked = tk_os_path_lock(&lock, path, TK_OS_EXCLUSIVE, 0);
    if (locked.error == TK_OS_BUSY || locked.error == TK_OS_NOT_FOUND)
        return false;
    const bool removed = tk_os_path_remove(path).error == TK_OS_OK;
    tk_os_file_close(lock);
    if (removed && snprintf(path, sizeof path, "%s/%s.ucache", folder, name) < (int)sizeof path)
        tk_os_path_remove(path);
    return removed;
}

static const char *ending_of(const struct tk_keep_rules *rules)
{
    return rules->ending ? rules->ending : ".utrace";
}

/* Does a rule ask for this one, the oldest that is left? */
static bool is_due(const struct tk_keep_rules *rules, const char *folder, const struct tk_store_capture *c,
                   int64_t now, uint64_t sum, enum tk_keep_reason *why)
{
    char path[PATH];
    *why = TK_KEEP_DAYS;
    if (rules->days > 0 && (double)(now - c->modified) > rules->days * 86400)
        return true;
    *why = TK_KEEP_BYTES;
    if (rules->most_bytes && sum > rules->most_bytes)
        return true;
    *why = TK_KEEP_FREE;
    return rules->free_bytes &&
           snprintf(path, sizeof path, "%s/%s%s", folder, c->name, ending_of(rules)) < (int)sizeof path &&
           space_alongside(path) < rules->free_bytes;
}

void tk_keep_apply(const struct tk_keep_rules *rules, const char *folder, int64_t now, tk_keep_fn *reported,
                   void *ctx)
{
    struct tk_store_listing l = {.ending = rules->ending};
    uint64_t sum = 0;
    if (!tk_store_listing_read(&l, folder))
        return;
    if (l.captures.n)
        qsort(l.captures.v, l.captures.n, sizeof *l.captures.v, by_age);
    for (size_t i = 0; i < l.captures.n; i++)
        sum += l.captures.v[i].size;
    for (size_t i = 0; i < l.captures.n; i++) {
        const struct tk_store_capture *c = &l.captures.v[i];
        enum tk_keep_reason why;
        if (!tk_keep_is_ours(c->name, rules->prefix))
            continue;
        if (!is_due(rules, folder, c, now, sum, &why))
            break;
        if (!remove_capture(folder, c->name, ending_of(rules)))
            continue;
        sum -= c->size;
        reported(ctx, c->name, c->size, why);
    }
    tk_store_listing_release(&l);
}

#define LOOK_EVERY 0.1 /* seconds between looks at a file that grows */

uint16_t tk_relay_open(struct tk_relay *r, const char *path, const struct tk_os_address *at,
                       const struct tk_os_address *who, uint64_t session)
{
    struct tk_os_address here = {0};
    *r = (struct tk_relay){.who = *who, .session = session};
    if (tk_os_file_open_read(&r->file, path).error || tk_os_socket_listen(&r->listening, at).error ||
        tk_os_socket_here(r->listening, &here).error) {
        tk_relay_close(r);
        return 0;
    }
    return here.port;
}

bool tk_relay_ask(const struct tk_relay *r, struct tk_live_waits *waits, double now)
{
    const bool waiting = r->reader && now < r->look;
    return tk_live_wait_for(waits,
                            r->listening ? r->listening
                            : waiting    ? NULL
                                         : r->reader,
                            r->listening != NULL, r->listening == NULL);
}

/* The first that is the right one gets it; the port is closed then. */
static void accept_reader(struct tk_relay *r)
{
    struct tk_os_address from;
    struct tk_os_socket *socket;
    if (tk_os_socket_accept(&socket, r->listening, &from).error)
        return;
    if (!tk_os_address_matches(&from, &r->who, UINT32_MAX)) {
        tk_os_socket_break(socket);
        return;
    }
    r->reader = socket;
    tk_os_socket_close(r->listening);
    r->listening = NULL;
}

static void send(struct tk_relay *r, bool grows, double now, uint8_t *buffer, size_t n)
{
    size_t got, put;
    if (tk_os_file_read_at(r->file, r->offset, buffer, n, &got).error) {
        r->over = true;
        return;
    }
    if (got == 0) { /* grows: said after the last bytes were looked for, so there may be more */
        r->over = !grows;
        r->look = now + LOOK_EVERY;
        return;
    }
    const struct tk_os_result sent = tk_os_socket_write(r->reader, buffer, got, &put);
    if (sent.error == TK_OS_OK)
        r->offset += put;
    else if (sent.error != TK_OS_AGAIN)
        r->over = true;
}

void tk_relay_serve(struct tk_relay *r, const struct tk_os_wait *mine, bool grows, double now,
                    uint8_t *buffer, size_t n)
{
    if (r->listening) {
        if (mine->can_read)
            accept_reader(r);
        else
            r->over = now - r->since > (double)TK_RELAY_SECONDS;
    } else if (mine->can_write) {
        send(r, grows, now, buffer, n);
    }
}

void tk_relay_close(struct tk_relay *r)
{
    tk_os_socket_close(r->listening);
    tk_os_socket_close(r->reader);
    tk_os_file_close(r->file);
    *r = (struct tk_relay){0};
}
