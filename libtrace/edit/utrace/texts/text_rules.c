/*
 * The table of texts. See text_rules.h.
 */
#include "edit/utrace/texts/text_rules.h"

#include "base/text/glob.h"

#include <stdio.h>
#include <string.h>

#define TEXT(pattern, class, form)                                                                           \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            TK_EDIT_HOLDS_TEXT, 0, class, form                                                               \
        }                                                                                                    \
    }
#define NUMBERS(pattern)                                                                                     \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            .holds = TK_EDIT_HOLDS_NUMBERS                                                                   \
        }                                                                                                    \
    }
#define IDENTITY(pattern)                                                                                    \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            .holds = TK_EDIT_HOLDS_IDENTITY                                                                  \
        }                                                                                                    \
    }
#define SECRET(pattern, class)                                                                               \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            TK_EDIT_HOLDS_SECRET, 0, class, TK_ANON_PARTS                                                    \
        }                                                                                                    \
    }
#define HOLDS(pattern, what, class)                                                                          \
    {                                                                                                        \
        pattern,                                                                                             \
        {                                                                                                    \
            TK_EDIT_HOLDS_##what, 0, class, TK_ANON_PARTS                                                    \
        }                                                                                                    \
    }
#define PARTS(pattern, class) TEXT(pattern, class, TK_ANON_PARTS)

/* "Logger.Event.Field"; the first that matches counts. */
static const struct {
    const char *pattern;
    struct tk_edit_text_rule rule;
} table[] = {
    NUMBERS("Tracekit.*"),
    NUMBERS("CpuProfiler.EventBatch*.Data"),
    NUMBERS("Stats.EventBatch*.Data"),
    NUMBERS("GpuProfiler.Frame.Data"),
    NUMBERS("NetTrace.PacketContentEvent.Data"),
    NUMBERS("Memory.CallstackSpec*.CompressedFrames"),
    NUMBERS("Misc.ScreenshotChunk.Data"),
    IDENTITY("Diagnostics.ModuleLoad.ImageId"),
    IDENTITY("Diagnostics.Session2.InstanceId"),
    PARTS("Trace.Channel*", TK_EDIT_STAYS),
    PARTS("$Trace.Channel*", TK_EDIT_STAYS),
    PARTS("GpuProfiler.QueueSpec.TypeString", TK_EDIT_STAYS),
    PARTS("Diagnostics.ModuleInit.SymbolFormat", TK_EDIT_STAYS),
    PARTS("Diagnostics.Session2.Platform", TK_EDIT_STAYS),
    TEXT("Diagnostics.Session2.CommandLine", TK_ANON_COMMANDS, TK_ANON_COMMAND),
    SECRET("Diagnostics.Session2.Changelist", TK_ANON_PROJECT),
    PARTS("Diagnostics.Session2.*", TK_ANON_PROJECT),
    PARTS("CsvProfiler.Metadata.Value", TK_ANON_PROJECT),
    TEXT("$Trace.Thread*.Name", TK_ANON_NAMES, TK_ANON_THREAD),
    TEXT("PlatformEvent.ThreadName.Name", TK_ANON_NAMES, TK_ANON_THREAD),
    HOLDS("*.FormatArgs", ARGS, TK_ANON_LOGS),
    HOLDS("*.FieldNames", CBOR, TK_ANON_TIMERS),
    HOLDS("*.Metadata", CBOR, TK_ANON_ASSETS),
    TEXT("CpuProfiler.*.NameFormat", TK_ANON_TIMERS, TK_ANON_FORMAT),
    TEXT("GpuProfiler.*.NameFormat", TK_ANON_TIMERS, TK_ANON_FORMAT),
    PARTS("CpuProfiler.*Spec.Name", TK_ANON_TIMERS),
    PARTS("GpuProfiler.EventSpec.Name", TK_ANON_TIMERS),
    PARTS("GpuProfiler.*.StaticName", TK_ANON_TIMERS),
    TEXT("*.FormatString", TK_ANON_LOGS, TK_ANON_FORMAT),
    TEXT("LoadTime.*.Format", TK_ANON_LOGS, TK_ANON_FORMAT),
    PARTS("CsvProfiler.Event.Text", TK_ANON_LOGS),
    PARTS("*.FileName", TK_ANON_PATHS),
    PARTS("*.File", TK_ANON_PATHS),
    PARTS("*.Path", TK_ANON_PATHS),
    PARTS("Misc.Screenshot*", TK_ANON_PATHS),
    TEXT("NetTrace.*.Address", TK_ANON_ADDRESSES, TK_ANON_WHOLE),
    PARTS("NetTrace.NameEvent.Name", TK_ANON_OBJECTS),
    TEXT("NetTrace.Connection*.Name", TK_ANON_USERS, TK_ANON_WHOLE),
    TEXT("Http.*", TK_ANON_ADDRESSES, TK_ANON_WHOLE),
    PARTS("Diagnostics.ModuleLoad.Name", TK_ANON_FUNCTIONS),
    PARTS("Verse*", TK_ANON_FUNCTIONS),
    PARTS("Strings.*", TK_ANON_OBJECTS),
    PARTS("CoreUObject.*", TK_ANON_OBJECTS),
    PARTS("Object.*", TK_ANON_OBJECTS),
    PARTS("Metadata.*", TK_ANON_OBJECTS),
    PARTS("LoadTime.*", TK_ANON_ASSETS),
    PARTS("Package.*", TK_ANON_ASSETS),
    PARTS("CookTrace.*", TK_ANON_ASSETS),
    PARTS("Cpu.*", TK_ANON_ASSETS),
    PARTS("*", TK_ANON_NAMES),
};

