/*
 * Pairing of frames.
 */
#include "model/marks/frame_list.h"

#include "base/sort.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const type_names[] = {"game", "rendering"};

void tk_frame_list_init(struct tk_frame_list *list, struct tk_context *ctx, const char *table)
{
    *list = (struct tk_frame_list){
        .capacity = {.health = &ctx->health, .rows = ctx->limits.rows, .table = table},
    };
}

void tk_frame_list_release(struct tk_frame_list *list)
{
    tk_vec_release(&list->marks);
    tk_gap_list_release(&list->gaps);
    tk_gap_list_release(&list->late_gaps);
    tk_vec_release(&list->types);
    tk_map_release(&list->type_index);
    tk_vec_release(&list->frames);
    tk_intern_release(&list->names);
}

static int no_memory_frame_list(struct tk_err *err)
{
    return tk_err_nomem(err, "frames");
}

static const struct tk_str *type_name(struct tk_frame_list *list, const struct tk_fact_frame *frame)
{
    char made_up[32];
    if (frame->type_name)
        return frame->type_name;
    if (frame->type < sizeof type_names / sizeof type_names[0])
        return tk_intern_c(&list->names, type_names[frame->type]);
    snprintf(made_up, sizeof made_up, "type %lu", (unsigned long)frame->type);
    return tk_intern_c(&list->names, made_up);
}

/* Index of the type of a frame, TK_MAP_NONE if out of memory. */
static uint32_t find_type(struct tk_frame_list *list, const struct tk_fact_frame *frame)
{
    uint32_t at = tk_map_get(&list->type_index, frame->type);
    if (at != TK_MAP_NONE)
        return at;
    struct tk_frame_type type = {.id = frame->type, .name = type_name(list, frame), .last = SIZE_MAX};
    at = (uint32_t)list->types.n;
    if (!type.name || tk_map_put(&list->type_index, type.id, at) || tk_vec_push(&list->types, type))
        return TK_MAP_NONE;
    return at;
}

int tk_frame_list_feed(struct tk_frame_list *list, const struct tk_fact *fact, struct tk_err *err)
{
    if (fact->kind == TK_FACT_GAP)
        return tk_gap_list_add(&list->gaps, fact) ? no_memory_frame_list(err) : TK_OK;
    if (fact->kind == TK_FACT_LATE_GAP)
        return tk_gap_list_add(&list->late_gaps, fact) ? no_memory_frame_list(err) : TK_OK;
    /* A frame has two marks. */
    if (fact->kind != TK_FACT_FRAME || !tk_row_limit_for(&list->capacity, list->marks.n / 2))
        return TK_OK;
    uint32_t type = find_type(list, &fact->u.frame);
    struct tk_frame_mark mark = {.time = fact->time,
                                 .seq = fact->seq,
                                 .number = fact->u.frame.number,
                                 .type = type,
                                 .begin = fact->u.frame.begin};
    if (type == TK_MAP_NONE || tk_vec_push(&list->marks, mark))
        return no_memory_frame_list(err);
    return TK_OK;
}

