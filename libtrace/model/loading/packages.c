/*
 * Tables `packages` and `package_classes`: what loading cost, by package and by class of the objects. Steps
 * that touch the selection count in full. Select threads to separate times on the main thread from others.
 */
#include "base/health/row_limit.h"
#include "base/wrap.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>

/* What was done, of a package or of a class. */
struct load_sum {
    uint64_t count[TK_LOAD_OPS];
    int64_t time[TK_LOAD_OPS];
    int64_t excl, longest, first, last;
    uint64_t bytes;
    bool touched;
};

struct load_row {
    const struct tk_str *name;
    struct tk_fact_package info;
    struct load_sum sum;
};

struct loads {
    const struct tk_query_context *view;
    struct tk_map index; /* package or class -> place */
    TK_VEC(struct load_row) rows;
    struct tk_row_limit capacity;
    bool by_class;
};

static int open_loads(const struct tk_query_context *view, const struct tk_builder *builder, bool by_class,
                      void **self, struct tk_err *err)
{
    struct loads *l = calloc(1, sizeof *l);
    if (!l)
        return tk_err_nomem(err, "packages");
    l->view = view;
    l->by_class = by_class;
    l->capacity = tk_query_context_row_limit(view, builder->table->name);
    *self = l;
    return TK_OK;
}

/* TK_ITEM, TK_OK when there is no space, TK_ENOMEM. */
static int row_of(struct loads *l, uint64_t key, struct load_row **out)
{
    uint32_t at = tk_map_get(&l->index, key);
    if (at == TK_MAP_NONE) {
        struct load_row row = {.name = NULL};
        if (!tk_row_limit_for(&l->capacity, l->rows.n))
            return TK_OK;
        at = (uint32_t)l->rows.n;
        if (tk_map_put(&l->index, key, at) || tk_vec_push(&l->rows, row))
            return TK_ENOMEM;
    }
    *out = &l->rows.v[at];
    return TK_ITEM;
}

static void add_step(struct load_sum *sum, const struct tk_fact *fact)
{
    const struct tk_fact_load_step *step = &fact->u.load_step;
    int64_t length = tk_wrap_sub(step->end, fact->time);
    if (!sum->touched || fact->time < sum->first)
        sum->first = fact->time;
    if (!sum->touched || step->end > sum->last)
        sum->last = step->end;
    if (!sum->touched || length > sum->longest)
        sum->longest = length;
    sum->touched = true;
    sum->count[step->op]++;
    sum->time[step->op] = tk_wrap_add(sum->time[step->op], length);
    sum->excl = tk_wrap_add(sum->excl, step->excl);
    if (step->has_size)
        sum->bytes += step->size;
}

static bool is_selected_packages(const struct loads *l, const struct tk_fact *fact)
{
    return tk_select_touches(l->view->select, fact->time, fact->u.load_step.end) &&
           tk_select_thread(l->view->select, l->view->dict, fact->thread);
}

static int take_step(struct loads *l, const struct tk_fact *fact)
{
    const struct tk_fact_load_step *step = &fact->u.load_step;
    struct load_row *row;
    if (!is_selected_packages(l, fact) || (l->by_class && step->op == TK_LOAD_SUMMARY))
        return TK_OK;
    int rc = row_of(l, l->by_class ? (uint64_t)(uintptr_t)step->class_name : step->package, &row);
    if (rc != TK_ITEM)
        return rc;
    if (l->by_class)
        row->name = step->class_name;
    add_step(&row->sum, fact);
    return TK_OK;
}

static int take_package(struct loads *l, const struct tk_fact *fact)
{
    struct load_row *row;
    int rc = l->by_class ? TK_OK : row_of(l, fact->u.package.id, &row);
    if (rc == TK_ITEM) {
        row->info = fact->u.package;
        row->name = fact->u.package.name;
    }
    return rc < 0 ? rc : TK_OK;
}

static int feed_packages(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct loads *l = self;
    int rc = TK_OK;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++) {
        if (batch->facts[i].kind == TK_FACT_LOAD_STEP)
            rc = take_step(l, &batch->facts[i]);
        else if (batch->facts[i].kind == TK_FACT_PACKAGE)
            rc = take_package(l, &batch->facts[i]);
    }
    return rc < 0 ? tk_err_nomem(err, "packages") : TK_OK;
}

static void close_packages(void *self)
{
    struct loads *l = self;
    tk_map_release(&l->index);
    tk_vec_release(&l->rows);
    free(l);
}

/* ---- packages ---- */

enum {
    P_NAME,
    P_ID,
    P_HEADER,
    P_IMPORTS,
    P_EXPORTS,
    P_PRIORITY,
    P_REQUEST,
    P_GROUP,
    P_CREATED,
    P_SERIALIZED,
    P_POSTLOADS,
    P_BYTES,
    P_SUMMARY_TIME,
    P_CREATE_TIME,
    P_SERIALIZE_TIME,
    P_POSTLOAD_TIME,
    P_EXCL,
    P_MAX,
    P_FIRST,
    P_LAST,
    P_COLUMNS
};

