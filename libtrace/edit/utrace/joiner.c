/*
 * Counting and writing of what pieces give.
 */
#include "edit/utrace/merge_utrace.h"
#include "edit/utrace/utrace_in.h"

#include <string.h>

/*
 * Declarations of several pieces.
 */

bool tk_merge_type_own(const struct tk_ut_type *type)
{
    return strcmp(type->name->p, "Tracekit.Edit") == 0 || strcmp(type->name->p, "Tracekit.Gap") == 0;
}

static bool same_text(const struct tk_str *a, const struct tk_str *b)
{
    return a && b ? a->n == b->n && memcmp(a->p, b->p, a->n) == 0 : a == b;
}

static bool same_field(const struct tk_ut_field *a, const struct tk_ut_field *b)
{
    return same_text(a->name, b->name) && a->offset == b->offset && a->size == b->size && a->ref == b->ref &&
           a->info == b->info && a->family == b->family;
}

/* Recorders leave anything between the fields of a declaration, so that its bytes may differ. */
static bool same(const struct tk_ut_type *a, const struct tk_ut_type *b)
{
    bool alike = same_text(a->logger, b->logger) && same_text(a->event, b->event) && a->flags == b->flags &&
                 a->n_fields == b->n_fields;
    for (size_t i = 0; alike && i < a->n_fields; i++)
        alike = same_field(&a->fields[i], &b->fields[i]);
    return alike;
}

static int add(struct tk_merge_types *t, const struct tk_ut_type *type, struct tk_err *err)
{
    if (!type->stated)
        return tk_err_set(err, TK_ELIMIT, "the capture declares more than %u MiB of event types",
                          TK_UT_MOST_STATED >> 20);
    if (type->uid >= TK_MERGE_UIDS)
        return tk_err_set(err, TK_EUSAGE, "the capture has an event type %u, but the highest is %u",
                          type->uid, TK_MERGE_UIDS - 1);
    const struct tk_ut_type **place = &t->by_uid[type->uid];
    if (*place && !same(*place, type))
        return tk_err_set(err, TK_EUSAGE,
                          "event types %u differ (%.100s and %.100s): it is not part of the same recording",
                          type->uid, (*place)->name->p, type->name->p);
    *place = type;
    if (type->uid > t->highest)
        t->highest = type->uid;
    return TK_OK;
}

int tk_merge_types_add(struct tk_merge_types *t, const struct tk_ut_capture *c, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < c->schema.types.n && rc == TK_OK; i++)
        if (!tk_merge_type_own(c->schema.types.v[i]))
            rc = add(t, c->schema.types.v[i], err);
    return rc;
}

/*
 * Contents of records.
 */

uint64_t tk_merge_event_content(const struct tk_ut_event *ev)
{
    uint64_t sum =
        tk_hash_bytes(ev->fixed, ev->n_fixed, tk_hash_bytes(ev->type->name->p, ev->type->name->n, 0));
    if (ev->n_attachment)
        sum = tk_hash_bytes(ev->attachment, ev->n_attachment, sum);
    for (uint32_t i = 0, n = 1; i < ev->n_blobs; i += n, n = 1) {
        const uint32_t field = ev->blobs[i].field;
        struct tk_bytes value = {ev->blobs[i].p, ev->blobs[i].n};
        while (i + n < ev->n_blobs && ev->blobs[i + n].field == field)
            n++;
        /* where a value is divided depends on the packets that it is in */
        if (n > 1 && field < ev->type->n_fields)
            value = tk_ut_event_bytes(ev, &ev->type->fields[field]);
        sum = tk_hash_bytes(value.p, value.n, tk_hash_pair(sum, field));
    }
    return sum;
}

uint64_t tk_merge_record_content(const struct tk_edit_item *item)
{
    const struct tk_ut_scope *scope = item->scope;
    if (scope)
        return tk_hash_pair(scope->begins + 2u * scope->timed, scope->timed ? (uint64_t)scope->time : 0);
    const uint64_t sum = tk_merge_event_content(item->ev);
    return item->ev->has_serial ? tk_hash_pair(sum, item->ev->serial) : sum;
}

uint32_t tk_merge_counted(const struct tk_merge_counts *c, uint64_t content)
{
    const uint32_t n = tk_map_get(&c->map, content);
    return n == TK_MAP_NONE ? 0 : n;
}

