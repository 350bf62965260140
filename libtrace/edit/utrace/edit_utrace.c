/*
 * The two walks of an edit.
 */
#include "edit/utrace/edit_utrace.h"

#include "base/checksum.h"
#include "edit/utrace/cut/cutter.h"
#include "edit/utrace/texts/texts.h"
#include "edit/utrace/utrace_in.h"
#include "io/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CURRENT 5 /* protocols from here on are edited record by record */

/* The stages in front of the last one. */
struct stages {
    struct tk_edit_mender mender;
    struct tk_edit_text_reader reader;
    struct tk_edit_cutter cutter;
    struct tk_edit_chooser chooser;
    struct tk_edit_closer closer;
    struct tk_edit_anonymiser anonymiser;
    struct tk_edit_stage *first;
};

static int make_stages(struct tk_edit_utrace *e, struct stages *s, struct tk_edit_stage *last, bool counts)
{
    int rc = TK_OK;
    *s = (struct stages){.first = last};
    if (e->request->anon && !(counts && e->learns)) {
        tk_edit_anonymiser_init(&s->anonymiser, &e->texts, s->first);
        s->anonymiser.counts = counts != e->learns;
        s->anonymiser.kind = e->request->kind;
        s->anonymiser.kind_ctx = e->request->kind_ctx;
        s->first = &s->anonymiser.stage;
    }
    if (e->request->close) {
        rc = tk_edit_closer_init(&s->closer, e->c, e->request->last, s->first);
        s->first = &s->closer.stage;
    }
    if (rc == TK_OK && e->choice.any) {
        rc = tk_edit_chooser_init(&s->chooser, &e->choice, s->first);
        s->first = &s->chooser.stage;
    }
    if (rc == TK_OK && e->request->cut) {
        rc = tk_edit_cutter_init(&s->cutter, &e->survey, TK_CUT_DECIDE, s->first);
        s->cutter.recalls = !counts;
        s->first = &s->cutter.stage;
    }
    if (rc == TK_OK && counts && e->learns) {
        rc = tk_edit_text_reader_init(&s->reader, &e->texts, e->c->ctx->pool, e->account.chains.n, s->first);
        s->reader.place = tk_edit_account_place;
        s->reader.place_ctx = &e->account;
        s->reader.anonymiser.kind = e->request->kind;
        s->reader.anonymiser.kind_ctx = e->request->kind_ctx;
        s->first = &s->reader.stage;
    }
    if (rc == TK_OK)
        rc = tk_edit_mender_init(&s->mender, &e->c->schema, &e->broken, counts, s->first);
    s->first = &s->mender.stage;
    return rc;
}

static void release_stages(struct stages *s)
{
    tk_edit_mender_release(&s->mender);
    tk_edit_cutter_release(&s->cutter);
    tk_edit_chooser_release(&s->chooser);
    tk_edit_closer_release(&s->closer);
    tk_edit_text_reader_release(&s->reader);
    tk_edit_anonymiser_release(&s->anonymiser);
}

/* ---- what a cut has to know ---- */

static int pass_packet(void *self, const struct tk_edit_packet *packet)
{
    (void)self;
    (void)packet;
    return TK_OK;
}

static int survey_once(struct tk_edit_utrace *e, enum tk_edit_cut_walk walk, struct tk_err *err)
{
    struct tk_health quiet = {.muted = UINT64_MAX};
    struct tk_edit_cutter cutter;
    if (tk_edit_cutter_init(&cutter, &e->survey, walk, NULL) != TK_OK)
        return tk_err_nomem(err, "an edit");
    /* the cutter ends where a batch does not go on with an entry */
    struct tk_edit_broken none = {{0}};
    struct tk_edit_mender mender;
    if (tk_edit_mender_init(&mender, &e->c->schema, &none, false, &cutter.stage) != TK_OK) {
        tk_edit_cutter_release(&cutter);
        return tk_err_nomem(err, "an edit");
    }
    uint8_t *want = calloc(e->survey.n + 1, sizeof *want);
    for (size_t i = 0; want && i < e->survey.n; i++)
        want[i] = tk_edit_cutter_inspects(walk, e->survey.rules[i].kind) ? TK_UT_WANT_EVENTS : 0;
    const bool all = walk == TK_CUT_SURVEY && tk_edit_survey_needs_all(&e->survey);
    e->survey.want = walk == TK_CUT_SURVEY && !all ? want : NULL;
    const struct tk_edit_walker walker = {.first = &mender.stage,
                                          .begin = pass_packet,
                                          .packet = pass_packet,
                                          .want = all ? NULL : want,
                                          .n_want = all ? 0 : (uint32_t)e->survey.n};
    const int rc = want ? tk_edit_walk(e->c, &walker, &quiet, err) : tk_err_nomem(err, "an edit");
    e->survey.want = NULL;
    tk_edit_mender_release(&mender);
    tk_edit_cutter_release(&cutter);
    free(want);
    return rc;
}

