/*
 * Folded stacks: a line for each path of names, outermost first, with its own time in nanoseconds, its
 * calls or its bytes: "a;b;c 10". Semicolons, spaces at the ends and control characters of names are
 * replaced, and long names end early; paths of weight 0 are left out. Own time of calls that never ended
 * stands apart, as if in a call of "(open)". Thread by thread, each path behind the one it goes on from.
 */
#include "sink/write/safe_text.h"
#include "sink/timelines/stack_writer.h"

/* The name, or as many whole characters of its beginning as a line takes. */
static struct tk_str shortened(struct tk_stack_writer *p, struct tk_str name)
{
    size_t n = p->bounds->name_bytes;
    if (name.n <= n)
        return name;
    while (n > 0 && ((uint8_t)name.p[n] & 0xc0) == 0x80)
        n--;
    name.n = (uint32_t)n;
    p->bounds->cut++;
    return name;
}

static void put_name_folded(struct tk_stack_writer *p, struct tk_str name)
{
    name = shortened(p, tk_safe_text_clean(&p->clean, name));
    if (!name.n)
        tk_buffer_char(&p->out, '_');
    for (uint32_t i = 0; i < name.n; i++) {
        const bool edge = i == 0 || i == name.n - 1;
        uint8_t c = (uint8_t)name.p[i];
        if (c == ';')
            c = ':';
        else if (c < ' ' || c == 0x7f || (c == ' ' && edge))
            c = '_';
        tk_buffer_char(&p->out, (char)c);
    }
}

/* The numbers of the nodes from this to the outermost one, in part; how many. */
static size_t path_of(struct tk_stack_writer *p, uint32_t node)
{
    p->part.n = 0;
    for (; node != TK_STACK_ROOT; node = p->stacks->nodes.v[node].parent)
        tk_buffer_put(&p->part, &node, sizeof node);
    return p->part.n / sizeof node;
}

static void put_line(struct tk_stack_writer *p, uint32_t node, const char *more, uint64_t weight)
{
    const struct tk_stacks *s = p->stacks;
    for (size_t n = path_of(p, node), i = n; i-- > 0;) {
        uint32_t at;
        memcpy(&at, p->part.p + i * sizeof at, sizeof at);
        put_name_folded(p, *s->names.v[s->nodes.v[at].name].text);
        if (i)
            tk_buffer_char(&p->out, ';');
    }
    tk_buffer_text(&p->out, more);
    tk_buffer_u64(&p->out, weight);
    tk_buffer_char(&p->out, '\n');
}

static void write(struct tk_stack_writer *p)
{
    for (uint32_t i = 1; i < p->stacks->nodes.n && p->out.status == TK_OK; i++) {
        const struct tk_stack_node *node = &p->stacks->nodes.v[i];
        const uint64_t weights[] = {node->self > 0 ? (uint64_t)node->self : 0, node->count, node->bytes,
                                    node->count};
        if (weights[p->weight] && tk_stack_writer_has_room(p))
            put_line(p, i, " ", weights[p->weight]);
        if (p->weight == TK_WEIGHT_TIME && node->open > 0 && tk_stack_writer_has_room(p))
            put_line(p, i, ";(open) ", (uint64_t)node->open);
    }
}

const struct tk_stack_writer_format tk_folded_format = {.name = "folded", .write = write};
