/*
 * Answers of a store.
 */
#include "live/server.h"

#include <stdio.h>
#include <string.h>

enum { TICKS = 10000000 }; /* a second */

static const int64_t unix_begin = INT64_C(621355968000000000); /* 1970 in ticks of 100 ns since the year 1 */

struct request {
    const struct tk_store_facts *facts;
    const uint8_t *p;
    size_t n;
    struct tk_cbor_writer *out;
};

static void begin(const struct request *r)
{
    tk_cbor_begin(r->out);
    tk_cbor_put_number(r->out, "$status", TK_STORE_GOOD);
}

void tk_store_answer_status(struct tk_cbor_writer *out, unsigned status)
{
    tk_cbor_begin(out);
    tk_cbor_put_number(out, "$status", status);
    tk_cbor_end(out);
}

static bool is_new(const struct request *r)
{
    return r->facts->form == TK_STORE_FORM_5_4;
}

/* ---- about the store ---- */

static unsigned answer_status(const struct request *r)
{
    const struct tk_store_facts *f = r->facts;
    begin(r);
    tk_cbor_put_number(r->out, "recorder_port", f->recorder_port);
    if (is_new(r)) {
        tk_cbor_put_number(r->out, "store_port", f->store_port);
        tk_cbor_put_number(r->out, "sponsored", 0);
    }
    tk_cbor_put_number(r->out, "change_serial", f->listing->change_serial);
    if (is_new(r))
        tk_cbor_put_number(r->out, "settings_serial", 1);
    tk_cbor_put_text(r->out, "store_dir", f->folder, strlen(f->folder));
    if (is_new(r))
        tk_cbor_put_empty_array(r->out, "watch_dirs");
    tk_cbor_end(r->out);
    return TK_STORE_GOOD;
}

static unsigned answer_version(const struct request *r)
{
    static const char release[] = "Release";
    if (!is_new(r))
        return TK_STORE_UNKNOWN;
    begin(r);
    tk_cbor_put_number(r->out, "major", 1);
    tk_cbor_put_number(r->out, "minor", 0);
    tk_cbor_put_text(r->out, "configuration", release, sizeof release - 1);
    tk_cbor_end(r->out);
    return TK_STORE_GOOD;
}

static unsigned answer_settings(const struct request *r)
{
    return is_new(r) ? TK_STORE_FORBIDDEN : TK_STORE_UNKNOWN;
}

static unsigned answer_count(const struct request *r, uint64_t count)
{
    begin(r);
    tk_cbor_put_number(r->out, "count", count);
    tk_cbor_end(r->out);
    return TK_STORE_GOOD;
}

/* ---- captures ---- */

static unsigned answer_captures(const struct request *r)
{
    return answer_count(r, r->facts->listing->captures.n);
}

/* The entry that an index names. */
static bool find_index(const struct request *r, size_t count, size_t *out)
{
    struct tk_cbor_item item;
    if (!tk_cbor_find(r->p, r->n, "index", &item) || item.kind != TK_CBOR_NUMBER || item.value >= count)
        return false;
    *out = (size_t)item.value;
    return true;
}

static unsigned put_capture(const struct request *r, const struct tk_store_capture *c)
{
    const size_t name = strlen(c->name);
    begin(r);
    tk_cbor_put_number(r->out, "id", c->id);
    const struct tk_session *live = tk_store_session_of(r->facts->recorder, c->name);
    tk_cbor_put_number(r->out, "size", live ? live->file.bytes : c->size);
    tk_cbor_put_number(r->out, "timestamp", (uint64_t)(c->modified * TICKS + unix_begin));
    tk_cbor_put_text(r->out, "name", c->name, name);
    if (is_new(r)) {
        char uri[4096];
        const int n = snprintf(uri, sizeof uri, "%s/%s.utrace", r->facts->folder, c->name);
        tk_cbor_put_text(r->out, "uri", uri, n < (int)sizeof uri ? (size_t)n : 0);
    }
    tk_cbor_end(r->out);
    return TK_STORE_GOOD;
}

static unsigned answer_capture(const struct request *r)
{
    const struct tk_store_listing *l = r->facts->listing;
    const struct tk_store_capture *c = NULL;
    uint32_t id;
    size_t index;
    if (tk_cbor_find_low(r->p, r->n, "id", &id))
        c = tk_store_listing_find(l, id);
    else if (find_index(r, l->captures.n, &index))
        c = &l->captures.v[index];
    return c ? put_capture(r, c) : TK_STORE_BAD;
}

static unsigned answer_read(const struct request *r)
{
    uint32_t id;
    const struct tk_store_capture *c =
        tk_cbor_find_low(r->p, r->n, "id", &id) ? tk_store_listing_find(r->facts->listing, id) : NULL;
    if (!c)
        return TK_STORE_BAD;
    const uint16_t port = r->facts->relay(r->facts->ctx, c);
    if (port == 0)
        return TK_STORE_FAILED;
    begin(r);
    tk_cbor_put_number(r->out, "port", port);
    tk_cbor_end(r->out);
    return TK_STORE_GOOD;
}

/* ---- sessions ---- */

static const struct tk_store_capture *capture_of(const struct tk_store_facts *f, const struct tk_session *s)
{
    const size_t n = strlen(s->file.name), ending = sizeof ".utrace" - 1;
    return n > ending ? tk_store_listing_named(f->listing, s->file.name, n - ending) : NULL;
}