static int survey(struct tk_edit_utrace *e, struct tk_err *err)
{
    if (!e->request->cut)
        return TK_OK;
    if (tk_edit_survey_init(&e->survey, e->c, &e->request->window) != TK_OK)
        return tk_err_nomem(err, "an edit");
    int rc = survey_once(e, TK_CUT_SURVEY, err);
    if (rc == TK_OK && tk_edit_survey_close(&e->survey) != TK_OK)
        rc = tk_err_nomem(err, "an edit");
    if (rc == TK_OK && e->survey.memory_apart)
        rc = survey_once(e, TK_CUT_MEMORY, err);
    if (rc == TK_OK && e->survey.memory && tk_edit_survey_memory_close(&e->survey) != TK_OK)
        rc = tk_err_nomem(err, "an edit");
    return rc;
}

/* ---- the walks ---- */

static int check_protocol(const struct tk_edit_utrace *e, struct tk_err *err)
{
    const struct tk_edit_words *words = &e->request->words;
    if (e->c->header.protocol >= FIRST_CURRENT ||
        (!words->n_keep && !words->n_drop && !words->threads && !e->request->cut && !e->request->close &&
         !e->request->anon))
        return TK_OK;
    return tk_err_set(err, TK_EUSAGE,
                      "captures of protocol %u can only be copied and recompressed; dropping and replacing "
                      "need protocols 5 to 7",
                      e->c->header.protocol);
}

/* Declarations are written again as they stood. */
static int check_declarations(const struct tk_ut_capture *c, struct tk_err *err)
{
    for (size_t i = 0; i < c->schema.types.n; i++)
        if (!c->schema.types.v[i]->stated)
            return tk_err_set(err, TK_ELIMIT, "the capture declares more than %u MiB of event types",
                              TK_UT_MOST_STATED >> 20);
    return TK_OK;
}

/* Pictures go with the texts. */
static int choose(struct tk_edit_utrace *e, struct tk_err *err)
{
    struct tk_edit_words words = e->request->words;
    const struct tk_anon *anon = e->request->anon;
    if (!anon || !tk_anon_has(anon->classes, TK_ANON_PICTURES))
        return tk_edit_choice_make(&e->choice, e->c, &words, err);
    const char **drop = malloc((words.n_drop + 1) * sizeof *drop);
    if (!drop)
        return tk_err_nomem(err, "an edit");
    for (size_t i = 0; i < words.n_drop; i++)
        drop[i] = words.drop[i];
    drop[words.n_drop++] = "screenshots";
    words.drop = drop;
    const int rc = tk_edit_choice_make(&e->choice, e->c, &words, err);
    free(drop);
    return rc;
}

static int refuse_long(const struct tk_ut_type *type, struct tk_err *err)
{
    return tk_err_set(err, TK_EOUTPUT,
                      "an event %.*s would exceed 65,535 bytes, because pseudonyms are longer than its "
                      "texts; nothing was written. Remove these events with --drop, or "
                      "keep the texts with --keep-text",
                      (int)(type->name->n < 200 ? type->name->n : 200), type->name->p);
}

/* Where nothing else depends on it, texts are learned in the first walk. A text that is said to stay later on
 * could stay after all; and who wants to see what stays wants to see it by all that is known. */
static int learn(struct tk_edit_utrace *e, struct tk_err *err)
{
    const struct tk_edit_request *r = e->request;
    if (!r->anon)
        return TK_OK;
    e->learns = !r->cut && !r->close && !r->anon->n_keep && !e->texts.wants_kept;
    if (!e->learns)
        return tk_edit_replace_learn(&e->texts, r->anon, e->c, err);
    return tk_edit_texts_init(&e->texts, r->anon, &e->c->schema) == TK_OK ? TK_OK
                                                                          : tk_err_nomem(err, "an edit");
}

/* What was replaced by what was known so far changes; the rest is looked at again. */
static int settle(struct tk_edit_utrace *e, struct tk_edit_text_reader *reader,
                  const struct tk_health *health, struct tk_err *err)
{
    struct tk_edit_account *a = &e->account;
    if (tk_edit_text_reader_finish(reader) != TK_OK)
        return tk_err_nomem(err, "an edit");
    tk_edit_chains_found(&a->chains, reader->found);
    const bool sound = !a->damaged && !a->gaps && !a->copies && !e->broken.batches.n &&
                       !tk_health_damaged(health) && !tk_health_damaged(&e->c->ctx->health);
    tk_edit_memo_release(&e->texts.words);
    for (size_t i = 0; i < a->n; i++)
        a->types[i].changed = 0; /* counted when they are written */
    return tk_edit_replace_settle(a, &reader->anonymiser, sound, err);
}

