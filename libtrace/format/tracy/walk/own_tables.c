/*
 * Columns of the tables that the format fills; the sections say the rows, each in its file.
 */
#include "format/tracy/walk/own_tables.h"

#include <stddef.h>
#include <string.h>

/*
 * Records of edits.
 */

bool tk_tracy_edit_is(const struct tk_str *text)
{
    static const char mark[] = TK_TRACY_EDIT_MARK;
    return text && text->n >= sizeof mark - 1 && memcmp(text->p, mark, sizeof mark - 1) == 0;
}

/* The number behind a key; false where there is none. */
static bool number_of(const struct tk_str *record, const char *key, int64_t *out)
{
    const size_t n = strlen(key);
    size_t at = 0;
    uint64_t v = 0;
    while (at + n < record->n && memcmp(record->p + at, key, n) != 0)
        at++;
    if (at + n >= record->n)
        return false;
    at += n;
    const bool below = record->p[at] == '-';
    size_t digits = 0;
    for (at += below; at < record->n && digits < 18 && record->p[at] >= '0' && record->p[at] <= '9';
         at++, digits++)
        v = v * 10 + (uint64_t)(record->p[at] - '0');
    *out = below ? -(int64_t)v : (int64_t)v;
    return digits > 0;
}

void tk_tracy_edit_read(const struct tk_str *text, struct tk_tracy_edit *edit)
{
    const size_t skip = strcspn(TK_TRACY_EDIT_MARK, "{");
    *edit =
        (struct tk_tracy_edit){INT64_MIN, INT64_MAX, {text->p + skip, text->n - (uint32_t)skip, text->enc}};
    if (!number_of(&edit->record, "\"from\":", &edit->from))
        edit->from = INT64_MIN;
    if (!number_of(&edit->record, "\"to\":", &edit->to))
        edit->to = INT64_MAX;
}

struct tk_kept_part tk_tracy_edits_kept(const struct tk_tracy_capture *c)
{
    struct tk_kept_part kept = {false, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < c->strings.v.n; i++) {
        if (!tk_tracy_edit_is(&c->strings.v.v[i]))
            continue;
        struct tk_tracy_edit edit;
        tk_tracy_edit_read(&c->strings.v.v[i], &edit);
        kept.from = edit.from > kept.from ? edit.from : kept.from;
        kept.to = edit.to < kept.to ? edit.to : kept.to;
        kept.cut |= edit.from != INT64_MIN || edit.to != INT64_MAX;
    }
    kept.cut &= kept.from < kept.to;
    return kept;
}

/*
 * Definitions of a capture: each fact that all of its readings begin with is kept in its state.
 */

int tk_tracy_define(struct tk_tracy_capture *c, const struct tk_fact *fact)
{
    return c->interned.failed || tk_vec_push(&c->definitions, *fact) ? TK_ENOMEM : TK_OK;
}

static struct tk_fact new_fact(enum tk_fact_kind kind, uint32_t thread)
{
    return (struct tk_fact){
        .kind = (uint16_t)kind, .size = sizeof(struct tk_fact), .thread = thread, .seq = TK_NO_SEQ};
}

int tk_tracy_define_clock(struct tk_tracy_capture *c)
{
    struct tk_fact fact = new_fact(TK_FACT_CLOCK, TK_NO_THREAD);
    fact.u.clock = c->clock;
    return tk_tracy_define(c, &fact);
}

int tk_tracy_define_session(struct tk_tracy_capture *c, const char *key, struct tk_cell value)
{
    struct tk_fact fact = new_fact(TK_FACT_SESSION, TK_NO_THREAD);
    fact.u.session = (struct tk_fact_session){tk_intern_c(&c->interned, key), value};
    return fact.u.session.key ? tk_tracy_define(c, &fact) : TK_ENOMEM;
}

const struct tk_str *tk_tracy_intern(struct tk_tracy_capture *c, const struct tk_str *s)
{
    return s ? tk_intern(&c->interned, s->p, s->n, (enum tk_encoding)s->enc) : NULL;
}

struct tk_fact tk_tracy_thread_fact(struct tk_tracy_capture *c, uint32_t number, bool fiber)
{
    uint64_t tid = c->threads.local.v[number];
    struct tk_fact fact = new_fact(TK_FACT_THREAD, number);
    struct tk_fact_thread *info = &fact.u.thread_info;
    info->name = tk_tracy_intern(c, tk_tracy_thread_name(&c->threads, &c->strings, tid));
    info->group = fiber ? tk_intern_c(&c->interned, "Fiber") : NULL;
    info->named = info->name != NULL;
    info->has_system = !fiber;
    info->system_id = fiber ? 0 : tid;
    return fact;
}

struct tk_fact tk_tracy_timer_fact(struct tk_tracy_capture *c, uint32_t timer)
{
    static const struct tk_str unknown = {"<unknown>", 9, TK_ENC_UTF8};
    struct tk_fact fact = new_fact(TK_FACT_TIMER, TK_NO_THREAD);
    struct tk_tracy_place place = {.name = timer == c->locations.unknown ? &unknown : &tk_tracy_missing};
    if (timer < c->locations.none)
        place = tk_tracy_location_of(&c->locations, &c->strings, tk_tracy_location_id(&c->locations, timer));
    fact.u.timer = (struct tk_fact_timer){.id = timer,
                                          .kind = TK_TIMER_ZONE,
                                          .is_function = place.is_function,
                                          .line = place.line,
                                          .colour = place.colour,
                                          .name = tk_tracy_intern(c, place.name),
                                          .file = tk_tracy_intern(c, place.file)};
    return fact;
}