const struct tk_session *tk_store_session_of(const struct tk_recorder *recorder, const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < tk_recorder_count(recorder); i++) {
        const struct tk_session *s = tk_recorder_session(recorder, i);
        if (s->recording && strncmp(s->file.name, name, n) == 0 && strcmp(s->file.name + n, ".utrace") == 0)
            return s;
    }
    return NULL;
}

/* Sessions that are listed: those whose file is. */
static size_t count_sessions(const struct tk_store_facts *f)
{
    size_t n = 0;
    for (size_t i = 0; i < tk_recorder_count(f->recorder); i++) {
        const struct tk_session *s = tk_recorder_session(f->recorder, i);
        n += s->recording && capture_of(f, s);
    }
    return n;
}

static unsigned answer_sessions(const struct request *r)
{
    return answer_count(r, count_sessions(r->facts));
}

/* The engine's hash of an address, distinguished by the number of the session (live 3.5). */
static uint32_t session_id(const struct tk_session *s)
{
    const uint32_t id = UINT32_C(5381) * 33 + tk_os_address_v4(&s->from) + ((uint32_t)s->id - 1);
    return id ? id : 1;
}

enum { BY_ID, BY_CAPTURE, BY_GUID, BY_INDEX };

struct wanted {
    int by;
    uint32_t number;
    char guid[33];
};

static bool read_wanted(const struct request *r, struct wanted *w)
{
    struct tk_cbor_item item;
    size_t index;
    if (tk_cbor_find_low(r->p, r->n, "id", &w->number)) {
        w->by = BY_ID;
    } else if (tk_cbor_find_low(r->p, r->n, "trace_id", &w->number)) {
        w->by = BY_CAPTURE;
    } else if (is_new(r) && tk_cbor_find(r->p, r->n, "trace_guid", &item) && item.kind == TK_CBOR_STRING &&
               item.n == sizeof w->guid - 1) {
        w->by = BY_GUID;
        memcpy(w->guid, item.text, item.n);
        w->guid[item.n] = '\0';
    } else if (find_index(r, SIZE_MAX, &index) && index < UINT32_MAX) {
        w->by = BY_INDEX;
        w->number = (uint32_t)index;
    } else {
        return false;
    }
    return true;
}

static bool is_wanted(const struct wanted *w, const struct tk_session *s, const struct tk_store_capture *c,
                      size_t index)
{
    char guid[33];
    switch (w->by) {
    case BY_ID:
        return session_id(s) == w->number;
    case BY_CAPTURE:
        return c->id == w->number;
    case BY_GUID:
        tk_hello_guid_text(guid, s->hello.trace_guid);
        return s->hello.has_trace && strcmp(guid, w->guid) == 0;
    default:
        return index == w->number;
    }
}

static unsigned put_session(const struct request *r, const struct tk_session *s,
                            const struct tk_store_capture *c)
{
    begin(r);
    tk_cbor_put_number(r->out, "id", session_id(s));
    tk_cbor_put_number(r->out, "trace_id", c->id);
    tk_cbor_put_number(r->out, "ip_address", tk_os_address_v4(&s->from));
    tk_cbor_put_number(r->out, "control_port", s->hello.has_port ? s->hello.control_port : 0);
    tk_cbor_end(r->out);
    return TK_STORE_GOOD;
}

static unsigned answer_session(const struct request *r)
{
    const struct tk_store_facts *f = r->facts;
    struct wanted wanted;
    size_t index = 0;
    if (!read_wanted(r, &wanted))
        return TK_STORE_BAD;
    for (size_t i = 0; i < tk_recorder_count(f->recorder); i++) {
        const struct tk_session *s = tk_recorder_session(f->recorder, i);
        const struct tk_store_capture *c = s->recording ? capture_of(f, s) : NULL;
        if (c && is_wanted(&wanted, s, c, index++))
            return put_session(r, s, c);
    }
    return TK_STORE_BAD;
}

/* ---- requests ---- */

static const struct {
    const char *path;
    unsigned (*answer)(const struct request *r); /* TK_STORE_GOOD, or the status that is the whole answer */
} paths[] = {{"v1/status", answer_status},           {"v1/version", answer_version},
             {"v1/settings/write", answer_settings}, {"v1/trace/count", answer_captures},
             {"v1/trace/info", answer_capture},      {"v1/trace/read", answer_read},
             {"v1/session/count", answer_sessions},  {"v1/session/info", answer_session}};

void tk_store_answer(const struct tk_store_facts *facts, const uint8_t *p, size_t n,
                     struct tk_cbor_writer *out)
{
    const struct request r = {facts, p, n, out};
    struct tk_cbor_item method, path;
    unsigned status = TK_STORE_BAD;
    if (tk_cbor_find(p, n, "$request", &method) && method.kind == TK_CBOR_STRING && method.n &&
        tk_cbor_find(p, n, "$path", &path) && path.kind == TK_CBOR_STRING) {
        status = TK_STORE_UNKNOWN;
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
            if (strlen(paths[i].path) == path.n && memcmp(paths[i].path, path.text, path.n) == 0)
                status = paths[i].answer(&r);
    }
    if (status != TK_STORE_GOOD)
        tk_store_answer_status(out, status);
}
