/*
 * What is nearly JSON, as JSON (import 3.9): an event that strict reading refuses is written anew, where the
 * meaning is plain, and read again.
 */
#include "format/chrome_json/chrome_json_in.h"

#include <string.h>

struct mending {
    const uint8_t *p, *end;
    struct tk_cj_mended *out;
    bool quote_ends; /* a backslash in front of a quote that ends a text is one of the text */
    bool cut;        /* the bytes end inside */
    bool failed;     /* no memory */
};

static void put(struct mending *m, const void *p, size_t n)
{
    if (!n || m->failed)
        return;
    m->failed = tk_vec_reserve(&m->out->bytes, m->out->bytes.n + n) != 0;
    if (m->failed)
        return;
    memcpy(m->out->bytes.v + m->out->bytes.n, p, n);
    m->out->bytes.n += n;
}

static void put_char(struct mending *m, char c)
{
    put(m, &c, 1);
}

/* ---- comments ---- */

const uint8_t *tk_cj_comment_end(const uint8_t *p, const uint8_t *end)
{
    if (end - p < 2 || p[0] != '/' || (p[1] != '/' && p[1] != '*'))
        return NULL;
    const bool line = p[1] == '/';
    for (p += 2; p < end; p++)
        if (line ? *p == '\n' : end - p > 1 && p[0] == '*' && p[1] == '/')
            return p + (line ? 1 : 2);
    return NULL;
}

/* Over white space and comments. */
static void blanks(struct mending *m)
{
    for (;;) {
        struct tk_jscan_scan s = {.p = m->p, .end = m->end};
        tk_jscan_space(&s);
        m->p = s.p;
        const uint8_t *behind = tk_cj_comment_end(m->p, m->end);
        if (!behind) {
            m->cut |= m->p < m->end && *m->p == '/';
            return;
        }
        m->out->comments++;
        m->p = behind;
    }
}

/* ---- texts ---- */

static bool is_hex(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool is_escape(const uint8_t *p, const uint8_t *end)
{
    if (end - p < 2 || !p[1])
        return false;
    if (p[1] != 'u')
        return strchr("\"\\/bfnrt", p[1]) != NULL;
    return end - p >= 6 && is_hex(p[2]) && is_hex(p[3]) && is_hex(p[4]) && is_hex(p[5]);
}

/* Does a quote, in front of which is a backslash, look like the end of its text? */
static bool ends(const uint8_t *quote, const uint8_t *end)
{
    for (quote++; quote < end && (*quote == ' ' || *quote == '\t' || *quote == '\r' || *quote == '\n');)
        quote++;
    return quote < end && *quote && strchr(",}]:", *quote);
}

/* The quote that ends a text; NULL: it is cut. */
static const uint8_t *closing(const struct mending *m, const uint8_t *p, uint8_t quote)
{
    while (p < m->end && *p != quote) {
        const bool escaped = *p == '\\' && p + 1 < m->end;
        p += escaped && m->quote_ends && p[1] == quote && ends(p + 1, m->end) ? 1 : escaped ? 2 : 1;
    }
    return p < m->end ? p : NULL;
}

/* Has a text a backslash that begins no escape? */
static bool is_literal(const uint8_t *p, const uint8_t *end, uint8_t quote)
{
    for (; p < end; p++)
        if (*p == '\\') {
            if (!is_escape(p, end) && !(end - p > 1 && p[1] == quote))
                return true;
            p++;
        }
    return false;
}

/* A text without its quotes. All backslashes of one with a wrong escape are its own, but for those in front
 * of a backslash or a quote. */
static void put_text(struct mending *m, const uint8_t *p, const uint8_t *end, uint8_t quote)
{
    const bool literal = is_literal(p, end, quote);
    m->out->escapes += literal;
    while (p < end) {
        const bool pair = *p == '\\' && end - p > 1 && (!literal || p[1] == '\\' || p[1] == quote);
        if (pair && p[1] == '\'')
            put_char(m, '\'');
        else if (pair)
            put(m, p, 2);
        else if (*p == '\\')
            put(m, "\\\\", 2);
        else if (*p == '"')
            put(m, "\\\"", 2);
        else
            put(m, p, 1);
        p += pair ? 2 : 1;
    }
}

static void text(struct mending *m)
{
    const uint8_t quote = *m->p, *last = closing(m, m->p + 1, quote);
    m->cut |= !last;
    if (!last)
        return;
    put_char(m, '"');
    put_text(m, m->p + 1, last, quote);
    put_char(m, '"');
    m->out->single_quotes += quote == '\'';
    m->p = last + 1;
}

/* ---- words ---- */

bool tk_cj_in_word(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c && strchr("_$.-+", c));
}

static const struct {
    const char *other, *word;
} literals[] = {{"None", "null"}, {"True", "true"}, {"False", "false"}};

static const char *literal_of(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
        if (strlen(literals[i].other) == n && memcmp(p, literals[i].other, n) == 0)
            return literals[i].word;
    return NULL;
}