int tk_edit_utrace_plan(struct tk_edit_utrace *e, struct tk_ut_capture *c,
                        const struct tk_edit_request *request, struct tk_err *err)
{
    struct tk_health health = {.max_items = c->ctx->limits.health_items};
    struct stages stages;
    e->c = c;
    e->request = request;
    int rc = check_protocol(e, err);
    if (rc == TK_OK)
        rc = check_declarations(c, err);
    if (rc == TK_OK)
        rc = choose(e, err);
    if (rc == TK_OK)
        rc = survey(e, err);
    if (rc == TK_OK)
        rc = learn(e, err);
    if (rc != TK_OK)
        return rc;
    e->account.in_order = !request->cut;
    if (tk_edit_account_init(&e->account, c) != TK_OK ||
        make_stages(e, &stages, &e->account.stage, true) != TK_OK)
        return tk_err_nomem(err, "an edit");
    const struct tk_edit_walker walker = {.first = stages.first,
                                          .begin = tk_edit_account_begin,
                                          .packet = tk_edit_account_packet,
                                          .self = &e->account};
    rc = tk_edit_walk(c, &walker, &health, err);
    if (e->broken.batches.n)
        tk_edit_tell_broken(&health, &e->broken);
    e->account.incomplete += e->broken.batches.n;
    if (stages.anonymiser.too_long)
        rc = refuse_long(stages.anonymiser.too_long, err);
    if (rc == TK_OK && e->learns)
        rc = settle(e, &stages.reader, &health, err);
    if (rc == TK_OK)
        tk_edit_account_close(&e->account, &health);
    if (rc == TK_OK && request->anon)
        e->account.changes |= tk_edit_replace_session(request->anon, c->header.session_guid, NULL);
    e->damaged = e->account.damaged;
    tk_health_merge(&c->ctx->health, &health);
    tk_health_release(&health);
    release_stages(&stages);
    return rc;
}

/* Names the result: not at random, so that the same edit of the same capture gives the same file. */
static void make_guid(const struct tk_edit_utrace *e, const char *record, size_t n, uint8_t guid[16])
{
    const uint64_t old = tk_checksum(e->c->header.trace_guid, sizeof e->c->header.trace_guid, 1);
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t word = tk_checksum(record, n, old + i);
        for (unsigned k = 0; k < 8; k++)
            guid[8 * i + k] = (uint8_t)(word >> 8 * k);
    }
    guid[7] = (uint8_t)((guid[7] & 0x0f) | 0x40);
    guid[8] = (uint8_t)((guid[8] & 0x3f) | 0x80);
}

/* The window as the result says it. */
static struct tk_edit_span span_of(const struct tk_edit_request *request)
{
    const struct tk_edit_window *w = &request->window;
    struct tk_edit_span span = {0, UINT64_MAX, 0};
    if (request->cut && w->from != INT64_MIN)
        span.from = w->start + (uint64_t)w->from;
    if (request->cut && w->to != INT64_MAX)
        span.to = w->start + (uint64_t)w->to;
    return span;
}

/* Records that no stage has to see are not read. */
static int choose_passed(const struct tk_edit_utrace *e, const struct tk_edit_rewrite *w, bool **passed)
{
    const struct tk_edit_account *a = &e->account;
    *passed = NULL;
    if (!w->recorded || w->repack || e->request->cut || e->request->close || e->damaged || a->gaps ||
        a->copies || a->serials.odd.n || a->serials.shifted != UINT64_MAX || e->broken.batches.n)
        return TK_OK;
    *passed = tk_edit_account_passed(a);
    return *passed ? TK_OK : TK_ENOMEM;
}

static int make_record(const struct tk_edit_utrace *e, struct tk_uw_bytes *record, struct tk_err *err)
{
    tk_uw_bytes_clear(record);
    tk_edit_record_text(record, e);
    return record->failed ? tk_err_nomem(err, "an edit") : TK_OK;
}

