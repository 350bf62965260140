/*
 * Whole .tracy files: magic, streams, blocks as they stand in the file.
 */
#include "rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const tables[] = {"streams", "event_counts", "timers", "ledger"};
    fuzz_ask(data, size, tables, sizeof tables / sizeof *tables,
             size % 16 == 0 ? FUZZ_JOBS | FUZZ_STRICT : 0);
    return 0;
}
