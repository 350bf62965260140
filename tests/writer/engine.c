/*
 * The engine's everyday events other than CPU scopes: trace, threads, channels, frames, bookmarks, logs,
 * regions, counters.
 */
#include "utrace_writer.h"

#include <string.h>

enum { NAMES_END_WITH_NUL = 6, ENDIAN_MARK = 0x524d };

static void put_ansi(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned index, const char *text)
{
    tk_uw_value(lane, type, index, text, strlen(text));
}

static void put_wide(struct tk_uw_lane *lane, const struct tk_uw_type *type, unsigned index, const char *text)
{
    struct tk_uw_bytes wide = {0};

    tk_uw_wide(&wide, text);
    tk_uw_value(lane, type, index, wide.data, wide.size);
    tk_uw_bytes_release(&wide);
}

static void put_thread_name(struct tk_uw *uw, const struct tk_uw_type *type, unsigned index, const char *name)
{
    size_t nul = uw->stream.protocol >= NAMES_END_WITH_NUL;

    tk_uw_value(&uw->important, type, index, name, strlen(name) + nul);
}

/* Begins an event whose first field is 8 bytes wide. */
static const struct tk_uw_type *begin_u64(struct tk_uw *uw, struct tk_uw_lane *lane,
                                          enum tk_uw_standard which, uint64_t first)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, which);

    tk_uw_begin(lane, type);
    tk_uw_u64(&lane->pending, first);
    return type;
}

void tk_uw_new_trace(struct tk_uw *uw)
{
    bool old = uw->stream.protocol >= 1 && uw->stream.protocol <= 4;
    struct tk_uw_lane *lane = &uw->important;
    const struct tk_uw_type *type =
        begin_u64(uw, lane, old ? TK_UW_NEW_TRACE_OLD : TK_UW_NEW_TRACE, uw->start_cycle);

    tk_uw_u64(&lane->pending, uw->frequency);
    if (old) {
        tk_uw_u32(&lane->pending, uw->stream.serial);
        tk_uw_u16(&lane->pending, tk_uw_first_uid(uw->stream.protocol));
    }
    tk_uw_u16(&lane->pending, ENDIAN_MARK);
    tk_uw_u8(&lane->pending, 8);
    if (old)
        tk_uw_u8(&lane->pending, 0); /* no SerialSync follows */
    tk_uw_end(lane, type);
}

void tk_uw_thread_timing(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t base)
{
    tk_uw_end(lane, begin_u64(uw, lane, TK_UW_THREAD_TIMING, base));
    lane->stamp = base;
}

void tk_uw_thread_info(struct tk_uw *uw, uint32_t tid, uint32_t system_id, int32_t sort_hint,
                       const char *name)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_THREAD_INFO);
    struct tk_uw_lane *lane = &uw->important;

    tk_uw_begin(lane, type);
    tk_uw_u32(&lane->pending, tid);
    tk_uw_u32(&lane->pending, system_id);
    tk_uw_u32(&lane->pending, (uint32_t)sort_hint);
    put_thread_name(uw, type, 3, name);
    tk_uw_end(lane, type);
}

void tk_uw_group_begin(struct tk_uw *uw, const char *name)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_GROUP_BEGIN);

    tk_uw_begin(&uw->important, type);
    put_thread_name(uw, type, 0, name);
    tk_uw_end(&uw->important, type);
}

void tk_uw_group_end(struct tk_uw *uw)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_GROUP_END);

    tk_uw_begin(&uw->important, type);
    tk_uw_end(&uw->important, type);
}

uint32_t tk_uw_channel_id(const char *name)
{
    static const char suffix[] = "Channel";
    size_t cut = sizeof(suffix) - 1;
    size_t size = strlen(name);
    uint32_t hash = 0x811c9dc5U;

    if (size > cut && memcmp(name + size - cut, suffix, cut) == 0)
        size -= cut;
    if (size && (name[size - 1] | 0x20) == 's')
        size--;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((uint8_t)name[i] | 0x20U)) * 0x01000193U;
    return hash;
}

void tk_uw_channel_announce(struct tk_uw *uw, const char *name, bool enabled, bool read_only)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_CHANNEL_ANNOUNCE);
    struct tk_uw_lane *lane = &uw->important;

    tk_uw_begin(lane, type);
    tk_uw_u32(&lane->pending, tk_uw_channel_id(name));
    tk_uw_u8(&lane->pending, enabled);
    tk_uw_u8(&lane->pending, read_only);
    put_ansi(lane, type, 3, name);
    tk_uw_end(lane, type);
}

void tk_uw_channel_toggle(struct tk_uw *uw, const char *name, bool enabled)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_CHANNEL_TOGGLE);
    struct tk_uw_lane *lane = &uw->important;

    tk_uw_begin(lane, type);
    tk_uw_u32(&lane->pending, tk_uw_channel_id(name));
    tk_uw_u8(&lane->pending, enabled);
    tk_uw_end(lane, type);
}

void tk_uw_session2(struct tk_uw *uw, const struct tk_uw_session *session)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_SESSION2);
    const char *const wide[] = {session->project, session->command_line, session->branch, session->build};
    struct tk_uw_lane *lane = &uw->important;

    tk_uw_begin(lane, type);
    tk_uw_u32(&lane->pending, session->changelist);
    tk_uw_u8(&lane->pending, session->configuration);
    tk_uw_u8(&lane->pending, session->target);
    put_ansi(lane, type, 0, session->platform);
    put_ansi(lane, type, 1, session->app);
    for (unsigned i = 0; i < 4; i++)
        put_wide(lane, type, 2 + i, wide[i]);
    tk_uw_end(lane, type);
}