static int write_all(struct tk_edit_utrace *e, struct tk_edit_rewrite *w, const struct tk_uw_bytes *head,
                     struct tk_uw_bytes *record, struct tk_err *err)
{
    const struct tk_edit_span span = span_of(e->request);
    struct tk_health quiet = {.muted = UINT64_MAX};
    struct stages stages;
    uint8_t guid[16];
    make_guid(e, (const char *)record->data, record->size, guid);
    bool *passed;
    if (choose_passed(e, w, &passed) != TK_OK || make_stages(e, &stages, &w->stage, false) != TK_OK) {
        free(passed);
        return tk_err_nomem(err, "an edit");
    }
    const struct tk_edit_walker walker = {.first = stages.first,
                                          .passed = passed,
                                          .begin = tk_edit_rewrite_begin,
                                          .packet = tk_edit_rewrite_packet,
                                          .rest = tk_edit_rewrite_rest,
                                          .self = w};
    int rc = tk_edit_rewrite_head(w, head->data, head->size, w->recorded ? guid : NULL);
    if (rc == TK_OK)
        rc = tk_edit_walk(e->c, &walker, &quiet, err);
    if (stages.anonymiser.too_long)
        rc = refuse_long(stages.anonymiser.too_long, err);
    if (rc == TK_OK && w->tallies)
        rc = make_record(e, record, err); /* what changed is counted now */
    if (rc == TK_OK)
        rc = tk_edit_rewrite_tail(w, &span, (const char *)record->data, record->size);
    free(passed);
    release_stages(&stages);
    return rc;
}

/* Captures without packets are copied as they are. */
static int copy_all(struct tk_edit_utrace *e, tk_edit_write *write, void *ctx, struct tk_err *err)
{
    enum { PART = 1 << 18 };
    uint8_t *part = malloc(PART);
    int rc = part ? TK_OK : tk_err_nomem(err, "an edit");
    for (size_t got = 1; rc == TK_OK && got; e->written += got) {
        rc = tk_file_read(e->c->ctx->file, e->written, part, PART, &got, err);
        if (rc == TK_OK && got && !write(ctx, part, got))
            rc = TK_EOUTPUT;
    }
    e->copied = e->written;
    free(part);
    return rc;
}

static int write_edit(struct tk_edit_utrace *e, struct tk_edit_rewrite *w, tk_edit_write *write, void *ctx,
                      struct tk_err *err)
{
    struct tk_uw_sink sink = {.write = write, .ctx = ctx};
    struct tk_uw_bytes head = {0}, record = {0};
    const bool current = e->c->header.protocol >= FIRST_CURRENT;
    int rc = tk_edit_rewrite_init(w, &e->account, &sink);
    w->repack = e->request->repack;
    w->recorded = current && e->account.changes;
    w->tallies = e->learns;
    if (w->repack) {
        w->result.stream.packets.packing = e->request->plain ? TK_UW_PLAIN : TK_UW_AUTO;
        w->result.stream.packets.level = e->request->level;
    } else {
        tk_edit_packing_keep(&w->result.stream.packets, e->c);
    }
    if (rc == TK_OK)
        rc = tk_edit_header_read(e->c, &head, err);
    if (rc == TK_OK && e->request->anon)
        tk_edit_replace_header(e->request->anon, &head);
    if (rc == TK_OK)
        rc = make_record(e, &record, err);
    if (rc == TK_OK)
        rc = write_all(e, w, &head, &record, err);
    tk_uw_queue_drain(&w->queue); /* nobody writes any more, whatever became of it */
    e->written = sink.written;
    e->copied = w->copied;
    tk_edit_rewrite_release(w);
    tk_uw_bytes_release(&head);
    tk_uw_bytes_release(&record);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "an edit") : rc;
}

int tk_edit_utrace_write(struct tk_edit_utrace *e, tk_edit_write *write, void *ctx, struct tk_err *err)
{
    const bool current = e->c->header.protocol >= FIRST_CURRENT;
    if (!e->account.changes && !e->request->repack)
        return copy_all(e, write, ctx, err);
    if (!current && (!e->request->repack || e->c->header.transport < TK_UT_TRANSPORT_TID))
        return tk_err_set(err, TK_EUSAGE,
                          "damaged captures of protocol %u cannot be repaired, and captures of transport %u "
                          "cannot be compressed; those of protocols 5 to 7 can",
                          e->c->header.protocol, e->c->header.transport);
    struct tk_edit_rewrite *w = calloc(1, sizeof *w);
    const int rc = w ? write_edit(e, w, write, ctx, err) : tk_err_nomem(err, "an edit");
    free(w);
    return rc;
}

void tk_edit_utrace_release(struct tk_edit_utrace *e)
{
    tk_edit_choice_release(&e->choice);
    tk_edit_survey_release(&e->survey);
    tk_edit_texts_release(&e->texts);
    tk_edit_account_release(&e->account);
    tk_vec_release(&e->broken.batches);
    *e = (struct tk_edit_utrace){0};
}
