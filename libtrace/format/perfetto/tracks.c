/*
 * Tracks and their owners.
 */
#include "base/text/text.h"
#include "format/events/feed.h"
#include "format/perfetto/perfetto_in.h"

enum { MOST_LEVELS = 100, NAMES_MERGED_BY_NONE = 2 };

int64_t tk_pf_pid(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

struct tk_pf_track *tk_pf_track_find(struct tk_pf_tracks *t, uint64_t uuid)
{
    uint32_t at = tk_map_get(&t->index, uuid);
    if (at >= t->list.n)
        return NULL;
    t->last = at;
    return &t->list.v[at];
}

static struct tk_pf_track *make_track(struct tk_pf_tracks *t, uint64_t uuid)
{
    struct tk_pf_track fresh = {.uuid = uuid, .name = TK_EV_NO_NAME, .multiplier = 1};
    struct tk_pf_track *have = tk_pf_track_of(t, uuid);
    if (have)
        return have;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what is pushed has space */
    if (tk_vec_push(&t->list, fresh) || tk_map_put(&t->index, uuid, (uint32_t)t->list.n - 1))
        return NULL;
    return &t->list.v[t->list.n - 1];
}

/* ---- descriptors ---- */

/* What a descriptor of a track, a thread, a process or a counter may have. */
struct descriptor {
    uint64_t uuid, parent, merging, kind, unit, multiplier, incremental, pid, tid;
    bool has_uuid, has_parent, has_pid, has_tid, has_sort;
    int64_t sort;
    struct tk_bytes name, thread, process, counter, command;
    bool has_thread, has_process, has_counter;
    uint64_t odd_names; /* texts that are not UTF-8 among those that do not name it */
};

static void take_name(struct tk_bytes *name, const struct tk_pf_field *f)
{
    if (f->wire == TK_PF_BYTES && f->bytes.n && !name->n)
        *name = f->bytes;
}

/* A track may be named by three fields, of which the first that has a text counts; of each its last. */
enum { NAME = 2, STATIC_NAME = 10, ATRACE_NAME = 13, NAME_FIELDS = 3 };

static bool take_track_name(struct descriptor *d, struct tk_bytes names[NAME_FIELDS],
                            const struct tk_pf_field *f)
{
    const int at = f->number == NAME ? 0 : f->number == STATIC_NAME ? 1 : f->number == ATRACE_NAME ? 2 : -1;
    if (at < 0 || f->wire != TK_PF_BYTES)
        return at >= 0;
    d->odd_names += !tk_utf8_valid(names[at].p, names[at].n);
    names[at] = f->bytes;
    return true;
}

static int read_track(struct tk_bytes message, struct descriptor *d)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    struct tk_bytes names[NAME_FIELDS] = {{message.p, 0}, {message.p, 0}, {message.p, 0}};
    int rc;
    *d = (struct descriptor){.name = {message.p, 0}};
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        const bool bytes = f.wire == TK_PF_BYTES;
        if (f.number == 1)
            d->uuid = f.value, d->has_uuid = true;
        else if (f.number == 5)
            d->parent = f.value, d->has_parent = true;
        else if (take_track_name(d, names, &f))
            continue;
        else if (f.number == 15)
            d->merging = f.value;
        else if (f.number == 3 && bytes)
            d->process = f.bytes, d->has_process = true;
        else if (f.number == 4 && bytes)
            d->thread = f.bytes, d->has_thread = true;
        else if (f.number == 8 && bytes)
            d->counter = f.bytes, d->has_counter = true;
    }
    for (unsigned i = 0; i < NAME_FIELDS; i++) {
        if (!d->name.n)
            d->name = names[i];
        else
            d->odd_names += !tk_utf8_valid(names[i].p, names[i].n);
    }
    return rc < 0 ? -1 : 1;
}

