/*
 * What is followed: see follow_source.h.
 */
#include "live/follow_source.h"

#include "live/follow.h"
#include "live/client.h"
#include "os/clock.h"
#include "os/lock.h"
#include "os/path.h"
#include "terminal/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char scheme[] = "tcp://";

#define SILENT 10.0 /* seconds without bytes */

enum { SCHEME = sizeof scheme - 1, STORE_PORT = 1989, BUFFER = 256 << 10, ROUNDS = 64 };

bool tk_follow_is_store(const char *operand)
{
    return strncmp(operand, scheme, SCHEME) == 0;
}

/* HOST[:PORT][/ID] */
static int read_place(const char *text, struct tk_os_address *at, uint32_t *id, struct tk_err *err)
{
    char host[256] = "", *end;
    const size_t n = strcspn(text, "/");
    size_t found;
    uint16_t port = STORE_PORT;
    *id = 0;
    if (n == 0 || n >= sizeof host)
        return tk_err_set(err, TK_EUSAGE, "tcp://HOST[:PORT][/ID] names a store, not '%.100s'", text);
    memcpy(host, text, n);
    char *colon = strrchr(host, ':');
    if (colon) {
        *colon = '\0';
        const unsigned long number = strtoul(colon + 1, &end, 10);
        if (*end || number == 0 || number > UINT16_MAX)
            return tk_err_set(err, TK_EUSAGE, "'%.100s' is not a port", colon + 1);
        port = (uint16_t)number;
    }
    if (text[n]) {
        const unsigned long long number = strtoull(text + n + 1, &end, 0);
        if (*end || number == 0 || number > UINT32_MAX)
            return tk_err_set(err, TK_EUSAGE, "'%.100s' is not the id of a capture (trace-control list)",
                              text + n + 1);
        *id = (uint32_t)number;
    }
    const struct tk_os_result result = tk_os_address_find(at, 1, &found, host, port);
    return result.error ? tk_err_set(err, TK_EIO, "there is no host '%.100s': %s", host, tk_os_text(result))
                        : TK_OK;
}

/* The capture that is being recorded, where there is one only. */
static int find_session(struct tk_store_client *c, uint32_t *id, struct tk_err *err)
{
    struct tk_client_session s;
    uint64_t n;
    int rc = tk_store_client_count(c, true, &n, err);
    if (rc != TK_OK)
        return rc;
    if (n != 1)
        return tk_err_set(err, TK_EUSAGE, "%s; say which, as tcp://HOST:PORT/ID (trace-control list)",
                          n ? "several programs are being recorded" : "no program is being recorded");
    rc = tk_store_client_session(c, 0, &s, err);
    if (rc == TK_OK)
        return tk_err_set(err, TK_EIO, "the recording has just ended");
    *id = s.trace_id;
    return rc == TK_ITEM ? TK_OK : rc;
}

static int open_spool(struct tk_follow_source *s, struct tk_err *err)
{
    const int rc = tk_live_file_create_temporary(&s->spool, "follow.utrace", err);
    s->path = s->spool.path;
    return rc;
}

static int open_store(struct tk_follow_source *s, const char *text, struct tk_err *err)
{
    struct tk_os_address at;
    struct tk_store_client *client = NULL;
    uint32_t id;
    int rc = read_place(text, &at, &id, err);
    if (rc == TK_OK)
        rc = tk_store_client_open(&client, &at, err);
    if (rc == TK_OK && id == 0)
        rc = find_session(client, &id, err);
    if (rc == TK_OK) {
        rc = tk_store_client_read(client, id, &s->socket, err);
        if (rc == TK_OK)
            rc = tk_err_set(err, TK_EUSAGE, "the store has no capture %lu", (unsigned long)id);
    }
    if (rc == TK_ITEM)
        rc = open_spool(s, err);
    tk_store_client_close(client);
    return rc;
}

