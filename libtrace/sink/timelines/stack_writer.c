/*
 * Opens, fills and closes the output file of a profile. export_stacks.c feeds it; folded.c and pprof.c are
 * its formats.
 */
#include "sink/timelines/stack_writer.h"

#include "base/err.h"
#include "io/output.h"
#include "sink/write/value.h"

/*
 * Folded stacks: a line for each path of names, outermost first, with its own time in nanoseconds, its
 * calls or its bytes: "a;b;c 10". Semicolons, spaces at the ends and control characters of names are
 * replaced, and long names end early; paths of weight 0 are left out. Own time of calls that never ended
 * stands apart, as if in a call of "(open)". Thread by thread, each path behind the one it goes on from.
 */

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
        if (weights[p->weight] && tk_stack_writer_has_space(p))
            put_line(p, i, " ", weights[p->weight]);
        if (p->weight == TK_WEIGHT_TIME && node->open > 0 && tk_stack_writer_has_space(p))
            put_line(p, i, ";(open) ", (uint64_t)node->open);
    }
}

const struct tk_stack_writer_format tk_folded_format = {.name = "folded", .write = write};

#define SMALL (UINT64_C(64) << 20) /* bytes of a file that stacks may fill whatever the capture is */

struct tk_stack_bounds tk_stack_bounds_of(const struct tk_limits *limits, uint64_t capture)
{
    const uint64_t ratio = limits->stacks_ratio;
    const uint64_t grown = ratio && capture > UINT64_MAX / ratio ? UINT64_MAX : ratio * capture,
                   by_ratio = grown > SMALL ? grown : SMALL, most = limits->stacks_bytes;
    return (struct tk_stack_bounds){
        .name_bytes = limits->stack_name_bytes < SIZE_MAX ? (size_t)limits->stack_name_bytes : SIZE_MAX,
        .bytes = by_ratio < most ? by_ratio : most,
        .by = by_ratio < most ? TK_LIMIT_stacks_ratio : TK_LIMIT_stacks_bytes};
}

bool tk_stack_writer_has_space(struct tk_stack_writer *p)
{
    const bool capacity = p->out.flushed + p->out.n < p->bounds->bytes;
    p->bounds->left_out += !capacity;
    return capacity;
}

static int status_of(const struct tk_stack_writer *p, struct tk_err *err)
{
    return p->out.status == TK_ENOMEM ? tk_err_nomem(err, "a profile") : p->out.status;
}

static int write_all(const struct tk_stack_writer_format *format, struct tk_stack_writer p,
                     struct tk_output *output, struct tk_err *err)
{
    int rc = tk_buffer_init(&p.out, output, err) || tk_buffer_init_scratch(&p.part, &p.out) ||
                     tk_buffer_init_scratch(&p.inner, &p.out) || tk_buffer_init_scratch(&p.clean, &p.out)
                 ? tk_err_nomem(err, "a profile")
                 : TK_OK;
    if (rc == TK_OK) {
        format->write(&p);
        tk_buffer_flush(&p.out);
        rc = status_of(&p, err);
    }
    tk_buffer_release(&p.out);
    tk_buffer_release(&p.part);
    tk_buffer_release(&p.inner);
    tk_buffer_release(&p.clean);
    return rc;
}

int tk_stack_writer_open(struct tk_output **output, const struct tk_stack_writer_format *format,
                         const char *path, bool force, struct tk_err *err)
{
    const enum tk_compressing requested = tk_compressing_of(path),
                              packing = format->packing ? format->packing : requested;
    if (requested != TK_PACKING_NONE && requested != packing)
        return tk_err_set(err, TK_EUSAGE, "'%s': a file of this format is always compressed with gzip", path);
    return tk_output_open_packed(output, path, force, packing, err);
}

static int write_file(const struct tk_stack_writer_format *format, const struct tk_stack_writer *p,
                      struct tk_output *output, struct tk_err *err)
{
    int rc = write_all(format, *p, output, err);
    if (rc == TK_OK)
        return tk_output_commit(output, err);
    tk_output_discard(output);
    return rc;
}

int tk_stack_writer_write(struct tk_output *output, const struct tk_stack_writer_format *format,
                          const struct tk_stacks *stacks, enum tk_stack_weight weight,
                          struct tk_stack_bounds *bounds, struct tk_err *err)
{
    const struct tk_stack_writer p = {.stacks = stacks, .weight = weight, .bounds = bounds};
    return write_file(format, &p, output, err);
}

int tk_stack_writer_write_samples(struct tk_output *output, const struct tk_stack_writer_format *format,
                                  const struct tk_sampled *sampled, bool threads,
                                  struct tk_stack_bounds *bounds, struct tk_err *err)
{
    const struct tk_stack_writer p = {
        .sampled = sampled, .threads = threads, .weight = TK_WEIGHT_SAMPLES, .bounds = bounds};
    return write_file(format, &p, output, err);
}
