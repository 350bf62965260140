/*
 * What a trace has of the device: memory of processes, logs of Android, counters and work of its GPUs
 * (import2 5).
 */
#include "base/hash.h"
#include "base/text/text.h"
#include "format/events/feed.h"
#include "format/perfetto/perfetto_in.h"

#include <stdio.h>
#include <string.h>

enum { FIELDS = 32 };

/* The fields of a message that have small numbers, the last of each. */
struct message {
    struct tk_pf_field of[FIELDS]; /* of number 0: missing */
};

static int read_message(struct tk_bytes s, struct message *m)
{
    struct tk_pf_message at = tk_pf_message_of(s);
    struct tk_pf_field f;
    int rc;
    for (unsigned i = 0; i < FIELDS; i++)
        m->of[i] = (struct tk_pf_field){.bytes = {s.p, 0}};
    while ((rc = tk_pf_next(&at, &f)) == 1)
        if (f.number < FIELDS)
            m->of[f.number] = f;
    return rc < 0 ? TK_PF_BROKEN_PACKET : TK_PF_FINE;
}

static bool has(const struct message *m, unsigned field)
{
    return m->of[field].number != 0;
}

static uint64_t number(const struct message *m, unsigned field)
{
    return m->of[field].wire == TK_PF_BYTES ? 0 : m->of[field].value;
}

static struct tk_bytes text(const struct message *m, unsigned field)
{
    return m->of[field].bytes;
}

/* For each message of a field. */
typedef int part_fn(struct tk_pf_trace *t, struct tk_bytes part, void *ctx);
static int each_part(struct tk_pf_trace *t, struct tk_bytes message, uint32_t field, part_fn *take, void *ctx)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc = TK_PF_FINE, more = 0;
    while (rc == TK_PF_FINE && (more = tk_pf_next(&m, &f)) == 1)
        if (f.number == field && f.wire == TK_PF_BYTES)
            rc = take(t, f.bytes, ctx);
    return rc == TK_PF_FINE && more < 0 ? TK_PF_BROKEN_PACKET : rc;
}

static int count(struct tk_pf_trace *t, int64_t time, enum tk_pf_whose whose, int64_t id, const char *name,
                 uint8_t unit, int64_t value)
{
    const struct tk_pf_counter_value v = {
        whose, id, tk_ev_name(&t->c->names, name, strlen(name)), unit, {.v.i = value}, false};
    return tk_pf_kept(t->c->names.failed ? -1 : tk_pf_put_counter(t, time, &v));
}

/* ---- memory of processes ---- */

enum { KILOBYTES = 1024, AS_IT_IS = 1 };

static const struct {
    uint8_t field, unit;
    uint16_t by;
    const char *name;
} of_process[] = {{2, TK_COUNTER_BYTES, KILOBYTES, "mem.virt"},
                  {3, TK_COUNTER_BYTES, KILOBYTES, "mem.rss"},
                  {4, TK_COUNTER_BYTES, KILOBYTES, "mem.rss.anon"},
                  {5, TK_COUNTER_BYTES, KILOBYTES, "mem.rss.file"},
                  {6, TK_COUNTER_BYTES, KILOBYTES, "mem.rss.shmem"},
                  {7, TK_COUNTER_BYTES, KILOBYTES, "mem.swap"},
                  {8, TK_COUNTER_BYTES, KILOBYTES, "mem.locked"},
                  {9, TK_COUNTER_BYTES, KILOBYTES, "mem.rss.watermark"},
                  {24, TK_COUNTER_BYTES, KILOBYTES, "mem.dmabuf_rss"},
                  {16, TK_COUNTER_BYTES, KILOBYTES, "mem.smaps.rss"},
                  {17, TK_COUNTER_BYTES, KILOBYTES, "mem.smaps.pss"},
                  {18, TK_COUNTER_BYTES, KILOBYTES, "mem.smaps.pss.anon"},
                  {19, TK_COUNTER_BYTES, KILOBYTES, "mem.smaps.pss.file"},
                  {20, TK_COUNTER_BYTES, KILOBYTES, "mem.smaps.pss.shmem"},
                  {23, TK_COUNTER_BYTES, KILOBYTES, "mem.smaps.swap.pss"},
                  {10, TK_COUNTER_NUMBER, AS_IT_IS, "oom_score_adj"},
                  {21, TK_COUNTER_NUMBER, AS_IT_IS, "runtime.user_ns"},
                  {22, TK_COUNTER_NUMBER, AS_IT_IS, "runtime.kernel_ns"}};

