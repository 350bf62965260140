/*
 * Finding the store and the program that trace-control talks to.
 */
#include "live/control.h"

#include "base/err.h"
#include "live/access.h"
#include "live/live_in.h"
#include "live/record.h"
#include "live/session.h"
#include "os/file.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

enum { STORE_PORT = 1989, CONTROL_PORT = 1985, NO_CONTROL = 65535, MOST_SESSIONS = 1024 };

/* HOST[:PORT]; without a port that of `port`, and *has_port says so. */
static int find_address(const char *text, uint16_t port, struct tk_os_address *out, bool *has_port,
                        struct tk_err *err)
{
    const char *colon = strrchr(text, ':');
    char host[256], message[TK_OPT_MESSAGE];
    const size_t n = colon ? (size_t)(colon - text) : strlen(text);
    size_t found;
    *has_port = colon != NULL;
    if (n == 0 || n >= sizeof host)
        return tk_err_set(err, TK_EUSAGE, "'%.100s' is not HOST[:PORT]", text);
    memcpy(host, text, n);
    host[n] = '\0';
    if (colon && !tk_live_read_ports("port", colon + 1, &port, 1, &found, message))
        return tk_err_set(err, TK_EUSAGE, "'%.100s' is not HOST[:PORT]", text);
    const struct tk_os_result result = tk_os_address_find(out, 1, &found, host, port);
    if (result.error)
        return tk_err_set(err, TK_EIO, "there is no host '%.100s': %s", host, tk_os_text(result));
    return TK_OK;
}

int tk_control_open_store(struct tk_control *c, struct tk_err *err)
{
    bool has_port;
    struct tk_err ignored = {0};
    c->store_named = c->args->store != NULL;
    int rc =
        find_address(c->store_named ? c->args->store : "127.0.0.1", STORE_PORT, &c->store_at, &has_port, err);
    if (rc == TK_OK)
        rc = tk_store_client_open(&c->store, &c->store_at, c->store_named ? err : &ignored);
    return rc == TK_OK || (rc == TK_EIO && !c->store_named) ? TK_OK : rc;
}

/* How well a session fits what is known of the program: 2 by its port, 1 by its machine alone, as of those
 * of 4.2x, which do not tell their port. */
static int fit_of(const struct tk_control *c, const struct tk_client_session *s, bool has_port)
{
    if (s->control_port == NO_CONTROL || s->ip != tk_os_address_v4(&c->program))
        return 0;
    if (s->control_port == 0)
        return 1;
    return !has_port || s->control_port == c->program.port ? 2 : 0;
}

/* The session of the program: by its port, or the only one of its machine. */
static int find_session(struct tk_control *c, bool has_port, struct tk_err *err)
{
    struct tk_client_session s;
    unsigned matching = 0;
    int rc = TK_OK, best = 0;
    for (uint64_t i = 0; c->store && i < MOST_SESSIONS; i++) {
        rc = tk_store_client_session(c->store, i, &s, err);
        if (rc != TK_ITEM)
            break;
        const int fit = fit_of(c, &s, has_port);
        if (fit == 0 || fit < best)
            continue;
        matching = fit > best ? 1 : matching + 1;
        best = fit;
        c->session = s; /* the last one, where a program is recorded twice */
    }
    if (rc < 0)
        return rc;
    if (matching > 1 && !(has_port && best == 2))
        return tk_err_set(
            err, TK_EUSAGE,
            "%u programs of that machine are being recorded; say which, as HOST:PORT (trace-control list)",
            matching);
    c->recorded = matching > 0;
    if (best == 2)
        c->program.port = c->session.control_port;
    c->guessed = !has_port && best < 2;
    return TK_OK;
}

/* The control port that a capture says. */
static int port_of(const char *path, uint16_t *port, struct tk_err *err)
{
    struct tk_os_file *f;
    struct tk_hello hello = {0};
    uint8_t *head = malloc(TK_HELLO_MOST);
    size_t n = 0;
    if (!head)
        return tk_err_nomem(err, "a header");
    struct tk_os_result result = tk_os_file_open_read(&f, path);
    if (result.error == TK_OS_OK) {
        result = tk_os_file_read_at(f, 0, head, TK_HELLO_MOST, &n);
        tk_os_file_close(f);
    }
    const bool known = tk_hello_judge(head, n, &hello) == TK_HELLO_WHOLE && hello.has_port;
    free(head);
    if (result.error)
        return tk_err_set(err, TK_EIO, "cannot read '%s': %s", path, tk_os_text(result));
    if (!known || hello.control_port == NO_CONTROL)
        return tk_err_set(err, TK_EUSAGE, "'%s' says no control port", path);
    *port = hello.control_port;
    return TK_OK;
}

int tk_control_find(struct tk_control *c, const char *operand, struct tk_err *err)
{
    bool has_port;
    int rc = find_address(operand, CONTROL_PORT, &c->program, &has_port, err);
    if (rc == TK_OK && c->args->of && !has_port) {
        rc = port_of(c->args->of, &c->program.port, err);
        has_port = true;
    }
    if (rc == TK_OK)
        rc = tk_control_open_store(c, err);
    return rc == TK_OK ? find_session(c, has_port, err) : rc;
}

/* ---- the list ---- */

static const char *name_of(const struct tk_client_capture *captures, uint64_t n, uint32_t id)
{
    for (uint64_t i = 0; i < n; i++)
        if (captures[i].id == id)
            return captures[i].name;
    return "";
}