int64_t tk_merge_count(struct tk_merge_counts *c, uint64_t content)
{
    const uint32_t n = tk_merge_counted(c, content);
    if (n + 1 < TK_MAP_NONE && tk_map_put(&c->map, content, n + 1) != 0)
        return -1;
    return n;
}

void tk_merge_counts_release(struct tk_merge_counts *c)
{
    tk_map_release(&c->map);
}

/* The number that an event gets. */
static int number_of(struct tk_merge_joiner *j, const struct tk_edit_item *item, uint32_t *serial)
{
    *serial = item->ev->serial;
    if (!item->number)
        return TK_OK;
    const uint64_t number = j->base + item->number;
    if (!j->writes)
        return tk_edit_serials_add(&j->serials, number) ? TK_OK : TK_ENOMEM;
    *serial = (uint32_t)tk_edit_serials_new(&j->serials, tk_edit_serials_find(&j->serials, number));
    return TK_OK;
}

static int take(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_merge_joiner *j = (struct tk_merge_joiner *)stage;
    uint32_t serial = 0;
    if (item->ev && tk_merge_type_own(item->ev->type)) {
        const bool gap = item->lane->tid != TK_UT_TID_IMPORTANT;
        j->edits += !gap && !j->writes;
        return gap ? tk_edit_gap(stage, item->lane) : TK_OK;
    }
    const int rc = item->ev ? number_of(j, item, &serial) : TK_OK;
    if (rc != TK_OK || !j->writes)
        return rc;
    return tk_edit_result_put(&j->result, item, serial);
}

static int drop(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    (void)stage;
    (void)item;
    return TK_OK;
}

static int gap(struct tk_edit_stage *stage, struct tk_ut_lane *from)
{
    struct tk_merge_joiner *j = (struct tk_merge_joiner *)stage;
    return j->writes ? tk_edit_result_gap(&j->result, from->tid) : TK_OK;
}

static const struct tk_edit_stage_ops ops = {.take = take, .drop = drop, .gap = gap};

int tk_merge_joiner_init(struct tk_merge_joiner *j)
{
    tk_edit_stage_init(&j->stage, &ops, NULL);
    return tk_edit_result_init(&j->result);
}

void tk_merge_joiner_write(struct tk_merge_joiner *j, const struct tk_ut_header *header,
                           struct tk_uw_sink *sink)
{
    const uint64_t mask = 0xffffff;
    j->writes = true;
    j->result.stream.packets.sink = sink;
    j->result.stream.packets.transport = header->transport;
    j->result.stream.protocol = header->protocol;
    tk_edit_serials_close(&j->serials, true, 0, mask);
}

/* The edit's own types have the highest numbers. */
static void declare_own(struct tk_merge_joiner *j, struct tk_uw_lane *lane, unsigned highest)
{
    struct tk_uw_type *const own[] = {&j->result.edit, &j->result.gap};
    j->result.edit = tk_edit_type_edit;
    j->result.gap = tk_edit_type_gap;
    for (unsigned i = 0; i < 2 && highest + i + 1 < TK_MERGE_UIDS; i++) {
        own[i]->uid = (uint16_t)(highest + i + 1);
        tk_uw_declare(lane, own[i]);
    }
}

int tk_merge_joiner_declare(struct tk_merge_joiner *j, const struct tk_merge_types *types)
{
    struct tk_uw_lane *lane = tk_edit_result_lane(&j->result, TK_UT_TID_DECLARATIONS);
    if (!lane)
        return TK_ENOMEM;
    for (size_t i = 0; i < TK_MERGE_UIDS; i++) {
        if (types->by_uid[i])
            tk_edit_put_type(lane, types->by_uid[i]);
    }
    declare_own(j, lane, types->highest < 15 ? 15 : types->highest);
    return tk_edit_result_flush(&j->result, TK_UT_TID_DECLARATIONS);
}

int tk_merge_joiner_packet(void *self, const struct tk_edit_packet *packet)
{
    struct tk_merge_joiner *j = self;
    return j->writes ? tk_edit_result_flush(&j->result, packet->read->head.tid) : TK_OK;
}

int tk_merge_joiner_rest(void *self)
{
    struct tk_merge_joiner *j = self;
    return j->writes ? tk_edit_result_flush_all(&j->result) : TK_OK;
}

void tk_merge_joiner_release(struct tk_merge_joiner *j)
{
    tk_edit_result_release(&j->result);
    tk_edit_serials_release(&j->serials);
    *j = (struct tk_merge_joiner){0};
}
