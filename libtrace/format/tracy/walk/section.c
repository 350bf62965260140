/*
 * What sections share: lists, records, definitions.
 */
#include "format/tracy/walk/section.h"

#include "base/text/text.h"
#include "fact/format.h"
#include "fact/progress.h"
#include "io/file.h"

#include <stddef.h>
#include <string.h>

/*
 * What is said when the payload ends or makes no sense.
 */

/* Was this noted when the capture was opened? */
static bool is_old(const struct tk_tracy_walk *w, uint64_t at)
{
    return !w->defining && at < w->c->front_end;
}

uint64_t tk_tracy_block_offset(const struct tk_tracy_walk *w, uint64_t at)
{
    uint64_t block = at / TK_TRACY_BLOCK;
    return w->c->box.blocks.v[block < w->c->box.n ? block : w->c->box.n];
}

/* What is likely to be the reason of a fault. */
static const char *reason_of(const struct tk_tracy_walk *w)
{
    return tk_tracy_version_is_newer(w->c->version)
               ? "; it was probably saved by a newer Tracy than the known ones"
               : "";
}

void tk_tracy_note(struct tk_tracy_walk *w, enum tk_health_kind kind, uint64_t at, uint64_t count,
                   const char *text)
{
    if (w->section->skipped_at_first || !is_old(w, at))
        tk_health_note(w->health, kind, tk_tracy_block_offset(w, at), count, "section '%s', byte %llu: %s",
                       w->section->name, (unsigned long long)at, text);
}

void tk_tracy_use_text(struct tk_tracy_walk *w, uint32_t index)
{
    w->odd[TK_TRACY_ODD_TEXT] += index > w->c->strings.v.n && !w->c->strings.incomplete;
}

void tk_tracy_use_pointer(struct tk_tracy_walk *w, uint64_t pointer)
{
    const struct tk_tracy_strings *strings = &w->c->strings;
    w->odd[TK_TRACY_ODD_TEXT] +=
        pointer && !strings->incomplete && !tk_tracy_string_of_pointer(strings, pointer);
}

void tk_tracy_use_key(struct tk_tracy_walk *w, uint64_t key)
{
    const struct tk_tracy_strings *strings = &w->c->strings;
    w->odd[TK_TRACY_ODD_TEXT] += w->defining && !strings->incomplete && !tk_tracy_string_of_key(strings, key);
}

void tk_tracy_use_ref(struct tk_tracy_walk *w, struct tk_tracy_ref ref)
{
    const struct tk_tracy_strings *strings = &w->c->strings;
    if ((ref.flags & 3) == 3)
        w->odd[TK_TRACY_ODD_TEXT] += ref.value >= strings->v.n && !strings->incomplete;
    else if (ref.flags & 2)
        tk_tracy_use_pointer(w, ref.value);
}

void tk_tracy_use_kind(struct tk_tracy_walk *w, unsigned kind, unsigned most)
{
    w->odd[TK_TRACY_ODD_KIND] += kind > most;
}

void tk_tracy_use_place(struct tk_tracy_walk *w, int16_t location)
{
    w->odd[TK_TRACY_ODD_PLACE] += !tk_tracy_location_exists(&w->c->locations, location);
}

/* The number 0 is none, where there are no threads. */
void tk_tracy_use_local(struct tk_tracy_walk *w, uint16_t compressed)
{
    w->odd[TK_TRACY_ODD_THREAD] += compressed && compressed >= w->c->threads.local.n;
}

void tk_tracy_use_order(struct tk_tracy_walk *w, int64_t time, int64_t *last)
{
    w->odd[TK_TRACY_ODD_ORDER] += time < *last;
    *last = time;
}

void tk_tracy_use_stack(struct tk_tracy_walk *w, uint32_t id)
{
    w->most_stack = id > w->most_stack ? id : w->most_stack;
}

