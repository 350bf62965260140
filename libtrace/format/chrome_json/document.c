/*
 * The text around events.
 */
#include "base/text/copy.h"
#include "base/text/text.h"
#include "format/chrome_json/chrome_json_in.h"
#include "tracekit/captures.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state {
    TOP,    /* between arrays and objects */
    OUTER,  /* in the object around the events */
    EVENTS, /* in an array of events */
    SKIP,   /* in a value of the outer object that is not looked at */
    RESYNC, /* behind damage */
    DONE
};

enum {
    STEP = 4096,              /* events of a part */
    MENDED = 1 << 20,         /* bytes of an event that is mended */
    SHORT = 1 << 9,           /* the same where much was tried in vain */
    OUTER_BYTES = 256 * 1024, /* of a member of the outer object that is looked at */
};

#define PATIENCE (UINT64_C(256) << 20) /* bytes to mend in vain */

struct document {
    struct tk_ev_capture *c; /* borrowed */
    struct tk_ev_window w;
    struct tk_cj_meaning meaning;
    struct tk_cj_resync resync;
    struct tk_cj_mended mended;
    uint64_t in_vain; /* bytes */
    enum state state;
    bool inside;     /* the array is in an object */
    bool in_array;   /* an event of this array was taken */
    unsigned commas; /* behind it */
    uint64_t documents, arrays, objects, events;
    bool not_array;
    unsigned others;                 /* bits of keys that files of other profilers have */
    uint64_t skip_begin, skip_depth; /* SKIP */
    char skip_name[TK_EV_UNREAD_NAME];
    bool skip_text, skip_escaped;
    uint64_t first_concatenated;
};

/* ---- what is said ---- */

static bool says(const struct document *d)
{
    return d->c->pass == TK_EV_GATHER;
}

static uint64_t here(const struct document *d)
{
    return tk_ev_window_offset(&d->w, d->w.at);
}

static void say_truncated(struct document *d, const char *inside, uint64_t offset)
{
    d->state = DONE;
    if (!says(d))
        return;
    d->c->truncated = true;
    tk_health_move(&d->c->ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_TRUNCATED,
                   tk_file_size(d->c->ctx->file) - offset);
    tk_health_note(&d->c->ctx->health, TK_HEALTH_FILE_TRUNCATED, offset, 1,
                   "the file ends inside %s at offset %llu", inside, (unsigned long long)offset);
}

static void say_unclosed(struct document *d)
{
    d->state = DONE;
    if (says(d))
        tk_health_note(&d->c->ctx->health, TK_HEALTH_FILE_TRUNCATED, here(d), 1,
                       "the array of events is not closed at the end of the file");
}

static void say_syntax(struct document *d, uint64_t offset, const char *reason)
{
    d->state = DONE;
    if (says(d))
        tk_health_move(&d->c->ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_UNREADABLE,
                       tk_file_size(d->c->ctx->file) - offset);
    if (says(d))
        tk_health_note(&d->c->ctx->health, TK_HEALTH_EVENT_DAMAGED, offset, 1,
                       "the text at offset %llu is not JSON (%s); nothing after it could be read",
                       (unsigned long long)offset, reason ? reason : "too large");
}

/* ---- moving on ---- */

/* Over a comment at w.at. TK_ITEM; TK_OK: there is none that ends; negative. */
static int comment(struct document *d, struct tk_err *err)
{
    const uint8_t *behind;
    while (d->w.buf[d->w.at] == '/' && !(behind = tk_cj_comment_end(d->w.buf + d->w.at, d->w.buf + d->w.n))) {
        const int rc = d->w.n - d->w.at < MENDED ? tk_ev_window_more(&d->w, err) : TK_OK;
        if (rc != TK_ITEM)
            return rc == TK_ELIMIT ? TK_OK : rc;
    }
    if (d->w.buf[d->w.at] != '/')
        return TK_OK;
    tk_ev_note(d->c, TK_EV_COMMENT, here(d));
    d->w.at = (size_t)(behind - d->w.buf);
    return TK_ITEM;
}

