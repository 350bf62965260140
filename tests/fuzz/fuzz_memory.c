/*
 * Memory: allocations, tags, heaps, callstacks, contexts.
 * The input is a description of events (declared.h).
 */
#include "declared.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const loggers[] = {"Memory", "LLM", "MetadataStack", "Metadata", "Strings", NULL};
    static const char *const tables[] = {"memory", "allocations",  "callstacks", "llm_values",
                                         "assets", "event_counts", "health"};
    struct tk_uw_bytes file = {0};
    fuzz_declared(&file, data, size, loggers);
    fuzz_ask(file.data, file.size, tables, sizeof tables / sizeof *tables, size % 16 == 0 ? FUZZ_JOBS : 0);
    tk_uw_bytes_release(&file);
    return 0;
}
