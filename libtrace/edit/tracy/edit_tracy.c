/*
 * The walks of an edit of a .tracy.
 */
#include "edit/tracy/edit_tracy.h"

#include "format/tracy/walk/own_tables.h"
#include "io/file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is requested ---- */

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
    return good ? TK_OK
                : tk_err_set(
                      err, TK_EUSAGE,
                      "'%.100s' is not a compression of a .tracy: choose from zstd:1 to zstd:22, zstd:-5 to "
                      "zstd:-1, lz4, or lz4hc:1 to "
                      "lz4hc:12",
                      how);
}

/* ---- the level of a capture, which its head does not say: its first blocks are compressed again ---- */

enum { SAMPLED = 24 };

static int count_bytes(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    (void)p;
    (void)err;
    *(uint64_t *)ctx += n;
    return TK_OK;
}

static int pack_sample(struct tk_tracy_packer *packer, struct tk_tracy_blocks *blocks, size_t n,
                       struct tk_err *err)
{
    struct tk_bytes block;
    int rc = TK_ITEM;
    for (size_t i = 0; i < n && rc == TK_ITEM; i++) {
        rc = tk_tracy_blocks_next(blocks, &block, err);
        if (rc != TK_ITEM || block.n > TK_TRACY_BLOCK)
            break;
        memcpy(tk_tracy_packer_space(packer), block.p, block.n);
        rc = tk_tracy_packer_block(packer, block.n, err);
        rc = rc == TK_OK ? TK_ITEM : rc;
    }
    return rc == TK_ITEM ? tk_tracy_packer_flush(packer, err) : rc;
}

/* What a packing makes of the first n blocks. */
static int measure_sample(const struct tk_tracy_capture *c, const struct tk_tracy_packing *packing, size_t n,
                          uint64_t *bytes, struct tk_err *err)
{
    struct tk_tracy_blocks *blocks = NULL;
    struct tk_tracy_packer packer = {.streams = NULL};
    *bytes = 0;
    int rc = tk_tracy_blocks_open(&blocks, c->ctx, &c->box, err);
    if (rc == TK_OK)
        rc = tk_tracy_packer_open(&packer, packing, count_bytes, bytes, err);
    if (rc == TK_OK)
        rc = pack_sample(&packer, blocks, n, err);
    tk_tracy_packer_close(&packer);
    tk_tracy_blocks_close(blocks);
    return rc;
}

/* The least level that makes blocks as small as they are. */
static int find_level(struct tk_tracy_packing *packing, const struct tk_tracy_capture *c, struct tk_err *err)
{
    enum { PARTS = 500 }; /* what chance makes of it */
    static const int zstd[] = {-5, -1, 1, 3, 6, 9, 15, 19}, lz4[] = {0, 3, 4, 6, 9, 12};
    const bool is_zstd = c->box.codec == TK_TRACY_ZSTD;
    const int *levels = is_zstd ? zstd : lz4;
    const size_t most = is_zstd ? sizeof zstd / sizeof *zstd : sizeof lz4 / sizeof *lz4;
    const size_t n = c->box.n < SAMPLED ? c->box.n : SAMPLED;
    const uint64_t stored = n ? c->box.blocks.v[n] : 0;
    int rc = TK_OK;
    for (size_t i = 0; i < most && rc == TK_OK; i++) {
        uint64_t made;
        packing->level = levels[i];
        rc = measure_sample(c, packing, n, &made, err);
        if (made <= stored + stored / PARTS)
            break;
    }
    return rc;
}

int tk_edit_tracy_packing(struct tk_tracy_packing *packing, const struct tk_tracy_capture *c,
                          uint32_t version, const char *compress, unsigned streams, struct tk_err *err)
{
    const bool old = version < TK_TRACY_V(0, 11, 0);
    *packing =
        (struct tk_tracy_packing){.codec = c->box.codec, .streams = c->box.streams, .pool = c->ctx->pool};
    int rc = compress ? read_packing(packing, compress, err) : TK_OK;
    if (rc != TK_OK)
        return rc;
    if (streams > 255)
        return tk_err_set(err, TK_EUSAGE, "a .tracy has 1 to 255 streams, not %u", streams);
    if (streams)
        packing->streams = streams;
    if (old && packing->streams > 1)
        return tk_err_set(err, TK_EUSAGE, "captures of Tracy before 0.11 have one stream");
    packing->mark = !old                             ? TK_TRACY_MARK_STREAMS
                    : packing->codec == TK_TRACY_LZ4 ? TK_TRACY_MARK_LZ4
                                                     : TK_TRACY_MARK_ZSTD;
    return compress ? TK_OK : find_level(packing, c, err);
}

/* ---- what is to be done ---- */