/* To the next byte that is no white space and in no comment. TK_ITEM; TK_OK: the file ends; negative. */
static int space(struct document *d, struct tk_err *err)
{
    for (;;) {
        struct tk_jscan_scan s = {.p = d->w.buf + d->w.at, .end = d->w.buf + d->w.n};
        tk_jscan_space(&s);
        d->w.at = (size_t)(s.p - d->w.buf);
        int rc = d->w.at < d->w.n ? comment(d, err) : tk_ev_window_more(&d->w, err);
        if (rc == TK_OK && d->w.at < d->w.n)
            return TK_ITEM;
        if (rc != TK_ITEM)
            return rc;
    }
}

/* Reads on while a value is cut. TK_ITEM: try again; TK_OK: it stays cut; negative. */
static int more(struct document *d, size_t most, struct tk_err *err)
{
    if (d->w.n - d->w.at >= most)
        return TK_OK;
    int rc = tk_ev_window_more(&d->w, err);
    return rc == TK_ELIMIT ? TK_OK : rc;
}

/* ---- events ---- */

static int damage(struct document *d, const char *reason)
{
    tk_cj_resync_begin(&d->resync, &d->w, reason, &d->mended);
    d->state = RESYNC;
    return TK_ITEM;
}

/* Why an event has no end that was seen: that of the file (NULL), or there is too much of it. */
static const char *beyond(const struct document *d)
{
    return d->w.end ? NULL : "it is longer than the limit 'event_bytes'";
}

/* What is mended in an event. */
static void note_mended(struct document *d, const struct tk_cj_event *e, uint64_t bytes)
{
    const struct {
        bool is;
        enum tk_ev_trouble what;
    } mended[] = {
        {e->trailing_comma, TK_EV_TRAILING_COMMA},
        {e->no_number, TK_EV_NO_JSON_NUMBER},
        {e->key_twice, TK_EV_KEY_TWICE},
        {d->commas != 1 && d->in_array, TK_EV_COMMAS},
        {says(d) && !tk_utf8_valid(d->w.buf + d->w.at, (size_t)bytes), TK_EV_NOT_UTF8},
    };
    for (size_t i = 0; i < sizeof mended / sizeof *mended; i++)
        if (mended[i].is)
            tk_ev_note(d->c, mended[i].what, here(d));
}

static int take(struct document *d, const struct tk_cj_event *e, uint64_t bytes, struct tk_err *err)
{
    d->events += e->field[TK_CJ_PH].kind != TK_JSON_NONE;
    note_mended(d, e, bytes);
    d->commas = 0;
    d->in_array = d->state == EVENTS;
    return tk_cj_meaning_take(&d->meaning, e, here(d), bytes) ? tk_ev_failed(err) : TK_ITEM;
}

static int take_other(struct document *d, struct tk_err *err)
{
    for (;;) {
        struct tk_jscan_value v;
        struct tk_jscan_scan s = {.p = d->w.buf + d->w.at, .end = d->w.buf + d->w.n};
        enum tk_jscan_result r = tk_jscan_value(&s, &v);
        if (r == TK_JSON_OK) {
            tk_ev_note(d->c, TK_EV_NO_OBJECT, here(d));
            d->commas = 0;
            d->w.at = (size_t)(s.p - d->w.buf);
            return TK_ITEM;
        }
        int rc = r == TK_JSON_CUT ? more(d, SIZE_MAX, err) : TK_OK;
        if (rc == TK_OK)
            return damage(d, r == TK_JSON_BAD ? s.reason : beyond(d));
        if (rc < 0)
            return rc;
    }
}

