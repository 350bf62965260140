/*
 * Lines of atrace: texts that programs write into the kernel's buffer (import2 2.2).
 */
#include "format/perfetto/perfetto_in.h"

#include <string.h>

enum { MOST_FIELDS = 6 };

/* A line, split at its bars. */
struct line {
    struct tk_bytes all;
    struct tk_bytes field[MOST_FIELDS]; /* of no bytes where there are fewer */
};

static struct tk_bytes trimmed(struct tk_bytes s)
{
    while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\0'))
        s.n--;
    return s;
}

static void split(struct tk_bytes text, struct line *l)
{
    const uint8_t *at = text.p, *const end = text.p + text.n;
    l->all = text;
    for (unsigned i = 0; i < MOST_FIELDS; i++) {
        const uint8_t *bar = at < end ? memchr(at, '|', (size_t)(end - at)) : NULL;
        bar = bar ? bar : end;
        l->field[i] = (struct tk_bytes){at, (size_t)(bar - at)};
        at = bar < end ? bar + 1 : end;
    }
}

/* Digits, perhaps behind a minus. */
static bool number_of(struct tk_bytes s, int64_t *out)
{
    const bool minus = s.n && s.p[0] == '-';
    uint64_t v = 0;
    if (s.n == minus)
        return false;
    for (size_t i = minus; i < s.n; i++) {
        const unsigned digit = s.p[i] - (unsigned)'0';
        if (digit > 9 || v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    if (v > (uint64_t)INT64_MAX + minus)
        return false;
    *out = (int64_t)(minus ? 0 - v : v);
    return true;
}

static bool pid_of(struct tk_bytes s, uint64_t *out)
{
    int64_t v;
    if (!s.n || s.p[0] == '-' || !number_of(s, &v) || v > UINT32_MAX)
        return false;
    *out = (uint64_t)v;
    return true;
}

/* What a line says. */
struct mark {
    char phase;
    uint64_t pid;
    int64_t number;
    struct tk_bytes name, track; /* of no bytes: none */
};

static const struct tk_bytes no_name = {(const uint8_t *)"[empty slice name]", 18};

/* All behind the second bar, bars included. */
static struct tk_bytes rest_of(const struct line *l)
{
    const size_t before = l->field[0].n + 1 + l->field[1].n + 1;
    return before < l->all.n ? (struct tk_bytes){l->all.p + before, l->all.n - before} : no_name;
}

/* Those that have a name in the third field, by what else they need. */
static bool read_fields(const struct line *l, struct mark *m)
{
    const bool tracks = strchr("GHN", m->phase) != NULL;
    if (!l->field[2].n)
        return false;
    m->name = l->field[tracks ? 3 : 2];
    m->track = tracks ? l->field[2] : (struct tk_bytes){l->all.p, 0};
    switch (m->phase) {
    case 'S':
    case 'F':
    case 'C':
        return number_of(l->field[3], &m->number);
    case 'G':
        return m->name.n && number_of(l->field[4], &m->number);
    case 'H':
        m->name.n = 0;
        return number_of(l->field[l->field[4].n ? 4 : 3], &m->number);
    default:
        return m->name.n > 0; /* I, N */
    }
}

/* Scopes are most lines: "B|process|name", "E|process" or "E". false: it is another line. */
static bool read_scope(struct tk_bytes text, struct mark *m)
{
    enum { MOST_DIGITS = 9 };
    size_t at = 2;
    if (text.n < 3 || (text.p[0] != 'B' && text.p[0] != 'E') || text.p[1] != '|')
        return false;
    *m = (struct mark){.phase = (char)text.p[0], .name = {text.p, 0}, .track = {text.p, 0}};
    for (; at < text.n && at < 2 + MOST_DIGITS && text.p[at] - (unsigned)'0' <= 9; at++)
        m->pid = m->pid * 10 + (text.p[at] - (unsigned)'0');
    if (at == 2 || (m->phase == 'E' ? at < text.n : at + 1 >= text.n || text.p[at] != '|'))
        return false;
    if (m->phase == 'B')
        m->name = (struct tk_bytes){text.p + at + 1, text.n - at - 1};
    return true;
}

/* false: the line means nothing. */
static bool read_line(struct tk_bytes text, struct mark *m)
{
    struct line l;
    if (read_scope(text, m))
        return true;
    split(text, &l);
    *m = (struct mark){
        .phase = text.n && l.field[0].n ? (char)text.p[0] : 0, .name = {text.p, 0}, .track = {text.p, 0}};
    const bool has_pid = pid_of(l.field[1], &m->pid);
    if (m->phase == 'E')
        return true;
    if (!m->phase || !strchr("BSFINCGH", m->phase) || !has_pid)
        return false;
    if (m->phase != 'B')
        return read_fields(&l, m);
    m->name = rest_of(&l);
    return true;
}

static bool is_clock_sync(struct tk_bytes text)
{
    static const char sync[] = "trace_event_clock_sync:";
    return text.n >= sizeof sync - 1 && memcmp(text.p, sync, sizeof sync - 1) == 0;
}

static uint32_t name_in(struct tk_pf_trace *t, struct tk_bytes s)
{
    return s.n ? tk_ev_name_clean(&t->c->names, s.p, s.n) : TK_EV_NO_NAME;
}

static int put_scope(struct tk_pf_trace *t, int64_t time, uint64_t tid, const struct mark *m)
{
    const enum tk_pf_late_by by = m->phase == 'B' ? TK_PF_LATE_BEGIN : TK_PF_LATE_END;
    const uint32_t name = m->phase == 'B' ? name_in(t, m->name) : 0;
    const int64_t value = (int64_t)(m->pid << 32 | (tid & UINT32_MAX));
    return t->c->names.failed ? TK_PF_NO_MEMORY : tk_pf_kept(tk_pf_put_number(t, time, by, name, value));
}

/* What differs from line to line is in the value, so that there are few keys. */
static int put_mark(struct tk_pf_trace *t, int64_t time, uint64_t tid, const struct mark *m)
{
    const bool of_thread = m->phase == 'I';
    if (m->phase == 'B' || m->phase == 'E')
        return put_scope(t, time, tid, m);
    const struct tk_ev_key key = {{TK_PF_LATE_MARK | (uint64_t)(uint8_t)m->phase << 8, 0,
                                   of_thread ? 0 : m->pid, name_in(t, m->name), name_in(t, m->track)}};
    const int64_t value = of_thread ? (int64_t)(m->pid << 32 | (tid & UINT32_MAX)) : m->number;
    return t->c->names.failed ? TK_PF_NO_MEMORY : tk_pf_kept(tk_pf_put_off(t, time, &key, value));
}

/* A line that means nothing is a message all the same. */
static int put_text(struct tk_pf_trace *t, int64_t time, uint64_t tid, struct tk_bytes text, uint64_t offset)
{
    const struct mark m = {.phase = 'I', .name = text, .track = {text.p, 0}};
    tk_pf_note(t, TK_EV_LINE_UNKNOWN, offset);
    return text.n ? put_mark(t, time, tid, &m) : TK_PF_FINE;
}

int tk_pf_atrace_line(struct tk_pf_trace *t, int64_t time, uint64_t tid, struct tk_bytes line,
                      uint64_t offset)
{
    const struct tk_bytes text = trimmed(line);
    struct mark m;
    if (read_line(text, &m))
        return put_mark(t, time, tid, &m);
    return is_clock_sync(text) ? TK_PF_FINE : put_text(t, time, tid, text, offset);
}

int tk_pf_driver_line(struct tk_pf_trace *t, int64_t time, uint64_t tid, const struct tk_pf_driver_mark *d,
                      uint64_t offset)
{
    struct mark m = {d->phase, d->pid, d->value, d->name, {d->name.p, 0}};
    if (!m.phase || !strchr("BECI", m.phase)) {
        tk_pf_note(t, TK_EV_LINE_UNKNOWN, offset);
        return TK_PF_FINE;
    }
    if (m.phase == 'E')
        m.name.n = 0;
    else if (!m.name.n)
        m.name = no_name;
    return put_mark(t, time, tid, &m);
}