int tk_follow_source_open(struct tk_follow_source *s, const char *operand, struct tk_err *err)
{
    if (tk_follow_is_store(operand))
        return open_store(s, operand + SCHEME, err);
    if (strncmp(operand, "tracy://", 8) == 0)
        return tk_err_set(err, TK_EUSAGE,
                          "Tracy programs are followed by trace-stats alone, and recorded by trace-record");
    const struct tk_os_result there = tk_os_path_info(operand, &s->first);
    if (there.error)
        return tk_err_set(err, TK_EIO, "cannot follow '%s': %s", operand, tk_os_text(there));
    if (s->first.kind != TK_OS_FILE)
        return tk_err_set(err, TK_EUSAGE, "'%s' is not a file: only files grow", operand);
    s->path = operand;
    return TK_OK;
}

/* ---- what came ---- */

/* A recorder of ours holds a lock as long as it writes. */
static int look_at_lock(struct tk_follow_source *s)
{
    struct tk_os_file *lock;
    const struct tk_os_result locked = tk_os_path_lock(&lock, s->path, TK_OS_SHARED, 0);
    tk_os_file_close(lock);
    const bool busy = locked.error == TK_OS_BUSY;
    const bool ended = s->written && !busy;
    s->written |= busy;
    s->silent_end = !s->written;
    return ended ? TK_OK : TK_ITEM;
}

static int look_at_file(struct tk_follow_source *s, struct tk_err *err)
{
    struct tk_os_info now;
    const int rc = look_at_lock(s); /* before the size: who has ended writes no more */
    const struct tk_os_result there = tk_os_path_info(s->path, &now);
    if (there.error)
        return tk_err_set(err, TK_EIO, "'%s' is gone: %s", s->path, tk_os_text(there));
    if (now.size < s->bytes || !tk_os_is_same(&now, &s->first))
        return tk_err_set(err, TK_EIO, "'%s' was replaced by another recording", s->path);
    s->bytes = now.size;
    return rc;
}

static int take(struct tk_follow_source *s, uint8_t *buffer, struct tk_err *err)
{
    for (int i = 0; i < ROUNDS; i++) {
        size_t n;
        const struct tk_os_result read = tk_os_socket_read(s->socket, buffer, BUFFER, &n);
        if (read.error == TK_OS_AGAIN)
            return TK_ITEM;
        if (n == 0)
            return TK_OK;
        const struct tk_os_result written = tk_live_file_append(&s->spool, buffer, n);
        if (written.error)
            return tk_err_set(err, TK_EIO, "cannot store what '%s' sends: %s", s->path, tk_os_text(written));
        s->bytes = s->spool.bytes;
    }
    return TK_ITEM;
}

int tk_follow_source_look(struct tk_follow_source *s, double seconds, struct tk_err *err)
{
    struct tk_os_wait wait = {.socket = s->socket, .read = true};
    tk_os_socket_wait(&wait, s->socket ? 1 : 0, NULL, seconds);
    if (!s->socket)
        return look_at_file(s, err);
    uint8_t *buffer = malloc(BUFFER);
    const int rc = buffer ? take(s, buffer, err) : tk_err_nomem(err, "a capture");
    free(buffer);
    return rc;
}

int tk_follow_source_wait(struct tk_follow_source *s, struct tk_err *err)
{
    int rc = TK_ITEM;
    while (rc == TK_ITEM && !tk_host_stopped() && (rc = tk_follow_source_look(s, 0.1, err)) == TK_ITEM)
        if (s->bytes >= TK_FOLLOW_LEAST)
            break;
    s->grew = tk_os_seconds();
    return rc < 0 ? rc : TK_OK;
}

int tk_follow_source_grown(struct tk_follow_source *s, uint64_t *bytes)
{
    const uint64_t before = s->bytes;
    const double now = tk_os_seconds();
    const int rc = tk_follow_source_look(s, 0, NULL);
    *bytes = s->bytes;
    if (s->bytes != before)
        s->grew = now;
    return rc == TK_ITEM && s->silent_end && now - s->grew >= SILENT ? TK_OK : rc;
}

void tk_follow_source_close(struct tk_follow_source *s)
{
    tk_os_socket_close(s->socket);
    if (s->spool.path)
        tk_os_path_remove(s->spool.path);
    tk_live_file_release(&s->spool);
}