void tk_tracy_note_oddities(struct tk_tracy_walk *w)
{
    static const struct {
        enum tk_health_kind kind;
        const char *text;
    } oddities[] = {
        [TK_TRACY_ODD_TEXT] = {TK_HEALTH_DEFINITION_MISSING, "it refers to strings that do not exist"},
        [TK_TRACY_ODD_KIND] = {TK_HEALTH_VERSION_UNSUPPORTED, "it has kinds that are not known"},
        [TK_TRACY_ODD_THREAD] = {TK_HEALTH_DEFINITION_MISSING, "it refers to threads that do not exist"},
        [TK_TRACY_ODD_PLACE] = {TK_HEALTH_DEFINITION_MISSING,
                                "it refers to source locations that do not exist"},
        [TK_TRACY_ODD_ORDER] = {TK_HEALTH_TIME_UNRELIABLE, "it has times before those in front of them"},
        [TK_TRACY_ODD_MESSAGE] = {TK_HEALTH_SUM_DIFFERS,
                                  "messages that no thread lists, or threads list and the capture has not"},
    };
    for (size_t i = 0; i < TK_TRACY_ODDITIES; i++)
        if (w->odd[i] && tk_tracy_ok(&w->in))
            tk_tracy_note(w, oddities[i].kind, w->start, w->odd[i], oddities[i].text);
    memset(w->odd, 0, sizeof w->odd);
}

void tk_tracy_note_stacks(struct tk_tracy_walk *w, uint64_t n)
{
    if (w->most_stack > n && tk_tracy_ok(&w->in))
        tk_tracy_note(w, TK_HEALTH_DEFINITION_MISSING, w->start, 1,
                      "callstacks that do not exist are referred to in front of it");
}

void tk_tracy_check_total(struct tk_tracy_walk *w, uint64_t stated, uint64_t found, const char *items)
{
    if (stated != found && tk_tracy_ok(&w->in) && !is_old(w, w->start))
        tk_health_note(w->health, TK_HEALTH_PAYLOAD_DAMAGED, tk_tracy_block_offset(w, w->start), 1,
                       "section '%s', byte %llu: it states %llu %s and has %llu%s", w->section->name,
                       (unsigned long long)w->start, (unsigned long long)stated, items,
                       (unsigned long long)found, reason_of(w));
}

void tk_tracy_limit(struct tk_tracy_walk *w, enum tk_limit limit, uint64_t at, uint64_t count,
                    const char *text)
{
    if (!is_old(w, at))
        tk_health_limit(w->health, limit, tk_tracy_block_offset(w, at), count, "section '%s', byte %llu: %s",
                        w->section->name, (unsigned long long)at, text);
}

static void note_block(struct tk_tracy_walk *w, size_t block, const char *why, bool gone)
{
    const struct tk_tracy_container *box = &w->c->box;
    uint64_t at = box->blocks.v[block];
    tk_health_note(
        w->health, gone ? TK_HEALTH_FILE_SHRANK : TK_HEALTH_PACKET_DAMAGED, at, 1,
        "block %zu cannot be decompressed: %s; section '%s' ends at byte %llu of the decompressed capture",
        block, why, w->section->name, (unsigned long long)w->in.fault_at);
    tk_health_move(w->health, TK_LEDGER_EVENTS, TK_LEDGER_UNREADABLE,
                   box->blocks.v[box->n] - at - 4 * (uint64_t)(box->n - block));
}

/* The payload ends inside a section. When its last block is a full one, more may have followed it. */
static void note_end(struct tk_tracy_walk *w)
{
    bool cut = w->c->box.truncated || tk_tracy_blocks_full(w->blocks);
    tk_health_note(w->health, cut ? TK_HEALTH_FILE_TRUNCATED : TK_HEALTH_PAYLOAD_DAMAGED,
                   tk_tracy_block_offset(w, w->in.fault_at), 1,
                   "section '%s' ends at byte %llu of the decompressed capture, inside its part '%s'%s",
                   w->section->name, (unsigned long long)w->in.fault_at, w->in.fault, reason_of(w));
    w->c->truncated |= cut;
}

