/*
 * Folded stacks: a line for each path of names, outermost first, with its own time in nanoseconds or its
 * calls: "a;b;c 10". Semicolons, spaces at the ends and control characters of names are replaced; paths of
 * weight 0 are left out. In order of first appearance.
 */
#include "sink/clean.h"
#include "sink/stacks.h"

struct folded {
    struct tk_stacks stacks;
    struct tk_buffer clean;
};

static void folded_open(struct tk_viewer *v)
{
    struct folded *f = v->state;
    f->stacks.v = v;
    if (tk_buffer_init(&f->clean, NULL, v->out.err))
        tk_buffer_fail(&v->out, TK_ENOMEM);
}

static void folded_items(struct tk_viewer *v, const struct tk_item *items, size_t n)
{
    tk_stacks_items(&((struct folded *)v->state)->stacks, items, n);
}

static void put_name(struct tk_viewer *v, struct tk_str name)
{
    struct folded *f = v->state;
    name = tk_clean_text(&f->clean, name);
    if (!name.n)
        tk_buffer_char(&v->out, '_');
    for (uint32_t i = 0; i < name.n; i++) {
        const bool edge = i == 0 || i == name.n - 1;
        uint8_t c = (uint8_t)name.p[i];
        if (c == ';')
            c = ':';
        else if (c < ' ' || c == 0x7f || (c == ' ' && edge))
            c = '_';
        tk_buffer_char(&v->out, (char)c);
    }
}

/* The numbers of the nodes from the outermost one to this, in path; how many. */
static size_t path_of(struct tk_viewer *v, uint32_t node)
{
    const struct folded *f = v->state;
    v->scratch.n = 0;
    for (; node != TK_STACK_ROOT; node = f->stacks.nodes.v[node].parent)
        tk_buffer_put(&v->scratch, &node, sizeof node);
    return v->scratch.n / sizeof node;
}

static void put_line(struct tk_viewer *v, uint32_t node, uint64_t weight)
{
    struct folded *f = v->state;
    for (size_t n = path_of(v, node), i = n; i-- > 0;) {
        uint32_t at;
        memcpy(&at, v->scratch.p + i * sizeof at, sizeof at);
        put_name(v, tk_stacks_name(&f->stacks, at));
        tk_buffer_char(&v->out, i ? ';' : ' ');
    }
    tk_buffer_u64(&v->out, weight);
    tk_buffer_char(&v->out, '\n');
}

static void folded_finish(struct tk_viewer *v)
{
    const struct folded *f = v->state;
    for (uint32_t i = 1; i < f->stacks.nodes.n && v->out.status == TK_OK; i++) {
        const struct tk_stack_node *node = &f->stacks.nodes.v[i];
        const uint64_t weights[] = {node->self, node->count, node->bytes};
        const uint64_t weight = weights[v->opt.weight];
        if (weight)
            put_line(v, i, weight);
    }
}

static void folded_release(struct tk_viewer *v)
{
    struct folded *f = v->state;
    tk_stacks_release(&f->stacks);
    tk_buffer_release(&f->clean);
}

const struct tk_viewer_format tk_folded_format = {
    .name = "folded",
    .scopes_only = true,
    .state_size = sizeof(struct folded),
    .open = folded_open,
    .items = folded_items,
    .finish = folded_finish,
    .release = folded_release,
};
