/*
 * Table `crash`: why the program ended, where the capture says so. Without a whole reading of the capture
 * only what the session says is known.
 */
#include "base/vec.h"
#include "model/capture/capture_in.h"
#include "model/code/callstack_list.h"
#include "model/code/code_map.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>

enum { TIME, THREAD_ID, THREAD, MESSAGE = THREAD + TK_THREAD_COLUMNS, CALLSTACK, STACK, SCOPES, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL,
              "time of the crash according to the recorder, whose clock may differ"},
    [THREAD_ID] = {"system_id", TK_INT, TK_COL_EXTRA, NULL, "thread id of the operating system"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that crashed"),
    [MESSAGE] = {"message", TK_TEXT, 0, NULL, "crash message"},
    [CALLSTACK] = {"callstack_id", TK_UINT, TK_COL_EXTRA, NULL,
                   "id of its callstack, 0 none; see table callstacks"},
    [STACK] = {"stack", TK_TEXT, 0, NULL,
               "functions of its callstack, innermost first, as far as they are known"},
    [SCOPES] = {"scopes", TK_TEXT, 0, NULL, "scopes of the thread that never ended, outermost first"},
};

static const struct tk_table table = {
    .name = "crash",
    .help = "the crash of the program, if one was recorded",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .none = "no crash was recorded",
};

enum { MOST_TEXT = 1024, MOST_OPEN = 1024 };

struct crash {
    const struct tk_query_context *view;
    struct tk_callstack_list callstacks;
    struct tk_code_map code;
    uint32_t open[MOST_OPEN]; /* timers of the scopes that are open */
    uint32_t depth, thread;   /* depth may be beyond MOST_OPEN */
    int64_t time;
    bool there, known; /* is there a crash? does a thread of the capture have its number? */
};

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)wanted;
    if (!view->query->in_passing)
        needs->facts |= TK_FACT_MASK(SCOPES) | TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS;
}

static int open_crash(const struct tk_query_context *view, const struct tk_builder *builder,
                      uint64_t requested, void **self, struct tk_err *err)
{
    struct crash *c = calloc(1, sizeof *c);
    (void)builder;
    (void)requested;
    if (!c)
        return tk_err_nomem(err, "a crash");
    c->view = view;
    tk_callstack_list_init(&c->callstacks, &view->ctx->health, view->ctx->limits.callstack_bytes, UINT32_MAX);
    *self = c;
    return TK_OK;
}

/* Which thread, and when: the session is known before anything else. */
static void find_crash(struct crash *c)
{
    const struct tk_dict *dict = c->view->dict;
    struct tk_cell thread = tk_session_value(dict, "CrashThread"), time = tk_session_value(dict, "CrashTime");
    c->there = thread.kind == TK_UINT && time.kind == TK_INT;
    c->time = c->there ? time.v.i : 0;
    c->known = false;
    for (size_t i = 0; c->there && i < dict->threads.n && !c->known; i++) {
        c->known = dict->threads.v[i].info.has_system && dict->threads.v[i].info.system_id == thread.v.u;
        c->thread = dict->threads.v[i].id;
    }
}

static void take_op(struct crash *c, uint32_t op)
{
    if (op == TK_OP_CUT || op == TK_OP_CLOSE)
        c->depth = 0;
    else if (op & TK_OP_END)
        c->depth -= c->depth > 0;
    else if (c->depth++ < MOST_OPEN)
        c->open[c->depth - 1] = op & TK_OP_TIMER;
}

static int feed_crash(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct crash *c = self;
    (void)emit;
    find_crash(c);
    for (size_t i = 0; c->there && i < batch->n_facts; i++)
        if (tk_callstack_list_feed(&c->callstacks, &batch->facts[i]) ||
            tk_code_map_feed(&c->code, &batch->facts[i]))
            return tk_err_nomem(err, "a crash");
    for (size_t i = 0; c->known && i < batch->n_runs; i++) {
        const struct tk_scope_run *run = &batch->runs[i];
        for (size_t k = 0; run->kind == TK_LANE_THREAD && run->thread == c->thread && k < run->n; k++)
            take_op(c, run->op[k]);
    }
    return TK_OK;
}

