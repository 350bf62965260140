/*
 * Events of the logger Tracekit.
 */
#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/utrace_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * Records of a lane as they are written again.
 */

static void put_values(struct tk_uw_lane *lane, const struct tk_uw_type *type, const struct tk_ut_event *ev)
{
    for (uint32_t i = 0; i < ev->n_blobs; i++) {
        if (ev->blobs[i].n)
            tk_uw_value(lane, type, ev->blobs[i].field, ev->blobs[i].p, ev->blobs[i].n);
        else
            tk_uw_blob(lane, type, ev->blobs[i].field, NULL, 0);
    }
}

void tk_edit_put_event(struct tk_uw_lane *lane, const struct tk_ut_event *ev, uint16_t uid, uint32_t serial)
{
    const struct tk_uw_type type = {.uid = uid, .flags = ev->type->flags};
    static const uint8_t zeros[64];
    tk_uw_begin_serial(lane, &type, serial);
    tk_uw_raw(&lane->pending, ev->fixed, ev->n_fixed);
    for (uint32_t n = ev->n_fixed; n < ev->type->fixed;) {
        const uint32_t part =
            ev->type->fixed - n < sizeof zeros ? ev->type->fixed - n : (uint32_t)sizeof zeros;
        tk_uw_raw(&lane->pending, zeros, part);
        n += part;
    }
    if (ev->n_attachment)
        tk_uw_raw(&lane->pending, ev->attachment, ev->n_attachment);
    put_values(lane, &type, ev);
    tk_uw_end(lane, &type);
    if (ev->type->role == TK_UT_ROLE_THREAD_TIMING)
        lane->stamp = tk_ut_event_u64(ev, tk_ut_type_field(ev->type, "BaseTimestamp"));
}

void tk_edit_put_passed(struct tk_uw_lane *lane, const struct tk_ut_type *from,
                        const struct tk_ut_passed *event, uint32_t serial)
{
    const struct tk_uw_type type = {.uid = event->uid, .flags = from->flags};
    tk_uw_event_copy(lane, &type, event->p, event->n, from->fixed, serial);
}

void tk_edit_put_scope(struct tk_uw_lane *lane, const struct tk_ut_scope *scope)
{
    if (scope->timed)
        (scope->begins ? tk_uw_enter_at : tk_uw_leave_at)(lane, (uint64_t)scope->time);
    else
        (scope->begins ? tk_uw_enter : tk_uw_leave)(lane);
}

void tk_edit_put_type(struct tk_uw_lane *lane, const struct tk_ut_type *type)
{
    const struct tk_uw_type news = {.flags = TK_UW_NOSYNC};
    tk_uw_begin(lane, &news);
    tk_uw_raw(&lane->pending, type->stated, type->stated_bytes);
    tk_uw_end(lane, &news);
}

/*
 * Text of the record of an edit.
 */

static void put_number(struct tk_uw_bytes *text, const char *key, uint64_t number, bool always)
{
    char part[96];
    if (!number && !always)
        return;
    snprintf(part, sizeof part, ",\"%s\":%" PRIu64, key, number);
    tk_uw_text(text, part);
}

/* Events of a topic that were left out: of the first type of the topic, for all. */
static uint64_t left_out(const struct tk_edit_account *a, const char *topic)
{
    uint64_t n = 0;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(tk_edit_topic(a->c->schema.types.v[i]), topic) == 0)
            n += a->types[i].events - a->types[i].kept;
    return n;
}

static bool comes_first(const struct tk_edit_account *a, size_t type, const char *topic)
{
    for (size_t i = 0; i < type; i++)
        if (strcmp(tk_edit_topic(a->c->schema.types.v[i]), topic) == 0)
            return false;
    return true;
}

static void put_dropped(struct tk_uw_bytes *text, const struct tk_edit_account *a)
{
    char part[96];
    bool any = false;
    for (size_t i = 0; i < a->n; i++) {
        const char *topic = tk_edit_topic(a->c->schema.types.v[i]);
        const uint64_t n = comes_first(a, i, topic) ? left_out(a, topic) : 0;
        if (!n)
            continue;
        snprintf(part, sizeof part, "%s\"%s\":%" PRIu64, any ? "," : ",\"dropped\":{", topic, n);
        tk_uw_text(text, part);
        any = true;
    }
    if (any)
        tk_uw_text(text, "}");
}

/* Classes, how many events changed, and what says whether two results have one key. */
static void put_replaced(struct tk_uw_bytes *text, const struct tk_edit_utrace *e)
{
    const struct tk_anon *anon = e->request->anon;
    char part[64];
    uint64_t replaced = 0, emptied = 0;
    tk_uw_text(text, ",\"anonymised\":[");
    for (unsigned i = 0, n = 0; i < TK_ANON_CLASSES; i++) {
        if (!tk_anon_has(anon->classes, (enum tk_anon_class)i))
            continue;
        snprintf(part, sizeof part, "%s\"%s\"", n++ ? "," : "", tk_anon_class_name((enum tk_anon_class)i));
        tk_uw_text(text, part);
    }
    for (size_t i = 0; i < e->texts.n; i++) {
        replaced += e->texts.types[i].replaced;
        emptied += e->texts.types[i].emptied;
    }
    snprintf(part, sizeof part, "],\"key\":\"%08x\"", (unsigned)tk_anon_key_check(&anon->key));
    tk_uw_text(text, part);
    put_number(text, "replaced", replaced, true);
    put_number(text, "emptied", emptied, false);
}