static const struct tk_edit_text_rule *find_rule(const struct tk_ut_type *type,
                                                 const struct tk_ut_field *field)
{
    char path[512];
    const int n = snprintf(path, sizeof path, "%.*s.%.*s", (int)(type->name->n < 250 ? type->name->n : 250),
                           type->name->p, (int)(field->name->n < 250 ? field->name->n : 250), field->name->p);
    size_t i = 0;
    while (!tk_glob(table[i].pattern, strlen(table[i].pattern), path, (size_t)n, false))
        i++; /* the last one always matches */
    return &table[i].rule;
}

/* Bytes and numbers of 16 bits may be characters; what they are of a type that is not known nobody knows. */
static struct tk_edit_text_rule rule_of_numbers(const struct tk_edit_text_rule *found, unsigned width)
{
    struct tk_edit_text_rule rule = *found;
    if (rule.holds == TK_EDIT_HOLDS_TEXT && width == 2)
        rule.width = 2;
    else if (rule.holds == TK_EDIT_HOLDS_TEXT || rule.holds == TK_EDIT_HOLDS_SECRET)
        rule.holds = width > 2 ? TK_EDIT_HOLDS_NUMBERS : TK_EDIT_HOLDS_UNKNOWN;
    return rule;
}

struct tk_edit_text_rule tk_edit_text_rule_of(const struct tk_ut_type *type, const struct tk_ut_field *field)
{
    const struct tk_edit_text_rule numbers = {.holds = TK_EDIT_HOLDS_NUMBERS};
    const unsigned width = 1u << (field->info & TK_UT_INFO_WIDTH);
    const bool text = field->info & TK_UT_INFO_STRING;
    if (field->size && type->record.family && find_rule(type, field)->holds == TK_EDIT_HOLDS_SECRET)
        return *find_rule(type, field);
    if (field->size || !(field->info & TK_UT_INFO_ARRAY) || field->info & TK_UT_INFO_FLOAT)
        return numbers;
    if (!type->record.family)
        return text || width <= 2 ? (struct tk_edit_text_rule){.holds = TK_EDIT_HOLDS_UNKNOWN} : numbers;
    const struct tk_edit_text_rule *found = find_rule(type, field);
    if (!text)
        return rule_of_numbers(found, width);
    struct tk_edit_text_rule rule = *found;
    if (rule.holds == TK_EDIT_HOLDS_NUMBERS)
        return rule;
    rule.holds = TK_EDIT_HOLDS_TEXT;
    rule.width = (uint8_t)width;
    return rule;
}
