/*
 * The search behind damage.
 */
#include "format/chrome_json/chrome_json_in.h"

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
