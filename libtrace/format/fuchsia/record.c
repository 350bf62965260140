/*
 * A record by its type (import 4.2).
 */
#include "base/checksum.h"
#include "format/fuchsia/fuchsia_in.h"

enum { PROVIDER_INFO = 1, PROVIDER_SECTION, PROVIDER_EVENT, TRACE_INFO };
enum { PROCESS_OBJECT = 1, THREAD_OBJECT };

#define NO_TEXT TK_EV_NO_NAME /* in a table of strings: an empty text */

static int take_metadata(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    const unsigned kind = (unsigned)tk_fx_bits(header, 16, 4);
    const uint32_t id = (uint32_t)tk_fx_bits(header, 20, 32);
    struct tk_fx_provider *provider = NULL;
    if (kind == PROVIDER_INFO) {
        tk_fx_stream(c, (size_t)tk_fx_bits(header, 52, 8));
        if (!tk_cur_ok(c))
            return TK_FX_SHORT;
        provider = tk_fx_provider_new(&t->providers, id);
    } else if (kind == PROVIDER_SECTION) {
        provider = tk_fx_provider_of(&t->providers, id);
        if (!provider) {
            tk_ev_note(t->c, TK_EV_UNKNOWN_PROVIDER, t->offset);
            provider = tk_fx_provider_new(&t->providers, id);
        }
    } else if (kind == TRACE_INFO && header == TK_FX_MAGIC && t->offset) {
        tk_ev_note(t->c, TK_EV_TRACE_AGAIN, t->offset);
        provider = tk_fx_provider_new(&t->providers, 0);
    } else {
        if (kind == PROVIDER_EVENT && tk_fx_bits(header, 52, 4) == 0)
            tk_ev_note(t->c, TK_EV_LOST_RECORDS, t->offset);
        return TK_FX_FINE;
    }
    if (!provider)
        return TK_FX_NO_MEMORY;
    t->provider = provider;
    return TK_FX_FINE;
}

static int take_initialisation(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    uint64_t ticks = tk_fx_next(c);
    (void)header;
    if (!tk_cur_ok(c))
        return TK_FX_SHORT;
    if (ticks)
        t->provider->ticks = ticks;
    else
        tk_ev_note(t->c, TK_EV_FREQUENCY_OF_0, t->offset);
    return TK_FX_FINE;
}

static int take_string(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    const size_t index = (size_t)tk_fx_bits(header, 16, 15);
    struct tk_bytes text = tk_fx_text(t, c, (size_t)tk_fx_bits(header, 32, 15));
    if (!tk_cur_ok(c))
        return TK_FX_SHORT;
    if (!index)
        return TK_FX_FINE;
    uint32_t name = text.n ? tk_ev_name_clean(&t->c->names, text.p, text.n) + 1 : NO_TEXT;
    if (t->c->names.failed || tk_vec_reach(&t->provider->strings, index + 1))
        return TK_FX_NO_MEMORY;
    t->provider->strings.v[index] = name;
    return TK_FX_FINE;
}

static int take_thread(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    const size_t index = (size_t)tk_fx_bits(header, 16, 8);
    struct tk_fx_thread thread = {.known = true};
    thread.process = tk_fx_next(c);
    thread.thread = tk_fx_next(c);
    if (!tk_cur_ok(c))
        return TK_FX_SHORT;
    if (index)
        t->provider->threads[index] = thread;
    return TK_FX_FINE;
}

static int take_kernel_object(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    const unsigned kind = (unsigned)tk_fx_bits(header, 16, 8);
    uint64_t koid = tk_fx_next(c), process = 0;
    uint32_t name = tk_fx_string(t, c, tk_fx_bits(header, 24, 16)), place;
    tk_fx_args(t, c, (unsigned)tk_fx_bits(header, 40, 4));
    if (!tk_cur_ok(c))
        return TK_FX_SHORT;
    if (t->c->pass != TK_EV_GATHER)
        return TK_FX_FINE;
    struct tk_ev_id id = {NULL, (int64_t)koid};
    if (kind == PROCESS_OBJECT) {
        if ((place = tk_ev_process(t->c, &id)) == UINT32_MAX)
            return TK_FX_NO_MEMORY;
        t->c->processes.v[place].name = tk_ev_name_text(&t->c->names, name);
    }
    if (kind != THREAD_OBJECT)
        return TK_FX_FINE;
    for (unsigned i = 0; i < t->n_args; i++) {
        const struct tk_str *arg = tk_ev_name_text(&t->c->names, t->args[i].name);
        if (arg && arg->n == 7 && memcmp(arg->p, "process", 7) == 0 && t->args[i].kind == 8)
            process = t->args[i].bits;
    }
    uint32_t thread = tk_fx_place(t, process, koid, &place);
    if (thread == UINT32_MAX)
        return TK_FX_NO_MEMORY;
    t->c->threads.v[thread]->name = tk_ev_name_text(&t->c->names, name);
    t->c->threads.v[thread]->named = true;
    return TK_FX_FINE;
}

static int take_user_object(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    tk_fx_next(c);
    if (!tk_fx_bits(header, 16, 8))
        tk_fx_next(c);
    tk_fx_string(t, c, tk_fx_bits(header, 24, 16));
    tk_fx_args(t, c, (unsigned)tk_fx_bits(header, 40, 4));
    return tk_cur_ok(c) ? TK_FX_FINE : TK_FX_SHORT;
}

static int take_blob(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    tk_fx_string(t, c, tk_fx_bits(header, 16, 16));
    tk_fx_stream(c, (size_t)tk_fx_bits(header, 32, 15));
    return tk_cur_ok(c) ? TK_FX_FINE : TK_FX_SHORT;
}