static void put_frame(struct tk_uw *uw, struct tk_uw_lane *lane, enum tk_uw_standard which, uint64_t cycle,
                      uint8_t kind)
{
    const struct tk_uw_type *type = begin_u64(uw, lane, which, cycle);

    tk_uw_u8(&lane->pending, kind);
    tk_uw_end(lane, type);
}

void tk_uw_frame_begin(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint8_t kind)
{
    put_frame(uw, lane, TK_UW_BEGIN_FRAME, cycle, kind);
}

void tk_uw_frame_end(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint8_t kind)
{
    put_frame(uw, lane, TK_UW_END_FRAME, cycle, kind);
}

void tk_uw_bookmark_spec(struct tk_uw *uw, uint64_t point, int32_t line, const char *format, const char *file)
{
    struct tk_uw_lane *lane = &uw->important;
    const struct tk_uw_type *type = begin_u64(uw, lane, TK_UW_BOOKMARK_SPEC, point);

    tk_uw_u32(&lane->pending, (uint32_t)line);
    put_wide(lane, type, 2, format);
    put_ansi(lane, type, 3, file);
    tk_uw_end(lane, type);
}

void tk_uw_bookmark(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint64_t point,
                    const struct tk_uw_bytes *args)
{
    const struct tk_uw_type *type = begin_u64(uw, lane, TK_UW_BOOKMARK, cycle);

    tk_uw_u64(&lane->pending, point);
    tk_uw_u32(&lane->pending, 0);
    tk_uw_value(lane, type, 2, args->data, args->size);
    tk_uw_end(lane, type);
}

void tk_uw_log_category(struct tk_uw *uw, uint64_t category, uint8_t verbosity, const char *name)
{
    struct tk_uw_lane *lane = &uw->important;
    const struct tk_uw_type *type = begin_u64(uw, lane, TK_UW_LOG_CATEGORY, category);

    tk_uw_u8(&lane->pending, verbosity);
    put_ansi(lane, type, 2, name);
    tk_uw_end(lane, type);
}

void tk_uw_log_spec(struct tk_uw *uw, uint64_t point, uint64_t category, int32_t line, uint8_t verbosity,
                    const char *file, const char *format)
{
    struct tk_uw_lane *lane = &uw->important;
    const struct tk_uw_type *type = begin_u64(uw, lane, TK_UW_LOG_SPEC, point);

    tk_uw_u64(&lane->pending, category);
    tk_uw_u32(&lane->pending, (uint32_t)line);
    tk_uw_u8(&lane->pending, verbosity);
    put_ansi(lane, type, 4, file);
    put_wide(lane, type, 5, format);
    tk_uw_end(lane, type);
}

void tk_uw_log(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint64_t point,
               const struct tk_uw_bytes *args)
{
    const struct tk_uw_type *type = begin_u64(uw, lane, TK_UW_LOG_MESSAGE, point);

    tk_uw_u64(&lane->pending, cycle);
    tk_uw_value(lane, type, 2, args->data, args->size);
    tk_uw_end(lane, type);
}

static void put_region(struct tk_uw *uw, struct tk_uw_lane *lane, enum tk_uw_standard which, uint64_t cycle,
                       const char *name, const char *category)
{
    const struct tk_uw_type *type = begin_u64(uw, lane, which, cycle);

    put_wide(lane, type, 1, name);
    if (category)
        put_wide(lane, type, 2, category);
    tk_uw_end(lane, type);
}

void tk_uw_region_begin(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, const char *name,
                        const char *category)
{
    put_region(uw, lane, TK_UW_REGION_BEGIN, cycle, name, category);
}

void tk_uw_region_end(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, const char *name)
{
    put_region(uw, lane, TK_UW_REGION_END, cycle, name, NULL);
}

void tk_uw_region_begin_id(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, const char *name,
                           const char *category)
{
    put_region(uw, lane, TK_UW_REGION_BEGIN_ID, cycle, name, category);
}

void tk_uw_region_end_id(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint64_t id)
{
    const struct tk_uw_type *type = begin_u64(uw, lane, TK_UW_REGION_END_ID, cycle);

    tk_uw_u64(&lane->pending, id);
    tk_uw_end(lane, type);
}

void tk_uw_counter_spec(struct tk_uw *uw, uint16_t id, uint8_t kind, uint8_t hint, const char *name)
{
    const struct tk_uw_type *type = tk_uw_type_of(uw, TK_UW_COUNTER_SPEC);
    struct tk_uw_lane *lane = &uw->important;

    tk_uw_begin(lane, type);
    tk_uw_u16(&lane->pending, id);
    tk_uw_u8(&lane->pending, kind);
    tk_uw_u8(&lane->pending, hint);
    put_ansi(lane, type, 3, name);
    tk_uw_end(lane, type);
}

void tk_uw_counter_int(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint16_t id, int64_t value)
{
    const struct tk_uw_type *type = begin_u64(uw, lane, TK_UW_COUNTER_INT, cycle);

    tk_uw_u64(&lane->pending, (uint64_t)value);
    tk_uw_u16(&lane->pending, id);
    tk_uw_end(lane, type);
}

void tk_uw_counter_float(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle, uint16_t id, double value)
{
    const struct tk_uw_type *type = begin_u64(uw, lane, TK_UW_COUNTER_FLOAT, cycle);

    tk_uw_f64(&lane->pending, value);
    tk_uw_u16(&lane->pending, id);
    tk_uw_end(lane, type);
}
