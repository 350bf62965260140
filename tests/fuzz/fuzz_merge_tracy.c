/*
 * Merges of what the blocks of a .tracy file unpack to with itself, or with a part of it: the result can be
 * opened and read, no zone of it has a time that cannot be, and it can become one with a capture again.
 */
#include "api/trace.h"
#include "edited.h"
#include "rig.h"

#include <stdlib.h>
#include <string.h>

/* Both as one, in a file that the next merge replaces; *path names it. False: they do not become one. */
static bool merge(struct tk_trace *const *traces, enum tk_merge_times times, const char **path)
{
    struct tk_edit_options options = TK_INIT(struct tk_edit_options);
    struct tk_err err = {0};
    options.path = *path = fuzz_path("", 0);
    options.force = true;
    const int rc = tk_edit_merge(traces, 2, times, &options, &err);
    if (rc != TK_OK && rc != TK_ENOMEM)
        fuzz_error(rc, &err);
    return rc == TK_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned sum = size ? data[size / 2] + (unsigned)size : 0;
    const enum tk_merge_times times = sum % 2 ? TK_MERGE_KEEP : TK_MERGE_CLOCK;
    struct tk_uw_bytes files[2] = {{0}};
    struct tk_trace *traces[2] = {NULL}, *result = NULL;
    struct tk_err err = {0};
    const char *path;
    fuzz_put_in_blocks(&files[0], data, size);
    fuzz_put_in_blocks(&files[1], data, sum % 3 ? size : size - size / 4);
    bool goes = true;
    for (size_t i = 0; i < 2 && goes; i++)
        goes = tk_open_memory(&traces[i], files[i].data, files[i].size, NULL, &err) == TK_OK;
    if (goes && merge(traces, times, &path)) {
        fuzz_promise(tk_open(&result, path, NULL, &err) == TK_OK, "the result opens");
        fuzz_check_tracy(result);
        tk_close(result);
    }
    for (size_t i = 0; i < 2; i++) {
        tk_close(traces[i]);
        tk_uw_bytes_release(&files[i]);
    }
    return 0;
}