void tk_tracy_note_fault(struct tk_tracy_walk *w)
{
    const char *why;
    bool gone;
    size_t block = tk_tracy_blocks_bad(w->blocks, &why, &gone);
    if (is_old(w, w->in.fault_at))
        return;
    if (w->in.content)
        tk_health_note(w->health, TK_HEALTH_PAYLOAD_DAMAGED, tk_tracy_block_offset(w, w->in.fault_at), 1,
                       "section '%s', byte %llu: %s%s", w->section->name, (unsigned long long)w->in.fault_at,
                       w->in.fault, reason_of(w));
    else if (block < w->c->box.n)
        note_block(w, block, why, gone);
    else
        note_end(w);
}

void tk_tracy_note_trailing(struct tk_tracy_walk *w)
{
    uint64_t at = tk_tracy_at(&w->in);
    if (!tk_tracy_at_end(&w->in) && tk_tracy_ok(&w->in))
        tk_health_note(w->health, TK_HEALTH_PAYLOAD_DAMAGED, tk_tracy_block_offset(w, at), 1,
                       "bytes follow the last section, from byte %llu of the decompressed capture on%s",
                       (unsigned long long)at, reason_of(w));
}

/*
 * Types of records.
 */

static void value(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    const struct tk_cell *cells = rec->impl;
    *out = cells[field];
}

/* A list of up to eleven texts as struct tk_str, which need their lengths. */
#define STRS_1(a)                                                     TK_STR_OF(a)
#define STRS_2(a, ...)                                                TK_STR_OF(a), STRS_1(__VA_ARGS__)
#define STRS_3(a, ...)                                                TK_STR_OF(a), STRS_2(__VA_ARGS__)
#define STRS_4(a, ...)                                                TK_STR_OF(a), STRS_3(__VA_ARGS__)
#define STRS_5(a, ...)                                                TK_STR_OF(a), STRS_4(__VA_ARGS__)
#define STRS_6(a, ...)                                                TK_STR_OF(a), STRS_5(__VA_ARGS__)
#define STRS_7(a, ...)                                                TK_STR_OF(a), STRS_6(__VA_ARGS__)
#define STRS_8(a, ...)                                                TK_STR_OF(a), STRS_7(__VA_ARGS__)
#define STRS_9(a, ...)                                                TK_STR_OF(a), STRS_8(__VA_ARGS__)
#define STRS_10(a, ...)                                               TK_STR_OF(a), STRS_9(__VA_ARGS__)
#define STRS_11(a, ...)                                               TK_STR_OF(a), STRS_10(__VA_ARGS__)
#define PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, name, ...) name
#define STRS(...)                                                                                            \
    PICK(__VA_ARGS__, STRS_11, STRS_10, STRS_9, STRS_8, STRS_7, STRS_6, STRS_5, STRS_4, STRS_3, STRS_2,      \
         STRS_1, )                                                                                           \
    (__VA_ARGS__)

#define FIELDS(symbol, who, name, ...) static const struct tk_str fields_##symbol[] = {STRS(__VA_ARGS__)};
TK_TRACY_RECORDS(FIELDS)

#define TYPE(symbol, who, text_of_name, ...)                                                                 \
    {.name = "Tracy." text_of_name,                                                                          \
     .family = who,                                                                                          \
     .n_fields = sizeof fields_##symbol / sizeof fields_##symbol[0],                                         \
     .fields = fields_##symbol,                                                                              \
     .value = value},
const struct tk_record_type tk_tracy_record_types[TK_TRACY_RECORD_COUNT] = {TK_TRACY_RECORDS(TYPE)};

/* ---- progress ---- */

int tk_tracy_walk_tell(const struct tk_tracy_walk *w, uint64_t at, struct tk_err *err)
{
    const struct tk_context *ctx = w->c->ctx;
    return tk_progress(ctx, tk_tracy_block_offset(w, at), tk_file_size(ctx->file), err);
}