static void note_rewritten(struct document *d)
{
    const struct tk_cj_mended *m = &d->mended;
    const struct {
        uint64_t n;
        enum tk_ev_trouble what;
    } mended[] = {{m->escapes > 0, TK_EV_WRONG_ESCAPE},
                  {m->single_quotes > 0, TK_EV_SINGLE_QUOTES},
                  {m->bare_keys > 0, TK_EV_BARE_KEY},
                  {m->literals > 0, TK_EV_OTHER_LITERAL},
                  {m->comments, TK_EV_COMMENT}};
    for (size_t i = 0; i < sizeof mended / sizeof *mended; i++)
        for (uint64_t k = 0; k < mended[i].n; k++)
            tk_ev_note(d->c, mended[i].what, here(d));
}

/* An event that is no JSON: as what it plainly means, or damage. */
static int take_mended(struct document *d, const char *reason, struct tk_err *err)
{
    const size_t most = d->in_vain < PATIENCE ? MENDED : SHORT;
    struct tk_cj_event e;
    size_t taken;
    int rc = TK_ITEM;
    while (rc == TK_ITEM && d->w.n - d->w.at < most)
        rc = tk_ev_window_more(&d->w, err);
    if (rc < 0 && rc != TK_ELIMIT)
        return rc;
    const size_t n = d->w.n - d->w.at < most ? d->w.n - d->w.at : most;
    const int found = tk_cj_event_mend(&d->mended, d->w.buf + d->w.at, n, &e, &taken);
    if (found < 0)
        return tk_ev_failed(err);
    if (!found) {
        d->in_vain += taken;
        return damage(d, reason);
    }
    note_rewritten(d);
    rc = take(d, &e, taken, err);
    d->w.at += taken;
    return rc;
}

static int take_event(struct document *d, struct tk_err *err)
{
    for (;;) {
        struct tk_cj_event e;
        struct tk_jscan_scan s = {.p = d->w.buf + d->w.at, .end = d->w.buf + d->w.n};
        enum tk_jscan_result r = tk_cj_event_read(&s, &e);
        if (r == TK_JSON_OK && !e.is_outer) {
            int rc = take(d, &e, (uint64_t)(s.p - (d->w.buf + d->w.at)), err);
            d->w.at = (size_t)(s.p - d->w.buf);
            return rc;
        }
        if (r == TK_JSON_OK) { /* an object with events where an event should be */
            d->state = OUTER;
            d->w.at++;
            return TK_ITEM;
        }
        int rc = r == TK_JSON_CUT ? more(d, SIZE_MAX, err) : TK_OK;
        if (rc == TK_OK)
            return take_mended(d, r == TK_JSON_BAD ? s.reason : beyond(d), err);
        if (rc < 0)
            return rc;
    }
}

/* Over white space and commas between events, as far as the window goes. */
static void between_events(struct document *d)
{
    const uint8_t *p = d->w.buf + d->w.at, *const end = d->w.buf + d->w.n;
    for (; p < end && (*p == ',' || *p == '\n' || *p == ' ' || *p == '\r' || *p == '\t'); p++)
        d->commas += *p == ',';
    d->w.at = (size_t)(p - d->w.buf);
}

static int in_events(struct document *d, struct tk_err *err)
{
    between_events(d);
    if (d->w.at < d->w.n && d->w.buf[d->w.at] == '{')
        return take_event(d, err);
    int rc = space(d, err);
    if (rc == TK_OK) {
        if (d->inside)
            say_truncated(d, "the object around the events", here(d));
        else
            say_unclosed(d);
        return TK_ITEM;
    }
    if (rc < 0)
        return rc;
    uint8_t c = d->w.buf[d->w.at];
    if (c == ',' || c == ']') {
        d->w.at++;
        d->commas += c == ',';
        if (c == ']' && d->commas)
            tk_ev_note(d->c, TK_EV_COMMAS, here(d));
        if (c == ']')
            d->state = d->inside ? OUTER : TOP;
        return TK_ITEM;
    }
    return c == '{' ? take_event(d, err) : take_other(d, err);
}