static const struct tk_column package_columns[P_COLUMNS] = {
    [P_NAME] = {"name", TK_TEXT, 0, NULL, "name of the package; empty if its summary is not in the capture"},
    [P_ID] = {"package_id", TK_UINT, TK_COL_EXTRA, NULL, "number in order of appearance"},
    [P_HEADER] = {"header_bytes", TK_SIZE, 0, NULL, "size of its header"},
    [P_IMPORTS] = {"imports", TK_UINT, 0, NULL, "imports from other packages"},
    [P_EXPORTS] = {"exports", TK_UINT, 0, NULL, "objects in it"},
    [P_PRIORITY] = {"priority", TK_INT, 0, NULL, "loading priority"},
    [P_REQUEST] = {"request_id", TK_UINT, 0, NULL,
                   "load request that it belongs to, as numbered in load_requests"},
    [P_GROUP] = {"group", TK_TEXT, 0, NULL, "group of the request; empty: none"},
    [P_CREATED] = {"created", TK_UINT, 0, "objects", "number of objects created"},
    [P_SERIALIZED] = {"serialized", TK_UINT, TK_COL_EXTRA, "objects", "number of objects serialized (read)"},
    [P_POSTLOADS] = {"postloads", TK_UINT, 0, "objects", "number of objects post-loaded"},
    [P_BYTES] = {"serialized_bytes", TK_SIZE, 0, NULL, "size of the serialized objects, each counted once"},
    [P_SUMMARY_TIME] = {"summary_time", TK_DURATION, TK_COL_EXTRA, NULL, "time spent reading its summary"},
    [P_CREATE_TIME] = {"create_time", TK_DURATION, 0, NULL, "time spent creating objects"},
    [P_SERIALIZE_TIME] = {"serialize_time", TK_DURATION, 0, NULL, "time spent serializing (reading) objects"},
    [P_POSTLOAD_TIME] = {"postload_time", TK_DURATION, 0, NULL, "time spent post-loading objects"},
    [P_EXCL] = {"excl", TK_DURATION, 0, NULL, "total time of all steps, nested steps not counted twice"},
    [P_MAX] = {"max", TK_DURATION, TK_COL_EXTRA, NULL, "longest step"},
    [P_FIRST] = {"first", TK_TIME, TK_COL_EXTRA, NULL, "start of its first step"},
    [P_LAST] = {"last", TK_TIME, TK_COL_EXTRA, NULL, "end of its last step"},
};

static const struct tk_table package_table = {
    .name = "packages",
    .help = "loaded packages with their cost, in order of appearance",
    .columns = package_columns,
    .n_columns = P_COLUMNS,
    .flags = TK_TABLE_EACH,
    .sort_by = "excl",
};

static int open_packages(const struct tk_query_context *view, const struct tk_builder *builder,
                         uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    return open_loads(view, builder, false, self, err);
}

static void fill_summary(const struct tk_fact_package *info, struct tk_cell *row)
{
    row[P_ID] = tk_cell_of_uint(info->id);
    if (info->request)
        row[P_REQUEST] = tk_cell_of_uint(info->request);
    row[P_GROUP] = tk_cell_of_nonempty(info->group);
    if (!info->has_summary)
        return;
    row[P_HEADER] = tk_cell_of_size(info->header_bytes);
    row[P_IMPORTS] = tk_cell_of_uint(info->imports);
    row[P_EXPORTS] = tk_cell_of_uint(info->exports);
    if (info->has_priority)
        row[P_PRIORITY] = tk_cell_of_int(info->priority);
}

static void fill_package(const struct tk_query_context *view, const struct load_row *r, struct tk_cell *row)
{
    const struct load_sum *sum = &r->sum;
    row[P_NAME] = tk_cell_of_text(r->name);
    row[P_CREATED] = tk_cell_of_uint(sum->count[TK_LOAD_CREATE]);
    row[P_SERIALIZED] = tk_cell_of_uint(sum->count[TK_LOAD_SERIALIZE]);
    row[P_POSTLOADS] = tk_cell_of_uint(sum->count[TK_LOAD_POSTLOAD]);
    row[P_BYTES] = tk_cell_of_size(sum->bytes);
    row[P_SUMMARY_TIME] = tk_query_context_span(view, sum->time[TK_LOAD_SUMMARY]);
    row[P_CREATE_TIME] = tk_query_context_span(view, sum->time[TK_LOAD_CREATE]);
    row[P_SERIALIZE_TIME] = tk_query_context_span(view, sum->time[TK_LOAD_SERIALIZE]);
    row[P_POSTLOAD_TIME] = tk_query_context_span(view, sum->time[TK_LOAD_POSTLOAD]);
    row[P_EXCL] = tk_query_context_span(view, sum->excl);
    if (!sum->touched)
        return;
    row[P_MAX] = tk_query_context_span(view, sum->longest);
    row[P_FIRST] = tk_query_context_time(view, sum->first);
    row[P_LAST] = tk_query_context_time(view, sum->last);
}

