/*
 * Edits of what the blocks of a .tracy file unpack to: the result can be opened and read, no zone of it has a
 * time that cannot be, no text is left that was replaced, and editing it once more gives the same.
 */
#include "api/trace.h"
#include "edit/tracy/edit_tracy.h"
#include "edited.h"
#include "rig.h"

#include <string.h>

static int collect(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    tk_uw_raw(ctx, p, n);
    return ((struct tk_uw_bytes *)ctx)->failed ? tk_err_nomem(err, "a result") : TK_OK;
}

/* Edits what can be opened; the result is in `out`. False: there is none. */
static bool edit(const struct tk_uw_bytes *file, const struct tk_edit_tracy_request *requested,
                 uint32_t classes, struct tk_uw_bytes *out)
{
    struct tk_edit_tracy_request request = *requested;
    struct tk_trace *trace = NULL, *result = NULL;
    struct tk_edit_tracy e = {0};
    struct tk_anon anon = {.classes = classes};
    struct tk_err err = {0};
    tk_hmac_key(&anon.key, "key", 3);
    request.anon = classes ? &anon : NULL;
    int rc = tk_open_memory(&trace, file->data, file->size, NULL, &err);
    if (rc == TK_OK)
        rc = tk_edit_tracy_plan(&e, (struct tk_tracy_capture *)trace->capture, &request, &err);
    if (rc == TK_OK)
        rc = tk_edit_tracy_write(&e, collect, out, &err);
    if (rc == TK_OK && classes) {
        fuzz_promise(tk_open_memory(&result, out->data, out->size, NULL, &err) == TK_OK, "the result opens");
        fuzz_promise(tk_tracy_texts_inspect(&e.texts, (struct tk_tracy_capture *)result->capture, &err) ==
                         TK_OK,
                     "no text is left");
        tk_close(result);
    }
    tk_edit_tracy_release(&e);
    tk_anon_release(&anon);
    tk_close(trace);
    return rc == TK_OK;
}

static void check(const struct tk_uw_bytes *out)
{
    struct tk_trace *trace = NULL;
    struct tk_err err = {0};
    fuzz_promise(tk_open_memory(&trace, out->data, out->size, NULL, &err) == TK_OK, "the result opens");
    fuzz_check_tracy(trace);
    tk_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const drop[] = {"messages", "samples", "memory"};
    const unsigned sum = size ? data[size / 2] + (unsigned)size : 0;
    struct tk_edit_tracy_request request = {.drop = drop, .n_drop = sum % 4};
    struct tk_uw_bytes file = {0}, out = {0}, again = {0};
    uint32_t classes = 0;
    request.window = (struct tk_tracy_window){INT64_MIN, INT64_MAX, false};
    if (sum % 3 != 1)
        request.window =
            (struct tk_tracy_window){(int64_t)(sum % 64) * 1000, INT64_C(4096) << sum % 40, true};
    if (sum % 5 == 2)
        (void)tk_anon_classes_read(&classes, sum % 2 ? "all" : "", NULL);
    fuzz_put_in_blocks(&file, data, size);
    if (edit(&file, &request, classes, &out)) {
        check(&out);
        fuzz_promise(edit(&out, &request, classes, &again), "the result can be edited");
        check(&again);
    }
    tk_uw_bytes_release(&file);
    tk_uw_bytes_release(&out);
    tk_uw_bytes_release(&again);
    return 0;
}