static int in_resync(struct document *d, struct tk_err *err)
{
    const struct tk_cj_resync *r = &d->resync;
    int rc = tk_cj_resync_next(&d->resync, &d->w, err);
    if (rc == TK_OK) {
        if (!r->closed || !r->reason)
            say_truncated(d, "an event that begins", r->begin);
        else
            say_syntax(d, r->begin, r->reason);
        return TK_ITEM;
    }
    if (rc < 0)
        return rc;
    d->state = EVENTS;
    d->in_array = false;
    if (says(d))
        tk_health_move(&d->c->ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_UNREADABLE, here(d) - r->begin);
    if (says(d))
        tk_health_note(&d->c->ctx->health, TK_HEALTH_EVENT_DAMAGED, r->begin, r->lost,
                       "the event at offset %llu is not JSON (%s); reading goes on at offset %llu",
                       (unsigned long long)r->begin, r->reason ? r->reason : "it does not end",
                       (unsigned long long)here(d));
    return TK_ITEM;
}

/* ---- the object around the events ---- */

static void begin_document(struct document *d, uint64_t offset)
{
    if (d->documents++ == 1)
        d->first_concatenated = offset;
}

static void begin_array(struct document *d, bool inside)
{
    d->w.at++;
    d->state = EVENTS;
    d->inside = inside;
    d->in_array = false;
    d->commas = 0;
    d->arrays++;
    if (!inside)
        begin_document(d, here(d) - 1);
}

/* A section of the outer object that is left out. */
static int count_section(struct document *d, const char *name, size_t n, uint64_t bytes, struct tk_err *err)
{
    return tk_ev_unread(d->c, "Chrome.", name, n, bytes) ? tk_ev_failed(err) : TK_ITEM;
}

static int begin_skip(struct document *d, const struct tk_jscan_value *key)
{
    snprintf(d->skip_name, sizeof d->skip_name, "%.*s", (int)(key->n < INT_MAX ? key->n : INT_MAX),
             (const char *)key->p);
    d->state = SKIP;
    d->skip_begin = here(d);
    d->skip_depth = 0;
    d->skip_text = d->skip_escaped = false;
    return TK_ITEM;
}

/* Skips by quotes and brackets; what is neither ends at a comma or bracket. */
static int in_skip(struct document *d, struct tk_err *err)
{
    for (;; d->w.at++) {
        if (d->w.at == d->w.n) {
            int rc = tk_ev_window_more(&d->w, err);
            if (rc == TK_OK)
                say_truncated(d, "a value that begins", d->skip_begin);
            if (rc != TK_ITEM)
                return rc < 0 ? rc : TK_ITEM;
        }
        uint8_t c = d->w.buf[d->w.at];
        if (d->skip_text) {
            d->skip_text = d->skip_escaped || c != '"';
            d->skip_escaped = !d->skip_escaped && c == '\\';
            continue;
        }
        if (!d->skip_depth && (c == ',' || c == '}' || c == ']')) {
            d->state = OUTER;
            return count_section(d, d->skip_name, strlen(d->skip_name), here(d) - d->skip_begin, err);
        }
        d->skip_text = c == '"';
        d->skip_depth += c == '{' || c == '[';
        d->skip_depth -= c == '}' || c == ']';
    }
}

/* Profiles that are not read: their key, who writes them, and what to do. */
static const struct {
    const char *key, *what;
} others[] = {
    {"profileJSON", "an old profile of Firefox, which is not read; profiler.firefox.com loads it"},
    {"head", "a heap profile of V8, which is not read; the Memory panel of Chrome's DevTools loads it"},
    {"snapshot", "a heap snapshot of V8, which is not read; the Memory panel of Chrome's DevTools loads it"},
    {"threads", "a profile of Firefox, which is not read; profiler.firefox.com loads it"},
    {"constants", "a NetLog of Chrome, which is not read; netlog-viewer.appspot.com loads it"},
    {"recording", "a recording of Safari, which is not read; the Web Inspector of Safari imports it"}};