/* ---- texts ---- */

struct joined {
    char text[MOST_TEXT];
    size_t n;
};

/* Names with something between them; of what has no space nothing, of all behind it neither. */
static void join(struct joined *j, const struct tk_str *name, const char *between)
{
    size_t more = j->n ? strlen(between) : 0;
    if (!name || name->enc != TK_ENC_UTF8 || j->n + more + name->n > MOST_TEXT)
        return;
    memcpy(j->text + j->n, between, more);
    memcpy(j->text + j->n + more, name->p, name->n);
    j->n += more + name->n;
}

static struct tk_cell cell_of_joined(const struct joined *j, struct tk_emit *emit)
{
    const char *kept = j->n ? tk_emit_bytes(emit, j->text, j->n) : NULL;
    return kept ? (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)j->n, .v.p = kept}
                : (struct tk_cell){.kind = TK_NONE};
}

static struct tk_cell stack_cell(const struct crash *c, uint64_t id, struct tk_emit *emit)
{
    const struct tk_callstack *stack = tk_callstack_of(&c->callstacks, id);
    struct joined j = {.n = 0};
    for (uint32_t i = 0; stack && i < stack->n; i++) {
        const struct tk_symbol *symbol =
            tk_code_symbol(&c->code, c->callstacks.frames.v[stack->first + i], false);
        for (uint32_t k = 0; symbol && !symbol->open && k < symbol->n; k++)
            join(&j, tk_symbol_place(&c->code.symbols, symbol, k)->function, " < ");
    }
    return cell_of_joined(&j, emit);
}

static struct tk_cell scopes_cell(const struct crash *c, struct tk_emit *emit)
{
    const struct tk_dict *dict = c->view->dict;
    struct joined j = {.n = 0};
    for (uint32_t i = 0; i < c->depth && i < MOST_OPEN; i++)
        if (c->open[i] < dict->timers.n)
            join(&j, dict->timers.v[c->open[i]].displayed, " > ");
    return cell_of_joined(&j, emit);
}

/* The functions of the stack that is displayed. */
static int settle_crash(struct crash *c)
{
    struct tk_cell id = tk_session_value(c->view->dict, "CrashCallstack");
    const struct tk_callstack *stack = id.kind == TK_UINT ? tk_callstack_of(&c->callstacks, id.v.u) : NULL;
    for (uint32_t i = 0; stack && i < stack->n; i++)
        if (tk_code_map_want(&c->code, c->callstacks.frames.v[stack->first + i], false))
            return -1;
    return tk_code_map_settle(&c->code, c->view->ctx);
}

static int finish_crash(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct crash *c = self;
    find_crash(c);
    if (c->there && settle_crash(c))
        return tk_err_nomem(err, "a crash");
    struct tk_cell *row = c->there ? tk_emit_row(emit) : NULL;
    if (!row)
        return tk_emit_status(emit);
    row[TIME] = tk_query_context_time(c->view, c->time);
    row[THREAD_ID] = tk_cell_of_int((int64_t)tk_session_value(c->view->dict, "CrashThread").v.u);
    if (c->known)
        tk_thread_put(c->view, c->thread, &row[THREAD]);
    row[MESSAGE] = tk_session_value(c->view->dict, "CrashMessage");
    row[CALLSTACK] = tk_session_value(c->view->dict, "CrashCallstack");
    row[STACK] = stack_cell(c, row[CALLSTACK].kind == TK_UINT ? row[CALLSTACK].v.u : 0, emit);
    row[SCOPES] = scopes_cell(c, emit);
    return TK_OK;
}

static void close_crash(void *self)
{
    struct crash *c = self;
    if (c) {
        tk_callstack_list_release(&c->callstacks);
        tk_code_map_release(&c->code);
    }
    free(c);
}

const struct tk_builder tk_builder_crash = {
    .table = &table,
    .needs = {.order = TK_NEEDS_ANY_ORDER},
    .add_needs = add_needs,
    .open = open_crash,
    .feed = feed_crash,
    .finish = finish_crash,
    .close = close_crash,
};
