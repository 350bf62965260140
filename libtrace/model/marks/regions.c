/*
 * Table `regions`: named stretches of time of the whole program, in order of start.
 */
#include "base/sort.h"
#include "model/marks/bookmark_range.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdio.h>
#include <string.h>

enum {
    NAME,
    CATEGORY,
    ID,
    BEGIN,
    END,
    DURATION,
    THREAD_ID,
    THREAD,
    STATE = THREAD + TK_THREAD_COLUMNS,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [NAME] = {"name", TK_TEXT, 0, NULL, "name of the region"},
    [CATEGORY] = {"category", TK_TEXT, 0, NULL, "category, if it has one"},
    [ID] = {"region_id", TK_UINT, 0, NULL, "id, if it is ended by id rather than by name"},
    [BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [END] = {"end", TK_TIME, 0, NULL, "end; empty if it is not in the capture"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread it began on"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread it began on"),
    [STATE] =
        {"state", TK_TEXT, TK_COL_EXTRA, NULL,
         "closed, open, replaced (ended by a second start of its name) or bare_end (an end without a start)"},
};

static const struct tk_table table = {
    .name = "regions",
    .help = "regions, in order of start",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

static const char *const state_names[] = {
    [TK_REGION_CLOSED] = "closed",
    [TK_REGION_OPEN] = "open",
    [TK_REGION_REPLACED] = "replaced",
    [TK_REGION_BARE_END] = "bare_end",
};

struct regions {
    struct tk_collector g;
    struct tk_region_list list;
};

static int start_regions(void *self)
{
    struct regions *r = self;
    tk_region_list_init(&r->list, r->g.view->ctx, table.name);
    return 0;
}

static int take_regions(void *self, const struct tk_fact *fact)
{
    return tk_region_list_feed(&((struct regions *)self)->list, fact, NULL);
}

static void fill_regions(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct regions *)self)->g.view;
    const struct tk_region *region = thing;
    row[NAME] = tk_cell_of_text(region->name);
    row[CATEGORY] = tk_cell_of_text(region->category);
    if (region->has_id)
        row[ID] = tk_cell_of_uint(region->id);
    row[BEGIN] = tk_query_context_time(view, region->begin);
    row[THREAD_ID] = tk_query_context_thread_id(region->thread);
    tk_thread_put(view, region->thread, &row[THREAD]);
    row[STATE] = tk_cell_of_c(state_names[region->state]);
    if (region->state == TK_REGION_OPEN)
        return;
    row[END] = tk_query_context_time(view, region->end);
    row[DURATION] = tk_query_context_between(view, region->begin, region->end);
}

static bool is_visible_regions(const void *self, const void *thing)
{
    const struct tk_select *select = ((const struct regions *)self)->g.view->select;
    const struct tk_region *region = thing;
    if (!tk_patterns_pass(&select->regions, region->name))
        return false;
    return tk_select_touches(select, region->begin,
                             region->state == TK_REGION_OPEN ? INT64_MAX : region->end);
}

static int settle_regions(void *self)
{
    return tk_region_list_pair(&((struct regions *)self)->list, NULL);
}

static void release_regions(void *self)
{
    tk_region_list_release(&((struct regions *)self)->list);
}

static const struct tk_collecting gathering = {
    .what = "regions",
    .start = start_regions,
    .take = take_regions,
    .settle = settle_regions,
    .release = release_regions,
    TK_COLLECTOR_ROWS(struct regions, list.regions),
    .displayed = is_visible_regions,
    .fill = fill_regions,
};

const struct tk_builder tk_builder_regions = {
    .table = &table,
    .needs = {.facts = TK_REGION_FACTS},
    TK_COLLECTS(gathering),
};

/*
 * Pairing of regions.
 */

void tk_region_list_init(struct tk_region_list *list, struct tk_context *ctx, const char *whom)
{
    *list = (struct tk_region_list){
        .capacity = {.health = &ctx->health, .rows = ctx->limits.rows, .table = whom},
    };
}

void tk_region_list_release(struct tk_region_list *list)
{
    tk_vec_release(&list->marks);
    tk_gap_list_release(&list->gaps);
    tk_vec_release(&list->regions);
    tk_map_release(&list->by_name);
    tk_map_release(&list->by_id);
    tk_intern_release(&list->names);
}

static int no_memory(struct tk_err *err)
{
    return tk_err_nomem(err, "regions");
}

static int keep_region(struct tk_region_list *list, struct tk_region_mark *mark, struct tk_str name,
                       struct tk_err *err)
{
    /* A region has two marks. */
    if (!tk_row_limit_for(&list->capacity, list->marks.n / 2))
        return TK_OK;
    mark->name = tk_intern(&list->names, name.p, name.n, name.enc);
    if (!mark->name || tk_vec_push(&list->marks, *mark))
        return no_memory(err);
    return TK_OK;
}

/* What follows a word at the beginning of a text. */
static bool follows(const struct tk_str *text, const char *word, struct tk_str *rest)
{
    size_t n = strlen(word);
    if (text->enc == TK_ENC_UTF16 || text->n < n || memcmp(text->p, word, n) != 0)
        return false;
    *rest = (struct tk_str){.p = text->p + n, .n = text->n - (uint32_t)n, .enc = text->enc};
    return true;
}