/* ---- lists ---- */

uint64_t tk_tracy_read_count(struct tk_tracy_walk *w, const char *what)
{
    return tk_tracy_read_bounded(&w->in, what);
}

bool tk_tracy_list_next(struct tk_tracy_walk *w, struct tk_tracy_list *list, const char *what)
{
    if (!list->begun) {
        list->n = list->left = tk_tracy_read_count(w, what);
        list->begun = true;
    }
    if (!list->left || !tk_tracy_ok(&w->in))
        return false;
    list->left--;
    return true;
}

int tk_tracy_list_walk(struct tk_tracy_walk *w, struct tk_tracy_list *list, const char *what,
                       int (*item)(struct tk_tracy_walk *w, void *state), void *state)
{
    int rc = TK_OK;
    while (rc == TK_OK) {
        if (tk_tracy_batch_full(w->out))
            return TK_ITEM;
        if (!tk_tracy_list_next(w, list, what))
            break;
        rc = item(w, state);
    }
    return rc;
}

void tk_tracy_skip_items(struct tk_tracy_walk *w, uint64_t n, uint64_t size, const char *what)
{
    if (n > UINT64_MAX / size)
        tk_tracy_fail(&w->in, tk_tracy_at(&w->in), what);
    else
        tk_tracy_skip(&w->in, n * size, what);
}

void tk_tracy_pass_list(struct tk_tracy_walk *w, uint64_t size, const char *what)
{
    uint64_t n = tk_tracy_read_count(w, what);
    tk_tracy_skip_items(w, n, size, what);
    w->items += n;
}

void tk_tracy_skip_list(struct tk_tracy_walk *w, uint64_t size, enum tk_tracy_record record, const char *what)
{
    uint64_t n = tk_tracy_read_count(w, what);
    tk_tracy_skip_items(w, n, size, what);
    if (tk_tracy_ok(&w->in))
        tk_tracy_count(w, record, n, n * size);
}

/* ---- records and definitions ---- */

void tk_tracy_tally(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t n, uint64_t bytes)
{
    w->counts[record] += n;
    w->bytes[record] += bytes;
}

void tk_tracy_count(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t n, uint64_t bytes)
{
    w->items += n;
    tk_tracy_tally(w, record, n, bytes);
}

static int say_section_items(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t at,
                             uint32_t thread, int64_t time, bool has_time, const struct tk_cell *cells)
{
    const struct tk_record_type *type = &tk_tracy_record_types[record];
    size_t size = type->n_fields * sizeof *cells;
    struct tk_cell *copy = tk_arena_alloc(&w->out->arena, size);
    struct tk_fact *fact = tk_tracy_batch_fact(w->out, TK_FACT_RECORD, thread, time);
    if (!copy || !fact)
        return TK_ENOMEM;
    memcpy(copy, cells, size);
    fact->u.record = (struct tk_fact_record){.rec = {type, copy},
                                             .offset = tk_tracy_block_offset(w, at),
                                             .within = (uint32_t)(at % TK_TRACY_BLOCK),
                                             .has_time = has_time};
    return TK_OK;
}

int tk_tracy_say(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t at, uint32_t thread,
                 int64_t time, const struct tk_cell *cells)
{
    return say_section_items(w, record, at, thread, time, true, cells);
}

int tk_tracy_say_timeless(struct tk_tracy_walk *w, enum tk_tracy_record record, uint64_t at,
                          const struct tk_cell *cells)
{
    return say_section_items(w, record, at, TK_NO_THREAD, 0, false, cells);
}

bool tk_tracy_wants_rows(const struct tk_tracy_walk *w, const struct tk_table *table)
{
    for (size_t i = 0; tk_tracy_wants_fact(w, TK_FACT_ROW) && i < w->request->n_rows; i++)
        if (w->request->rows[i] == table)
            return true;
    return false;
}

