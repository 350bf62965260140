/*
 * Table `bookmarks`: marked points in time with a text, in order of time.
 */
#include "base/text/glob.h"
#include "model/code/callstack_list.h"
#include "model/marks/bookmark_range.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <string.h>

/*
 * Bookmarks by their texts.
 */

void tk_bookmark_range_init(struct tk_bookmark_range *p, const char *from, const char *to)
{
    *p = (struct tk_bookmark_range){.from = {.pattern = from}, .to = {.pattern = to}};
}

void tk_bookmark_range_release(struct tk_bookmark_range *p)
{
    tk_vec_release(&p->from.marks);
    tk_vec_release(&p->to.marks);
}

static int feed_bookmark_range(struct tk_mark_list *list, const struct tk_fact *fact)
{
    const struct tk_str *text = &fact->u.bookmark.text;
    struct tk_mark mark = {.time = fact->time};
    if (!list->pattern)
        return 0;
    size_t n = strlen(list->pattern);
    mark.exact = text->n == n && memcmp(text->p, list->pattern, n) == 0;
    if (!mark.exact && !tk_glob_typed(list->pattern, n, text->p, text->n))
        return 0;
    list->exact |= mark.exact;
    return tk_vec_push(&list->marks, mark);
}

int tk_bookmark_range_feed(struct tk_bookmark_range *p, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_BOOKMARK)
        return 0;
    return feed_bookmark_range(&p->from, fact) || feed_bookmark_range(&p->to, fact) ? -1 : 0;
}

/* The first that is later than `after`; false: none. */
static bool find_bookmark_range(const struct tk_mark_list *list, int64_t after, int64_t *out)
{
    bool found = false;
    for (size_t i = 0; i < list->marks.n; i++) {
        const struct tk_mark *m = &list->marks.v[i];
        if ((list->exact && !m->exact) || m->time <= after || (found && m->time >= *out))
            continue;
        *out = m->time;
        found = true;
    }
    return found;
}

int tk_bookmark_range_range(const struct tk_bookmark_range *p, struct tk_range *out, struct tk_err *err)
{
    *out = (struct tk_range){INT64_MIN, INT64_MAX};
    if (p->from.pattern && !find_bookmark_range(&p->from, INT64_MIN, &out->from))
        return tk_err_set(err, TK_EMATCH, "there is no bookmark '%.200s'", p->from.pattern);
    if (p->to.pattern && !find_bookmark_range(&p->to, out->from, &out->to))
        return tk_err_set(err, TK_EMATCH, "there is no bookmark '%.200s'%s", p->to.pattern,
                          p->from.pattern ? " after the first one" : "");
    return TK_OK;
}

enum {
    TIME,
    THREAD_ID,
    THREAD,
    TEXT = THREAD + TK_THREAD_COLUMNS,
    SOURCE,
    LINE,
    CALLSTACK,
    FUNCTION,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was set"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that set it"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that set it"),
    [TEXT] = {"text", TK_TEXT, 0, NULL, "its text"},
    [SOURCE] = {"file", TK_TEXT, 0, NULL, "source file"},
    [LINE] = {"line", TK_UINT, 0, NULL, "line in the source file"},
    [CALLSTACK] = {"callstack_id", TK_UINT, 0, NULL, "id of the callstack, 0 none; see table callstacks"},
    [FUNCTION] =
        {"function", TK_TEXT, 0, NULL,
         "function of the innermost frame of the callstack; without symbols the module and the offset "
         "in it, or the address"},
};

static const struct tk_table table = {
    .name = "bookmarks",
    .help = "bookmarks, in order of time",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

struct bookmark {
    int64_t time;
    uint32_t thread;
    struct tk_fact_bookmark info;  /* its text in the arena */
    const struct tk_str *function; /* when all is read */
};

struct bookmarks {
    struct tk_collector g;
    TK_VEC(struct bookmark) rows;
    struct tk_arena texts;
    struct tk_stack_names stacks; /* where functions are requested */
};

#define BIT(column) (UINT64_C(1) << (column))

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)view;
    if (wanted & BIT(FUNCTION))
        needs->facts |= TK_STACK_NAME_FACTS;
}

static int start_bookmarks(void *self)
{
    struct bookmarks *b = self;
    tk_stack_names_init(&b->stacks, b->g.view->ctx);
    return 0;
}

static int keep_bookmarks(struct bookmarks *b, const struct tk_fact *fact)
{
    struct bookmark row = {.time = fact->time, .thread = fact->thread, .info = fact->u.bookmark};
    row.info.text.p = tk_arena_copy(&b->texts, row.info.text.p, row.info.text.n);
    return row.info.text.p ? tk_vec_push(&b->rows, row) : -1;
}

static bool is_selected_bookmarks(const struct tk_query_context *view, const struct tk_fact *fact)
{
    return fact->kind == TK_FACT_BOOKMARK && tk_select_has(view->select, fact->time) &&
           tk_select_thread(view->select, view->dict, fact->thread);
}

static int take_bookmarks(void *self, const struct tk_fact *fact)
{
    struct bookmarks *b = self;
    if (b->g.columns & BIT(FUNCTION) && tk_stack_names_feed(&b->stacks, fact))
        return -1;
    if (!is_selected_bookmarks(b->g.view, fact) || !tk_row_limit_for(&b->g.capacity, b->rows.n))
        return 0;
    return keep_bookmarks(b, fact);
}

static int settle_bookmarks(void *self)
{
    struct bookmarks *b = self;
    if (!(b->g.columns & BIT(FUNCTION)))
        return 0;
    for (size_t i = 0; i < b->rows.n; i++)
        if (tk_stack_names_want(&b->stacks, b->rows.v[i].info.callstack))
            return -1;
    if (tk_stack_names_settle(&b->stacks, b->g.view->ctx))
        return -1;
    for (size_t i = 0; i < b->rows.n; i++)
        if (tk_stack_names_of(&b->stacks, b->rows.v[i].info.callstack, &b->rows.v[i].function))
            return -1;
    return 0;
}

static int by_time_bookmarks(const void *a, const void *b)
{
    const struct bookmark *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void fill_bookmarks(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct bookmarks *)self)->g.view;
    const struct bookmark *b = thing;
    row[TIME] = tk_query_context_time(view, b->time);
    row[THREAD_ID] = tk_query_context_thread_id(b->thread);
    tk_thread_put(view, b->thread, &row[THREAD]);
    row[TEXT] = tk_cell_of_text(&b->info.text);
    row[SOURCE] = tk_cell_of_text(b->info.file);
    row[LINE] = tk_cell_of_uint(b->info.line);
    row[CALLSTACK] = tk_cell_of_uint(b->info.callstack);
    row[FUNCTION] = tk_cell_of_text(b->function);
}

static void release_bookmarks(void *self)
{
    struct bookmarks *b = self;
    tk_arena_release(&b->texts);
    tk_stack_names_release(&b->stacks);
}

static const struct tk_collecting gathering = {
    .what = "bookmarks",
    .start = start_bookmarks,
    .take = take_bookmarks,
    .settle = settle_bookmarks,
    .release = release_bookmarks,
    TK_COLLECTOR_ROWS(struct bookmarks, rows),
    .order = by_time_bookmarks,
    .fill = fill_bookmarks,
};

const struct tk_builder tk_builder_bookmarks = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(BOOKMARK)},
    .add_needs = add_needs,
    TK_COLLECTS(gathering),
};
