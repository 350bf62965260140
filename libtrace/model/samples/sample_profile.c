/*
 * From samples to named stacks.
 */
#include "base/err.h"
#include "model/samples/sample_record.h"
#include "model/samples/sample_stacks.h"
#include "tracekit/tables.h"

#include <stdlib.h>

enum { MOST_FRAMES = 4096 };

static const struct tk_table table = {.name = "sampled_stacks", .help = "samples by stack"};

struct profile {
    const struct tk_sample_profile_request *request;
    struct tk_sample_stacks samples;
    uint32_t frames[MOST_FRAMES]; /* names of a stack, the innermost first */
    size_t n;
};

static int open_profile(const struct tk_query_context *view, const struct tk_builder *builder,
                        uint64_t wanted, void **self, struct tk_err *err)
{
    struct profile *p = calloc(1, sizeof *p);
    (void)wanted;
    if (!p)
        return tk_err_nomem(err, "stacks of samples");
    p->request = builder->user;
    tk_sample_stacks_init(&p->samples, view);
    *self = p;
    return TK_OK;
}

static int feed_profile(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    return tk_sample_stacks_batch(&((struct profile *)self)->samples, batch, "stacks of samples", err);
}

static int take_calls(void *self, const struct tk_slices *slices, unsigned worker)
{
    (void)worker;
    return tk_sample_stacks_take(&((struct profile *)self)->samples, slices);
}

static int lane_calls(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    return tk_sample_stacks_lane(&((struct profile *)self)->samples, end, "stacks of samples", err);
}

/* The outermost frames of what is deeper than any real stack are left out. */
static int take_place(void *to, const struct tk_sample_place *place, bool own)
{
    struct profile *p = to;
    const struct tk_stack_name name = {.text = place->function, .file = place->file, .line = place->line};
    (void)own;
    if (p->n >= MOST_FRAMES)
        return 0;
    p->frames[p->n] = tk_stacks_name(p->request->stacks, &name);
    return p->frames[p->n++] == TK_MAP_NONE ? -1 : 0;
}

static uint32_t thread_node(struct profile *p, uint32_t thread)
{
    static const struct tk_str unnamed = {"(unnamed)", 9, TK_ENC_UTF8};
    const struct tk_system_thread *t = &p->samples.threads.v.v[thread];
    const struct tk_str *text = tk_system_thread_name(t, p->samples.view->dict);
    const struct tk_stack_name name = {.text = text ? text : &unnamed, .thread = true};
    uint32_t number = tk_stacks_name(p->request->stacks, &name);
    return number == TK_MAP_NONE ? number : tk_stacks_reach(p->request->stacks, TK_STACK_ROOT, number);
}

static int add_stack(struct profile *p, const struct tk_sample_stack *stack)
{
    uint32_t node = p->request->per_thread ? thread_node(p, stack->thread) : TK_STACK_ROOT;
    p->n = 0;
    if (tk_sample_stack_walk(&p->samples, stack, take_place, p))
        return -1;
    for (size_t i = p->n; i-- > 0 && node != TK_MAP_NONE;)
        node = tk_stacks_reach(p->request->stacks, node, p->frames[i]);
    if (node == TK_MAP_NONE)
        return -1;
    if (node != TK_STACK_ROOT)
        p->request->stacks->nodes.v[node].count += stack->count;
    return 0;
}

static int finish_profile(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct profile *p = self;
    (void)emit;
    int rc = tk_sample_stacks_settle(&p->samples);
    for (size_t i = 0; i < p->samples.v.n && rc == 0; i++)
        if (tk_sample_stack_selected(&p->samples, &p->samples.v.v[i]))
            rc = add_stack(p, &p->samples.v.v[i]);
    return rc ? tk_err_nomem(err, "stacks of samples") : TK_OK;
}

static void close_profile(void *self)
{
    struct profile *p = self;
    tk_sample_stacks_release(&p->samples);
    free(p);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_calls, .lane = lane_calls};

struct tk_builder tk_sample_profile_builder(struct tk_sample_profile_request *request)
{
    return (struct tk_builder){
        .table = &table,
        .needs = {.facts = TK_SAMPLE_STACK_FACTS},
        .scopes = &scope_hooks,
        .add_needs = tk_sample_stacks_add_needs,
        .user = request,
        .open = open_profile,
        .feed = feed_profile,
        .finish = finish_profile,
        .close = close_profile,
    };
}