static void show_session(const struct tk_control *c, const struct tk_client_session *s, const char *capture)
{
    char at[32] = "-";
    struct tk_live_object o;
    const bool controlled = s->control_port && s->control_port != NO_CONTROL;
    if (controlled)
        snprintf(at, sizeof at, "%u.%u.%u.%u:%u", s->ip >> 24, s->ip >> 16 & 255, s->ip >> 8 & 255,
                 s->ip & 255, s->control_port);
    if (!c->json) {
        printf("%-22s %s.utrace\n", at, capture);
        return;
    }
    tk_live_object_begin(&o, "program");
    if (controlled)
        tk_live_object_text(&o, "control", at);
    else
        tk_live_object_null(&o, "control");
    tk_live_object_number(&o, "capture_id", s->trace_id);
    tk_live_object_text(&o, "capture", capture);
    tk_live_object_end(&o);
}

static void show_capture(const struct tk_control *c, const struct tk_client_capture *capture)
{
    char size[TK_FIGURE];
    struct tk_live_object o;
    if (!c->json) {
        printf("%10lu  %-9s  %s\n", (unsigned long)capture->id, tk_live_size(capture->size, size),
               capture->name);
        return;
    }
    tk_live_object_begin(&o, "capture");
    tk_live_object_number(&o, "capture_id", capture->id);
    tk_live_object_text(&o, "capture", capture->name);
    tk_live_object_number(&o, "bytes", capture->size);
    tk_live_object_number(&o, "modified", capture->modified > 0 ? (uint64_t)capture->modified : 0);
    tk_live_object_end(&o);
}

/* A program that listens on the usual port of this machine, which no session of the store is of. */
static void show_unrecorded(const struct tk_control *c, const char *at)
{
    struct tk_live_object o;
    if (!c->json) {
        printf("%-22s -  (a program seems to listen there; no store records it)\n", at);
        return;
    }
    tk_live_object_begin(&o, "program");
    tk_live_object_text(&o, "control", at);
    tk_live_object_null(&o, "capture_id");
    tk_live_object_null(&o, "capture");
    tk_live_object_end(&o);
}

/* Is there one? Requested only where the store, if any, is on this machine: another one may know it
 * otherwise. */
static bool list_unrecorded(const struct tk_control *c, bool is_recorded)
{
    const struct tk_os_address here = tk_os_address_loopback(CONTROL_PORT);
    char host[TK_OS_ADDRESS_TEXT], at[TK_OS_ADDRESS_TEXT + 8];
    if (is_recorded || !tk_os_address_is_loopback(&c->store_at) || !tk_control_listens(&here))
        return false;
    snprintf(at, sizeof at, "%s:%u", tk_os_address_text(&here, host), here.port);
    show_unrecorded(c, at);
    return true;
}

static int list_sessions(struct tk_control *c, const struct tk_client_capture *captures, uint64_t n,
                         struct tk_err *err)
{
    const struct tk_os_address here = tk_os_address_loopback(CONTROL_PORT);
    struct tk_client_session s;
    bool is_recorded = false;
    int rc = TK_OK;
    uint64_t i = 0;
    for (; i < MOST_SESSIONS && (rc = tk_store_client_session(c->store, i, &s, err)) == TK_ITEM; i++) {
        if (i == 0 && !c->json)
            printf("%-22s %s\n", "PROGRAM", "RECORDED INTO");
        show_session(c, &s, name_of(captures, n, s.trace_id));
        is_recorded |=
            s.ip == tk_os_address_v4(&here) && (s.control_port == CONTROL_PORT || s.control_port == 0);
    }
    if (rc >= 0 && i == 0 && !c->json)
        printf("no program is being recorded\n");
    if (rc >= 0)
        list_unrecorded(c, is_recorded);
    return rc < 0 ? rc : TK_OK;
}

static int list_captures(struct tk_control *c, struct tk_client_capture **out, uint64_t *n,
                         struct tk_err *err)
{
    uint64_t count;
    int rc = tk_store_client_count(c->store, false, &count, err);
    *n = 0;
    if (rc != TK_OK)
        return rc;
    *out = calloc((size_t)count + 1, sizeof **out);
    if (!*out)
        return tk_err_nomem(err, "a list");
    while (rc >= 0 && *n < count && (rc = tk_store_client_capture(c->store, *n, &(*out)[*n], err)) == TK_ITEM)
        ++*n;
    return rc < 0 ? rc : TK_OK;
}

int tk_control_list(struct tk_control *c)
{
    struct tk_err err = {0};
    struct tk_client_capture *captures = NULL;
    uint64_t n = 0;
    int rc = tk_control_open_store(c, &err);
    if (rc == TK_OK && !c->store && list_unrecorded(c, false))
        return TK_EXIT_DONE;
    if (rc == TK_OK && !c->store)
        rc = tk_store_client_open(&c->store, &c->store_at, &err);
    if (rc == TK_OK)
        rc = list_captures(c, &captures, &n, &err);
    if (rc == TK_OK)
        rc = list_sessions(c, captures, n, &err);
    if (rc == TK_OK && n && !c->json)
        printf("\n%10s  %-9s  %s\n", "ID", "SIZE", "CAPTURE");
    for (uint64_t i = 0; i < n && rc == TK_OK; i++)
        show_capture(c, &captures[i]);
    free(captures);
    if (rc < 0)
        tk_message_error(c->call->program, NULL, rc, &err);
    return (int)tk_exit_of(rc);
}

void tk_control_close(struct tk_control *c)
{
    tk_store_client_close(c->store);
    c->store = NULL;
}
