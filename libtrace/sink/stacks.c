/*
 * Scopes added up by path; see stacks.h.
 */
#include "sink/stacks.h"

#include <stdlib.h>

#include "base/err.h"

static void out_of_memory(struct tk_stacks *s)
{
    tk_buffer_fail(&s->v->out, tk_err_nomem(s->v->out.err, "call stacks"));
}

static uint32_t add_node(struct tk_stacks *s, uint32_t parent, uint32_t name)
{
    const struct tk_stack_node node = {.parent = parent, .name = name};
    const uint64_t key = (uint64_t)parent << 32 | name;
    if (tk_map_put(&s->index, key, (uint32_t)s->nodes.n) || tk_vec_push(&s->nodes, node)) {
        out_of_memory(s);
        return TK_MAP_NONE;
    }
    return (uint32_t)s->nodes.n - 1;
}

static uint32_t more_node(struct tk_stacks *s)
{
    if (!s->more)
        s->more = add_node(s, TK_STACK_ROOT, TK_STACK_MORE);
    return s->more;
}

/* The node of a name below another one; TK_MAP_NONE after a failure. */
static uint32_t child(struct tk_stacks *s, uint32_t parent, uint32_t name)
{
    const uint64_t key = (uint64_t)parent << 32 | name;
    if (s->more && parent == s->more)
        return s->more;
    uint32_t found = tk_map_get(&s->index, key);
    if (found != TK_MAP_NONE)
        return found;
    if (s->nodes.n >= TK_STACK_NODES)
        return more_node(s);
    return add_node(s, parent, name);
}

static struct tk_stack_track *track_of(struct tk_stacks *s, uint32_t index)
{
    const struct tk_stack_node root = {0};
    if (!s->nodes.n && tk_vec_push(&s->nodes, root))
        return NULL;
    if (tk_vec_reserve(&s->tracks, (size_t)index + 1))
        return NULL;
    while (s->tracks.n <= index)
        s->tracks.v[s->tracks.n++] = (struct tk_stack_track){{0}};
    struct tk_stack_track *track = &s->tracks.v[index];
    if (!track->open.n) {
        uint32_t base =
            s->v->opt.per_thread ? child(s, TK_STACK_ROOT, TK_STACK_THREAD | index) : TK_STACK_ROOT;
        const struct tk_stack_open bottom = {.node = base};
        if (base == TK_MAP_NONE || tk_vec_push(&track->open, bottom))
            return NULL;
    }
    return track;
}

static void keep_place(struct tk_stacks *s, const struct tk_item *item)
{
    struct tk_str file = {.p = NULL};
    if (tk_viewer_name(s->v, item->name_id))
        return;
    tk_viewer_keep_name(s->v, item->name_id, item->name->p, item->name->n);
    if (tk_vec_reserve(&s->files, (size_t)item->name_id + 1) ||
        tk_vec_reserve(&s->lines, (size_t)item->name_id + 1)) {
        out_of_memory(s);
        return;
    }
    while (s->files.n <= item->name_id) {
        s->files.v[s->files.n++] = file;
        s->lines.v[s->lines.n++] = 0;
    }
    s->v->names.v[item->name_id].enc = item->name->enc;
    if (!item->file || !(file.p = malloc(item->file->n + 1u)))
        return;
    memcpy((void *)(uintptr_t)file.p, item->file->p, item->file->n);
    file.n = item->file->n;
    file.enc = item->file->enc;
    s->files.v[item->name_id] = file;
    s->lines.v[item->name_id] = item->line;
}

static void begin(struct tk_stacks *s, struct tk_stack_track *track, const struct tk_item *item)
{
    keep_place(s, item);
    struct tk_stack_open open = {.begin = item->ns};
    open.node = child(s, track->open.v[track->open.n - 1].node, item->name_id);
    if (open.node != TK_MAP_NONE && tk_vec_push(&track->open, open))
        out_of_memory(s);
}

static void end(struct tk_stacks *s, struct tk_stack_track *track, const struct tk_item *item, bool bytes)
{
    if (track->open.n < 2)
        return;
    const struct tk_stack_open open = track->open.v[--track->open.n];
    const uint64_t total = (uint64_t)item->ns - (uint64_t)open.begin;
    struct tk_stack_node *node = &s->nodes.v[open.node];
    if (bytes) {
        node->bytes += total - open.children;
    } else {
        node->count++;
        node->self += total - open.children;
    }
    track->open.v[track->open.n - 1].children += total;
}

/* Frames and other tracks are not what is called. */
static bool calls(const struct tk_viewer_track *track)
{
    return track->kind == TK_TRACK_THREAD || track->kind == TK_TRACK_GPU || track->kind == TK_TRACK_BYTES;
}

void tk_stacks_items(struct tk_stacks *s, const struct tk_item *items, size_t n)
{
    for (size_t i = 0; i < n && s->v->out.status == TK_OK; i++) {
        uint32_t index = tk_viewer_track_of(s->v, items[i].track);
        if (items[i].kind > TK_ITEM_END || !calls(&s->v->tracks.v[index]))
            continue;
        struct tk_stack_track *track = track_of(s, index);
        if (!track)
            out_of_memory(s);
        else if (items[i].kind == TK_ITEM_BEGIN)
            begin(s, track, &items[i]);
        else
            end(s, track, &items[i], s->v->tracks.v[index].kind == TK_TRACK_BYTES);
    }
}

struct tk_str tk_stacks_name(const struct tk_stacks *s, uint32_t node)
{
    uint32_t name = s->nodes.v[node].name;
    if (name == TK_STACK_MORE)
        return (struct tk_str){.p = "(more)", .n = 6};
    return name & TK_STACK_THREAD ? s->v->tracks.v[name & ~TK_STACK_THREAD].name : s->v->names.v[name];
}

void tk_stacks_release(struct tk_stacks *s)
{
    for (size_t i = 0; i < s->tracks.n; i++)
        tk_vec_release(&s->tracks.v[i].open);
    for (size_t i = 0; i < s->files.n; i++)
        free((void *)(uintptr_t)s->files.v[i].p);
    tk_vec_release(&s->tracks);
    tk_vec_release(&s->files);
    tk_vec_release(&s->lines);
    tk_vec_release(&s->nodes);
    tk_map_release(&s->index);
}