void tk_edit_record_text(struct tk_uw_bytes *text, const struct tk_edit_utrace *e)
{
    const struct tk_edit_account *account = &e->account;
    const struct tk_edit_request *request = e->request;
    const struct tk_health *health = &account->c->ctx->health;
    char tool[96];
    snprintf(tool, sizeof tool, "{\"edit\":1,\"tool\":\"tracekit %d.%d.%d\",\"options\":[", TK_VERSION_MAJOR,
             TK_VERSION_MINOR, TK_VERSION_PATCH);
    tk_uw_text(text, tool);
    const struct {
        bool given;
        const char *name;
    } options[] = {{request->cut, "times"},         {request->words.n_keep, "keep"},
                   {request->words.n_drop, "drop"}, {request->words.threads, "thread"},
                   {request->close, "close"},       {request->anon, "anonymise"}};
    for (size_t i = 0, n = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i].given)
            continue;
        tk_uw_text(text, n++ ? ",\"" : "\"");
        tk_uw_text(text, options[i].name);
        tk_uw_text(text, "\"");
    }
    tk_uw_text(text, "]");
    put_dropped(text, account);
    if (request->anon)
        put_replaced(text, e);
    if (account->damaged || account->gaps || account->copies) {
        put_number(text, "gaps", account->gaps, true);
        put_number(text, "lost_events", health->counts[TK_HEALTH_EVENTS_LOST], true);
        put_number(text, "incomplete", account->incomplete, true);
        put_number(text, "copies", account->copies, false);
        put_number(text, "skipped_bytes",
                   health->ledger[TK_LEDGER_SKIPPED] + health->ledger[TK_LEDGER_TRUNCATED], false);
    }
    tk_uw_text(text, "}");
}

static const struct tk_uw_field edit_fields[] = {
    {.name = "From", .type = TK_UW_U64},
    {.name = "To", .type = TK_UW_U64},
    {.name = "FirstFrame", .type = TK_UW_U32},
    {.name = "Record", .type = TK_UW_ANSI},
};

static const struct tk_uw_field gap_fields[] = {{.name = "ThreadId", .type = TK_UW_U32}};

const struct tk_uw_type tk_edit_type_edit = {.logger = "Tracekit",
                                             .event = "Edit",
                                             TK_UW_FIELDS(edit_fields),
                                             .flags = TK_UW_IMPORTANT | TK_UW_AUX | TK_UW_NOSYNC};

const struct tk_uw_type tk_edit_type_gap = {
    .logger = "Tracekit", .event = "Gap", TK_UW_FIELDS(gap_fields), .flags = TK_UW_NOSYNC};

const struct tk_uw_type tk_edit_type_left = {.logger = "Tracekit", .event = "Left"};

enum { OWN = 3, LOWEST = 15, UIDS = 0x3fff };

static bool is_free(const uint64_t *taken, uint32_t uid)
{
    return !(taken[uid / 64] >> uid % 64 & 1);
}

/* The first of OWN numbers in a row that no type has: those behind all others, else the highest. 0: there are
 * none. */
static uint32_t first_own(const struct tk_ut_schema *schema)
{
    uint64_t taken[(UIDS + 64) / 64] = {0};
    uint32_t highest = LOWEST, free = 0;
    for (size_t i = 0; i < schema->types.n; i++) {
        const uint32_t uid = schema->types.v[i]->uid;
        if (uid < UIDS)
            taken[uid / 64] |= UINT64_C(1) << uid % 64;
        highest = uid > highest ? uid : highest;
    }
    if (highest + OWN < UIDS)
        return highest + 1;
    for (uint32_t uid = UIDS; uid-- > LOWEST + 1;) {
        free = is_free(taken, uid) ? free + 1 : 0;
        if (free == OWN)
            return uid;
    }
    return 0;
}

bool tk_edit_own_uids(const struct tk_ut_schema *schema)
{
    return first_own(schema) != 0;
}

/* A capture may have a type of this name that is none of ours. */
static bool same_shape(const struct tk_ut_type *t, const struct tk_uw_type *own)
{
    bool same = t->n_fields == own->field_count && t->flags == own->flags;
    for (size_t i = 0; same && i < own->field_count; i++)
        same = t->fields[i].info == own->fields[i].type;
    return same;
}

struct tk_uw_type tk_edit_own_type(struct tk_uw_lane *declarations, const struct tk_ut_schema *schema,
                                   const struct tk_uw_type *type, unsigned place)
{
    struct tk_uw_type own = *type;
    const uint32_t first = first_own(schema);
    for (size_t i = schema->types.n; i-- > 0;) {
        const struct tk_ut_type *t = schema->types.v[i];
        if (strncmp(t->name->p, "Tracekit.", 9) == 0 && strcmp(tk_ut_type_event(t), own.event) == 0 &&
            same_shape(t, &own)) {
            own.uid = t->uid;
            return own;
        }
    }
    if (!first)
        return own;
    own.uid = (uint16_t)(first + place);
    tk_uw_declare(declarations, &own);
    return own;
}

void tk_edit_record_put(struct tk_uw_lane *important, const struct tk_uw_type *type,
                        const struct tk_edit_span *span, const char *text, size_t n)
{
    tk_uw_begin(important, type);
    tk_uw_u64(&important->pending, span->from);
    tk_uw_u64(&important->pending, span->to);
    tk_uw_u32(&important->pending, span->first_frame);
    tk_uw_value(important, type, 3, text, n);
    tk_uw_end(important, type);
}