/* ThreadDescriptor and ProcessDescriptor: 1 pid; 2 tid or command line; 3 sort; 5, 6 the name. */
static int read_owner(struct tk_bytes message, uint32_t name, struct descriptor *d)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    d->name = d->command = (struct tk_bytes){message.p, 0};
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1)
            d->pid = f.value, d->has_pid = true;
        else if (f.number == 2 && f.wire == TK_PF_BYTES)
            take_name(&d->command, &f);
        else if (f.number == 2)
            d->tid = f.value, d->has_tid = true;
        else if (f.number == 3 && f.wire == TK_PF_VARINT)
            d->sort = (int64_t)f.value, d->has_sort = true;
        else if (f.number == name && f.wire == TK_PF_BYTES)
            d->name = f.bytes;
    }
    return rc < 0 ? -1 : 1;
}

static int read_counter(struct tk_bytes message, struct descriptor *d)
{
    struct tk_pf_message m = tk_pf_message_of(message);
    struct tk_pf_field f;
    int rc;
    while ((rc = tk_pf_next(&m, &f)) == 1) {
        if (f.number == 1)
            d->kind = f.value;
        else if (f.number == 3)
            d->unit = f.value;
        else if (f.number == 4)
            d->multiplier = f.value;
        else if (f.number == 5)
            d->incremental = f.value;
    }
    return rc < 0 ? -1 : 1;
}

static const struct tk_str *text_of(struct tk_ev_capture *c, struct tk_bytes s)
{
    return tk_ev_text(&c->names, s.p, s.n);
}

static int describe_thread(struct tk_pf_track *track, struct tk_ev_capture *c, struct descriptor *d)
{
    struct tk_ev_id pid = {NULL, tk_pf_pid(d->pid)}, tid = {NULL, (int64_t)d->tid};
    uint32_t process = tk_ev_process(c, &pid);
    uint32_t thread = process == UINT32_MAX ? UINT32_MAX : tk_ev_thread(c, process, &tid, track->uuid);
    if (thread == UINT32_MAX)
        return -2;
    track->pid = pid.number;
    track->tid = tid.number;
    track->has_pid = track->has_tid = true;
    if (d->has_sort)
        c->threads.v[thread]->sort = (int32_t)(uint32_t)d->sort;
    if (!d->name.n)
        return 1;
    c->threads.v[thread]->named = true;
    return (c->threads.v[thread]->name = text_of(c, d->name)) ? 1 : -2;
}

static int describe_process(struct tk_pf_track *track, struct tk_ev_capture *c, struct descriptor *d)
{
    struct tk_ev_id pid = {NULL, tk_pf_pid(d->pid)};
    uint32_t process = tk_ev_process(c, &pid);
    if (process == UINT32_MAX)
        return -2;
    track->pid = pid.number;
    track->has_pid = true;
    c->own_export |= track->uuid == 1 && tk_ev_is_made_up(pid.number) && d->name.n == 7 &&
                     memcmp(d->name.p, "Threads", 7) == 0;
    if (d->name.n)
        return (c->processes.v[process].name = text_of(c, d->name)) ? 1 : -2;
    if (d->command.n && !c->processes.v[process].name)
        return (c->processes.v[process].name = text_of(c, d->command)) ? 1 : -2;
    return 1;
}

static int describe_counter(struct tk_pf_track *track, struct tk_ev_capture *c, const struct descriptor *d)
{
    static const char *const made[] = {NULL, "thread_time", "thread_instruction_count"};
    track->counter = true;
    track->incremental = d->incremental != 0;
    track->multiplier = (int64_t)d->multiplier > 0 ? (int64_t)d->multiplier : 1;
    track->unit = d->unit == 3 ? TK_COUNTER_BYTES : d->unit == 1 ? TK_COUNTER_CYCLES : TK_COUNTER_NUMBER;
    if (track->name == TK_EV_NO_NAME && d->kind < 3 && made[d->kind])
        track->name = tk_ev_name(&c->names, made[d->kind], strlen(made[d->kind]));
    return c->names.failed ? -2 : 1;
}

