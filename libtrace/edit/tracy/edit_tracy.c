/*
 * The walks of an edit of a .tracy. See edit_tracy.h.
 */
#include "edit/tracy/edit_tracy.h"

#include "edit/tracy/tracy_copy.h"
#include "io/input/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked ---- */

static bool read_level(const char *text, long least, long most, int *level)
{
    char *end = NULL;
    const long v = strtol(text, &end, 10);
    if (end == text || *end || v < least || v > most)
        return false;
    *level = (int)v;
    return true;
}

static int read_packing(struct tk_tracy_packing *p, const char *how, struct tk_err *err)
{
    const size_t n = strcspn(how, ":");
    const char *level = how[n] ? how + n + 1 : NULL;
    bool good = false;
    if (n == 4 && strncmp(how, "zstd", n) == 0) {
        p->codec = TK_TRACY_ZSTD;
        p->level = 3;
        good = !level || (read_level(level, -5, 22, &p->level) && p->level);
    } else if (n == 3 && strncmp(how, "lz4", n) == 0) {
        p->codec = TK_TRACY_LZ4;
        p->level = 0;
        good = !level;
    } else if (n == 5 && strncmp(how, "lz4hc", n) == 0) {
        p->codec = TK_TRACY_LZ4;
        p->level = 9;
        good = !level || read_level(level, 1, 12, &p->level);
    }
    return good
               ? TK_OK
               : tk_err_set(err, TK_EUSAGE,
                            "'%.100s' is no way to compress a .tracy: zstd:-5 to zstd:22, lz4, or lz4hc:1 to "
                            "lz4hc:12",
                            how);
}

/* As the file is, or, of a version before 0.11, in the one form that its tools read. */
static int choose_packing(struct tk_edit_tracy *e, const struct tk_edit_tracy_request *request,
                          struct tk_err *err)
{
    const struct tk_tracy_container *box = &e->c->box;
    const bool old = e->c->version < TK_TRACY_V(0, 11, 0);
    e->packing = (struct tk_tracy_packing){.codec = box->codec, .streams = box->streams};
    e->packing.level = box->codec == TK_TRACY_ZSTD ? 3 : 0;
    int rc = request->compress ? read_packing(&e->packing, request->compress, err) : TK_OK;
    if (rc != TK_OK)
        return rc;
    if (request->streams > 255)
        return tk_err_set(err, TK_EUSAGE, "a .tracy has 1 to 255 streams, not %u", request->streams);
    if (request->streams)
        e->packing.streams = request->streams;
    if (old && e->packing.streams > 1)
        return tk_err_set(err, TK_EUSAGE, "captures of Tracy before 0.11 have one stream");
    e->packing.mark = !old                               ? TK_TRACY_MARK_STREAMS
                      : e->packing.codec == TK_TRACY_LZ4 ? TK_TRACY_MARK_LZ4
                                                         : TK_TRACY_MARK_ZSTD;
    e->repack = request->compress || request->streams;
    return TK_OK;
}

/* ---- what is to be done ---- */

static bool holds_something(const struct tk_edit_tracy *e, enum tk_edit_tracy_topic topic)
{
    for (size_t i = 0; i < e->survey.whole; i++)
        if (tk_edit_tracy_topic_of(tk_tracy_sections[i]->name) == topic && e->survey.sections[i].items)
            return true;
    return topic == TK_TRACY_SAMPLES; /* they stand with the zones of threads */
}

static uint32_t only_there(const struct tk_edit_tracy *e, uint32_t dropped)
{
    uint32_t there = 0;
    for (unsigned i = 0; i < TK_TRACY_TOPICS; i++)
        if (dropped >> i & 1 && holds_something(e, (enum tk_edit_tracy_topic)i))
            there |= UINT32_C(1) << i;
    return there;
}

int tk_edit_tracy_plan(struct tk_edit_tracy *e, struct tk_tracy_capture *c,
                       const struct tk_edit_tracy_request *request, struct tk_err *err)
{
    uint32_t dropped;
    e->c = c;
    int rc = tk_edit_tracy_topics_read(&dropped, request->keep, request->n_keep, request->drop,
                                       request->n_drop, err);
    if (rc == TK_OK)
        rc = choose_packing(e, request, err);
    if (rc == TK_OK)
        rc = tk_tracy_survey_run(&e->survey, c, err);
    if (rc != TK_OK)
        return rc;
    if (e->survey.whole < tk_tracy_n_front)
        return tk_err_set(err, TK_EFORMAT,
                          "the capture breaks off before its zones begin: nothing is left to be written");
    e->dropped = only_there(e, dropped);
    /* a message that no thread claims is one too many for Tracy */
    if (e->survey.whole <= tk_tracy_threads_section)
        e->dropped |= UINT32_C(1) << TK_TRACY_MESSAGES;
    e->changes = e->dropped || e->survey.damaged;
    return TK_OK;
}

bool tk_edit_tracy_keeps(const struct tk_edit_tracy *e, size_t section)
{
    return section < e->survey.whole &&
           !tk_edit_tracy_drops(e->dropped, tk_edit_tracy_topic_of(tk_tracy_sections[section]->name));
}

/* ---- writing ---- */

/* One line: what was done. */
static size_t make_record(const struct tk_edit_tracy *e, char *out, size_t room)
{
    size_t n = (size_t)snprintf(out, room, "tracekit-edit {\"edit\":1,\"tool\":\"tracekit %s\",\"dropped\":[",
                                TK_VERSION);
    for (unsigned i = 0, any = 0; i < TK_TRACY_TOPICS; i++)
        if (e->dropped >> i & 1)
            n += (size_t)snprintf(out + n, room - n, "%s\"%s\"", any++ ? "," : "",
                                  tk_edit_tracy_topic_name((enum tk_edit_tracy_topic)i));
    n += (size_t)snprintf(out + n, room - n, "]");
    if (e->survey.damaged)
        n += (size_t)snprintf(out + n, room - n, ",\"missing_sections\":%zu",
                              tk_tracy_n_sections - e->survey.whole);
    return n + (size_t)snprintf(out + n, room - n, "}");
}

static int copy_file(struct tk_edit_tracy *e, tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    enum { PART = 1 << 18 };
    uint8_t *part = malloc(PART);
    int rc = part ? TK_OK : tk_err_nomem(err, "an edit");
    uint64_t at = 0;
    for (size_t got = 1; rc == TK_OK && got; at += got) {
        rc = tk_file_read(e->c->ctx->file, at, part, PART, &got, err);
        if (rc == TK_OK && got)
            rc = write(ctx, part, got, err);
    }
    free(part);
    return rc;
}

int tk_edit_tracy_write(struct tk_edit_tracy *e, tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    char record[1024];
    struct tk_tracy_copy copy = {.c = e->c, .survey = &e->survey, .dropped = e->dropped};
    struct tk_tracy_writer out;
    if (!e->changes && !e->repack)
        return copy_file(e, write, ctx, err);
    if (e->changes) {
        copy.record = record;
        copy.n_record = make_record(e, record, sizeof record);
    }
    tk_tracy_writer_open(&out, e->c->version, &e->packing, write, ctx, err);
    int rc = out.rc == TK_OK ? tk_tracy_copy_run(&copy, &out, err) : out.rc;
    const int closed = tk_tracy_writer_close(&out);
    return rc == TK_OK ? closed : rc;
}
