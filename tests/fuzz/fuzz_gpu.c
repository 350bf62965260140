/*
 * GPU: queues, work, labels, fences, and the frames of older captures.
 * The input is a description of events (declared.h).
 */
#include "declared.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const loggers[] = {"GpuProfiler", "Misc", NULL};
    static const char *const tables[] = {"gpu_queues", "gpu_scopes", "gpu_frames",  "gpu_fences",
                                         "gpu_labels", "timers",     "event_counts"};
    struct tk_uw_bytes file = {0};
    fuzz_declared(&file, data, size, loggers);
    fuzz_ask(file.data, file.size, tables, sizeof tables / sizeof *tables, size % 16 == 0 ? FUZZ_JOBS : 0);
    tk_uw_bytes_release(&file);
    return 0;
}