/* A key without quotes, a literal or a number. */
static void word(struct mending *m)
{
    const uint8_t *first = m->p;
    while (m->p < m->end && tk_cj_in_word(*m->p))
        m->p++;
    const size_t n = (size_t)(m->p - first);
    const char *other = literal_of(first, n);
    blanks(m);
    const bool key = m->p < m->end && *m->p == ':' && !(*first >= '0' && *first <= '9');
    m->out->bare_keys += key;
    m->out->literals += !key && other;
    if (m->out->bytes.n && tk_cj_in_word(m->out->bytes.v[m->out->bytes.n - 1]))
        put_char(m, ' '); /* two words are never one, whatever stood between them */
    if (key)
        put_char(m, '"');
    put(m, !key && other ? (const uint8_t *)other : first, !key && other ? strlen(other) : n);
    if (key)
        put_char(m, '"');
}

/* ---- values ---- */

/* The next word, text or sign; how the depth of brackets changes. */
static int token(struct mending *m)
{
    const uint8_t c = *m->p;
    if (c == '"' || c == '\'') {
        text(m);
        return 0;
    }
    if (tk_cj_in_word(c)) {
        word(m);
        return 0;
    }
    put(m, m->p++, 1);
    return c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
}

static enum tk_jscan_result mend(struct mending *m)
{
    int64_t depth = token(m);
    while (depth > 0 && m->p < m->end && !m->cut && !m->failed) {
        blanks(m);
        if (m->p < m->end)
            depth += token(m);
    }
    return m->cut || depth > 0 ? TK_JSON_CUT : TK_JSON_OK;
}

int tk_cj_event_mend(struct tk_cj_mended *out, const uint8_t *p, size_t n, struct tk_cj_event *e,
                     size_t *taken)
{
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        struct mending m = {.p = p, .end = p + n, .out = out, .quote_ends = attempt > 0};
        out->bytes.n = 0;
        out->comments = out->escapes = out->single_quotes = out->bare_keys = out->literals = 0;
        enum tk_jscan_result r = mend(&m);
        struct tk_jscan_scan s = {.p = out->bytes.v, .end = out->bytes.v + out->bytes.n};
        *taken = (size_t)(m.p - p);
        if (m.failed)
            return -1;
        if (r == TK_JSON_OK)
            r = tk_cj_event_read(&s, e);
        if (r == TK_JSON_OK && !e->is_outer && e->field[TK_CJ_PH].kind != TK_JSON_NONE)
            return 1;
    }
    return 0;
}

/*
 * The search behind damage.
 */

enum {
    LONGEST = 1 << 16, /* bytes of an event behind damage */
    SHORT = 1 << 9,    /* the same where much was parsed in vain */
};
#define PATIENCE (UINT64_C(256) << 20) /* bytes to parse in vain */

void tk_cj_resync_begin(struct tk_cj_resync *r, struct tk_ev_window *w, const char *reason,
                        struct tk_cj_mended *mended)
{
    *r = (struct tk_cj_resync){
        .begin = tk_ev_window_offset(w, w->at), .reason = reason, .lost = 1, .mended = mended};
    r->depth = w->buf[w->at] == '{' || w->buf[w->at] == '[';
    r->in_text = w->buf[w->at] == '"';
    w->at++;
}

/* Follows quotes and brackets. */
static void follow(struct tk_cj_resync *r, uint8_t c)
{
    if (r->in_text) {
        if (!r->escaped && c == '"')
            r->in_text = false;
        r->escaped = !r->escaped && c == '\\';
        return;
    }
    if (c == '"')
        r->in_text = true;
    else if (c == '{' || c == '[') {
        r->lost += c == '{' && !r->depth && r->closed;
        r->depth++;
    } else if ((c == '}' || c == ']') && r->depth)
        r->depth--;
    r->closed |= !r->depth && (c == '}' || c == ']');
}

/* Is there an event at w->at? TK_ITEM, TK_OK, negative. */
static int try_event(struct tk_cj_resync *r, struct tk_ev_window *w, struct tk_err *err)
{
    size_t most = r->work < PATIENCE ? LONGEST : SHORT;
    int rc = TK_ITEM;
    while (rc == TK_ITEM && w->n - w->at < most)
        rc = tk_ev_window_more(w, err);
    if (rc < 0 && rc != TK_ELIMIT)
        return rc;
    size_t n = w->n - w->at < most ? w->n - w->at : most;
    struct tk_jscan_scan s = {.p = w->buf + w->at, .end = w->buf + w->at + n};
    struct tk_cj_event e;
    if (tk_cj_event_read(&s, &e) == TK_JSON_OK && !e.is_outer && e.field[TK_CJ_PH].kind != TK_JSON_NONE)
        return TK_ITEM;
    r->work += (uint64_t)(s.p - (w->buf + w->at));
    size_t taken;
    const int mended = tk_cj_event_mend(r->mended, w->buf + w->at, n, &e, &taken);
    r->work += taken;
    return mended < 0 ? tk_ev_failed(err) : mended ? TK_ITEM : TK_OK;
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

int tk_cj_resync_next(struct tk_cj_resync *r, struct tk_ev_window *w, struct tk_err *err)
{
    for (;;) {
        if (w->at == w->n) {
            int more = tk_ev_window_more(w, err);
            if (more != TK_ITEM)
                return more;
        }
        uint8_t c = w->buf[w->at];
        if (c == '{' && r->starts) {
            int rc = try_event(r, w, err);
            if (rc != TK_OK)
                return rc;
        }
        if (c == ',' || c == '[' || c == '\n')
            r->starts = true;
        else if (!is_space(c))
            r->starts = false;
        follow(r, c);
        w->at++;
    }
}