struct tk_cell *tk_tracy_row(struct tk_tracy_walk *w, const struct tk_table *table, uint32_t thread)
{
    struct tk_cell *cells = tk_arena_alloc(&w->out->arena, table->n_columns * sizeof *cells);
    struct tk_fact *fact = cells ? tk_tracy_batch_fact(w->out, TK_FACT_ROW, thread, 0) : NULL;
    if (!fact)
        return NULL;
    memset(cells, 0, table->n_columns * sizeof *cells);
    fact->u.row = (struct tk_fact_row){.table = table, .cells = cells};
    return cells;
}

struct tk_cell *tk_tracy_timed_row(struct tk_tracy_walk *w, const struct tk_table *table, uint32_t thread,
                                   int64_t time)
{
    struct tk_cell *cells = tk_tracy_row(w, table, thread);
    if (!cells)
        return NULL;
    struct tk_fact *fact = &w->out->facts.v[w->out->facts.n - 1];
    fact->time = fact->u.row.end = time;
    fact->u.row.has_time = true;
    return cells;
}

int tk_tracy_walk_define(struct tk_tracy_walk *w, const struct tk_fact *fact)
{
    if (tk_tracy_define(w->c, fact) != TK_OK)
        return TK_ENOMEM;
    return tk_vec_push(&w->out->facts, *fact) ? TK_ENOMEM : TK_OK;
}

uint32_t tk_tracy_thread(const struct tk_tracy_walk *w, uint64_t tid)
{
    return tk_tracy_thread_number(&w->c->threads, tid); /* both mean none by the greatest number */
}

int tk_tracy_know_threads(struct tk_tracy_walk *w)
{
    return w->c->threads_known || !w->learn_threads ? TK_OK : w->learn_threads(w);
}

uint32_t tk_tracy_local_thread(const struct tk_tracy_walk *w, uint16_t compressed)
{
    return compressed && compressed < w->c->threads.local.n ? compressed : TK_NO_THREAD;
}

/*
 */

struct tk_fact *tk_tracy_batch_fact(struct tk_tracy_batch *out, enum tk_fact_kind kind, uint32_t thread,
                                    int64_t time)
{
    if (tk_vec_reserve(&out->facts, out->facts.n + 1))
        return NULL;
    struct tk_fact *fact = &out->facts.v[out->facts.n++];
    *fact = (struct tk_fact){
        .kind = (uint16_t)kind, .size = sizeof *fact, .thread = thread, .time = time, .seq = TK_NO_SEQ};
    return fact;
}

int tk_tracy_batch_open_scopes(struct tk_tracy_batch *out, bool texts, bool stacks)
{
    out->time = malloc(TK_TRACY_OPS * sizeof *out->time);
    out->op = malloc(TK_TRACY_OPS * sizeof *out->op);
    if (texts || stacks)
        out->extra = calloc(TK_TRACY_OPS + 1, sizeof *out->extra);
    if (texts)
        out->text = malloc(TK_TRACY_OPS * sizeof *out->text);
    if (stacks) {
        out->stack = malloc(TK_TRACY_OPS * sizeof *out->stack);
        out->cpu = malloc(TK_TRACY_OPS * sizeof *out->cpu);
    }
    const bool good = out->time && out->op && (!(texts || stacks) || out->extra);
    return good && (!texts || out->text) && (!stacks || (out->stack && out->cpu)) ? TK_OK : TK_ENOMEM;
}

void tk_tracy_batch_clear(struct tk_tracy_batch *out)
{
    out->facts.n = out->runs.n = out->n_ops = 0;
    tk_arena_clear(&out->arena);
}

void tk_tracy_batch_release(struct tk_tracy_batch *out)
{
    tk_vec_release(&out->facts);
    tk_vec_release(&out->runs);
    tk_arena_release(&out->arena);
    free(out->time);
    free(out->op);
    free(out->extra);
    free(out->text);
    free(out->stack);
    free(out->cpu);
    *out = (struct tk_tracy_batch){0};
}
