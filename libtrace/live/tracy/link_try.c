/*
 * From addresses to a program that can be recorded: all ports are tried at once (tracy-live 2, 3).
 *
 * A program looks at one connection at a time, so a port gets one, and it gets the mark as soon as it is
 * there. Only one program is spoken to at a time, as the one that welcomes us may be recorded once in its
 * life; one that does not answer for a while does not keep the others waiting.
 */
#include "base/cursor.h"
#include "live/tracy/link.h"
#include "live/tracy/tracy_in.h"

#include <string.h>

static const double again_usual = 0.02; /* seconds between two attempts to connect */
static const double connecting = 5;     /* and for one of them */
static const double alone = 0.3;        /* for an answer before others are spoken to */
static const double answering = 2;      /* for an answer */
static const double after_refusal = 1;  /* before a program that refused is tried again */

void tk_tl_link_add_try(struct tk_tl_link *l, const struct tk_os_address *at)
{
    size_t i = 0;
    while (i < l->n_tries && l->tries[i].at[0].port != at->port)
        i++;
    if (i == TK_TL_PORTS)
        return;
    struct tk_tl_try *t = &l->tries[i];
    if (i == l->n_tries) {
        *t = (struct tk_tl_try){.n_at = 0};
        l->n_tries++;
    }
    if (t->n_at < TK_TL_PORT_ADDRESSES)
        t->at[t->n_at++] = *at;
    if (l->n_tries == 1 && t->n_at == 1)
        l->at = *at;
}

void tk_tl_link_also(struct tk_tl_link *l, const struct tk_os_address *at)
{
    if (l->step == TK_TL_TRYING)
        tk_tl_link_add_try(l, at);
}

static void hang_up(struct tk_tl_try *t)
{
    tk_os_socket_close(t->socket);
    t->socket = NULL;
    t->connected = false;
}

void tk_tl_link_end_tries(struct tk_tl_link *l)
{
    for (size_t i = 0; i < l->n_tries; i++)
        hang_up(&l->tries[i]);
}

/* ---- what comes of an attempt ---- */

static double again_of(const struct tk_tl_link *l)
{
    return l->options.again > 0 ? l->options.again : again_usual;
}

/* Nothing will change that it says where there is no other port. */
static bool is_final(const struct tk_tl_link *l, enum tk_tl_end why)
{
    return l->n_tries == 1 && !l->options.wants && (why == TK_TL_END_BUSY || why == TK_TL_END_PROTOCOL);
}

/* The end that says most, when all ports were tried and nobody waits any longer. */
static void give_up(struct tk_tl_link *l, double now)
{
    const double patience = l->options.patience;
    const struct tk_tl_try *most = &l->tries[0];
    bool over = patience >= 0 && now - l->began_trying >= patience;
    for (size_t i = 0; i < l->n_tries; i++) {
        over &= l->tries[i].why != TK_TL_GOES_ON;
        if (l->tries[i].why > most->why)
            most = &l->tries[i];
    }
    if (!over && !is_final(l, most->why))
        return;
    l->at = most->at[most->address];
    l->connected = most->why != TK_TL_END_ABSENT;
    tk_tl_link_end_tries(l);
    tk_tl_link_finish(l, most->why);
}

static void end_try(struct tk_tl_link *l, struct tk_tl_try *t, enum tk_tl_end why, double now)
{
    hang_up(t);
    t->version = 0;
    t->why = why;
    t->until = now + (why >= TK_TL_END_FOREIGN ? after_refusal : again_of(l));
    give_up(l, now);
}

void tk_tl_link_refuse(struct tk_tl_link *l, enum tk_tl_end why, double now)
{
    tk_tl_link_drop(l);
    l->step = TK_TL_TRYING;
    end_try(l, &l->tries[l->adopted], why, now);
}

/* ---- one port ---- */

const struct tk_os_wait *tk_tl_wait_of(const struct tk_os_socket *socket, const struct tk_live_waits *waits)
{
    for (size_t i = 0; socket && i < waits->list.n; i++)
        if (waits->list.v[i].socket == socket)
            return &waits->list.v[i];
    return NULL;
}

static bool is_alone(const struct tk_tl_link *l, const struct tk_tl_try *t, double now)
{
    for (size_t i = 0; i < l->n_tries; i++)
        if (&l->tries[i] != t && l->tries[i].connected && now - l->tries[i].since < alone)
            return false;
    return true;
}

