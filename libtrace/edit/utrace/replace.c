/*
 * Walks around an edit that replaces texts.
 */
#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/stages/walk.h"
#include "edit/utrace/texts/texts.h"
#include "edit/utrace/utrace_in.h"

#include <stdlib.h>
#include <string.h>

static int pass_packet(void *self, const struct tk_edit_packet *packet)
{
    (void)self;
    (void)packet;
    return TK_OK;
}

/* Over the events that hold texts. `hooks` may leave out packets. */
static int walk_through(struct tk_ut_capture *c, const struct tk_edit_texts *texts,
                        struct tk_edit_stage *last, const struct tk_edit_walker *hooks, struct tk_err *err)
{
    struct tk_health quiet = {.muted = UINT64_MAX};
    struct tk_edit_broken none = {{0}}; /* texts stand in other events */
    struct tk_edit_mender mender;
    uint8_t *want = calloc(texts->n + 1, sizeof *want);
    if (!want)
        return tk_err_nomem(err, "an edit");
    for (size_t i = 0; i < texts->n; i++)
        want[i] = texts->types[i].rules ? TK_UT_WANT_EVENTS : 0;
    if (tk_edit_mender_init(&mender, &c->schema, &none, false, last) != TK_OK) {
        free(want);
        return tk_err_nomem(err, "an edit");
    }
    struct tk_edit_walker walker = *hooks;
    walker.first = &mender.stage;
    walker.want = want;
    walker.n_want = (uint32_t)texts->n;
    const int rc = tk_edit_walk(c, &walker, &quiet, err);
    tk_edit_mender_release(&mender);
    free(want);
    return rc;
}

static const struct tk_edit_walker all_packets = {.begin = pass_packet, .packet = pass_packet};

int tk_edit_replace_learn(struct tk_edit_texts *texts, struct tk_anon *anon, struct tk_ut_capture *c,
                          struct tk_err *err)
{
    struct tk_edit_learner learner;
    if (tk_edit_texts_init(texts, anon, &c->schema) != TK_OK)
        return tk_err_nomem(err, "an edit");
    tk_edit_learner_init(&learner, texts, NULL);
    return walk_through(c, texts, &learner.stage, &all_packets, err);
}

/* ---- what was not sure ---- */

/* The last stage: whose events changed? */
struct settler {
    struct tk_edit_stage stage;
    struct tk_edit_chains *chains;
};

static int settle_event(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    struct tk_edit_chain *chain = tk_edit_chains_now(((struct settler *)stage)->chains, item->lane->tid);
    if (chain)
        chain->dirty |= item->changed;
    return TK_OK;
}

static int settle_dropped(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    (void)stage;
    (void)item;
    return TK_OK;
}

static int follow_packet(void *self, const struct tk_edit_packet *packet)
{
    tk_edit_chains_follow(((struct settler *)self)->chains, packet->index, packet->read->head.tid);
    return TK_OK;
}

static bool is_unsure(const struct tk_edit_chains *chains, size_t packet)
{
    const struct tk_edit_chain *head = &chains->packets[chains->packets[packet].head];
    return head->unsure && !head->dirty;
}

/* By packet: it need not be looked at. *any: others are to be. NULL: out of memory. */
static bool *choose_sure(const struct tk_edit_chains *chains, bool *any)
{
    bool *sure = malloc((chains->n + 1) * sizeof *sure);
    *any = false;
    for (size_t i = 0; sure && i < chains->n; i++) {
        sure[i] = !is_unsure(chains, i);
        *any |= !sure[i];
    }
    return sure;
}

int tk_edit_replace_settle(struct tk_edit_account *account, const struct tk_edit_anonymiser *as, bool sound,
                           struct tk_err *err)
{
    static const struct tk_edit_stage_ops ops = {.take = settle_event, .drop = settle_dropped};
    struct settler settler = {.chains = &account->chains};
    struct tk_edit_anonymiser anonymiser;
    bool any, *sure = choose_sure(&account->chains, &any);
    if (!sure)
        return tk_err_nomem(err, "an edit");
    tk_edit_stage_init(&settler.stage, &ops, NULL);
    tk_edit_anonymiser_init(&anonymiser, as->texts, &settler.stage);
    anonymiser.kind = as->kind;
    anonymiser.kind_ctx = as->kind_ctx;
    anonymiser.early = true; /* what is too long is reported when it is written */
    const struct tk_edit_walker hooks = {
        .begin = follow_packet, .packet = pass_packet, .self = &settler, .passed = sound ? sure : NULL};
    const int rc = any ? walk_through(account->c, as->texts, &anonymiser.stage, &hooks, err) : TK_OK;
    tk_edit_anonymiser_release(&anonymiser);
    free(sure);
    return rc;
}

int tk_edit_utrace_inspect(struct tk_anon *anon, struct tk_ut_capture *result, struct tk_err *err)
{
    struct tk_edit_inspector inspector;
    struct tk_edit_texts texts = {0};
    int rc =
        tk_edit_texts_init(&texts, anon, &result->schema) == TK_OK ? TK_OK : tk_err_nomem(err, "an edit");
    tk_edit_inspector_init(&inspector, &texts, result->ctx->pool);
    if (rc == TK_OK)
        rc = walk_through(result, &texts, &inspector.stage, &all_packets, err);
    if (rc == TK_OK && tk_edit_inspector_finish(&inspector) != TK_OK)
        rc = tk_err_nomem(err, "an edit");
    if (rc == TK_OK && inspector.hit)
        rc = tk_err_set(
            err, TK_EOUTPUT,
            "a text of the class '%s' that should have been replaced is still in the field %.*s of %.*s; "
            "nothing was written. Remove these events with --drop, or keep the text with "
            "--keep-text",
            tk_anon_class_name(inspector.hit->class), (int)inspector.type->fields[inspector.field].name->n,
            inspector.type->fields[inspector.field].name->p, (int)inspector.type->name->n,
            inspector.type->name->p);
    tk_edit_inspector_release(&inspector);
    tk_edit_texts_release(&texts);
    return rc;
}

bool tk_edit_replace_session(const struct tk_anon *anon, const uint8_t guid[16], uint8_t *out)
{
    static const uint8_t none[16];
    struct tk_anon_text text = {0};
    if (memcmp(guid, none, sizeof none) == 0)
        return false;
    tk_anon_identity(&anon->key, guid, sizeof none, &text);
    const bool other = !text.failed && memcmp(text.bytes.v, guid, sizeof none) != 0;
    if (other && out)
        memcpy(out, text.bytes.v, sizeof none);
    tk_vec_release(&text.bytes);
    return other;
}

void tk_edit_replace_header(const struct tk_anon *anon, struct tk_uw_bytes *header)
{
    uint8_t *guid = tk_edit_header_guid(header->data, header->size, TK_EDIT_SESSION_GUID);
    if (guid)
        (void)tk_edit_replace_session(anon, guid, guid);
}
