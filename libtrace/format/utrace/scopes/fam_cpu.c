/*
 * CPU scopes: specs, metadata, batches (events 2). Stamped scopes of logger Cpu come from the lanes
 * themselves.
 */
#include "base/text/text.h"
#include "format/utrace/feed/family_list.h"
#include "format/utrace/scopes/scope_collect.h"
#include "format/utrace/scopes/timer_ids.h"

#include <string.h>

/* ---- specs ---- */

enum { SPEC_ID, SPEC_NAME, SPEC_FILE, SPEC_LINE, SPEC_CHAR_SIZE };

/* Up to 4.25 the name is the attachment; CharSize 1: 8-bit, 0 and 2: UTF-16 (events 2.1). */
static const struct tk_str *spec_name(struct tk_ut_feed *feed, const struct tk_ut_event *ev)
{
    uint64_t size = tk_ut_has(ev, SPEC_CHAR_SIZE) ? tk_ut_u64(ev, SPEC_CHAR_SIZE) : 1;
    if (tk_ut_has(ev, SPEC_NAME))
        return tk_ut_str(feed, ev, SPEC_NAME, 1);
    if (size > 2)
        return tk_intern_c(&feed->capture->strings, "<invalid id>");
    return tk_ut_text(&feed->capture->strings, ev->attachment, ev->n_attachment, size == 1 ? 1 : 2);
}

static int name_or_number(struct tk_ut_feed *feed, uint32_t spec, struct tk_ut_timer *t)
{
    char text[40] = "<noname ";
    size_t n = strlen(text);
    if (t->name && !t->name->n) {
        n += tk_put_u64(text + n, spec);
        text[n++] = '>';
        t->name = tk_intern(&feed->capture->strings, text, n, TK_ENC_UTF8);
    }
    return t->name ? TK_OK : TK_ENOMEM;
}

static int on_spec_cpu(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    uint32_t spec = (uint32_t)tk_ut_u64(ev, SPEC_ID);
    struct tk_ut_timer t = {.kind = TK_TIMER_SPEC, .name = spec_name(feed, ev)};
    (void)state;
    if (tk_ut_has(ev, SPEC_FILE)) {
        t.file = tk_ut_str(feed, ev, SPEC_FILE, 1);
        t.line = (uint32_t)tk_ut_u64(ev, SPEC_LINE);
        if (t.file && !t.file->n)
            t.file = NULL;
    }
    int rc = name_or_number(feed, spec, &t);
    const struct tk_ut_timer *known = tk_ut_timer_known(feed, spec);
    if (known && known->kind == TK_TIMER_METADATA) {
        t.name = known->name;
        t.kind = known->kind;
    }
    return rc == TK_OK ? tk_ut_timer_spec(feed, spec, &t) : rc;
}

/* ---- metadata (events 2.4) ---- */

/* A metadata spec may have the number of a spec, which then says the place in the code. */

enum { META_ID, META_NAME, META_FORMAT };

static int on_metadata_spec(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_str *name = tk_ut_str(feed, ev, META_NAME, 1),
                        *format = tk_ut_str(feed, ev, META_FORMAT, 2);
    uint32_t spec = (uint32_t)tk_ut_u64(ev, META_ID);
    const struct tk_ut_timer *known = tk_ut_timer_known(feed, spec);
    struct tk_ut_timer t = {
        .kind = TK_TIMER_METADATA, .file = known ? known->file : NULL, .line = known ? known->line : 0};
    (void)state;
    if (!name || !format || !(t.name = tk_ut_timer_base_name(feed, name, format)))
        return TK_ENOMEM;
    int rc = tk_ut_timer_spec(feed, spec, &t);
    return rc == TK_OK ? tk_ut_scope_text_spec(feed, spec, t.name, format) : rc;
}

enum { INSTANCE_ID, INSTANCE_SPEC, INSTANCE_VALUES };

