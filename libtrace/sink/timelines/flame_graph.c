/*
 * Flame graphs: stacks as one SVG that stands alone. Roots are above and the greatest on the left; a click
 * fits a call into the width, and Ctrl-F searches (page/flame.js). Boxes narrower than a tenth of a pixel are
 * left out. Names are text: escaped, and without what XML cannot hold.
 */
#include "base/text/text.h"
#include "sink/timelines/stack_writer.h"
#include "sink/write/human.h"
#include "sink/write/value.h"

#include <stdlib.h>

enum { WIDTH = 1200, ROW = 17, TOP = 34, NAME_MOST = 300 };

#define LEAST 0.1

extern const char tk_flame_script[];

struct box {
    uint32_t node, parent, depth;
    uint64_t all;
};

struct flame {
    struct tk_stack_writer *p;
    struct box *boxes; /* by number of the node; then by depth of parents, the greatest of one parent first */
    double *at;        /* by number of the node: where it begins, then where the next one below it does */
    double scale;      /* pixels of a unit of weight */
};

static uint64_t own_of(const struct flame *f, uint32_t i)
{
    const struct tk_stack_node *n = &f->p->stacks->nodes.v[i];
    const uint64_t time = (n->self > 0 ? (uint64_t)n->self : 0) + (n->open > 0 ? (uint64_t)n->open : 0);
    const uint64_t weights[] = {time, n->count, n->bytes, n->count};
    return weights[f->p->weight];
}

/* ---- text ---- */

static void put_character(struct tk_buffer *b, uint32_t c)
{
    uint8_t bytes[4];
    const char *entity = tk_markup_entity(c);
    if (tk_is_unsafe(c) || c == 0xfffe || c == 0xffff)
        c = 0xfffd;
    if (entity)
        tk_buffer_text(b, entity);
    else
        tk_buffer_put(b, bytes, tk_utf8_put(bytes, c));
}

/* At most so many characters of a name. */
static void put_name(struct flame *f, uint32_t node, size_t most)
{
    const struct tk_stacks *s = f->p->stacks;
    const struct tk_str name = tk_safe_text_clean(&f->p->clean, *s->names.v[s->nodes.v[node].name].text);
    const uint8_t *p = (const uint8_t *)name.p;
    size_t n = name.n, step;
    for (size_t displayed = 0; n; p += step, n -= step, displayed++) {
        const uint32_t c = tk_utf8_next(p, n, &step);
        if (displayed + 1 >= most && n > step) {
            tk_buffer_text(&f->p->out, "…");
            return;
        }
        put_character(&f->p->out, c);
    }
}

static void put_weight(struct flame *f, uint64_t v)
{
    if (f->p->weight == TK_WEIGHT_TIME)
        tk_human_span(&f->p->out, v > INT64_MAX ? INT64_MAX : (int64_t)v);
    else if (f->p->weight == TK_WEIGHT_BYTES)
        tk_human_size(&f->p->out, v);
    else
        tk_buffer_u64(&f->p->out, v);
}

static void put_number(struct tk_buffer *b, const char *key, double v)
{
    tk_buffer_text(b, key);
    tk_buffer_fixed(b, (int64_t)(v * 1000 + 0.5), 3);
    tk_buffer_text(b, "\"");
}

/* ---- places ---- */

static void sum_boxes(struct flame *f)
{
    const struct tk_stacks *s = f->p->stacks;
    for (uint32_t i = 0; i < s->nodes.n; i++) {
        const uint32_t parent = s->nodes.v[i].parent;
        f->boxes[i] = (struct box){
            .node = i, .parent = parent, .all = own_of(f, i), .depth = i ? f->boxes[parent].depth + 1 : 0};
    }
    for (uint32_t i = (uint32_t)s->nodes.n; i-- > 1;)
        f->boxes[f->boxes[i].parent].all += f->boxes[i].all;
    f->scale = f->boxes[0].all ? (double)WIDTH / (double)f->boxes[0].all : 0;
}

/* What is called stands behind what calls it; of one caller the greatest first. */
static int by_place(const void *a, const void *b)
{
    const struct box *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->all != y->all)
        return x->all > y->all ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* From light to dark, warm to cold; by the name, so that a name has the same colour in each picture. */
static const char *colour_of(const struct flame *f, uint32_t node)
{
    static const char *const colours[] = {"#f4b183", "#f7c99b", "#e9d08a", "#cfdc94", "#a9d6a0", "#97d4c0",
                                          "#95cfe0", "#9fc1ea", "#b3b5ee", "#c9aee8", "#e0abd8", "#f0adbb"};
    const struct tk_stacks *s = f->p->stacks;
    const struct tk_str *name = s->names.v[s->nodes.v[node].name].text;
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < name->n; i++)
        h = (h ^ (uint8_t)name->p[i]) * 16777619u;
    return s->names.v[s->nodes.v[node].name].thread ? "#dfe3e9"
                                                    : colours[h % (sizeof colours / sizeof *colours)];
}

