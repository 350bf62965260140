/* Screenshots of a .utrace in a page: files as they were recorded, and what is no picture is said. */
#include "../api/put.h"
#include "tracekit/pages.h"
#include "tracekit/sinks.h"

#include <stdlib.h>

#define T(time) Q(1000 + (time))

static char page[1 << 20];

/* The page of a capture, as a text. */
static void make_page(const struct captured *c, bool no_pictures)
{
    struct tk_page_options options = {.size = sizeof options, .no_pictures = no_pictures};
    struct tk_page *made = NULL;
    struct tk_trace *trace = NULL;
    struct tk_output *out = NULL;
    struct tk_err err = {0};
    char path[80];
    snprintf(path, sizeof path, "%s.html", c->path);
    ck_assert_int_eq(tk_open(&trace, c->path, NULL, &err), TK_OK);
    ck_assert_int_eq(tk_page_new(&made, &options, &err), TK_OK);
    ck_assert_int_eq(tk_page_add(made, trace, NULL, c->path, &err), TK_OK);
    ck_assert_int_eq(tk_output_open(&out, path, true, &err), TK_OK);
    ck_assert_int_eq(tk_page_write(made, out, &err), TK_OK);
    ck_assert_int_eq(tk_output_commit(out, &err), TK_OK);
    tk_page_free(made);
    tk_close(trace);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    unlink(path);
}

static size_t count(const char *what)
{
    size_t n = 0;
    for (const char *p = page; (p = strstr(p, what)); p++)
        n++;
    return n;
}

START_TEST(test_page)
{
    /* A file that is small enough is not looked into: its beginning is what counts. */
    static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1", jpg[] = "\xff\xd8\xff\xe0",
                      none[] = "<svg onload='x'>";
    struct captured *c = captured_new(7);
    struct put_type *header = put_new(c, "Misc.ScreenshotHeader",
                                      "Id:i Name:w Cycle:q Width:i Height:i TotalChunkNum:i Size:i", 0),
                    *chunk = put_new(c, "Misc.ScreenshotChunk", "Id:i ChunkNum:i Size:h Data:B", 0),
                    *begin = put_new(c, "Misc.BeginFrame", "Cycle:q FrameType:b", 0),
                    *end = put_new(c, "Misc.EndFrame", "Cycle:q FrameType:b", 0);
    for (uint64_t frame = 0; frame < 3; frame++) {
        put(c, 0, begin, T(10 * frame), Q(0));
        put(c, 0, end, T(10 * frame + 10), Q(0));
    }
    put(c, 0, header, Q(1), "a<b>", T(5), Q(1), Q(1), Q(1), Q(sizeof png - 1));
    put(c, 0, chunk, Q(1), Q(0), Q(sizeof png - 1), png, sizeof png - 1);
    put(c, 0, header, Q(2), "b", T(12), Q(1), Q(1), Q(1), Q(sizeof jpg - 1));
    put(c, 0, chunk, Q(2), Q(0), Q(sizeof jpg - 1), jpg, sizeof jpg - 1);
    put(c, 0, header, Q(3), "c", T(29), Q(1), Q(1), Q(1), Q(sizeof none - 1));
    put(c, 0, chunk, Q(3), Q(0), Q(sizeof none - 1), none, sizeof none - 1);
    captured_close(c);
    make_page(c, false);
    ck_assert_uint_eq(count("<img"), 2);
    ck_assert_uint_eq(count("<img alt=\"Recorded picture of frame 0\" src=\"data:image/png;base64,"
                            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB\">"),
                      1);
    ck_assert_uint_eq(
        count("<img alt=\"Recorded picture of frame 1\" src=\"data:image/jpeg;base64,/9j/4A==\">"), 1);
    ck_assert_uint_eq(count("2 of 3 recorded pictures"), 1);
    ck_assert_uint_eq(count("1 that would be here cannot be shown or is too large"), 1);
    ck_assert_uint_eq(count("PHN2Zy"), 0);
    make_page(c, true);
    ck_assert_uint_eq(count("<img"), 0);
    ck_assert_uint_eq(count("Recorded picture"), 0);
    captured_free(c);
    free(header);
    free(chunk);
    free(begin);
    free(end);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_page};
    return RUN_TESTS("screenshots", tests);
}
