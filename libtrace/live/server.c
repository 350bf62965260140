/*
 * The store.
 */
#include "live/server.h"

#include "live/live_in.h"
#include "os/clock.h"
#include "os/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 4, ANSWER = 8192, BUFFER = 256 << 10, ACCEPTS = 16 };

#define LIST_EVERY 0.4 /* seconds that a listing is good for */

struct client {
    struct tk_os_socket *socket; /* owned */
    struct tk_os_address from;
    double since;       /* when the request began that is not whole */
    bool over, hang_up; /* at once; when all is sent */
    size_t n_in, n_out, sent;
    uint8_t in[COUNT + TK_STORE_REQUEST], out[COUNT + ANSWER];
};

struct tk_store {
    struct tk_store_options options;
    char *folder; /* owned, absolute */
    struct tk_os_socket *listening;
    struct tk_os_address address;
    struct tk_store_listing listing;
    double listed;
    uint64_t began, ended;           /* of the recorder, when it was listed */
    TK_VEC(struct client *) clients; /* owned */
    TK_VEC(struct tk_relay) relays;
    const struct client *request;                      /* whose request is answered now */
    size_t first, requested_clients, requested_relays; /* of its waits */
    double rest;                                       /* until then nothing is accepted */
    uint8_t buffer[BUFFER];
};

int tk_store_open(struct tk_store **out, const struct tk_store_options *options, struct tk_err *err)
{
    struct tk_store *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return tk_err_nomem(err, "the store");
    s->options = *options;
    s->folder = tk_os_path_real(options->folder);
    if (!s->folder) {
        tk_store_close(s);
        return tk_err_nomem(err, "the store");
    }
    struct tk_os_result result = tk_os_socket_listen(&s->listening, &options->listen);
    if (result.error == TK_OS_OK)
        result = tk_os_socket_here(s->listening, &s->address);
    if (result.error) {
        tk_store_close(s);
        return tk_err_set(err, TK_EIO, "cannot listen on port %u for viewers: %s", options->listen.port,
                          tk_os_text(result));
    }
    *out = s;
    return TK_OK;
}

const struct tk_os_address *tk_store_address(const struct tk_store *s)
{
    return &s->address;
}

/* ---- answers ---- */

/* Lists the folder again where that was long ago, or a recording began or ended since. */
static void refresh(struct tk_store *s)
{
    const struct tk_recorder_state state = tk_recorder_state(s->options.recorder);
    const double now = tk_os_seconds();
    if (s->listed > 0 && now - s->listed < LIST_EVERY && state.began == s->began && state.ended == s->ended)
        return;
    tk_store_listing_read(&s->listing, s->folder); /* what cannot be read now stays as it was */
    s->listed = now;
    s->began = state.began;
    s->ended = state.ended;
}

static uint16_t open_relay(void *store, const struct tk_store_capture *capture)
{
    struct tk_store *s = store;
    const struct tk_session *live = tk_store_session_of(s->options.recorder, capture->name);
    struct tk_os_address at = {0};
    struct tk_relay relay;
    char path[4096];
    const int n = snprintf(path, sizeof path, "%s/%s.utrace", s->folder, capture->name);
    if (n >= (int)sizeof path || s->relays.n >= TK_RELAYS || tk_os_socket_here(s->request->socket, &at).error)
        return 0;
    at.port = 0;
    const uint16_t port = tk_relay_open(&relay, path, &at, &s->request->from, live ? live->id : 0);
    relay.since = tk_os_seconds();
    if (port == 0)
        return 0;
    if (tk_vec_push(&s->relays, relay)) {
        tk_relay_close(&relay);
        return 0;
    }
    return port;
}

static void answer(struct tk_store *s, struct client *c, const uint8_t *p, size_t n, unsigned refused)
{
    struct tk_cbor_writer out = {.p = c->out + COUNT, .capacity = ANSWER};
    const struct tk_os_address *recorder = tk_recorder_address(s->options.recorder, 0);
    const struct tk_store_facts facts = {.form = s->options.form,
                                         .folder = s->folder,
                                         .listing = &s->listing,
                                         .recorder = s->options.recorder,
                                         .recorder_port = recorder ? recorder->port : 0,
                                         .store_port = s->address.port,
                                         .relay = open_relay,
                                         .ctx = s};
    s->request = c;
    if (refused)
        tk_store_answer_status(&out, refused);
    else
        tk_store_answer(&facts, p, n, &out);
    for (size_t i = 0; i < COUNT; i++)
        c->out[i] = (uint8_t)(out.n >> 8 * i);
    c->over |= out.full;
    c->n_out = COUNT + out.n;
    c->sent = 0;
}

/* ---- clients ---- */

static size_t count_of(const struct client *c)
{
    return c->in[0] | (size_t)c->in[1] << 8 | (size_t)c->in[2] << 16 | (size_t)c->in[3] << 24;
}

/* Answers the request in front, if it is whole and the answer before it is sent. False: nothing more now. */
static bool take_request(struct tk_store *s, struct client *c)
{
    if (c->n_out || c->n_in < COUNT || c->hang_up)
        return false;
    const size_t n = count_of(c);
    if (n > TK_STORE_REQUEST) { /* what follows would be taken for a count */
        answer(s, c, NULL, 0, TK_STORE_BAD);
        c->hang_up = true;
        return false;
    }
    if (c->n_in - COUNT < n)
        return false;
    refresh(s);
    answer(s, c, c->in + COUNT, n, n ? 0 : TK_STORE_BAD);
    c->n_in -= COUNT + n;
    memmove(c->in, c->in + COUNT + n, c->n_in);
    c->since = tk_os_seconds();
    return true;
}