static int on_metadata(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    uint32_t instance = (uint32_t)tk_ut_u64(ev, INSTANCE_ID), spec = (uint32_t)tk_ut_u64(ev, INSTANCE_SPEC);
    (void)state;
    if (!feed->scopes || feed->request->part) /* of a part: it is known */
        return TK_OK;
    int rc = tk_ut_timer_instance(feed, instance, spec);
    if (rc != TK_OK || !tk_ut_requested(feed, TK_FACT_MASK(SCOPE_TEXT)))
        return rc;
    struct tk_bytes values = tk_ut_bytes(ev, INSTANCE_VALUES);
    return tk_ut_scope_text_instance(feed, ev, instance, spec, &values);
}

/* ---- batches ---- */

enum { BATCH_DATA, BATCH_THREAD };

/* Whose scopes: old batches name a thread of the operating system, those of lanes a thread of the capture. In
 * protocol 0, which has no threads of its own, the number stands for itself. */
static uint32_t batch_thread(const struct tk_ut_event *ev)
{
    uint32_t other = (uint32_t)tk_ut_u64(ev, BATCH_THREAD);
    if (!other)
        return ev->tid;
    return tk_ut_has(ev, BATCH_DATA) || ev->type->protocol == 0 ? other : other | TK_UT_OS_THREAD;
}

static int batch(struct tk_ut_feed *feed, const struct tk_ut_event *ev, int form)
{
    struct tk_bytes bytes = tk_ut_bytes(ev, BATCH_DATA);
    if (!feed->scopes)
        return TK_OK;
    return tk_ut_scopes_batch(feed, batch_thread(ev), form, ev, &bytes);
}

static int on_batch1(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return batch(feed, ev, 1);
}

static int on_batch2(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return batch(feed, ev, 2);
}

static int on_batch3(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return batch(feed, ev, 3);
}

static int on_end_capture(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    int rc = batch(feed, ev, 1);
    return rc == TK_OK && feed->scopes ? tk_ut_scopes_end(feed, batch_thread(ev)) : rc;
}

static int on_end_thread(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return feed->scopes ? tk_ut_scopes_end(feed, ev->tid) : TK_OK;
}

static const struct tk_ut_bind binds[] = {
    {"CpuProfiler.EventSpec", on_spec_cpu, true, {"Id", "Name", "File", "Line", "CharSize"}},
    {"CpuProfiler.MetadataSpec", on_metadata_spec, true, {"Id", "Name", "NameFormat"}},
    {"CpuProfiler.Metadata", on_metadata, false, {"Id", "SpecId", "Metadata"}},
    {"CpuProfiler.EventBatch", on_batch1, false, {"Data", "ThreadId"}},
    {"CpuProfiler.EventBatchV2", on_batch2, false, {"Data", "ThreadId"}},
    {"CpuProfiler.EventBatchV3", on_batch3, false, {"Data", "ThreadId"}},
    {"CpuProfiler.EndCapture", on_end_capture, false, {"Data", "ThreadId"}},
    {"CpuProfiler.EndThread", on_end_thread, false, {0}},
    {0},
};

const struct tk_ut_family tk_ut_fam_cpu = {.name = "cpu", .facts = TK_FACT_MASK(SCOPES), .binds = binds};

/* ---- values of scoped events, as the texts of their scopes (events 2.5) ---- */

static int on_scoped_event(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    const struct tk_str *text;
    (void)state;
    if (!ev->scoped || !feed->scopes)
        return TK_OK;
    int rc = tk_ut_scope_text_event(feed, ev, &text);
    return rc == TK_OK && text ? tk_ut_scopes_text(feed, ev, text) : rc;
}

static const struct tk_ut_bind scoped_binds[] = {{"Cpu.*", on_scoped_event, false, {0}}, {0}};

const struct tk_ut_family tk_ut_fam_scope_text = {
    .name = "cpu", .facts = TK_FACT_MASK(SCOPE_TEXT), .binds = scoped_binds};