/* A name, cut where its box ends whatever the font is. */
static void put_label(struct flame *f, uint32_t node, double x, double y, double width)
{
    struct tk_buffer *b = &f->p->out;
    const size_t capacity = width > 28 ? (size_t)((width - 8) / 6.6) : 0;
    put_number(b, "<svg x=\"", x);
    put_number(b, " y=\"", y);
    put_number(b, " width=\"", width > 1.1 ? width - 1 : LEAST);
    tk_buffer_text(b, " height=\"16\"><text x=\"3\" y=\"12\">");
    if (capacity >= 3)
        put_name(f, node, capacity);
    tk_buffer_text(b, "</text></svg>");
}

static void put_box(struct flame *f, const struct box *box, double x, double width)
{
    struct tk_buffer *b = &f->p->out;
    const double y = (double)(TOP + (box->depth - 1) * ROW);
    tk_buffer_text(b, "<g class=\"b\" data-name=\"");
    put_name(f, box->node, NAME_MOST);
    tk_buffer_text(b, "\"><title>");
    put_name(f, box->node, NAME_MOST);
    tk_buffer_text(b, " (");
    put_weight(f, box->all);
    tk_buffer_text(b, ", ");
    tk_human_percent(b, (double)box->all / (double)f->boxes[0].all * 100);
    tk_buffer_text(b, ")</title><rect data-value=\"");
    tk_buffer_u64(b, box->all);
    put_number(b, "\" x=\"", x);
    put_number(b, " y=\"", y);
    put_number(b, " width=\"", width > 1.1 ? width - 1 : LEAST);
    tk_buffer_text(b, " height=\"16\" fill=\"");
    tk_buffer_text(b, colour_of(f, box->node));
    tk_buffer_text(b, "\"/>");
    put_label(f, box->node, x, y, width);
    tk_buffer_text(b, "</g>\n");
}

static void put_boxes(struct flame *f)
{
    const size_t n = f->p->stacks->nodes.n;
    for (size_t i = 1; i < n && f->p->out.status == TK_OK; i++) {
        const struct box *box = &f->boxes[i];
        const double width = (double)box->all * f->scale, x = f->at[box->parent];
        f->at[box->parent] += width;
        f->at[box->node] = x;
        if (width >= LEAST && tk_stack_writer_has_space(f->p))
            put_box(f, box, x, width);
    }
}

static uint32_t deepest_of(const struct flame *f)
{
    uint32_t deepest = 1;
    for (size_t i = 1; i < f->p->stacks->nodes.n; i++)
        if ((double)f->boxes[i].all * f->scale >= LEAST && f->boxes[i].depth > deepest)
            deepest = f->boxes[i].depth;
    return deepest;
}

static void put_head(struct flame *f)
{
    static const char *const what[] = {"time", "calls", "allocated bytes", "samples"};
    struct tk_buffer *b = &f->p->out;
    const uint64_t height = TOP + (uint64_t)deepest_of(f) * ROW + 8;
    tk_buffer_text(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                      "viewBox=\"0 0 1200 ");
    tk_buffer_u64(b, height);
    tk_buffer_text(b, "\" width=\"1200\" height=\"");
    tk_buffer_u64(b, height);
    tk_buffer_text(b, "\">\n<style>text { font: 11px 'DejaVu Sans', Verdana, sans-serif; fill: #15191f; "
                      "pointer-events: none }\n"
                      "g.b:hover rect { stroke: #15191f } #search, #back { fill: #0b5cad; cursor: pointer; "
                      "pointer-events: all }"
                      "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<text x=\"4\" "
                      "y=\"20\">Flame graph of ");
    tk_buffer_text(b, what[f->p->weight]);
    tk_buffer_text(b, ": ");
    put_weight(f, f->boxes[0].all);
    tk_buffer_text(
        b, "</text>\n<text id=\"search\" x=\"1196\" y=\"20\" text-anchor=\"end\">search (Ctrl-F)</text>\n"
           "<text id=\"back\" x=\"1090\" y=\"20\" text-anchor=\"end\" style=\"display: none\">all</text>\n"
           "<text id=\"told\" x=\"600\" y=\"20\" text-anchor=\"middle\"/>\n");
}

static void write_flame(struct tk_stack_writer *p)
{
    const size_t n = p->stacks->nodes.n;
    struct flame f = {.p = p, .boxes = malloc((n + 1) * sizeof *f.boxes), .at = calloc(n + 1, sizeof *f.at)};
    if (!f.boxes || !f.at) {
        tk_buffer_fail(&p->out, TK_ENOMEM);
    } else {
        if (n == 0)
            f.boxes[0] = (struct box){0};
        sum_boxes(&f);
        qsort(f.boxes, n, sizeof *f.boxes, by_place);
        put_head(&f);
        put_boxes(&f);
        tk_buffer_text(&p->out, "<script><![CDATA[\n");
        tk_buffer_text(&p->out, tk_flame_script);
        tk_buffer_text(&p->out, "]]></script>\n</svg>\n");
    }
    free(f.boxes);
    free(f.at);
}

const struct tk_stack_writer_format tk_flame_graph_format = {.name = "flamegraph", .write = write_flame};
