/*
 * Table `callstacks`: the frames of callstacks, in order of ids, innermost frame first. A frame has its
 * module and its offset in it, and its functions where the capture or the symbols of the module have them: it
 * has a row for each function inlined there, innermost first.
 */
#include "base/sort.h"
#include "model/code/callstack_list.h"
#include "model/code/code_map.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

/*
 * Callstacks by id.
 */

void tk_callstack_list_init(struct tk_callstack_list *list, struct tk_health *health, uint64_t limit,
                            uint32_t depth)
{
    *list = (struct tk_callstack_list){.depth = depth, .limit = limit, .health = health};
}

static bool has_space_callstack_list(struct tk_callstack_list *list, uint32_t n)
{
    uint64_t bytes =
        (list->stacks.n + 1) * sizeof *list->stacks.v + (list->frames.n + n) * sizeof *list->frames.v;
    if (bytes <= list->limit)
        return true;
    if (list->full)
        list->health->counts[TK_HEALTH_LIMIT_REACHED]++;
    else
        tk_health_limit(list->health, TK_LIMIT_callstack_bytes, TK_NO_OFFSET, 1,
                        "callstacks take more than %llu bytes", (unsigned long long)list->limit);
    list->full = true;
    return false;
}

int tk_callstack_list_feed(struct tk_callstack_list *list, const struct tk_fact *fact)
{
    const struct tk_fact_callstack *info = &fact->u.callstack;
    if (fact->kind != TK_FACT_CALLSTACK || tk_map_get(&list->index, info->id) != TK_MAP_NONE)
        return 0;
    uint32_t n = info->n < list->depth ? info->n : list->depth;
    struct tk_callstack stack = {.id = info->id, .first = list->frames.n, .n = n, .depth = info->n};
    if (!has_space_callstack_list(list, n))
        return 0;
    if (tk_vec_reserve(&list->frames, list->frames.n + n) || tk_vec_push(&list->stacks, stack) ||
        tk_map_put(&list->index, info->id, (uint32_t)list->stacks.n - 1))
        return -1;
    for (uint32_t i = 0; i < n; i++)
        list->frames.v[list->frames.n++] = info->frames[i];
    return 0;
}

int tk_callstack_list_feed_sampled(struct tk_callstack_list *list, const struct tk_fact *fact)
{
    const uint64_t id = fact->kind == TK_FACT_SAMPLE ? fact->u.sample.callstack : 0;
    if (id && tk_map_get(&list->sampled, id) == TK_MAP_NONE)
        return tk_map_put(&list->sampled, id, 0);
    return tk_callstack_list_feed(list, fact);
}

const struct tk_callstack *tk_callstack_of(const struct tk_callstack_list *list, uint64_t id)
{
    uint32_t i = tk_map_get(&list->index, id);
    return i == TK_MAP_NONE ? NULL : &list->stacks.v[i];
}

void tk_callstack_list_release(struct tk_callstack_list *list)
{
    tk_vec_release(&list->stacks);
    tk_vec_release(&list->frames);
    tk_map_release(&list->index);
    tk_map_release(&list->sampled);
}

/*
 * Names of callstacks.
 */

void tk_stack_names_init(struct tk_stack_names *n, struct tk_context *ctx)
{
    *n = (struct tk_stack_names){.stacks = {.depth = 0}};
    tk_callstack_list_init(&n->stacks, &ctx->health, ctx->limits.callstack_bytes, 1);
}

int tk_stack_names_feed(struct tk_stack_names *n, const struct tk_fact *fact)
{
    return tk_callstack_list_feed(&n->stacks, fact) || tk_code_map_feed(&n->code, fact) ? -1 : 0;
}

int tk_stack_names_want(struct tk_stack_names *n, uint64_t callstack)
{
    const struct tk_callstack *stack = tk_callstack_of(&n->stacks, callstack);
    return stack && stack->n ? tk_code_map_want(&n->code, n->stacks.frames.v[stack->first], false) : 0;
}

int tk_stack_names_settle(struct tk_stack_names *n, const struct tk_context *ctx)
{
    return tk_code_map_settle(&n->code, ctx);
}

static int name_address(struct tk_stack_names *n, uint64_t address, const struct tk_str **function)
{
    const struct tk_symbol *symbol = tk_code_symbol(&n->code, address, false);
    if (symbol && !symbol->open && symbol->n)
        *function = tk_symbol_place(&n->code.symbols, symbol, 0)->function;
    if (*function)
        return 0;
    const struct tk_code_place place =
        tk_code_place_of(&n->code, tk_module_at(&n->code.modules, address), address);
    *function = tk_code_bare_text(&n->texts, &place, address);
    return *function ? 0 : -1;
}