static void send_answer(struct client *c)
{
    size_t put;
    const struct tk_os_result sent =
        tk_os_socket_write(c->socket, c->out + c->sent, c->n_out - c->sent, &put);
    if (sent.error == TK_OS_OK)
        c->sent += put;
    else if (sent.error != TK_OS_AGAIN)
        c->over = true;
    if (c->sent == c->n_out) {
        c->n_out = c->sent = 0;
        c->over |= c->hang_up;
    }
}

static void read_client(struct client *c)
{
    size_t n;
    const struct tk_os_result read =
        tk_os_socket_read(c->socket, c->in + c->n_in, sizeof c->in - c->n_in, &n);
    if (read.error == TK_OS_AGAIN)
        return;
    if (n == 0) {
        c->over = true;
        return;
    }
    if (c->n_in == 0)
        c->since = tk_os_seconds();
    c->n_in += n;
}

static void serve_client(struct tk_store *s, struct client *c, const struct tk_os_wait *mine, double now)
{
    if (mine->can_read)
        read_client(c);
    do {
        if (c->n_out)
            send_answer(c);
    } while (!c->over && take_request(s, c));
    if (c->n_in && !c->n_out && now - c->since > (double)TK_STORE_REQUEST_SECONDS)
        c->over = true;
}

static void accept_clients(struct tk_store *s, double now)
{
    for (int i = 0; i < ACCEPTS && s->clients.n < TK_STORE_CLIENTS; i++) {
        struct tk_os_socket *socket;
        struct tk_os_address from;
        const struct tk_os_result result = tk_os_socket_accept(&socket, s->listening, &from);
        if (result.error && result.error != TK_OS_AGAIN)
            s->rest = now + 0.2;
        if (result.error)
            return;
        struct client *c = tk_live_access_allows(&s->options.access, &from) ? calloc(1, sizeof *c) : NULL;
        if (!c || tk_vec_push(&s->clients, c)) {
            free(c);
            tk_os_socket_break(socket);
            continue;
        }
        c->socket = socket;
        c->from = from;
        tk_os_socket_no_delay(socket);
        tk_os_socket_keep_alive(socket, 15, 5, 3);
    }
}

/* ---- the loop ---- */

int tk_store_ask(struct tk_store *s, struct tk_live_waits *waits)
{
    const double now = tk_os_seconds();
    const bool accepts = s->clients.n < TK_STORE_CLIENTS && now >= s->rest;
    bool good = tk_live_wait_for(waits, accepts ? s->listening : NULL, true, false);
    s->first = waits->list.n - 1;
    s->requested_clients = s->clients.n;
    s->requested_relays = s->relays.n;
    for (size_t i = 0; i < s->clients.n && good; i++) {
        const struct client *c = s->clients.v[i];
        good = tk_live_wait_for(waits, c->socket, !c->n_out && c->n_in<sizeof c->in, c->n_out> 0);
    }
    for (size_t i = 0; i < s->relays.n && good; i++)
        good = tk_relay_ask(&s->relays.v[i], waits, now);
    return good ? TK_OK : TK_ENOMEM;
}

static bool is_recorded(const struct tk_store *s, uint64_t session)
{
    for (size_t i = 0; i < tk_recorder_count(s->options.recorder); i++)
        if (tk_recorder_session(s->options.recorder, i)->id == session)
            return true;
    return false;
}

static void close_client(struct client *c)
{
    tk_os_socket_close(c->socket);
    free(c);
}

static void forget(struct tk_store *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->clients.n; i++)
        if (s->clients.v[i]->over)
            close_client(s->clients.v[i]);
        else
            s->clients.v[kept++] = s->clients.v[i];
    s->clients.n = kept;
    kept = 0;
    for (size_t i = 0; i < s->relays.n; i++)
        if (s->relays.v[i].over)
            tk_relay_close(&s->relays.v[i]);
        else
            s->relays.v[kept++] = s->relays.v[i];
    s->relays.n = kept;
}

void tk_store_serve(struct tk_store *s, const struct tk_live_waits *waits)
{
    const struct tk_os_wait *mine = waits->list.v + s->first;
    const double now = tk_os_seconds();
    for (size_t i = 0; i < s->requested_relays; i++) {
        struct tk_relay *r = &s->relays.v[i];
        tk_relay_serve(r, &mine[1 + s->requested_clients + i], r->session && is_recorded(s, r->session), now,
                       s->buffer, sizeof s->buffer);
    }
    for (size_t i = 0; i < s->requested_clients; i++)
        serve_client(s, s->clients.v[i], &mine[1 + i], now);
    if (mine[0].can_read)
        accept_clients(s, now);
    forget(s);
}

void tk_store_close(struct tk_store *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->clients.n; i++)
        close_client(s->clients.v[i]);
    for (size_t i = 0; i < s->relays.n; i++)
        tk_relay_close(&s->relays.v[i]);
    tk_vec_release(&s->clients);
    tk_vec_release(&s->relays);
    tk_store_listing_release(&s->listing);
    tk_os_socket_close(s->listening);
    free(s->folder);
    free(s);
}
