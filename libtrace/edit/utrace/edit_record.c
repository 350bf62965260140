/*
 * Text of the record of an edit. See edit_record.h.
 */
#include "edit/utrace/edit_record.h"

#include "edit/utrace/stages/topics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* Classes, how many events changed, and what tells whether two results have one key. */
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