#define TABLE(symbol, text, what, number, about)                                                             \
    const struct tk_table tk_tracy_table_##symbol = {.name = text,                                           \
                                                     .flags = what,                                          \
                                                     .help = about,                                          \
                                                     .columns = symbol##_columns,                            \
                                                     .n_columns =                                            \
                                                         sizeof symbol##_columns / sizeof *symbol##_columns, \
                                                     .schema = number};

static const struct tk_column gpu_notes_columns[] = {
    {"context_id", TK_UINT, 0, NULL, "number of the GPU context"},
    {"name", TK_TEXT, 0, NULL, "its name"},
    {"query_id", TK_UINT, 0, NULL, "which of its queries"},
    {"note_id", TK_INT, TK_COL_EXTRA, NULL, "id of the measured quantity"},
    {"what", TK_TEXT, 0, NULL, "its name"},
    {"value", TK_REAL, 0, NULL, "the value"},
};
TABLE(gpu_notes, "gpu_notes", TK_TABLE_EACH, 1, "measurements recorded with GPU zones")

static const struct tk_column symbols_columns[] = {
    {"address", TK_HEX, 0, NULL, "start address in the process"},
    {"bytes", TK_SIZE, 0, NULL, "size of its code"},
    {"name", TK_TEXT, 0, NULL, "the function"},
    {"file", TK_TEXT, 0, NULL, "source file"},
    {"line", TK_UINT, 0, NULL, "line in it"},
    {"image", TK_TEXT, 0, NULL, "executable or library"},
    {"inline", TK_BOOL, TK_COL_EXTRA, NULL, "is it an inlined call?"},
    {"call_file", TK_TEXT, TK_COL_EXTRA, NULL, "for an inlined call: file of the call"},
    {"call_line", TK_UINT, TK_COL_EXTRA, NULL, "line of the call"},
};
TABLE(symbols, "symbols", 0, 2, "functions in samples and callstacks")

static const struct tk_column hardware_samples_columns[] = {
    {"time", TK_TIME, 0, NULL, "when it was taken"},
    {"address", TK_HEX, 0, NULL, "what was executed"},
    {"event", TK_TEXT, 0, NULL, "what the processor counted"},
};
TABLE(hardware_samples, "hardware_samples", TK_TABLE_EACH, 1,
      "hardware counter samples, by address and event")

static const struct tk_column frame_images_columns[] = {
    {"image_id", TK_UINT, 0, NULL, "its number"},
    {"width", TK_UINT, 0, "pixels", "width"},
    {"height", TK_UINT, 0, "pixels", "height"},
    {"flipped", TK_BOOL, 0, NULL, "is it upside down?"},
    {"bytes", TK_SIZE, 0, NULL, "bytes of its blocks"},
    {"data", TK_BYTES, TK_COL_EXTRA, NULL, "its pixels as BC1 blocks, row by row"},
    {"frame", TK_UINT, 0, NULL, "number of the first game frame that shows it, from 0"},
    {"time", TK_TIME, 0, NULL, "start of that frame"},
};
TABLE(frame_images, "frame_images", TK_TABLE_EACH, 2, "frame images")

static const struct tk_column source_files_columns[] = {
    {"file", TK_TEXT, 0, NULL, "its name"},
    {"bytes", TK_SIZE, 0, NULL, "size"},
    {"text", TK_TEXT, TK_COL_EXTRA, NULL, "its content"},
};
TABLE(source_files, "source_files", 0, 1, "source files stored in the capture")

static const struct tk_column cpu_use_columns[TK_TRACY_USE_COLUMNS] = {
    [TK_TRACY_USE_SYSTEM_ID] = {"system_id", TK_INT, 0, NULL, "thread id of the operating system"},
    [TK_TRACY_USE_THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [TK_TRACY_USE_THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread"),
    [TK_TRACY_USE_NAME] = {"name", TK_TEXT, TK_COL_EXTRA, NULL,
                           "system name, for threads of other processes"},
    [TK_TRACY_USE_RUNNING] = {"running", TK_DURATION, 0, NULL, "time on a core"},
    [TK_TRACY_USE_REGIONS] = {"regions", TK_UINT, 0, NULL, "number of times on a core"},
    [TK_TRACY_USE_MIGRATIONS] = {"migrations", TK_UINT, 0, NULL, "number of migrations to another core"},
};
TABLE(cpu_use, "cpu_use", 0, 2, "CPU use of threads during the capture")

const struct tk_table *const tk_tracy_row_tables[] = {
    &tk_tracy_table_gpu_notes,
    &tk_tracy_table_symbols,
    &tk_tracy_table_hardware_samples,
    &tk_tracy_table_frame_images,
    &tk_tracy_table_source_files,
    &tk_tracy_table_cpu_use,
    NULL,
};
