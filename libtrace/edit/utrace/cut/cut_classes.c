/*
 * The table of how types are cut. See cut_classes.h.
 */
#include "edit/utrace/cut/cut_classes.h"

#include "base/text/glob.h"
#include "edit/utrace/stages/batch.h"
#include "edit/utrace/stages/topics.h"

#include <string.h>

/* Patterns of names; the first one that fits counts. Types of no family, and all others, are points. */
static const struct {
    const char *pattern;
    enum tk_edit_cut_class kind;
} table[] = {
    {"Misc.BeginFrame", TK_CUT_FRAME},
    {"Misc.EndFrame", TK_CUT_FRAME_END},
    {"CsvProfiler.Event", TK_CUT_POINT},
    {"CpuProfiler.Metadata", TK_CUT_INSTANCE},
    {"CpuProfiler.EndThread", TK_CUT_END_THREAD},
    {"Cpu.*", TK_CUT_SCOPED},
    {"Memory.Marker", TK_CUT_MARKER},
    {"Memory.*Spec*", TK_CUT_KEPT},
    {"Memory.Init", TK_CUT_KEPT},
    {"Memory.*", TK_CUT_ALLOCATION},
    {"MetadataStack.*", TK_CUT_ALLOCATION},
    {"Metadata.*", TK_CUT_ALLOCATION},
    {"TaskTrace.Waiting*", TK_CUT_KEPT},
    {"TaskTrace.*", TK_CUT_KEYED},
    {"PlatformEvent.ContextSwitch", TK_CUT_SPAN},
    {"PlatformEvent.StackSample", TK_CUT_POINT},
    {"PlatformEvent.*", TK_CUT_KEPT},
    {"Logging.LogMessage", TK_CUT_POINT},
    {"Counters.Set*", TK_CUT_UNTIL},
    {"Stats.EventBatch*", TK_CUT_KEPT}, /* sent behind the times of what it holds */
    {"LLM.TagValue", TK_CUT_UNTIL},
};

/* Where the definitions of others may stand at any place. */
static bool defines(const struct tk_ut_type *type)
{
    const char *name = type->event->p;
    const size_t n = type->event->n;
    return type->flags & (TK_UT_FLAG_IMPORTANT | TK_UT_FLAG_DEFINITION) || tk_edit_type_vital(type) ||
           (n >= 4 && memcmp(name + n - 4, "Spec", 4) == 0) ||
           (n >= 4 && memcmp(name + n - 4, "Init", 4) == 0);
}

/* What is of a family and in no line of the table has rules of its own in that family: it stays. */
static enum tk_edit_cut_class class_of(const struct tk_ut_type *type)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (tk_glob(table[i].pattern, strlen(table[i].pattern), type->name->p, type->name->n, false))
            return table[i].kind;
    if (tk_edit_batch_form(type))
        return TK_CUT_BATCH;
    return defines(type) || type->record.family ? TK_CUT_KEPT : TK_CUT_POINT;
}

static enum tk_edit_memory_step step_of(const char *name)
{
    return strncmp(name, "Alloc", 5) == 0     ? TK_STEP_ALLOCATES
           : strncmp(name, "Free", 4) == 0    ? TK_STEP_FREES
           : strncmp(name, "Realloc", 7) == 0 ? TK_STEP_MOVES
                                              : TK_STEP_OTHER;
}

/* A task without one of these goes on until the end of the recording. */
static bool ends(const char *name)
{
    return strcmp(name, "Finished") == 0 || strcmp(name, "Completed") == 0 || strcmp(name, "Destroyed") == 0;
}

/* Where protocols 5 to 7 have the time. */
static uint16_t time_at(const struct tk_ut_type *type, const struct tk_ut_time_rule *rule)
{
    enum { CODE = 2, SERIAL = 3, BYTES = 8 };
    const struct tk_ut_field *f = rule->field;
    const uint32_t head = CODE + (type->flags & TK_UT_FLAG_NOSYNC ? 0u : SERIAL);
    if (!f || rule->shift || rule->relative || !f->readable || (uint32_t)f->offset + BYTES > type->fixed ||
        head + f->offset > UINT16_MAX)
        return 0;
    return (uint16_t)(head + f->offset);
}

struct tk_edit_cut_rule tk_edit_cut_rule_of(const struct tk_ut_type *type)
{
    struct tk_edit_cut_rule rule = {.kind = class_of(type), .time = tk_ut_time_rule_of(type)};
    rule.chunk = tk_edit_chunk_rule_of(type);
    if (rule.chunk.kind)
        rule.kind = TK_CUT_CHUNK;
    if (rule.kind == TK_CUT_FRAME)
        rule.key = tk_ut_type_field(type, "FrameType");
    if (rule.kind == TK_CUT_KEYED)
        rule.key = tk_ut_type_field(type, "TaskId");
    if (rule.kind == TK_CUT_KEYED) {
        rule.later = tk_ut_type_field(type, "SubsequentId");
        rule.ends = ends(tk_ut_type_event(type));
    }
    if (rule.kind == TK_CUT_INSTANCE)
        rule.key = tk_ut_type_field(type, "Id");
    if (rule.kind == TK_CUT_ALLOCATION) {
        rule.key = tk_ut_type_field(type, "Address");
        rule.heap = tk_ut_type_field(type, "RootHeap");
        rule.video = strstr(tk_ut_type_event(type), "Video") != NULL;
        rule.step = step_of(tk_ut_type_event(type));
    }
    if (rule.kind == TK_CUT_BATCH) {
        rule.key = tk_ut_type_field(type, "Data");
        rule.form = tk_edit_batch_form(type);
    }
    rule.from = tk_ut_type_field(type, "StartTime");
    rule.to = tk_ut_type_field(type, "EndTime");
    const bool lacks = (rule.kind == TK_CUT_KEYED && (!rule.key || !rule.time.field)) ||
                       (rule.kind == TK_CUT_INSTANCE && !rule.key) ||
                       (rule.kind == TK_CUT_SPAN && (!rule.from || !rule.to));
    if (lacks || (defines(type) && rule.kind != TK_CUT_INSTANCE && rule.kind != TK_CUT_CHUNK))
        rule.kind = TK_CUT_KEPT;
    rule.time_at = time_at(type, &rule.time);
    rule.by_time = rule.kind == TK_CUT_POINT || rule.kind == TK_CUT_UNTIL || rule.kind == TK_CUT_KEPT ||
                   rule.kind == TK_CUT_FRAME || rule.kind == TK_CUT_FRAME_END;
    return rule;
}
