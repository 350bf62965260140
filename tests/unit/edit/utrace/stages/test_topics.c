/*
 * Which events a topic names: by what an event is about, not by who reads it.
 */
#include "edit/utrace/stages/stage.h"
#include "run.h"

#include <string.h>

static const char *topic(const char *name, const char *family)
{
    const struct tk_str text = {.p = name, .n = (uint32_t)strlen(name)};
    const struct tk_ut_type type = {.name = &text, .record.family = family};
    return tk_edit_topic(&type);
}

static bool has(const char *word, const char *name, const char *family)
{
    const struct tk_str text = {.p = name, .n = (uint32_t)strlen(name)};
    const struct tk_ut_type type = {.name = &text, .record.family = family};
    return tk_edit_topic_has(word, &type);
}

/* Packages are read for the assets of allocations, but are no memory; LLM counts bytes. */
START_TEST(memory)
{
    ck_assert(has("memory", "Memory.Alloc", "memory"));
    ck_assert(has("memory", "Metadata.Stack", "context"));
    ck_assert(has("memory", "LLM.TagValue", "llm"));
    ck_assert(has("llm", "LLM.TagValue", "llm"));
    ck_assert(!has("counters", "LLM.TagValue", "llm"));
    ck_assert(!has("memory", "Package.PackageMapping", "context"));
    ck_assert(!has("metadata", "Package.PackageMapping", "context"));
    ck_assert(has("loading", "Package.PackageMapping", "context"));
}
END_TEST

START_TEST(others)
{
    ck_assert(has("other", "My.Event", NULL));
    ck_assert(!has("memory", "My.Event", NULL));
    ck_assert(has("samples", "PlatformEvent.StackSample", "platform"));
    ck_assert(!has("samples", "PlatformEvent.ContextSwitch", "platform"));
    ck_assert_str_eq(topic("PlatformEvent.ContextSwitch", "platform"), "switches");
    ck_assert_str_eq(topic("PlatformEvent.StackSample", "platform"), "samples");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {memory, others};
    return RUN_TESTS("topics of events", tests);
}