static void begin_connecting(struct tk_tl_link *l, struct tk_tl_try *t, double now)
{
    t->until = now + connecting;
    if (tk_os_socket_connect(&t->socket, &t->at[t->address]).error) {
        t->socket = NULL;
        t->until = now;
    }
    (void)l;
}

/* Nobody is at this address: the next one at once, and after the last a pause. */
static void try_next_address(struct tk_tl_link *l, struct tk_tl_try *t, struct tk_os_result why, double now)
{
    hang_up(t);
    if (++t->address < t->n_at) {
        begin_connecting(l, t, now);
        return;
    }
    t->address = 0;
    if (t->why == TK_TL_GOES_ON && !l->err.n)
        tk_err_set(&l->err, TK_EIO, "%s", tk_os_text(why));
    end_try(l, t, t->why == TK_TL_GOES_ON ? TK_TL_END_ABSENT : t->why, now);
}

static void send_mark(struct tk_tl_link *l, struct tk_tl_try *t, double now)
{
    uint8_t hello[TK_TL_HELLO_BYTES];
    size_t put = 0;
    tk_os_socket_no_delay(t->socket);
    tk_os_socket_space(t->socket, 4 << 20, 256 << 10);
    tk_tl_hello_put(hello, tk_tl_protocols[t->version]);
    const struct tk_os_result sent = tk_os_socket_write(t->socket, hello, sizeof hello, &put);
    t->connected = true;
    t->since = now;
    t->until = now + answering;
    if (sent.error || put < sizeof hello)
        end_try(l, t, TK_TL_END_GONE, now);
}

static void serve_connecting(struct tk_tl_link *l, struct tk_tl_try *t, double now)
{
    const struct tk_tl_link_options *o = &l->options;
    struct tk_os_result made = tk_os_result_of(TK_OS_TIMEOUT);
    if (t->socket && now <= t->until)
        made = tk_os_socket_connected(t->socket);
    if (made.error == TK_OS_AGAIN)
        return;
    if (made.error != TK_OS_OK) {
        try_next_address(l, t, made, now);
    } else if (!is_alone(l, t, now)) {
        hang_up(t);
        t->until = now + again_usual;
    } else if (o->may && !o->may(o->ctx, &t->at[t->address])) {
        end_try(l, t, TK_TL_END_OTHER, now);
        t->until = now + after_refusal / 4;
    } else {
        send_mark(l, t, now);
    }
}

static void adopt(struct tk_tl_link *l, struct tk_tl_try *t)
{
    l->adopted = (size_t)(t - l->tries);
    l->socket = t->socket;
    t->socket = NULL;
    t->connected = false;
    tk_tl_protocol_set(&l->protocol, tk_tl_protocols[t->version]);
}

/* The program waits for another connection, with the number that it speaks. */
static void try_protocol(struct tk_tl_link *l, struct tk_tl_try *t, double now)
{
    hang_up(t);
    if (t->version + 1 == TK_TL_PROTOCOLS) {
        end_try(l, t, TK_TL_END_PROTOCOL, now);
        return;
    }
    t->version++;
    begin_connecting(l, t, now);
}

static void serve_answering(struct tk_tl_link *l, struct tk_tl_try *t, double now)
{
    uint8_t answer;
    size_t got = 0;
    const struct tk_os_result read = tk_os_socket_read(t->socket, &answer, 1, &got);
    if (read.error == TK_OS_AGAIN) {
        if (now >= t->until)
            end_try(l, t, TK_TL_END_SILENT, now);
    } else if (read.error || got == 0) {
        end_try(l, t, TK_TL_END_GONE, now);
    } else if (answer == TK_TL_WELCOME) {
        adopt(l, t);
    } else if (answer == TK_TL_OTHER_PROTOCOL) {
        try_protocol(l, t, now);
    } else {
        end_try(l, t, answer == TK_TL_NOT_AVAILABLE ? TK_TL_END_BUSY : TK_TL_END_FOREIGN, now);
    }
}

static void serve_try(struct tk_tl_link *l, struct tk_tl_try *t, const struct tk_live_waits *waits,
                      double now)
{
    const struct tk_os_wait *wait = tk_tl_wait_of(t->socket, waits);
    const bool ready = !wait || wait->can_read || wait->can_write || now >= t->until;
    if (t->socket && t->connected && ready)
        serve_answering(l, t, now);
    else if (t->socket && !t->connected && ready)
        serve_connecting(l, t, now);
    else if (!t->socket && now >= t->until && is_alone(l, t, now)) {
        begin_connecting(l, t, now);
        serve_connecting(l, t, now); /* on this machine it is known at once */
    }
}