int tk_stack_names_of(struct tk_stack_names *n, uint64_t callstack, const struct tk_str **function)
{
    static const struct tk_str missing = {"(not in the capture)", 20, TK_ENC_UTF8};
    const struct tk_callstack *stack = tk_callstack_of(&n->stacks, callstack);
    *function = !stack && callstack && !n->stacks.full ? &missing : NULL;
    return stack && stack->n ? name_address(n, n->stacks.frames.v[stack->first], function) : 0;
}

void tk_stack_names_release(struct tk_stack_names *n)
{
    tk_callstack_list_release(&n->stacks);
    tk_code_map_release(&n->code);
    tk_intern_release(&n->texts);
}

/*
 * References to callstacks.
 */

static struct tk_stack_use *use_of(struct tk_stack_references *r, uint64_t id)
{
    uint32_t at = tk_map_get(&r->index, id);
    if (at != TK_MAP_NONE)
        return &r->uses.v[at];
    if (tk_vec_push(&r->uses, (struct tk_stack_use){0}) || tk_map_put(&r->index, id, (uint32_t)r->uses.n - 1))
        return NULL;
    return &r->uses.v[r->uses.n - 1];
}

/* The callstack that a fact is about; 0 for none. */
static uint64_t stack_of(const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_CALLSTACK)
        return fact->u.callstack.id;
    if (fact->kind == TK_FACT_BOOKMARK)
        return fact->u.bookmark.callstack;
    bool made = fact->kind == TK_FACT_MEMORY &&
                (fact->u.memory.op == TK_MEMORY_ALLOC || fact->u.memory.op == TK_MEMORY_REALLOC_ALLOC);
    return made ? fact->u.memory.id : 0;
}

int tk_stack_references_feed(struct tk_stack_references *r, const struct tk_fact *fact)
{
    uint64_t id = stack_of(fact);
    if (!id || r->full)
        return 0;
    if (r->uses.n >= r->most && tk_map_get(&r->index, id) == TK_MAP_NONE) {
        r->full = true;
        return 0;
    }
    struct tk_stack_use *use = use_of(r, id);
    if (!use)
        return -1;
    use->defined |= fact->kind == TK_FACT_CALLSTACK;
    use->bookmarks += fact->kind == TK_FACT_BOOKMARK;
    use->allocations += fact->kind == TK_FACT_MEMORY;
    return 0;
}

static void note_undefined(struct tk_health *health, uint64_t users, const char *what, uint64_t ids)
{
    if (users)
        tk_health_note(health, TK_HEALTH_DEFINITION_MISSING, TK_NO_OFFSET, users,
                       "%llu %s refer%s to %llu callstack%s that the capture does not define",
                       (unsigned long long)users, what, users == 1 ? "s" : "", (unsigned long long)ids,
                       ids == 1 ? "" : "s");
}

void tk_stack_references_note(const struct tk_stack_references *r, struct tk_health *health)
{
    struct tk_stack_use users = {0}, ids = {0};
    for (size_t i = 0; i < r->uses.n && !r->full; i++) {
        const struct tk_stack_use *use = &r->uses.v[i];
        users.allocations += use->defined ? 0 : use->allocations;
        users.bookmarks += use->defined ? 0 : use->bookmarks;
        ids.allocations += !use->defined && use->allocations;
        ids.bookmarks += !use->defined && use->bookmarks;
    }
    note_undefined(health, users.allocations, users.allocations == 1 ? "allocation" : "allocations",
                   ids.allocations);
    note_undefined(health, users.bookmarks, users.bookmarks == 1 ? "bookmark" : "bookmarks", ids.bookmarks);
}

void tk_stack_references_release(struct tk_stack_references *r)
{
    tk_vec_release(&r->uses);
    tk_map_release(&r->index);
}

enum { CALLSTACK, FRAME, ADDRESS, MODULE, OFFSET, FUNCTION, FILE_NAME, LINE, INLINED, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [CALLSTACK] = {"callstack_id", TK_UINT, 0, NULL, "id of the callstack"},
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the frame, 0 innermost"},
    [ADDRESS] = {"address", TK_HEX, 0, NULL,
                 "return address; functions and lines are those of the byte before it, inside the call. In "
                 "samples the first frame is the sampled address"},
    [MODULE] = {"module", TK_TEXT, 0, NULL, "module that contains it; empty if there is none"},
    [OFFSET] = {"offset", TK_HEX, 0, NULL, "offset of the address in the module"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL,
                  "function that contains it, if the capture or the symbols name it"},
    [FILE_NAME] = {"file", TK_TEXT, 0, NULL, "source file"},
    [LINE] = {"line", TK_UINT, 0, NULL, "line in it"},
    [INLINED] = {"inlined", TK_BOOL, 0, NULL, "is the function inlined into that of the next row?"},
};

