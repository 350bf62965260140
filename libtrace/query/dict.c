/*
 * Dictionary of the definitions of a capture. One small handler a kind of fact.
 */
#include "query/dict.h"

#include "base/health/health.h"

#include <stdio.h>
#include <string.h>

int tk_dict_init(struct tk_dict *d, const struct tk_limits *limits, struct tk_err *err)
{
    (void)err;
    *d = (struct tk_dict){.limits = limits, .frame_thread = TK_NO_THREAD, .unknown_metadata = TK_MAP_NONE};
    return TK_OK;
}

static int no_memory_dict(struct tk_err *err)
{
    return tk_err_nomem(err, "the definitions of the capture");
}

static int take_clock(struct tk_dict *d, const struct tk_fact *fact, struct tk_err *err)
{
    (void)err;
    d->clock = fact->u.clock;
    return TK_OK;
}

/* Maps that go by text use the address of the interned text. */
static uint64_t text_key(const struct tk_str *s)
{
    return (uint64_t)(uintptr_t)s;
}

static int take_session(struct tk_dict *d, const struct tk_fact *fact, struct tk_err *err)
{
    const struct tk_fact_session *s = &fact->u.session;
    const struct tk_str *key = tk_intern(&d->strings, s->key->p, s->key->n, s->key->enc);
    if (!key)
        return no_memory_dict(err);
    struct tk_session_item item = {.key = key, .value = s->value};
    uint32_t at = tk_map_get(&d->session_index, text_key(key));
    if (at != TK_MAP_NONE) {
        d->session.v[at] = item;
        return TK_OK;
    }
    if (tk_map_put(&d->session_index, text_key(key), (uint32_t)d->session.n) ||
        tk_vec_push(&d->session, item))
        return no_memory_dict(err);
    return TK_OK;
}

size_t tk_thread_made_up(char *out, uint32_t id)
{
    return (size_t)snprintf(out, 32, "Thread %lu", (unsigned long)id);
}

static const struct tk_str *displayed_thread(struct tk_dict *d, const struct tk_thread *t)
{
    char made_up[32];
    if (t->info.name && t->info.name->n)
        return t->info.name;
    tk_thread_made_up(made_up, t->id);
    return tk_intern_c(&d->strings, made_up);
}

/* 0, or -1 without memory. */
static int name_thread(struct tk_dict *d, struct tk_thread *t)
{
    t->displayed = displayed_thread(d, t);
    if (t->displayed)
        t->role = tk_role_of_name(t->displayed->p, t->displayed->n);
    return t->displayed ? 0 : -1;
}

static struct tk_thread *add_thread(struct tk_dict *d, uint32_t id)
{
    struct tk_thread t = {.id = id};
    if (name_thread(d, &t) || tk_map_put(&d->thread_index, id, (uint32_t)d->threads.n) ||
        tk_vec_push(&d->threads, t))
        return NULL;
    return &d->threads.v[d->threads.n - 1];
}

struct tk_thread *tk_dict_thread(struct tk_dict *d, uint32_t id)
{
    uint32_t at = tk_map_get(&d->thread_index, id);
    return at != TK_MAP_NONE ? &d->threads.v[at] : add_thread(d, id);
}

static int set_thread(struct tk_dict *d, uint32_t id, const struct tk_fact_thread *info, struct tk_err *err)
{
    struct tk_thread *t = tk_dict_thread(d, id);
    if (!t)
        return no_memory_dict(err);
    t->defined = true;
    /* That there is a thread, without its name, says nothing new about one with a name. */
    if (t->info.named && !info->named)
        return TK_OK;
    t->info = *info;
    return name_thread(d, t) ? no_memory_dict(err) : TK_OK;
}

static int take_thread(struct tk_dict *d, const struct tk_fact *fact, struct tk_err *err)
{
    bool fresh = tk_map_get(&d->thread_index, fact->thread) == TK_MAP_NONE;
    if (fresh && d->threads.n >= d->limits->threads)
        return tk_err_limit(err, TK_LIMIT_threads, "more than %llu threads",
                            (unsigned long long)d->limits->threads);
    return set_thread(d, fact->thread, &fact->u.thread_info, err);
}

int tk_dict_learn_threads(struct tk_dict *d, const struct tk_dict *from, struct tk_err *err)
{
    d->frame_thread = from->frame_thread;
    for (size_t i = 0; i < from->threads.n; i++) {
        if (!from->threads.v[i].defined)
            continue;
        int rc = set_thread(d, from->threads.v[i].id, &from->threads.v[i].info, err);
        if (rc < 0)
            return rc;
    }
    return TK_OK;
}