/* Steps of no known package are the last row. Where a time or thread is selected, packages without a step in
 * it are left out. */
static int finish_packages(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct loads *l = self;
    bool all = l->view->select->all_time && !l->view->select->threads.n;
    uint32_t unknown = tk_map_get(&l->index, UINT32_MAX);
    (void)err;
    for (size_t i = 0; i <= l->rows.n; i++) {
        size_t at = i < l->rows.n ? i : unknown;
        if (at >= l->rows.n || (i < l->rows.n && i == unknown) || !(all || l->rows.v[at].sum.touched))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        if (at != unknown)
            fill_summary(&l->rows.v[at].info, row);
        fill_package(l->view, &l->rows.v[at], row);
    }
    return tk_emit_status(emit);
}

const struct tk_builder tk_builder_packages = {
    .table = &package_table,
    .needs = {.facts = TK_FACT_MASK(PACKAGE) | TK_FACT_MASK(LOAD_STEP), .order = TK_NEEDS_SEQ_ORDER},
    .open = open_packages,
    .feed = feed_packages,
    .finish = finish_packages,
    .close = close_packages,
};

/* ---- classes ---- */

enum {
    C_NAME,
    C_CREATED,
    C_SERIALIZED,
    C_POSTLOADS,
    C_BYTES,
    C_CREATE_TIME,
    C_SERIALIZE_TIME,
    C_POSTLOAD_TIME,
    C_EXCL,
    C_MAX,
    C_COLUMNS
};

static const struct tk_column class_columns[C_COLUMNS] = {
    [C_NAME] = {"class", TK_TEXT, 0, NULL, "class of the objects; empty if it is not known"},
    [C_CREATED] = {"created", TK_UINT, 0, "objects", "number of objects created"},
    [C_SERIALIZED] = {"serialized", TK_UINT, TK_COL_EXTRA, "objects", "number of objects serialized (read)"},
    [C_POSTLOADS] = {"postloads", TK_UINT, 0, "objects", "number of objects post-loaded"},
    [C_BYTES] = {"serialized_bytes", TK_SIZE, 0, NULL, "size of the serialized objects, each counted once"},
    [C_CREATE_TIME] = {"create_time", TK_DURATION, 0, NULL, "time spent creating objects"},
    [C_SERIALIZE_TIME] = {"serialize_time", TK_DURATION, 0, NULL, "time spent serializing (reading) objects"},
    [C_POSTLOAD_TIME] = {"postload_time", TK_DURATION, 0, NULL, "time spent post-loading objects"},
    [C_EXCL] = {"excl", TK_DURATION, 0, NULL, "total time of all steps, nested steps not counted twice"},
    [C_MAX] = {"max", TK_DURATION, 0, NULL, "longest step"},
};

static const struct tk_table class_table = {
    .name = "package_classes",
    .help = "loading cost of objects by class, in order of first appearance",
    .columns = class_columns,
    .n_columns = C_COLUMNS,
    .sort_by = "excl",
};

static int open_classes(const struct tk_query_context *view, const struct tk_builder *builder,
                        uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    return open_loads(view, builder, true, self, err);
}

static int finish_classes(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct loads *l = self;
    (void)err;
    for (size_t i = 0; i < l->rows.n; i++) {
        const struct load_sum *sum = &l->rows.v[i].sum;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        row[C_NAME] = tk_cell_of_text(l->rows.v[i].name);
        row[C_CREATED] = tk_cell_of_uint(sum->count[TK_LOAD_CREATE]);
        row[C_SERIALIZED] = tk_cell_of_uint(sum->count[TK_LOAD_SERIALIZE]);
        row[C_POSTLOADS] = tk_cell_of_uint(sum->count[TK_LOAD_POSTLOAD]);
        row[C_BYTES] = tk_cell_of_size(sum->bytes);
        row[C_CREATE_TIME] = tk_query_context_span(l->view, sum->time[TK_LOAD_CREATE]);
        row[C_SERIALIZE_TIME] = tk_query_context_span(l->view, sum->time[TK_LOAD_SERIALIZE]);
        row[C_POSTLOAD_TIME] = tk_query_context_span(l->view, sum->time[TK_LOAD_POSTLOAD]);
        row[C_EXCL] = tk_query_context_span(l->view, sum->excl);
        row[C_MAX] = tk_query_context_span(l->view, sum->longest);
    }
    return tk_emit_status(emit);
}

const struct tk_builder tk_builder_package_classes = {
    .table = &class_table,
    .needs = {.facts = TK_FACT_MASK(LOAD_STEP), .order = TK_NEEDS_SEQ_ORDER},
    .open = open_classes,
    .feed = feed_packages,
    .finish = finish_classes,
    .close = close_packages,
};