static void see_key(struct document *d, const struct tk_jscan_value *key)
{
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        d->others |= (unsigned)tk_jscan_is(key, others[i].key, strlen(others[i].key)) << i;
}

static const char *what_it_is(const struct document *d)
{
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (d->others & 1u << i)
            return others[i].what;
    return "JSON without trace events, not a capture";
}

/* The value of a member, which w.at stands at. */
static int take_member(struct document *d, const struct tk_jscan_value *key, size_t skip, struct tk_err *err)
{
    size_t name = d->w.at; /* moves with the window */
    const size_t quote = (size_t)(key->p - (d->w.buf + name));
    const int section = tk_cj_section_of(key);
    see_key(d, key);
    for (;;) {
        struct tk_jscan_value v;
        struct tk_jscan_scan s = {.p = d->w.buf + name + skip, .end = d->w.buf + d->w.n};
        struct tk_jscan_value k = {
            .p = d->w.buf + name + quote, .n = key->n, .escaped = key->escaped, .kind = TK_JSON_STRING};
        enum tk_jscan_result r = tk_jscan_value(&s, &v);
        if (r == TK_JSON_OK) {
            if (section >= 0 && tk_cj_section_keep(&d->meaning, section, &v))
                return tk_ev_failed(err);
            if (d->c->pass == TK_EV_GATHER && tk_cj_meaning_session(&d->meaning, &k, &v))
                return tk_ev_failed(err);
            const uint64_t bytes = (uint64_t)(s.p - (d->w.buf + name + skip));
            d->w.at = (size_t)(s.p - d->w.buf);
            return section >= 0 || tk_cj_meaning_reads(&k, &v)
                       ? TK_ITEM
                       : count_section(d, (const char *)k.p, k.n, bytes, err);
        }
        const uint8_t first = d->w.buf[name + skip];
        if (r == TK_JSON_BAD && section < 0 && (first == '\'' || tk_cj_in_word(first))) {
            d->w.at += skip;
            return begin_skip(d, &k);
        }
        if (r == TK_JSON_BAD) {
            say_syntax(d, here(d) + skip, s.reason);
            return TK_ITEM;
        }
        int rc = more(d, section < 0 ? OUTER_BYTES : SIZE_MAX, err);
        name = d->w.at;
        if (rc == TK_OK) {
            k.p = d->w.buf + name + quote;
            d->w.at += skip;
            return begin_skip(d, &k);
        }
        if (rc < 0)
            return rc;
    }
}

/* Over white space and comments, as far as the bytes go. */
static void blanks(struct document *d, struct tk_jscan_scan *s)
{
    const uint8_t *behind;
    tk_jscan_space(s);
    while ((behind = tk_cj_comment_end(s->p, s->end))) {
        tk_ev_note(d->c, TK_EV_COMMENT, here(d));
        s->p = behind;
        tk_jscan_space(s);
    }
}

/* A key in single quotes or in none; without backslashes. */
static enum tk_jscan_result other_key(struct document *d, struct tk_jscan_scan *s, struct tk_jscan_value *key)
{
    const bool quoted = *s->p == '\'';
    *key = (struct tk_jscan_value){.p = s->p + quoted, .kind = TK_JSON_STRING};
    for (s->p += quoted; s->p < s->end && (quoted ? *s->p != '\'' && *s->p != '\\' : tk_cj_in_word(*s->p));)
        s->p++;
    key->n = (size_t)(s->p - key->p);
    if (s->p == s->end)
        return TK_JSON_CUT;
    if (quoted ? *s->p != '\'' : !key->n) {
        s->reason = "a key that is not a string";
        return TK_JSON_BAD;
    }
    tk_ev_note(d->c, quoted ? TK_EV_SINGLE_QUOTES : TK_EV_BARE_KEY, here(d));
    s->p += quoted;
    return TK_JSON_OK;
}