const struct tk_str *tk_dict_thread_name(const struct tk_dict *d, uint32_t id)
{
    uint32_t at = tk_map_get(&d->thread_index, id);
    return at != TK_MAP_NONE ? d->threads.v[at].displayed : NULL;
}

const struct tk_fact_thread *tk_dict_thread_info(const struct tk_dict *d, uint32_t id)
{
    const uint32_t at = tk_map_get(&d->thread_index, id);
    return at != TK_MAP_NONE ? &d->threads.v[at].info : NULL;
}

enum tk_role tk_dict_thread_role(const struct tk_dict *d, uint32_t id)
{
    const uint32_t at = tk_map_get(&d->thread_index, id);
    const enum tk_role role = at != TK_MAP_NONE ? d->threads.v[at].role : TK_ROLES;
    return role == TK_ROLE_OTHER && id == d->frame_thread ? TK_ROLE_GAME : role;
}

/* The state of the channel after this fact: a toggle does not say the name. */
static struct tk_fact_channel merged(const struct tk_fact_channel *old, const struct tk_fact_channel *fact)
{
    struct tk_fact_channel c = *old;
    c.enabled = fact->enabled;
    if (fact->announced) {
        c.announced = true;
        c.read_only = fact->read_only;
        c.name = fact->name;
    }
    return c;
}

static int take_channel(struct tk_dict *d, const struct tk_fact *fact, struct tk_err *err)
{
    const struct tk_fact_channel *c = &fact->u.channel;
    uint32_t at = tk_map_get(&d->channel_index, c->id);
    /* Beyond the limit only the state that comes of it is kept. */
    if (d->toggles.n >= d->limits->rows)
        d->lost_toggles++;
    else if (tk_vec_push(&d->toggles, *c))
        return no_memory_dict(err);
    if (at != TK_MAP_NONE) {
        d->switched_off.v[at] += d->channels.v[at].enabled && !c->enabled && !c->announced;
        d->channels.v[at] = merged(&d->channels.v[at], c);
        return TK_OK;
    }
    if (d->channels.n >= d->limits->rows)
        return TK_OK;
    if (tk_map_put(&d->channel_index, c->id, (uint32_t)d->channels.n) || tk_vec_push(&d->channels, *c) ||
        tk_vec_push(&d->switched_off, 0))
        return no_memory_dict(err);
    return TK_OK;
}

/* Makes timers up to and with an id exist. */
static int reach_timer(struct tk_dict *d, uint32_t id)
{
    static const struct tk_str unknown = {"<unknown>", 9, TK_ENC_UTF8};
    if (tk_vec_reserve(&d->timers, (size_t)id + 1))
        return -1;
    for (; d->timers.n <= id; d->timers.n++)
        d->timers.v[d->timers.n] = (struct tk_timer){
            .info = {.id = (uint32_t)d->timers.n, .kind = TK_TIMER_SPEC}, .displayed = &unknown};
    return 0;
}

static int take_timer(struct tk_dict *d, const struct tk_fact *fact, struct tk_err *err)
{
    const struct tk_fact_timer *info = &fact->u.timer;
    if (info->id > d->limits->timers || info->id >= TK_LATE) /* one may stand for all beyond the limit */
        return tk_err_limit(err, TK_LIMIT_timers, "more than %llu timers",
                            (unsigned long long)d->limits->timers);
    if (info->id >= d->timers.n && reach_timer(d, info->id))
        return no_memory_dict(err);
    struct tk_timer *t = &d->timers.v[info->id];
    t->info = *info;
    if (info->name)
        t->displayed = info->name;
    return tk_timer_keys_add(&d->keys, info) ? no_memory_dict(err) : TK_OK;
}

static int take_late(struct tk_dict *d, const struct tk_fact *fact, struct tk_err *err)
{
    const struct tk_fact_timer_late *late = &fact->u.timer_late;
    if (late->slot >= TK_LATE)
        return TK_OK;
    if (tk_vec_reserve(&d->late, (size_t)late->slot + 1))
        return no_memory_dict(err);
    while (d->late.n <= late->slot)
        d->late.v[d->late.n++] = TK_MAP_NONE;
    d->late.v[late->slot] = late->timer;
    return TK_OK;
}