int tk_pf_tracks_describe(struct tk_pf_tracks *t, struct tk_ev_capture *c, struct tk_bytes message,
                          struct tk_bytes *thread, int *trouble)
{
    struct descriptor d;
    struct tk_pf_track *track;
    *thread = (struct tk_bytes){message.p, 0};
    *trouble = -1;
    if (read_track(message, &d) < 0)
        return -1;
    c->names.not_utf8 += d.odd_names;
    if (!d.has_uuid) {
        *trouble = TK_EV_TRACK_WITHOUT_ID;
        return 1;
    }
    if (!(track = make_track(t, d.uuid)))
        return -2;
    const uint32_t name = d.name.n ? tk_ev_name_clean(&c->names, d.name.p, d.name.n) : TK_EV_NO_NAME;
    if (d.name.n && (track->name == TK_EV_NO_NAME || d.merging == NAMES_MERGED_BY_NONE))
        track->name = name;
    else if (name != track->name && d.name.n)
        *trouble = TK_EV_NAME_CHANGED;
    if (d.has_parent) {
        track->parent = d.parent;
        track->has_parent = true;
    }
    if (c->names.failed)
        return -2;
    if (d.has_thread) {
        *thread = d.thread;
        if (read_owner(d.thread, 5, &d) < 0)
            return -1;
        if (d.has_pid && d.has_tid)
            return describe_thread(track, c, &d);
        *trouble = TK_EV_TRACK_WITHOUT_ID;
        thread->n = 0;
        return 1;
    }
    if (d.has_process)
        return read_owner(d.process, 6, &d) < 0 ? -1 : describe_process(track, c, &d);
    if (d.has_counter)
        return read_counter(d.counter, &d) < 0 ? -1 : describe_counter(track, c, &d);
    return 1;
}

/* ---- owners ---- */

static int resolve(struct tk_pf_tracks *t, struct tk_ev_capture *c, struct tk_pf_track *track)
{
    const struct tk_pf_track *at = track;
    track->own = true;
    track->thread = track->process = UINT32_MAX;
    for (unsigned level = 0; level < MOST_LEVELS; level++) {
        struct tk_ev_id pid = {NULL, at->pid}, tid = {NULL, at->tid};
        if (at->has_pid && (track->process = tk_ev_process(c, &pid)) == UINT32_MAX)
            return -1;
        if (at->has_tid && (track->thread = tk_ev_thread(c, track->process, &tid, at->uuid)) == UINT32_MAX)
            return -1;
        if (at->has_pid || !at->has_parent || !at->parent) {
            track->owner = at->has_tid ? TK_PF_THREAD : at->has_pid ? TK_PF_PROCESS : TK_PF_NOBODY;
            track->own &= at->has_tid;
            return 0;
        }
        track->own = false;
        at = tk_pf_track_of(t, at->parent);
        if (!at)
            break;
    }
    track->owner = TK_PF_BROKEN;
    return 0;
}

enum tk_pf_owner tk_pf_track_owner(struct tk_pf_tracks *t, struct tk_ev_capture *c, uint64_t uuid, bool *own,
                                   uint32_t *thread, uint32_t *process)
{
    struct tk_pf_track *track = tk_pf_track_of(t, uuid);
    *own = false;
    *thread = *process = UINT32_MAX;
    if (!track)
        return TK_PF_NOBODY;
    if (track->owner == TK_PF_NOT_REQUESTED && resolve(t, c, track))
        return TK_PF_NOT_REQUESTED;
    *own = track->own;
    *thread = track->thread;
    *process = track->process;
    return (enum tk_pf_owner)track->owner;
}

uint64_t tk_pf_tracks_without_parent(const struct tk_pf_tracks *t)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->list.n; i++)
        n += t->list.v[i].has_parent && t->list.v[i].parent &&
             tk_map_get(&t->index, t->list.v[i].parent) == TK_MAP_NONE;
    return n;
}

void tk_pf_tracks_release(struct tk_pf_tracks *t)
{
    tk_vec_release(&t->list);
    tk_map_release(&t->index);
}