/* A key of the outer object, and the colon behind it. */
static enum tk_jscan_result read_key(struct document *d, struct tk_jscan_scan *s, struct tk_jscan_value *key)
{
    enum tk_jscan_result r;
    if (*s->p != '"')
        r = other_key(d, s, key);
    else {
        s->p++;
        r = tk_jscan_string(s, key);
    }
    if (r != TK_JSON_OK)
        return r;
    blanks(d, s);
    if (s->p < s->end && *s->p != ':') {
        s->reason = "no colon after a key";
        return TK_JSON_BAD;
    }
    s->p += s->p < s->end;
    blanks(d, s);
    return s->p == s->end ? TK_JSON_CUT : TK_JSON_OK;
}

static int in_outer(struct document *d, struct tk_err *err)
{
    int rc = space(d, err);
    if (rc == TK_OK)
        say_truncated(d, "the object around the events", here(d));
    if (rc != TK_ITEM)
        return rc < 0 ? rc : TK_ITEM;
    uint8_t c = d->w.buf[d->w.at];
    if (c == ',' || c == '}') {
        d->w.at++;
        d->state = c == '}' ? TOP : OUTER;
        return TK_ITEM;
    }
    for (;;) {
        struct tk_jscan_value key;
        struct tk_jscan_scan s = {.p = d->w.buf + d->w.at, .end = d->w.buf + d->w.n};
        enum tk_jscan_result r = read_key(d, &s, &key);
        if (r == TK_JSON_BAD) {
            say_syntax(d, here(d), s.reason);
            return TK_ITEM;
        }
        if (r == TK_JSON_OK) {
            size_t skip = (size_t)(s.p - (d->w.buf + d->w.at));
            bool events = tk_jscan_is(&key, "traceEvents", 11);
            if (events && *s.p == '[') {
                d->w.at += skip;
                begin_array(d, true);
                return TK_ITEM;
            }
            d->not_array |= events;
            return take_member(d, &key, skip, err);
        }
        rc = more(d, OUTER_BYTES, err);
        if (rc == TK_OK)
            say_truncated(d, "a key of the object around the events", here(d));
        if (rc != TK_ITEM)
            return rc < 0 ? rc : TK_ITEM;
    }
}

/* ---- the whole text ---- */

/* An object: an event of its own, one a line; or that around events. */
static int top_object(struct document *d, struct tk_err *err)
{
    for (;;) {
        struct tk_cj_event e;
        struct tk_jscan_scan s = {.p = d->w.buf + d->w.at, .end = d->w.buf + d->w.n};
        enum tk_jscan_result r = tk_cj_event_read(&s, &e);
        if (r == TK_JSON_OK && !e.is_outer && e.field[TK_CJ_PH].kind != TK_JSON_NONE) {
            d->arrays++;
            begin_document(d, here(d));
            int rc = take(d, &e, (uint64_t)(s.p - (d->w.buf + d->w.at)), err);
            d->w.at = (size_t)(s.p - d->w.buf);
            return rc;
        }
        int rc = r == TK_JSON_CUT ? more(d, (size_t)4 * OUTER_BYTES, err) : TK_OK;
        if (rc == TK_OK) {
            d->objects++;
            begin_document(d, here(d));
            d->state = OUTER;
            d->w.at++;
            return TK_ITEM;
        }
        if (rc < 0)
            return rc;
    }
}

static int at_top(struct document *d, struct tk_err *err)
{
    int rc = space(d, err);
    if (rc != TK_ITEM) {
        d->state = DONE;
        return rc < 0 ? rc : TK_ITEM;
    }
    switch (d->w.buf[d->w.at]) {
    case ',':
        d->w.at++;
        return TK_ITEM;
    case '[':
        begin_array(d, false);
        return TK_ITEM;
    case '{':
        return top_object(d, err);
    default:
        d->state = DONE;
        if (says(d)) {
            uint64_t left = tk_file_size(d->c->ctx->file) - here(d);
            tk_health_move(&d->c->ctx->health, TK_LEDGER_EVENTS, TK_LEDGER_SKIPPED, left);
            tk_health_note(&d->c->ctx->health, TK_HEALTH_PACKET_HEADER_DAMAGED, here(d), left,
                           "%llu bytes after the end of the events were skipped", (unsigned long long)left);
        }
        return TK_ITEM;
    }
}

