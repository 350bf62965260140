/*
 * What a running Tracy program sends: a protocol, the flags of its greeting, and its events. Whatever they
 * are, a capture comes of them that can be read.
 */
#include "live/tracy/state/state.h"
#include "live/tracy/tracy_in.h"
#include "packets.h"
#include "rig.h"

enum { BLOCK = 3000 };

static int write_bytes(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    tk_uw_raw(ctx, p, n);
    return ((struct tk_uw_bytes *)ctx)->failed ? tk_err_nomem(err, "a capture") : TK_OK;
}

/* A block at a time, each in memory of its own size; all questions are taken. */
static int feed(struct tk_tl_session *s, struct fuzz_in in, struct tk_err *err)
{
    uint8_t question[TK_TL_QUESTION_BYTES];
    int rc = TK_OK;
    while (in.n && rc == TK_OK) {
        const struct fuzz_in part = fuzz_take(&in, BLOCK);
        uint8_t *block = fuzz_copy(part.p, part.n);
        rc = tk_tl_session_block(s, block, part.n, err);
        while (tk_tl_session_question(s, question))
            fuzz_promise(question[0] <= TK_TL_ASK_DATA_PART, "questions have numbers");
        if (s->failed && tk_tl_session_failure_reported(s))
            s->draining = true;
        free(block);
    }
    return rc;
}

static void save_and_read(struct tk_tl_session *s, size_t size)
{
    static const char *const tables[] = {"timers"};
    struct tk_uw_bytes file = {0};
    struct tk_err err = {0};
    const int rc = tk_tl_save(s->state, write_bytes, &file, &err);
    if (rc == TK_OK)
        fuzz_promise(fuzz_ask(file.data, file.size, size % 16 ? tables : NULL, size % 16 ? 1 : 0,
                              FUZZ_PART(size / 16)),
                     "a recording can be read");
    else
        fuzz_error(rc, &err);
    tk_uw_bytes_release(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct tk_tl_session s;
    struct tk_err err = {0};
    struct tk_tl_welcome w = {.period = 2.0, .base = 1000, .init_end = 1500, .exec_time = 1, .now = 2000};
    const unsigned protocol = tk_tl_protocols[fuzz_u8(&in) % TK_TL_PROTOCOLS];
    const struct tk_tl_options options = {
        .columns = size % 2 ? 2000 : 0, .names = 64 << 20, .want_code = true, .want_sources = true};
    w.flags = fuzz_u8(&in);
    tk_tl_session_begin(&s, protocol, &options);
    fuzz_promise(tk_tl_session_welcome(&s, &w, &err) == TK_OK, "a session begins");
    const int rc = feed(&s, in, &err);
    if (rc != TK_OK)
        fuzz_error(rc, &err);
    save_and_read(&s, size);
    tk_tl_session_end(&s);
    return 0;
}