static int one_process(struct tk_pf_trace *t, struct tk_bytes part, void *ctx)
{
    const int64_t time = *(const int64_t *)ctx;
    struct message m;
    int rc = read_message(part, &m);
    for (size_t i = 0; i < sizeof of_process / sizeof *of_process && rc == TK_PF_FINE; i++)
        if (has(&m, of_process[i].field))
            rc = count(t, time, TK_PF_OF_PROCESS, tk_pf_pid(number(&m, 1)), of_process[i].name,
                       of_process[i].unit, (int64_t)(number(&m, of_process[i].field) * of_process[i].by));
    return rc;
}

int tk_pf_process_stats(struct tk_pf_trace *t, struct tk_bytes message, int64_t time)
{
    return each_part(t, message, 1, one_process, &time);
}

/* GpuMemTotalEvent: 1 GPU, 2 process, 0 all; 3 bytes. */
int tk_pf_gpu_memory(struct tk_pf_trace *t, struct tk_bytes message, int64_t time)
{
    struct message m;
    if (read_message(message, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    const int64_t pid = tk_pf_pid(number(&m, 2));
    return count(t, time, pid ? TK_PF_OF_PROCESS : TK_PF_OF_NOBODY, pid, "GPU Memory", TK_COUNTER_BYTES,
                 (int64_t)number(&m, 3));
}

/* ---- memory of Vulkan ---- */

enum { DRIVER = 1, DEVICE = 3, BUFFER, IMAGE };
enum { CREATE = 1, DESTROY, BIND, DESTROY_BOUND };

/* The counter that an event changes, and whether it grows. false: none. */
static bool vulkan_counter(const struct message *m, char name[80], bool *grows)
{
    static const char *const scopes[] = {"UNSPECIFIED", "COMMAND", "OBJECT", "CACHE", "DEVICE", "INSTANCE"};
    const uint64_t source = number(m, 1), operation = number(m, 2), scope = number(m, 8);
    const bool made = operation == CREATE || operation == DESTROY;
    *grows = operation == CREATE || operation == BIND;
    if (source == DRIVER && made && scope && scope < sizeof scopes / sizeof *scopes)
        snprintf(name, 80, "vulkan.mem.driver.scope.%s", scopes[scope]);
    else if (source == DEVICE && made)
        snprintf(name, 80, "vulkan.mem.device.memory.type.%u.allocation", (unsigned)number(m, 18));
    else if ((source == BUFFER || source == IMAGE) && (operation == BIND || operation == DESTROY_BOUND))
        snprintf(name, 80, "vulkan.mem.device.memory.type.%u.bind", (unsigned)number(m, 18));
    else
        return false;
    return true;
}

/* The sum of what is held; the time is the event's own. */
int tk_pf_vulkan_memory(struct tk_pf_trace *t, struct tk_bytes message)
{
    struct message m;
    char name[80];
    bool grows;
    if (read_message(message, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    if (!vulkan_counter(&m, name, &grows) || t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    const int64_t pid = tk_pf_pid(number(&m, 4));
    const struct tk_ev_key key = {{(uint64_t)pid, tk_ev_name(&t->c->names, name, strlen(name))}};
    const uint32_t at = tk_ev_ids_number(&t->system.sums, &key, t->c->ctx->limits.counters);
    if (at == UINT32_MAX || (at != TK_EV_IDS_FULL && tk_vec_reach(&t->system.sum_of, (size_t)at + 1)))
        return TK_PF_NO_MEMORY;
    if (at == TK_EV_IDS_FULL) {
        t->c->left_out[TK_EV_BEYOND_COUNTER]++;
        return TK_PF_FINE;
    }
    const uint64_t bytes = number(&m, 6);
    t->system.sum_of.v[at] += grows ? bytes : 0 - bytes;
    return count(t, (int64_t)number(&m, 3), TK_PF_OF_PROCESS, pid, name, TK_COUNTER_BYTES,
                 (int64_t)t->system.sum_of.v[at]);
}

/* VulkanApiEvent: 2 a submit {1 nanoseconds, 2 process, 3 thread}. */
static int one_submit(struct tk_pf_trace *t, struct tk_bytes part, void *ctx)
{
    struct message m;
    if (read_message(part, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    const struct tk_ev_key key = {
        {TK_PF_LATE_WHOLE, number(&m, 3), number(&m, 2), tk_ev_name(&t->c->names, "vkQueueSubmit", 13)}};
    return tk_pf_kept(
        t->c->names.failed ? -1 : tk_pf_put_off(t, *(const int64_t *)ctx, &key, (int64_t)number(&m, 1)));
}

int tk_pf_vulkan_api(struct tk_pf_trace *t, struct tk_bytes message, int64_t time)
{
    return each_part(t, message, 2, one_submit, &time);
}

/* ---- logs ---- */

static int append(struct tk_pf_trace *t, const void *p, size_t n)
{
    if (tk_vec_reserve(&t->text, t->text.n + n + 1))
        return -1;
    if (n)
        memcpy(t->text.v + t->text.n, p, n);
    t->text.n += n;
    return 0;
}

/* An argument of a message: name=value, texts in quotes. */
static int one_argument(struct tk_pf_trace *t, struct tk_bytes part, void *ctx)
{
    struct message m;
    char value[400];
    size_t n = 0;
    (void)ctx;
    if (read_message(part, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    if (!text(&m, 1).n)
        return TK_PF_FINE;
    if (!has(&m, 4) && has(&m, 2))
        n = tk_put_i64(value, (int64_t)number(&m, 2));
    else if (!has(&m, 4) && has(&m, 3)) {
        const uint32_t bits = (uint32_t)number(&m, 3);
        float f;
        memcpy(&f, &bits, sizeof f);
        n = tk_put_fixed(value, (double)f, 6);
    }
    const bool quoted = has(&m, 4);
    int rc = t->text.n ? append(t, " ", 1) : 0;
    rc = rc ? rc : append(t, text(&m, 1).p, text(&m, 1).n);
    rc = rc ? rc : append(t, "=\"", quoted ? 2 : 1);
    rc = rc ? rc : quoted ? append(t, text(&m, 4).p, text(&m, 4).n) : append(t, value, n);
    return tk_pf_kept(rc || (quoted && append(t, "\"", 1)) ? -1 : 0);
}

/* Priorities of Android as verbosities of logs. */
static uint8_t verbosity_of(uint64_t priority)
{
    static const uint8_t of[] = {5, 5, 7, 6, 5, 3, 2, 1};
    return priority < sizeof of ? of[priority] : 5;
}

static int put_log(struct tk_pf_trace *t, int64_t time, const struct tk_ev_key *of, uint64_t priority,
                   struct tk_bytes tag, struct tk_bytes message)
{
    struct tk_ev_key key = *of;
    key.word[TK_PF_KEY_KIND] = TK_PF_LATE_LOG | (uint64_t)verbosity_of(priority) << 8;
    key.word[TK_PF_KEY_NAME] = tag.n ? tk_ev_name_clean(&t->c->names, tag.p, tag.n) : TK_EV_NO_NAME;
    const uint32_t what =
        message.n ? tk_ev_name_clean(&t->c->names, message.p, message.n) : tk_ev_name(&t->c->names, "", 0);
    return tk_pf_kept(t->c->names.failed ? -1 : tk_pf_put_off(t, time, &key, what));
}

/* 2 process, 3 thread, 5 time of the day, 6 tag, 7 priority, 8 message, 9 arguments. */
static int one_log(struct tk_pf_trace *t, struct tk_bytes part, void *ctx)
{
    enum { REALTIME = 1 };
    struct message m;
    int64_t time;
    if (read_message(part, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    const enum tk_pf_converted converted =
        tk_pf_clocks_convert(&t->clocks, (int64_t)number(&m, 5), REALTIME, &time);
    if (!tk_pf_time(t, converted, time, *(const uint64_t *)ctx))
        return TK_PF_FINE;
    t->text.n = 0;
    if (append(t, text(&m, 8).p, text(&m, 8).n))
        return TK_PF_NO_MEMORY;
    const int rc = each_part(t, part, 9, one_argument, NULL);
    const struct tk_ev_key key = {{0, number(&m, 3), number(&m, 2)}};
    return rc == TK_PF_FINE
               ? put_log(t, time, &key, number(&m, 7), text(&m, 6), (struct tk_bytes){t->text.v, t->text.n})
               : rc;
}

int tk_pf_android_log(struct tk_pf_trace *t, struct tk_bytes message, uint64_t offset)
{
    return t->c->pass == TK_EV_GATHER ? each_part(t, message, 1, one_log, &offset) : TK_PF_FINE;
}

/* GpuLog: 1 severity (1 verbose), 2 tag, 3 message. */
int tk_pf_gpu_log(struct tk_pf_trace *t, struct tk_bytes message, int64_t time)
{
    const struct tk_ev_key key = {{0}};
    struct message m;
    if (read_message(message, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    return put_log(t, time, &key, number(&m, 1) ? number(&m, 1) + 1 : 0, text(&m, 2), text(&m, 3));
}

/* ---- counters of GPUs ---- */

enum { FORWARDS = 2 };

struct specs {
    int64_t gpu;
    uint64_t space; /* in which ids are numbers of counters; 0: that of the trace */
};

/* Ids of 32 bits, apart for each space. */
static uint64_t counter_key(uint64_t space, uint64_t id)
{
    return space ? tk_hash_bytes(&id, sizeof id, space) : (uint32_t)id;
}

static uint8_t unit_of(uint64_t unit)
{
    enum { BYTE = 7, PERCENT = 37 };
    return unit == BYTE ? TK_COUNTER_BYTES : unit == PERCENT ? TK_COUNTER_PERCENT : TK_COUNTER_NUMBER;
}

/* 1 id, 2 name, 7 units above, 8 below, 11 direction. The first of an id counts. */
static int one_spec(struct tk_pf_trace *t, struct tk_bytes part, void *ctx)
{
    const struct specs *of = ctx;
    struct message m;
    if (read_message(part, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    const struct tk_pf_gpu_counter counter = {
        of->gpu, text(&m, 2).n ? tk_ev_name_clean(&t->c->names, text(&m, 2).p, text(&m, 2).n) : TK_EV_NO_NAME,
        has(&m, 8) ? TK_COUNTER_NUMBER : unit_of(number(&m, 7)), number(&m, 11) == FORWARDS};
    if (t->c->names.failed)
        return TK_PF_NO_MEMORY;
    const uint64_t key = counter_key(of->space, number(&m, 1));
    if (tk_map_get(&t->system.gpu_index, key) != TK_MAP_NONE)
        return TK_PF_FINE;
    return tk_pf_kept(tk_vec_push(&t->system.gpu_counters, counter) ||
                              tk_map_put(&t->system.gpu_index, key, (uint32_t)t->system.gpu_counters.n - 1)
                          ? -1
                          : 0);
}

struct values {
    int64_t time;
    uint64_t space, offset;
};

/* 1 id, 2 an integer or 3 a real number. */
static int one_value(struct tk_pf_trace *t, struct tk_bytes part, void *ctx)
{
    const struct values *v = ctx;
    struct message m;
    if (read_message(part, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    const uint32_t at = tk_map_get(&t->system.gpu_index, counter_key(v->space, number(&m, 1)));
    if (at == TK_MAP_NONE) {
        tk_pf_note(t, TK_EV_UNKNOWN_COUNTER, v->offset);
        return TK_PF_FINE;
    }
    if (!has(&m, 2) && !has(&m, 3))
        return TK_PF_FINE;
    const struct tk_pf_gpu_counter *counter = &t->system.gpu_counters.v[at];
    struct tk_pf_counter_value value = {TK_PF_OF_GPU,
                                        counter->gpu,
                                        counter->name,
                                        counter->unit,
                                        {.real = !has(&m, 2), .v.i = (int64_t)number(&m, 2)},
                                        !counter->forwards};
    if (value.value.real)
        value.value.v.r = tk_pf_double(number(&m, 3));
    return tk_pf_kept(tk_pf_put_counter(t, v->time, &value));
}

static int one_descriptor(struct tk_pf_trace *t, struct tk_bytes part, void *ctx)
{
    return each_part(t, part, 1, one_spec, ctx);
}

/* What counters are that a sequence refers to: 2 a descriptor, 3 GPU. */
static int interned_specs(struct tk_pf_trace *t, struct tk_pf_sequence *s, const struct message *event,
                          uint64_t *space)
{
    const uint64_t iid = s->gpu_counters = has(event, 4) ? number(event, 4) : s->gpu_counters;
    const struct tk_bytes entry = tk_pf_code_message(&s->code, TK_PF_CODE_GPU_COUNTERS, iid);
    struct message m;
    if (!iid)
        return TK_PF_FINE;
    if (read_message(entry, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    *space = tk_hash_bytes(&iid, sizeof iid, s->id + UINT64_C(1));
    struct specs of = {tk_pf_pid(number(has(&m, 3) ? &m : event, 3)), *space};
    return has(event, 4) ? each_part(t, entry, 2, one_descriptor, &of) : TK_PF_FINE;
}

/* 1 what counters are, 2 values, 3 GPU, 4 where the sequence says what they are. */
int tk_pf_gpu_counters(struct tk_pf_trace *t, struct tk_pf_sequence *s, struct tk_bytes message,
                       bool has_time, int64_t time, uint64_t offset)
{
    struct values v = {time, 0, offset};
    struct message m;
    if (t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    if (read_message(message, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    struct specs of = {tk_pf_pid(number(&m, 3)), 0};
    int rc = each_part(t, message, 1, one_descriptor, &of);
    if (rc == TK_PF_FINE)
        rc = interned_specs(t, s, &m, &v.space);
    if (!has_time && has(&m, 2))
        tk_pf_note(t, TK_EV_NO_TIME, offset);
    return rc == TK_PF_FINE && has_time ? each_part(t, message, 2, one_value, &v) : rc;
}

/* ---- work of GPUs ---- */

/* The name of a queue or stage in a list; of no text: it stands there all the same. */
static int one_name(struct tk_pf_trace *t, struct tk_bytes part, void *ctx)
{
    tk_pf_names *names = ctx;
    struct message m;
    if (read_message(part, &m) < 0)
        return TK_PF_BROKEN_PACKET;
    const uint32_t name =
        text(&m, 1).n ? tk_ev_name_clean(&t->c->names, text(&m, 1).p, text(&m, 1).n) : TK_EV_NO_NAME;
    return tk_pf_kept(t->c->names.failed || tk_vec_push(names, name) ? -1 : 0);
}

static int one_specification(struct tk_pf_trace *t, struct tk_bytes part, void *ctx)
{
    tk_pf_names queues = {0};
    (void)ctx;
    int rc = each_part(t, part, 2, one_name, &queues);
    rc = rc == TK_PF_FINE ? each_part(t, part, 3, one_name, &t->system.stages) : rc;
    if (rc == TK_PF_FINE && queues.n && tk_vec_reach(&t->system.gpu_queues, queues.n))
        rc = TK_PF_NO_MEMORY;
    for (size_t i = 0; rc == TK_PF_FINE && i < queues.n; i++)
        t->system.gpu_queues.v[i] =
            queues.v[i] == TK_EV_NO_NAME ? t->system.gpu_queues.v[i] : queues.v[i] + 1;
    tk_vec_release(&queues);
    return rc;
}

static uint32_t numbered(struct tk_pf_trace *t, const char *form, uint64_t number_of)
{
    char name[64];
    snprintf(name, sizeof name, form, (unsigned long long)number_of);
    return tk_ev_name(&t->c->names, name, strlen(name));
}

/* false: the queue is not defined. */
static bool queue_name(struct tk_pf_trace *t, const struct tk_pf_sequence *s, const struct message *m,
                       uint32_t *name)
{
    if (has(m, 13))
        return tk_pf_interned(s, TK_PF_GPU_NAMES, number(m, 13), name) && *name != TK_EV_NO_NAME;
    const uint64_t at = number(m, 3);
    *name = at < t->system.gpu_queues.n && t->system.gpu_queues.v[at] ? t->system.gpu_queues.v[at] - 1
                                                                      : numbered(t, "GPU queue %llu", at);
    return true;
}

static uint32_t stage_name(struct tk_pf_trace *t, const struct tk_pf_sequence *s, const struct message *m)
{
    uint32_t name = TK_EV_NO_NAME;
    if (has(m, 20))
        tk_pf_interned(s, TK_PF_NAMES, number(m, 20), &name);
    else if (text(m, 17).n)
        name = tk_ev_name_clean(&t->c->names, text(m, 17).p, text(m, 17).n);
    else if (has(m, 14))
        tk_pf_interned(s, TK_PF_GPU_NAMES, number(m, 14), &name);
    else
        name = number(m, 4) < t->system.stages.n ? t->system.stages.v[number(m, 4)]
                                                 : numbered(t, "render stage(%llu)", number(m, 4));
    return name;
}

static int put_work(struct tk_pf_trace *t, uint32_t queue, uint32_t stage, const struct message *m,
                    int64_t time)
{
    const struct tk_str *name = tk_ev_name_text(&t->c->names, queue);
    const uint32_t process = tk_pf_device(t->c, "gpu", tk_pf_pid(number(m, 11)));
    const struct tk_ev_id id = {name, 0};
    const uint64_t length = number(m, 2);
    const uint32_t thread = process == UINT32_MAX ? process : tk_ev_thread(t->c, process, &id, 0);
    if (thread == UINT32_MAX)
        return TK_PF_NO_MEMORY;
    tk_ev_make_queue(t->c, thread, name);
    const int64_t end = length < (uint64_t)INT64_MAX - 1 && time < INT64_MAX - 1 - (int64_t)length
                            ? time + (int64_t)length
                            : INT64_MAX - 1;
    return tk_pf_kept(tk_ev_whole(t->c, thread, time, end, tk_ev_timer(&t->c->names, stage, NULL, 0)));
}

int tk_pf_render_stage(struct tk_pf_trace *t, const struct tk_pf_sequence *s, struct tk_bytes message,
                       bool has_time, int64_t time, uint64_t offset)
{
    struct message m;
    uint32_t queue;
    if (t->c->pass != TK_EV_GATHER)
        return TK_PF_FINE;
    int rc = read_message(message, &m);
    rc = rc == TK_PF_FINE ? each_part(t, message, 7, one_specification, NULL) : rc;
    if (rc != TK_PF_FINE || !has(&m, 1) || !has_time)
        return rc;
    if (!queue_name(t, s, &m, &queue)) {
        tk_pf_note(t, TK_EV_UNKNOWN_NAME, offset);
        return TK_PF_FINE;
    }
    const uint32_t stage = stage_name(t, s, &m);
    return t->c->names.failed ? TK_PF_NO_MEMORY : put_work(t, queue, stage, &m, time);
}