static int take_queue(struct tk_dict *d, const struct tk_fact *fact, struct tk_err *err)
{
    const struct tk_fact_gpu_queue *q = &fact->u.gpu_queue;
    if (q->id >= d->limits->threads)
        return tk_err_limit(err, TK_LIMIT_threads, "more than %llu GPU queues",
                            (unsigned long long)d->limits->threads);
    if (tk_vec_reserve(&d->queues, (size_t)q->id + 1))
        return no_memory_dict(err);
    while (d->queues.n <= q->id)
        d->queues.v[d->queues.n++] = (struct tk_fact_gpu_queue){0};
    d->queues.v[q->id] = *q;
    return TK_OK;
}

const struct tk_fact_gpu_queue *tk_dict_queue(const struct tk_dict *d, uint32_t id)
{
    return id < d->queues.n && d->queues.v[id].name ? &d->queues.v[id] : NULL;
}

static int (*const takes[TK_FACT_COUNT])(struct tk_dict *d, const struct tk_fact *fact,
                                         struct tk_err *err) = {
    [TK_FACT_CLOCK] = take_clock,     [TK_FACT_SESSION] = take_session, [TK_FACT_THREAD] = take_thread,
    [TK_FACT_CHANNEL] = take_channel, [TK_FACT_TIMER] = take_timer,     [TK_FACT_TIMER_LATE] = take_late,
    [TK_FACT_GPU_QUEUE] = take_queue,
};

int tk_dict_feed(struct tk_dict *d, const struct tk_fact *fact, struct tk_err *err)
{
    if (fact->kind >= TK_FACT_COUNT || !takes[fact->kind])
        return TK_OK;
    return takes[fact->kind](d, fact, err);
}

static const struct tk_timer *unknown_metadata(struct tk_dict *d)
{
    if (d->unknown_metadata == TK_MAP_NONE) {
        static const struct tk_str name = {"<unknown metadata>", 18, TK_ENC_UTF8};
        uint32_t id = (uint32_t)d->timers.n;
        if (reach_timer(d, id))
            return NULL;
        d->timers.v[id].info.kind = TK_TIMER_METADATA;
        d->timers.v[id].info.name = d->timers.v[id].displayed = &name;
        d->unknown_metadata = id;
    }
    return &d->timers.v[d->unknown_metadata];
}

const struct tk_timer *tk_dict_timer(struct tk_dict *d, uint32_t id)
{
    if (id >= TK_LATE) {
        uint32_t slot = id - TK_LATE;
        id = slot < d->late.n ? d->late.v[slot] : TK_MAP_NONE;
    }
    if (id > d->limits->timers || id >= TK_LATE)
        return unknown_metadata(d);
    if (id >= d->timers.n && reach_timer(d, id))
        return NULL;
    return &d->timers.v[id];
}

uint32_t tk_dict_summed(struct tk_dict *d, uint32_t id, bool by_source)
{
    const struct tk_timer *timer = tk_dict_timer(d, id);
    if (!timer)
        return TK_MAP_NONE;
    return by_source ? timer->info.id : tk_timer_keys_of(&d->keys, timer->info.id);
}

struct tk_str tk_dict_queue_name(const struct tk_dict *d, uint32_t id, bool works, char text[TK_QUEUE_NAME])
{
    const struct tk_fact_gpu_queue *queue = tk_dict_queue(d, id);
    const struct tk_str unknown = {.p = "GPU", .n = 3}, *name = queue ? queue->name : &unknown;
    int n = snprintf(text, TK_QUEUE_NAME, "%.*s%s", name->n < 255 ? (int)name->n : 255, (const char *)name->p,
                     works ? " work" : "");
    return (struct tk_str){.p = text, .n = (uint32_t)n};
}

const struct tk_str *tk_dict_lane_name(struct tk_dict *d, uint8_t kind, uint32_t id)
{
    char text[TK_QUEUE_NAME];
    if (kind == TK_LANE_THREAD)
        return tk_dict_thread_name(d, id);
    const struct tk_str name = tk_dict_queue_name(d, id, kind == TK_LANE_GPU_WORK, text);
    return tk_intern(&d->strings, name.p, name.n, TK_ENC_UTF8);
}

void tk_dict_release(struct tk_dict *d)
{
    tk_vec_release(&d->session);
    tk_map_release(&d->session_index);
    tk_vec_release(&d->threads);
    tk_map_release(&d->thread_index);
    tk_vec_release(&d->timers);
    tk_timer_keys_release(&d->keys);
    tk_vec_release(&d->late);
    tk_vec_release(&d->channels);
    tk_map_release(&d->channel_index);
    tk_vec_release(&d->switched_off);
    tk_vec_release(&d->toggles);
    tk_vec_release(&d->queues);
    tk_intern_release(&d->strings);
}
