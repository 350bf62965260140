/*
 * Samples in Chrome's trace JSON: "stackFrames", a tree of functions, and "samples", each with the innermost
 * of its frames. chrome.c writes them behind the events.
 */
#include "sink/write/json_text.h"
#include "sink/timelines/timeline_writer.h"

/* A frame of the tree. */
struct node {
    uint32_t parent;   /* place in nodes; TK_MAP_NONE: outermost */
    uint32_t place;    /* place of its function in the samples */
    uint32_t location; /* that it is at */
};

struct frames {
    const struct tk_sampled *s;
    TK_VEC(struct node) nodes;
    TK_VEC(uint32_t) tops; /* by stack: its innermost frame; TK_MAP_NONE: it has none */
    struct tk_map index;
};

static bool is_same(const struct frames *f, const struct node *a, const struct node *b)
{
    const struct tk_sampled_place *x = &f->s->places.v[a->place], *y = &f->s->places.v[b->place];
    return a->parent == b->parent && x->function == y->function && x->file == y->file && x->line == y->line &&
           f->s->locations.v[a->location].module == f->s->locations.v[b->location].module;
}

/* The node of a function below another; TK_MAP_NONE if out of memory. */
static uint32_t reach(struct frames *f, const struct node *wanted)
{
    const struct tk_sampled_place *place = &f->s->places.v[wanted->place];
    const uint64_t hash = tk_hash_pair(tk_hash_pair(wanted->parent, (uint64_t)(uintptr_t)place->function),
                                       tk_hash_pair(place->line, (uint64_t)(uintptr_t)place->file));
    const uint32_t at = tk_map_get(&f->index, hash), made = (uint32_t)f->nodes.n;
    if (at < f->nodes.n && is_same(f, &f->nodes.v[at], wanted))
        return at;
    return f->nodes.n >= TK_MAP_NONE - 1 || tk_vec_push(&f->nodes, *wanted) ||
                   tk_map_put(&f->index, hash, made)
               ? TK_MAP_NONE
               : made;
}

/* From the outermost function of a stack to the innermost. */
static int add_stack(struct frames *f, const struct tk_sampled_stack *stack)
{
    uint32_t top = TK_MAP_NONE;
    for (size_t i = stack->n; i-- > 0;) {
        const uint32_t at = f->s->frames.v[stack->first + i];
        const struct tk_sampled_location *location = &f->s->locations.v[at];
        for (uint32_t k = location->n; k-- > 0;) {
            const struct node node = {top, location->first + k, at};
            if ((top = reach(f, &node)) == TK_MAP_NONE)
                return -1;
        }
    }
    return tk_vec_push(&f->tops, top);
}

static void put_frames(struct tk_timeline_writer *v, const struct frames *f)
{
    tk_buffer_text(&v->out, ",\n\"stackFrames\":{");
    for (uint32_t i = 0; i < f->nodes.n && v->out.status == TK_OK; i++) {
        const struct node *node = &f->nodes.v[i];
        const struct tk_sampled_place *place = &f->s->places.v[node->place];
        const uint32_t module = f->s->locations.v[node->location].module;
        tk_buffer_text(&v->out, i ? ",\n\"" : "\n\"");
        tk_buffer_u64(&v->out, i + UINT64_C(1));
        tk_buffer_text(&v->out, "\":{\"name\":");
        tk_json_key(&v->out, &v->clean, *place->function);
        tk_buffer_text(&v->out, ",\"category\":");
        tk_json_key(&v->out, &v->clean,
                    module == TK_MAP_NONE ? (struct tk_str){.p = ""} : *f->s->modules.v[module].name);
        if (place->file) {
            tk_buffer_text(&v->out, ",\"file\":");
            tk_json_key(&v->out, &v->clean, *place->file);
            tk_buffer_text(&v->out, ",\"line\":");
            tk_buffer_u64(&v->out, place->line);
        }
        if (node->parent != TK_MAP_NONE) {
            tk_buffer_text(&v->out, ",\"parent\":\"");
            tk_buffer_u64(&v->out, node->parent + UINT64_C(1));
            tk_buffer_char(&v->out, '"');
        }
        tk_buffer_char(&v->out, '}');
    }
    tk_buffer_text(&v->out, "\n}");
}

/* What a sample weighs: the time that it stands for, where that is known. */
static void put_samples(struct tk_timeline_writer *v, const struct frames *f)
{
    const struct tk_sampled *s = f->s;
    bool begun = false;
    tk_buffer_text(&v->out, ",\n\"samples\":[");
    for (size_t i = 0; i < s->moments.n && v->out.status == TK_OK; i++) {
        const struct tk_sampled_moment *one = &s->moments.v[i];
        if (one->stack >= f->tops.n || f->tops.v[one->stack] == TK_MAP_NONE)
            continue;
        tk_buffer_text(&v->out,
                       begun ? ",\n{\"cpu\":0,\"pid\":1,\"tid\":" : "\n{\"cpu\":0,\"pid\":1,\"tid\":");
        tk_buffer_u64(&v->out, s->threads.v[one->thread].number);
        tk_buffer_text(&v->out, ",\"ts\":");
        tk_buffer_fixed(&v->out, one->ns, 3);
        tk_buffer_text(&v->out, ",\"name\":\"samples\",\"sf\":\"");
        tk_buffer_u64(&v->out, f->tops.v[one->stack] + UINT64_C(1));
        tk_buffer_text(&v->out, "\",\"weight\":1}");
        begun = true;
    }
    tk_buffer_text(&v->out, "\n]");
}

void tk_chrome_samples(struct tk_timeline_writer *v)
{
    struct frames f = {.s = v->sampled};
    int rc = 0;
    if (!v->sampled)
        return;
    for (size_t i = 0; i < f.s->stacks.n && rc == 0; i++)
        rc = add_stack(&f, &f.s->stacks.v[i]);
    if (rc)
        tk_buffer_fail(&v->out, TK_ENOMEM);
    if (rc == 0)
        put_frames(v, &f);
    if (rc == 0)
        put_samples(v, &f);
    tk_vec_release(&f.nodes);
    tk_vec_release(&f.tops);
    tk_map_release(&f.index);
}