/* ---- all ---- */

int tk_tl_link_ask_tries(struct tk_tl_link *l, struct tk_live_waits *waits)
{
    for (size_t i = 0; i < l->n_tries; i++) {
        const struct tk_tl_try *t = &l->tries[i];
        if (t->socket && !tk_live_wait_for(waits, t->socket, t->connected, !t->connected))
            return TK_ENOMEM;
    }
    return TK_OK;
}

bool tk_tl_link_serve_tries(struct tk_tl_link *l, const struct tk_live_waits *waits, double now)
{
    if (l->began_trying < 0)
        l->began_trying = now;
    for (size_t i = 0; l->step == TK_TL_TRYING && !l->socket && i < l->n_tries; i++)
        serve_try(l, &l->tries[i], waits, now);
    return l->socket != NULL;
}

double tk_tl_link_rest(const struct tk_tl_link *l, double now, double most)
{
    for (size_t i = 0; l->step == TK_TL_TRYING && i < l->n_tries; i++)
        if (l->tries[i].until - now < most)
            most = l->tries[i].until - now;
    return most > 0.001 ? most : 0.001;
}

/*
 * Datagrams of programs, and the list of those that were heard (tracy-live 2).
 */

static const double silent = 10; /* seconds; programs announce themselves every 3 */

/* The fixed part of each version of the datagram; the version is its first two bytes. */
static bool read_fixed(struct tk_tl_announced *a, struct tk_cur *c, unsigned version)
{
    a->at.port = TK_TL_ANNOUNCE_PORT;
    if (version <= 1) {
        tk_u32(c, "version");
        a->protocol = tk_u32(c, "protocol");
        if (version == 1)
            a->at.port = (uint16_t)tk_u32(c, "port");
    } else {
        tk_u16(c, "version");
        a->at.port = tk_u16(c, "port");
        a->protocol = tk_u32(c, "protocol");
        if (version == 3)
            a->pid = tk_u64(c, "pid");
    }
    a->active = (int32_t)tk_u32(c, "seconds");
    return tk_cur_ok(c);
}

bool tk_tl_announce_read(struct tk_tl_announced *out, const uint8_t *p, size_t n,
                         const struct tk_os_address *from)
{
    struct tk_cur c = tk_cur_of(p, n);
    *out = (struct tk_tl_announced){.at = *from};
    const unsigned version = n >= 2 ? tk_load16(p) : UINT16_MAX;
    if (version > 3 || !read_fixed(out, &c, version))
        return false;
    const size_t left = tk_cur_left(&c);
    if (left < 1 || left > TK_TL_ANNOUNCE_NAME || out->at.port == 0)
        return false;
    memcpy(out->name, c.p, left);
    out->name[TK_TL_ANNOUNCE_NAME - 1] = 0;
    return true;
}

static struct tk_tl_announced *find(struct tk_tl_announcements *a, const struct tk_os_address *at)
{
    for (size_t i = 0; i < a->list.n; i++)
        if (a->list.v[i].at.port == at->port &&
            memcmp(a->list.v[i].at.bytes, at->bytes, sizeof at->bytes) == 0)
            return &a->list.v[i];
    return NULL;
}

static void forget(struct tk_tl_announcements *a, struct tk_tl_announced *entry)
{
    const size_t i = (size_t)(entry - a->list.v);
    memmove(entry, entry + 1, (a->list.n - i - 1) * sizeof *entry);
    a->list.n--;
}

struct tk_tl_announced *tk_tl_announce_take(struct tk_tl_announcements *a, const uint8_t *p, size_t n,
                                            const struct tk_os_address *from, double now, bool *is_new)
{
    struct tk_tl_announced heard;
    *is_new = false;
    if (!tk_tl_announce_read(&heard, p, n, from))
        return NULL;
    struct tk_tl_announced *entry = find(a, &heard.at);
    heard.heard = now;
    if (heard.active < 0) {
        if (entry)
            forget(a, entry);
        return NULL;
    }
    if (entry) {
        heard.taken = entry->taken;
        *entry = heard;
        return entry;
    }
    if (a->list.n >= TK_TL_ANNOUNCED_MOST || tk_vec_push(&a->list, heard))
        return NULL;
    *is_new = true;
    return &a->list.v[a->list.n - 1];
}

void tk_tl_announce_age(struct tk_tl_announcements *a, double now)
{
    for (size_t i = a->list.n; i-- > 0;)
        if (now - a->list.v[i].heard > silent)
            forget(a, &a->list.v[i]);
}