static int take_log(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    uint64_t ticks = tk_fx_next(c), process, thread;
    struct tk_ev_mark mark = {.category = TK_EV_NO_NAME, .verbosity = 5};
    uint32_t place;
    tk_fx_thread(t, c, tk_fx_bits(header, 32, 8), &process, &thread);
    struct tk_bytes text = tk_fx_text(t, c, (size_t)tk_fx_bits(header, 16, 15));
    if (!tk_cur_ok(c))
        return TK_FX_SHORT;
    if (!tk_fx_time(t->provider, ticks, &mark.time)) {
        tk_ev_note(t->c, TK_EV_NO_TIME, t->offset);
        return TK_FX_FINE;
    }
    mark.text = text.n ? tk_ev_name_clean(&t->c->names, text.p, text.n) : TK_EV_NO_NAME;
    mark.thread = tk_fx_place(t, process, thread, &place);
    if (mark.thread == UINT32_MAX || t->c->names.failed)
        return TK_FX_NO_MEMORY;
    return tk_ev_mark(t->c, &mark) ? TK_FX_NO_MEMORY : TK_FX_FINE;
}

static int take_nothing(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    (void)t;
    (void)c;
    (void)header;
    return TK_FX_FINE;
}

static const struct {
    int (*take)(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header);
    enum tk_fx_kind kind;
} types[] = {
    [0] = {take_metadata, TK_FX_METADATA},       [1] = {take_initialisation, TK_FX_INITIALISATION},
    [2] = {take_string, TK_FX_STRING},           [3] = {take_thread, TK_FX_THREAD},
    [4] = {tk_fx_event, TK_FX_OTHER_EVENT},      [5] = {take_blob, TK_FX_BLOB},
    [6] = {take_user_object, TK_FX_USER_OBJECT}, [7] = {take_kernel_object, TK_FX_KERNEL_OBJECT},
    [8] = {tk_fx_scheduling, TK_FX_SCHEDULING},  [9] = {take_log, TK_FX_LOG},
    [10] = {take_nothing, TK_FX_PROFILER},       [15] = {take_nothing, TK_FX_LARGE},
};

enum { EVENT = 4, TYPES = sizeof types / sizeof *types };

/* Are the records of a type read to their end? Events look at theirs themselves. */
static bool is_read_whole(unsigned type)
{
    return type >= 1 && type <= 9 && type != EVENT;
}

static int take(struct tk_fx_trace *t, struct tk_cur *c, uint64_t header)
{
    const unsigned type = header & 15;
    const int rc = types[type].take(t, c, header);
    if (rc == TK_FX_FINE && is_read_whole(type))
        tk_fx_ends(t, c);
    return rc;
}

static enum tk_ev_repeats_may may_repeat(unsigned type, unsigned event)
{
    enum { SCHEDULING = 8, LOG = 9, DURATION_END = 3 };
    if (type == EVENT && event == DURATION_END)
        return TK_EV_REPEATS_TOGETHER;
    return type == EVENT || type == SCHEDULING || type == LOG ? TK_EV_REPEATS_ALONE : TK_EV_REPEATS_NEVER;
}

/* Records with a time, which is in ticks, are equal only where they stand in the file twice. */
static void compare(struct tk_fx_trace *t, const uint8_t *p, size_t n, unsigned type, unsigned event)
{
    const enum tk_ev_repeats_may may = n >= 16 ? may_repeat(type, event) : TK_EV_REPEATS_NEVER;
    const uint64_t hash = tk_checksum_wide(p, n, 1) | 1, time = may ? tk_fx_word(p + 8) : 0;
    unsigned repeated = 0;
    if (tk_rarely(tk_ev_repeats_is_near(&t->repeats, hash)))
        repeated = tk_ev_repeats_count(&t->repeats, hash, time, may);
    for (; repeated; repeated--)
        tk_ev_note(t->c, TK_EV_REPEATED, t->offset);
    tk_ev_repeats_keep(&t->repeats, hash, time);
}

int tk_fx_record(struct tk_fx_trace *t, const uint8_t *p, size_t n, uint64_t offset)
{
    const uint64_t header = tk_fx_word(p);
    const unsigned type = header & 15, event = (unsigned)tk_fx_bits(header, 16, 4);
    struct tk_cur c = tk_cur_of(p + 8, n - 8);
    enum tk_fx_kind kind = type < TYPES && types[type].take ? types[type].kind : TK_FX_OTHER;
    if (type == EVENT && event < TK_FX_OTHER_EVENT)
        kind = (enum tk_fx_kind)event;
    t->offset = t->c->offset = offset;
    if (kind == TK_FX_OTHER || kind == TK_FX_OTHER_EVENT)
        tk_ev_note(t->c, TK_EV_UNKNOWN_KIND, offset);
    int rc = 0;
    if (t->c->pass == TK_EV_GATHER) {
        compare(t, p, n, type, event);
        rc = tk_fx_kind_count(t->c, kind, type == EVENT ? event : type, n);
    }
    if (rc)
        return TK_FX_NO_MEMORY;
    if (t->c->pass == TK_EV_RECORDS && type != EVENT) {
        struct tk_fx_record r = {
            .kind = kind, .number = type, .thread = TK_NO_THREAD, .offset = offset, .bytes = n};
        if (tk_fx_record_give(t->c, &r))
            return TK_FX_NO_MEMORY;
    }
    return type < TYPES && types[type].take ? take(t, &c, header) : TK_FX_FINE;
}