static int by_seq(const void *a, const void *b)
{
    const struct tk_frame_mark *x = a, *y = b;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

static int by_time_frame_list(const void *a, const void *b)
{
    const struct tk_frame_mark *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

/* The begin of a frame, then its end. */
static int by_number(const void *a, const void *b)
{
    const struct tk_frame_mark *x = a, *y = b;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return y->begin - x->begin;
}

static int by_begin_frame_list(const void *a, const void *b)
{
    const struct tk_frame *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

typedef int order_fn(const void *a, const void *b);

static order_fn *order_of(const struct tk_frame_list *list)
{
    bool numbers = true, seqs = true;
    for (size_t i = 0; i < list->marks.n; i++) {
        numbers = numbers && list->marks.v[i].number;
        seqs = seqs && list->marks.v[i].seq != TK_NO_SEQ;
    }
    return numbers ? by_number : seqs ? by_seq : by_time_frame_list;
}

static int begin_frame(struct tk_frame_list *list, const struct tk_frame_mark *mark)
{
    struct tk_frame_type *type = &list->types.v[mark->type];
    struct tk_frame frame = {.begin = mark->time,
                             .end = mark->time,
                             .type = mark->type,
                             .index = type->count,
                             .open = true,
                             .seq = mark->seq};
    if (tk_vec_push(&list->frames, frame))
        return -1;
    type->count++;
    type->last = list->frames.n - 1;
    return 0;
}

static void end_frame(struct tk_frame_list *list, const struct tk_frame_mark *mark)
{
    size_t last = list->types.v[mark->type].last;
    if (last == SIZE_MAX)
        return;
    struct tk_frame *frame = &list->frames.v[last];
    frame->end = mark->time;
    frame->open = false;
    frame->lossy |= frame->seq != TK_NO_SEQ && mark->seq != TK_NO_SEQ &&
                    tk_gap_list_between(&list->gaps, frame->seq, mark->seq);
}

/* Whatever is open where events are lost stays so. */
static void tear(struct tk_frame_list *list)
{
    for (size_t i = 0; i < list->types.n; i++) {
        size_t last = list->types.v[i].last;
        list->types.v[i].last = SIZE_MAX;
        if (last == SIZE_MAX || !list->frames.v[last].open)
            continue;
        list->frames.v[last].torn = list->frames.v[last].lossy = true;
        list->torn++;
    }
}

/* What is open where events may be missing. */
static void doubt(struct tk_frame_list *list)
{
    for (size_t i = 0; i < list->types.n; i++) {
        const size_t last = list->types.v[i].last;
        if (last != SIZE_MAX && list->frames.v[last].open)
            list->frames.v[last].doubtful = list->frames.v[last].lossy = true;
    }
}

static int by_length(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t length_of(const struct tk_frame *f)
{
    return f->end > f->begin ? (uint64_t)f->end - (uint64_t)f->begin : 0;
}

/* The median of the frames of a type that nobody doubts; 0 where there is none. 0, or -1 without memory. */
static int usual_length(const struct tk_frame_list *list, uint32_t type, uint64_t *usual)
{
    uint64_t *v = malloc((list->frames.n + 1) * sizeof *v);
    size_t n = 0;
    for (size_t i = 0; v && i < list->frames.n; i++) {
        const struct tk_frame *f = &list->frames.v[i];
        if (f->type == type && !f->open && !f->doubtful)
            v[n++] = length_of(f);
    }
    const int rc = !v || tk_sort(v, n, sizeof *v, by_length) ? -1 : 0;
    *usual = rc == 0 && n ? v[(n - 1) / 2] : 0;
    free(v);
    return rc;
}

/* A long frame in which ends and begins may be missing is rather several. Of the first types: captures have
 * two. */
static int tear_doubtful(struct tk_frame_list *list)
{
    enum { TYPES = 4 };
    uint64_t usual[TYPES];
    for (uint32_t type = 0; type < TYPES && type < list->types.n; type++)
        if (usual_length(list, type, &usual[type]))
            return -1;
    for (size_t i = 0; i < list->frames.n; i++) {
        struct tk_frame *f = &list->frames.v[i];
        if (!f->doubtful || f->open || f->type >= TYPES || !usual[f->type] ||
            length_of(f) / 3 <= usual[f->type] / 2)
            continue;
        f->open = f->torn = true;
        list->torn++;
    }
    return 0;
}

/* Is any frame doubtful? */
static bool any_doubtful(const struct tk_frame_list *list)
{
    for (size_t i = 0; i < list->frames.n; i++)
        if (list->frames.v[i].doubtful)
            return true;
    return false;
}

static void note_torn(struct tk_frame_list *list)
{
    if (list->torn)
        tk_health_note(list->capacity.health, TK_HEALTH_PART_UNMATCHED, TK_NO_OFFSET, list->torn,
                       "frames have no end, because events are lost behind their begins");
    list->torn = 0;
}

static int by_id(const void *a, const void *b)
{
    const struct tk_frame_type *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Puts types in the order of their ids: that of appearance depends on which facts are read. */
static int order_types(struct tk_frame_list *list)
{
    for (size_t i = 0; i < list->marks.n; i++)
        list->marks.v[i].type = list->types.v[list->marks.v[i].type].id;
    if (tk_sort(list->types.v, list->types.n, sizeof *list->types.v, by_id))
        return -1;
    for (size_t i = 0; i < list->types.n; i++)
        if (tk_map_put(&list->type_index, list->types.v[i].id, (uint32_t)i))
            return -1;
    for (size_t i = 0; i < list->marks.n; i++)
        list->marks.v[i].type = tk_map_get(&list->type_index, list->marks.v[i].type);
    return 0;
}

int tk_frame_list_pair(struct tk_frame_list *list, struct tk_err *err)
{
    order_fn *order = order_of(list);
    if (order_types(list) || tk_sort(list->marks.v, list->marks.n, sizeof *list->marks.v, order) ||
        tk_gap_list_settle(&list->gaps) || tk_gap_list_settle(&list->late_gaps))
        return no_memory_frame_list(err);
    for (size_t i = 0; i < list->marks.n; i++) {
        const struct tk_frame_mark *mark = &list->marks.v[i];
        if (order == by_seq && tk_gap_list_before(&list->gaps, mark->seq))
            tear(list);
        if (order == by_seq && tk_gap_list_before(&list->late_gaps, mark->seq))
            doubt(list);
        if (!mark->begin)
            end_frame(list, mark);
        else if (begin_frame(list, mark))
            return no_memory_frame_list(err);
    }
    tk_vec_release(&list->marks);
    tk_gap_list_release(&list->gaps);
    tk_gap_list_release(&list->late_gaps);
    if (any_doubtful(list) && tear_doubtful(list))
        return no_memory_frame_list(err);
    note_torn(list);
    if (order == by_number &&
        tk_sort(list->frames.v, list->frames.n, sizeof *list->frames.v, by_begin_frame_list))
        return no_memory_frame_list(err);
    return TK_OK;
}

/* Takes overlap out: a frame ends at the latest where the next begins, and does not begin before the one
 * before it. */
static void straighten(struct tk_frames *frames)
{
    for (size_t i = 0; i < frames->n; i++) {
        struct tk_range *r = &frames->v[i];
        if (i > 0 && r->from < r[-1].from)
            r->from = r[-1].from;
        if (r->to < r->from)
            r->to = r->from;
        if (i > 0 && r[-1].to > r->from)
            r[-1].to = r->from;
    }
}

static struct tk_range range_of_frame(const struct tk_frame *f)
{
    return (struct tk_range){f->begin, f->torn ? f->begin : f->open ? INT64_MAX : f->end};
}

int tk_frame_list_ranges(const struct tk_frame_list *list, uint32_t type, struct tk_frames *out,
                         struct tk_err *err)
{
    uint32_t at = tk_map_get(&list->type_index, type);
    uint32_t count = at == TK_MAP_NONE ? 0 : list->types.v[at].count;
    *out = (struct tk_frames){.v = malloc((count + (size_t)1) * sizeof *out->v)};
    if (!out->v)
        return no_memory_frame_list(err);
    for (size_t i = 0; i < list->frames.n && count; i++) {
        const struct tk_frame *f = &list->frames.v[i];
        if (f->type == at)
            out->v[out->n++] = range_of_frame(f);
    }
    straighten(out);
    return TK_OK;
}

int tk_frames_missing(const struct tk_context *ctx, struct tk_err *err)
{
    return tk_format_lacks(ctx, TK_HINT_FRAMES, "the capture has no game frames", err);
}

/* ---- tables of frames ---- */

int tk_frame_collector_start(void *self)
{
    struct tk_frame_collector *f = self;
    tk_frame_list_init(&f->list, f->g.view->ctx, f->g.capacity.table);
    return 0;
}

int tk_frame_collector_take(void *self, const struct tk_fact *fact)
{
    return tk_frame_list_feed(&((struct tk_frame_collector *)self)->list, fact, NULL);
}

int tk_frame_collector_settle(void *self)
{
    return tk_frame_list_pair(&((struct tk_frame_collector *)self)->list, NULL);
}

void tk_frame_collector_release(void *self)
{
    tk_frame_list_release(&((struct tk_frame_collector *)self)->list);
}

/*
 * Gaps in order.
 */

int tk_gap_list_add(struct tk_gap_list *list, const struct tk_fact *fact)
{
    return tk_vec_push(&list->at, fact->seq);
}

static int by_place(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int tk_gap_list_settle(struct tk_gap_list *list)
{
    list->next = 0;
    return tk_sort(list->at.v, list->at.n, sizeof *list->at.v, by_place);
}

bool tk_gap_list_before(struct tk_gap_list *list, uint64_t seq)
{
    size_t first = list->next;
    while (list->next < list->at.n && list->at.v[list->next] < seq)
        list->next++;
    return list->next > first;
}

bool tk_gap_list_between(const struct tk_gap_list *list, uint64_t from, uint64_t to)
{
    size_t low = 0, high = list->at.n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->at.v[middle] <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->at.n && list->at.v[low] < to;
}

void tk_gap_list_release(struct tk_gap_list *list)
{
    tk_vec_release(&list->at);
}