static int feed_bookmark(struct tk_region_list *list, struct tk_region_mark *mark, const struct tk_str *text,
                         struct tk_err *err)
{
    struct tk_str name;
    mark->begin = follows(text, "RegionStart:", &name);
    if (!mark->begin && !follows(text, "RegionEnd:", &name))
        return TK_OK;
    return keep_region(list, mark, name, err);
}

int tk_region_list_feed(struct tk_region_list *list, const struct tk_fact *fact, struct tk_err *err)
{
    struct tk_region_mark mark = {.time = fact->time, .seq = fact->seq, .thread = fact->thread};
    const struct tk_fact_region *region = &fact->u.region;
    if (fact->kind == TK_FACT_GAP)
        return tk_gap_list_add(&list->gaps, fact) ? no_memory(err) : TK_OK;
    if (fact->kind == TK_FACT_BOOKMARK)
        return feed_bookmark(list, &mark, &fact->u.bookmark.text, err);
    if (fact->kind != TK_FACT_REGION)
        return TK_OK;
    mark.begin = region->begin;
    mark.has_id = region->has_id;
    mark.id = region->id;
    mark.category = region->category;
    return keep_region(list, &mark, region->name ? *region->name : (struct tk_str){.p = ""}, err);
}

static int by_seq(const void *a, const void *b)
{
    const struct tk_region_mark *x = a, *y = b;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

static int by_time(const void *a, const void *b)
{
    const struct tk_region_mark *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static bool all_numbered(const struct tk_region_list *list)
{
    for (size_t i = 0; i < list->marks.n; i++) {
        if (list->marks.v[i].seq == TK_NO_SEQ)
            return false;
    }
    return true;
}

static uint64_t key_of(const struct tk_region_mark *mark)
{
    return mark->has_id ? mark->id : (uint64_t)(uintptr_t)mark->name;
}

/* The open region that a mark is about, or NULL. */
static struct tk_region *open_one(struct tk_region_list *list, const struct tk_region_mark *mark)
{
    uint32_t at = tk_map_get(mark->has_id ? &list->by_id : &list->by_name, key_of(mark));
    if (at == TK_MAP_NONE || list->regions.v[at].state != TK_REGION_OPEN)
        return NULL;
    return &list->regions.v[at];
}

static int add_region(struct tk_region_list *list, const struct tk_region_mark *mark,
                      const struct tk_str *name, enum tk_region_state state)
{
    struct tk_region region = {
        .begin = mark->time,
        .end = mark->time,
        .id = mark->id,
        .name = name,
        .category = mark->category,
        .thread = mark->thread,
        .has_id = mark->has_id,
        .state = (uint8_t)state,
        .gaps = list->gaps.next,
    };
    return tk_vec_push(&list->regions, region);
}

static void close_one(struct tk_region_list *list, struct tk_region *region, int64_t time,
                      enum tk_region_state state)
{
    list->doubtful += !region->has_id && region->gaps != list->gaps.next;
    region->end = time;
    region->state = (uint8_t)state;
}

static int begin_region(struct tk_region_list *list, const struct tk_region_mark *mark)
{
    struct tk_region *before = mark->has_id ? NULL : open_one(list, mark);
    if (before)
        close_one(list, before, mark->time, TK_REGION_REPLACED);
    struct tk_map *index = mark->has_id ? &list->by_id : &list->by_name;
    if (tk_map_put(index, key_of(mark), (uint32_t)list->regions.n))
        return -1;
    return add_region(list, mark, mark->name, TK_REGION_OPEN);
}

static const struct tk_str *unknown_name(struct tk_region_list *list, const struct tk_region_mark *mark)
{
    char text[80];
    if (!mark->has_id)
        return mark->name;
    snprintf(text, sizeof text, "Unknown Region (missing begin, Id=%llu)", (unsigned long long)mark->id);
    return tk_intern_c(&list->names, text);
}

static int end_region(struct tk_region_list *list, const struct tk_region_mark *mark)
{
    if (mark->has_id && mark->id == 0)
        return 0;
    struct tk_region *region = open_one(list, mark);
    if (region) {
        close_one(list, region, mark->time, TK_REGION_CLOSED);
        return 0;
    }
    const struct tk_str *name = unknown_name(list, mark);
    return name ? add_region(list, mark, name, TK_REGION_BARE_END) : -1;
}

/* Between a start and an end there may have been an end and a begin of the same name. */
static void note_doubtful(struct tk_region_list *list)
{
    if (list->doubtful)
        tk_health_note(list->capacity.health, TK_HEALTH_PART_UNMATCHED, TK_NO_OFFSET, list->doubtful,
                       "events are lost between the begin and the end of regions: they may be two each");
    list->doubtful = 0;
}

int tk_region_list_pair(struct tk_region_list *list, struct tk_err *err)
{
    bool numbered = all_numbered(list);
    if (tk_gap_list_settle(&list->gaps) ||
        tk_sort(list->marks.v, list->marks.n, sizeof *list->marks.v, numbered ? by_seq : by_time))
        return no_memory(err);
    for (size_t i = 0; i < list->marks.n; i++) {
        const struct tk_region_mark *mark = &list->marks.v[i];
        if (numbered)
            tk_gap_list_before(&list->gaps, mark->seq);
        if (mark->begin ? begin_region(list, mark) : end_region(list, mark))
            return no_memory(err);
    }
    tk_vec_release(&list->marks);
    tk_gap_list_release(&list->gaps);
    note_doubtful(list);
    return TK_OK;
}