/* Also a pool of memory in which nothing was allocated. */
static bool holds_something(const struct tk_edit_tracy *e, enum tk_edit_tracy_topic topic)
{
    for (size_t i = 0; i < e->survey.whole; i++) {
        const struct tk_tracy_span *span = &e->survey.sections[i];
        const char *name = tk_tracy_sections[i]->name;
        if (tk_edit_tracy_topic_of(name) == topic &&
            (span->items || span->end - span->start > tk_tracy_pass_empty_size(e->c, name)))
            return true;
    }
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

/* Are topics left out of a capture of which it is known what refers to what? */
static bool leaves_out(const struct tk_edit_tracy *e, const struct tk_edit_tracy_request *request)
{
    return (request->n_drop || request->n_keep) && e->dropped && e->c->version >= TK_TRACY_V(0, 9, 0) &&
           !e->c->strings.incomplete;
}

/* Topics whose items refer to callstacks or symbols. */
static bool refers_to_code(uint32_t dropped)
{
    static const enum tk_edit_tracy_topic topics[] = {TK_TRACY_MESSAGES, TK_TRACY_MEMORY, TK_TRACY_SAMPLES,
                                                      TK_TRACY_CPU,      TK_TRACY_GPU,    TK_TRACY_STACKS,
                                                      TK_TRACY_CRASH};
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (tk_edit_tracy_drops(dropped, topics[i]))
            return true;
    return false;
}

/* Texts that nobody uses any more go with what used them. */
static void begin_pass(struct tk_edit_tracy *e, const struct tk_edit_tracy_request *request, bool keeps_trees)
{
    tk_tracy_pass_release(&e->pass);
    e->pass.c = e->c;
    const bool zones =
        tk_edit_tracy_drops(e->dropped, TK_TRACY_CPU) || tk_edit_tracy_drops(e->dropped, TK_TRACY_GPU);
    e->pass.keeps_trees =
        keeps_trees && !request->window.cut && !request->threads && !request->close && !zones;
    e->pass.survey = &e->survey;
    e->pass.window = request->window;
    e->pass.dropped = e->dropped;
    e->pass.closes = request->close;
    e->pass.threads = request->threads;
    e->pass.n_threads = request->n_threads;
    e->pass.unlinks = leaves_out(e, request) && refers_to_code(e->dropped);
    e->pass.collects = request->window.cut || request->threads || request->anon || leaves_out(e, request);
    if (!request->anon)
        return;
    e->texts.anon = request->anon;
    e->texts.kind = request->kind;
    e->texts.kind_ctx = request->kind_ctx;
    e->pass.text = tk_tracy_texts_string;
    e->pass.head_text = tk_tracy_texts_head;
    e->pass.text_ctx = &e->texts;
}

/* Machine code and source files hold texts of any class; pictures go with theirs. */
static uint32_t dropped_with_texts(const struct tk_anon *anon)
{
    uint32_t topics = UINT32_C(1) << TK_TRACY_CODE | UINT32_C(1) << TK_TRACY_SOURCES;
    if (tk_anon_has(anon->classes, TK_ANON_PICTURES))
        topics |= UINT32_C(1) << TK_TRACY_IMAGES;
    return topics;
}

static int check(const struct tk_edit_tracy *e, const struct tk_edit_tracy_request *request,
                 struct tk_err *err)
{
    if (e->survey.whole < tk_tracy_n_front)
        return tk_err_set(err, TK_EFORMAT,
                          "the capture ends before its zones begin: there is nothing to write");
    if (!request->window.cut && !request->anon && !request->threads)
        return TK_OK;
    if (e->c->version < TK_TRACY_V(0, 9, 0))
        return tk_err_set(err, TK_EUSAGE,
                          "Tracy captures before 0.9 cannot be cut or anonymised; topics can be dropped, and "
                          "the file can be repaired and recompressed");
    if (e->c->strings.incomplete)
        return tk_err_set(err, TK_ELIMIT,
                          "not all texts of the capture fit in the limit 'strings'; raise it with --limit");
    return TK_OK;
}

/* What a survey does not see, as it does not look into zones and locks. */
static void note_lost(const struct tk_edit_tracy *e)
{
    struct tk_health *health = &e->c->ctx->health;
    if (e->pass.lost_places)
        tk_health_note(health, TK_HEALTH_PAYLOAD_DAMAGED, TK_NO_OFFSET, e->pass.lost_places,
                       "zones of source locations that do not exist");
    if (e->pass.lost_events)
        tk_health_note(
            health, TK_HEALTH_PAYLOAD_DAMAGED, TK_NO_OFFSET, e->pass.lost_events,
            "events of locks refer to threads that the capture does not have, or are of an unknown kind");
    if (e->pass.too_deep)
        tk_health_limit(health, TK_LIMIT_nesting, TK_NO_OFFSET, e->pass.too_deep,
                        "zones are nested too deeply; the remaining zones of such threads were left out");
}

/* What is left out is known from the survey. */
static void choose_dropped(struct tk_edit_tracy *e, uint32_t dropped)
{
    e->dropped = only_there(e, dropped);
    /* a message that no thread claims is one too many for Tracy */
    if (e->survey.whole <= tk_tracy_threads_section)
        e->dropped |= UINT32_C(1) << TK_TRACY_MESSAGES;
}

/* The survey and the first walk in one, where that does; *done where it did. */
static int learn_at_once(struct tk_edit_tracy *e, const struct tk_edit_tracy_request *request,
                         uint32_t dropped, bool *done, struct tk_err *err)
{
    *done = false;
    e->dropped = dropped;
    begin_pass(e, request, true);
    if (request->counts || !e->pass.keeps_trees || e->c->version < TK_TRACY_V(0, 9, 0) ||
        (e->pass.collects && e->c->strings.incomplete))
        return TK_OK;
    const int rc = tk_tracy_pass_survey(&e->pass, &e->survey, err);
    *done = !e->survey.damaged && !e->pass.irregular && !e->pass.lost_events;
    choose_dropped(e, dropped); /* both walks leave the same sections out, also those that hold nothing */
    return rc;
}

static int learn_in_turn(struct tk_edit_tracy *e, const struct tk_edit_tracy_request *request,
                         uint32_t dropped, struct tk_err *err)
{
    int rc = tk_tracy_survey_run(&e->survey, e->c, err);
    if (rc == TK_OK)
        rc = check(e, request, err);
    if (rc != TK_OK)
        return rc;
    choose_dropped(e, dropped);
    begin_pass(e, request, !e->survey.damaged);
    rc = tk_tracy_pass_learn(&e->pass, err);
    if (rc == TK_OK && e->pass.irregular) {
        begin_pass(e, request, false);
        rc = tk_tracy_pass_learn(&e->pass, err);
    }
    note_lost(e);
    return rc;
}

int tk_edit_tracy_plan(struct tk_edit_tracy *e, struct tk_tracy_capture *c,
                       const struct tk_edit_tracy_request *request, struct tk_err *err)
{
    uint32_t dropped;
    bool done = false;
    e->c = c;
    int rc = tk_edit_tracy_topics_read(&dropped, request->keep, request->n_keep, request->drop,
                                       request->n_drop, err);
    e->keeps = request->n_keep > 0;
    e->drops = request->n_drop > 0;
    if (rc == TK_OK)
        rc = tk_edit_tracy_packing(&e->packing, c, c->version, request->compress, request->streams, err);
    e->repack = request->compress || request->streams;
    if (rc != TK_OK)
        return rc;
    if (request->anon)
        dropped |= dropped_with_texts(request->anon);
    rc = learn_at_once(e, request, dropped, &done, err);
    if (rc == TK_OK && !done)
        rc = learn_in_turn(e, request, dropped, err);
    if (rc == TK_OK && request->anon && tk_tracy_texts_learn(&e->texts, &e->pass) != TK_OK)
        rc = tk_err_nomem(err, "an edit");
    e->pass.closes &= e->pass.open_zones > 0;
    e->changes = e->pass.closes || e->dropped || e->survey.damaged || e->pass.lost_threads ||
                 e->pass.lost_places || e->pass.lost_events || request->threads || request->window.cut ||
                 request->anon;
    return rc;
}

bool tk_edit_tracy_keeps(const struct tk_edit_tracy *e, size_t section)
{
    return section < e->survey.whole &&
           !tk_edit_tracy_drops_section(e->dropped, tk_tracy_sections[section]->name);
}

/* ---- writing ---- */

/* Text that grows. */
struct record {
    TK_VEC(char) text;
    bool failed; /* out of memory */
};

static void put(struct record *r, const char *format, ...)
{
    enum { MOST = 128 };
    va_list args;
    r->failed |= tk_vec_reserve(&r->text, r->text.n + MOST) != 0;
    if (r->failed)
        return;
    va_start(args, format);
    const int n = vsnprintf(r->text.v + r->text.n, MOST, format, args);
    va_end(args);
    r->text.n += n > 0 && n < MOST ? (size_t)n : 0;
}

static void put_options(struct record *r, const struct tk_edit_tracy *e)
{
    const struct {
        bool given;
        const char *name;
    } options[] = {{e->pass.window.cut, "times"},
                   {e->pass.threads, "thread"},
                   {e->pass.closes, "close"},
                   {e->keeps, "keep"},
                   {e->drops, "drop"},
                   {e->texts.anon != NULL, "anonymise"}};
    put(r, ",\"options\":[");
    for (size_t i = 0, any = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            put(r, "%s\"%s\"", any++ ? "," : "", options[i].name);
    put(r, "],\"dropped\":[");
    for (unsigned i = 0, any = 0; i < TK_TRACY_TOPICS; i++)
        if (e->dropped >> i & 1)
            put(r, "%s\"%s\"", any++ ? "," : "", tk_edit_tracy_topic_name((enum tk_edit_tracy_topic)i));
    put(r, "]");
}

static void put_classes(struct record *r, const struct tk_anon *anon)
{
    put(r, ",\"anonymised\":[");
    for (unsigned i = 0, any = 0; i < TK_ANON_CLASSES; i++)
        if (tk_anon_has(anon->classes, (enum tk_anon_class)i))
            put(r, "%s\"%s\"", any++ ? "," : "", tk_anon_class_name((enum tk_anon_class)i));
    put(r, "],\"key\":\"%08x\"", (unsigned)tk_anon_key_check(&anon->key));
}

static void put_continued(struct record *r, const char *name, const struct tk_tracy_continued_list *list)
{
    put(r, "\"%s\":[", name);
    for (size_t i = 0; i < list->v.n; i++)
        put(r, "%s[%" PRIu64 ",%" PRId64 "]", i ? "," : "", list->v.v[i].tree, list->v.v[i].zones);
    put(r, "]");
}

/* Which part of the capture it is, and which zones of it began before: what a merge takes back. */
static void put_times(struct record *r, const struct tk_tracy_pass *pass)
{
    const struct tk_tracy_window *w = &pass->window;
    put(r, TK_TRACY_EDIT_TIMES);
    if (w->from != INT64_MIN)
        put(r, "\"from\":%" PRId64, w->from);
    if (w->to != INT64_MAX)
        put(r, "%s\"to\":%" PRId64, w->from != INT64_MIN ? "," : "", w->to);
    put(r, "}" TK_TRACY_EDIT_CONTINUED);
    put_continued(r, "threads", &pass->continued[0]);
    put(r, ",");
    put_continued(r, "gpu", &pass->continued[1]);
    put(r, "}");
}

/* One line: what was done. Times come last, as what is in front of them is compared. */
static void make_record(const struct tk_edit_tracy *e, struct record *r)
{
    put(r, TK_TRACY_EDIT_MARK "%s\"", TK_VERSION);
    put_options(r, e);
    if (e->texts.anon)
        put_classes(r, e->texts.anon);
    if (e->survey.damaged)
        put(r, ",\"missing_sections\":%zu", tk_tracy_n_sections - e->survey.whole);
    if (e->pass.lost_threads)
        put(r, ",\"broken_threads\":%" PRIu64, e->pass.lost_threads);
    if (e->pass.window.cut)
        put_times(r, &e->pass);
    put(r, "}");
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

static int write_payload(struct tk_edit_tracy *e, const struct tk_tracy_packing *packing,
                         tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    struct tk_tracy_writer out;
    struct record record = {.failed = false};
    if (e->changes) {
        make_record(e, &record);
        e->pass.record = record.text.v;
        e->pass.n_record = record.text.n;
    }
    if (record.failed) {
        tk_vec_release(&record.text);
        return tk_err_nomem(err, "an edit");
    }
    tk_tracy_writer_open(&out, e->c->version, packing, write, ctx, err);
    out.layout = e->c->layout;
    const int rc = out.rc == TK_OK ? tk_tracy_pass_write(&e->pass, &out, err) : out.rc;
    const int closed = tk_tracy_writer_close(&out);
    e->pass.record = NULL;
    tk_vec_release(&record.text);
    return rc == TK_OK ? closed : rc;
}

int tk_edit_tracy_write(struct tk_edit_tracy *e, tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    if (!e->changes && !e->repack)
        return copy_file(e, write, ctx, err);
    return write_payload(e, &e->packing, write, ctx, err);
}

static int pass_by(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    (void)ctx;
    (void)p;
    (void)n;
    (void)err;
    return TK_OK;
}

int tk_edit_tracy_measure(struct tk_edit_tracy *e, struct tk_err *err)
{
    e->texts.wants_kept = true;
    const struct tk_tracy_packing fast = {.mark = TK_TRACY_MARK_STREAMS, .codec = TK_TRACY_LZ4, .streams = 1};
    return write_payload(e, &fast, pass_by, NULL, err);
}

void tk_edit_tracy_release(struct tk_edit_tracy *e)
{
    tk_tracy_pass_release(&e->pass);
    tk_tracy_texts_release(&e->texts);
    *e = (struct tk_edit_tracy){0};
}