static const struct tk_table table = {
    .name = "callstacks",
    .help = "frames of callstacks by module and offset, and by function if known",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct callstacks {
    struct tk_collector g;
    struct tk_callstack_list list;
    struct tk_code_map code;
};

static int start_callstacks(void *self)
{
    struct callstacks *c = self;
    struct tk_context *ctx = c->g.view->ctx;
    tk_callstack_list_init(&c->list, &ctx->health, ctx->limits.callstack_bytes, UINT32_MAX);
    return 0;
}

static int take_callstacks(void *self, const struct tk_fact *fact)
{
    struct callstacks *c = self;
    return tk_callstack_list_feed_sampled(&c->list, fact) || tk_code_map_feed(&c->code, fact) ? -1 : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct tk_callstack *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void fill_place(const struct tk_symbol_place *place, bool inlined, struct tk_cell *row)
{
    row[FUNCTION] = tk_cell_of_text(place->function);
    row[FILE_NAME] = tk_cell_of_text(place->file);
    if (place->file || place->line)
        row[LINE] = tk_cell_of_uint(place->line);
    row[INLINED] = tk_cell_of_bool(inlined);
}

static int send_frame(const struct callstacks *c, uint64_t id, uint32_t frame, uint64_t address, bool exact,
                      struct tk_emit *emit)
{
    const struct tk_symbol *symbol = tk_code_symbol(&c->code, address, exact);
    const struct tk_code_place place =
        tk_code_place_of(&c->code, tk_module_at(&c->code.modules, address), address);
    for (uint32_t i = 0; i < (symbol ? symbol->n : 1); i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        row[CALLSTACK] = tk_cell_of_uint(id);
        row[FRAME] = tk_cell_of_uint(frame);
        row[ADDRESS] = (struct tk_cell){.kind = TK_HEX, .v.u = address};
        row[MODULE] = tk_code_module_cell(&place);
        row[OFFSET] = tk_code_offset_cell(&place);
        if (symbol && !symbol->open)
            fill_place(tk_symbol_place(&c->code.symbols, symbol, i), i + 1 < symbol->n, row);
    }
    return tk_emit_status(emit);
}

/* Is a frame where a thread was, and no return address? */
static bool is_exact(const struct callstacks *c, const struct tk_callstack *stack, uint32_t i)
{
    return tk_callstack_is_sampled(&c->list, stack) && tk_code_is_exact(c->list.frames.v + stack->first, i);
}

static int send_stack(const struct callstacks *c, const struct tk_callstack *stack, struct tk_emit *emit)
{
    int rc = TK_OK;
    for (uint32_t i = 0; i < stack->n && rc == TK_OK; i++)
        rc = send_frame(c, stack->id, i, c->list.frames.v[stack->first + i], is_exact(c, stack, i), emit);
    return rc;
}

static int settle_callstacks(void *self)
{
    struct callstacks *c = self;
    for (size_t i = 0; i < c->list.stacks.n; i++) {
        const struct tk_callstack *stack = &c->list.stacks.v[i];
        for (uint32_t k = 0; k < stack->n; k++)
            if (tk_code_map_want(&c->code, c->list.frames.v[stack->first + k], is_exact(c, stack, k)))
                return -1;
    }
    return tk_code_map_settle(&c->code, c->g.view->ctx) ||
                   tk_sort(c->list.stacks.v, c->list.stacks.n, sizeof *c->list.stacks.v, by_id)
               ? -1
               : 0;
}

static int send_callstacks(void *self, struct tk_emit *emit)
{
    const struct callstacks *c = self;
    int rc = TK_OK;
    for (size_t i = 0; i < c->list.stacks.n && rc == TK_OK; i++)
        rc = send_stack(c, &c->list.stacks.v[i], emit);
    return 0;
}

static void release_callstacks(void *self)
{
    struct callstacks *c = self;
    tk_callstack_list_release(&c->list);
    tk_code_map_release(&c->code);
}

static const struct tk_collecting gathering = {
    .what = "callstacks",
    .start = start_callstacks,
    .take = take_callstacks,
    .settle = settle_callstacks,
    .release = release_callstacks,
    .size = sizeof(struct callstacks),
    .send = send_callstacks,
};

const struct tk_builder tk_builder_callstacks = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(SAMPLE) | TK_CODE_MAP_FACTS},
    TK_COLLECTS(gathering),
};