/* At the end: is it a capture at all? */
static int judge(struct document *d, struct tk_err *err)
{
    struct tk_health *health = &d->c->ctx->health;
    if (!says(d))
        return TK_OK;
    if (d->not_array && !d->events)
        return tk_err_set(err, TK_EFORMAT, "the file is JSON, but its 'traceEvents' is not an array");
    if (!d->arrays && tk_cj_is_speedscope(&d->meaning)) {
        d->c->container = "profiles of speedscope";
        return tk_cj_speedscope(&d->meaning) ? tk_ev_failed(err) : TK_OK;
    }
    if (!d->arrays && tk_cj_is_profile(&d->meaning)) {
        d->c->container = "CPU profile";
        if (tk_cj_whole_profile(&d->meaning))
            return tk_ev_failed(err);
        return d->c->samples.n ? TK_OK
                               : tk_err_set(err, TK_EFORMAT, "the file is a CPU profile without samples");
    }
    if (tk_cj_sections_finish(&d->meaning) || tk_cj_speedscope_unread(&d->meaning))
        return tk_ev_failed(err);
    if (!d->arrays || (!d->events && d->c->troubles.of[TK_EV_NO_OBJECT].count))
        return tk_err_set(err, TK_EFORMAT, "the file is %s", what_it_is(d));
    if (d->documents > 1)
        tk_health_note(
            health, TK_HEALTH_FORM_MENDED, d->first_concatenated, d->documents - 1,
            "several captures or events follow each other without an array around them; all were read");
    d->c->container = d->objects ? "object" : d->documents > 1 ? "concatenated events or arrays" : "array";
    return TK_OK;
}

int tk_cj_document_step(void *walk, struct tk_err *err)
{
    static int (*const states[])(struct document *, struct tk_err *) = {
        [TOP] = at_top, [OUTER] = in_outer, [EVENTS] = in_events, [SKIP] = in_skip, [RESYNC] = in_resync};
    struct document *d = walk;
    int rc = TK_ITEM;
    for (unsigned i = 0; i < STEP && rc == TK_ITEM && d->state != DONE; i++)
        rc = states[d->state](d, err);
    return rc == TK_ITEM && d->state == DONE ? judge(d, err) : rc;
}

static int skip_mark(struct document *d, struct tk_err *err)
{
    int rc = tk_ev_window_more(&d->w, err);
    if (rc < 0)
        return rc;
    d->w.at = tk_byte_order_mark(d->w.buf, d->w.n);
    if (d->w.at && says(d))
        tk_health_note(&d->c->ctx->health, TK_HEALTH_FORM_MENDED, 0, 1,
                       "the file begins with a byte order mark");
    return TK_OK;
}

int tk_cj_document_open(struct tk_ev_capture *c, void **walk, struct tk_err *err)
{
    struct document *d = calloc(1, sizeof *d);
    if (!d)
        return tk_err_nomem(err, "a walk over the capture");
    d->c = c;
    *walk = d;
    int rc = tk_ev_window_open(&d->w, c->ctx->file, c->ctx->limits.event_bytes, c->ctx->options->map, err);
    if (rc == TK_OK)
        rc = tk_cj_meaning_open(&d->meaning, c, err);
    return rc == TK_OK ? skip_mark(d, err) : rc;
}

void tk_cj_document_close(void *walk)
{
    struct document *d = walk;
    tk_cj_meaning_close(&d->meaning);
    tk_vec_release(&d->mended.bytes);
    tk_ev_window_close(&d->w);
    free(d);
}
