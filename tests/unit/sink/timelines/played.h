/* A small timeline by hand for tests of timeline formats, and the file that they make of it. */
#ifndef TK_TESTS_SINK_TIMELINES_PLAYED_H
#define TK_TESTS_SINK_TIMELINES_PLAYED_H

#include "sink/timelines/timeline_writer.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STR(text) ((struct tk_str){.p = (text), .n = sizeof(text) - 1})

enum { PROCESS = 1, MAIN = 2, WORKER = 3, COUNTER = 4 };

static char path[64];
static char output[1 << 16];

static void tell(const struct tk_timeline_sink *sink, uint64_t id, uint8_t kind, uint64_t number,
                 struct tk_str name)
{
    const struct tk_track track = {.id = id, .kind = kind, .number = number, .name = &name};
    ck_assert_int_eq(sink->track(sink->self, &track, NULL), TK_OK);
}

static void begin(const struct tk_timeline_sink *sink, uint64_t track, int64_t ns, uint32_t id,
                  struct tk_str name)
{
    const struct tk_str file = STR("a.cpp");
    const struct tk_item item = {.kind = TK_ITEM_BEGIN,
                                 .track = track,
                                 .ns = ns,
                                 .name_id = id,
                                 .name = &name,
                                 .file = &file,
                                 .line = 7};
    ck_assert_int_eq(sink->items(sink->self, &item, 1, NULL), TK_OK);
}

static void end(const struct tk_timeline_sink *sink, uint64_t track, int64_t ns)
{
    const struct tk_item item = {.kind = TK_ITEM_END, .track = track, .ns = ns};
    ck_assert_int_eq(sink->items(sink->self, &item, 1, NULL), TK_OK);
}

/* main: a [1, 11) with b;"q" [2, 5) and b;"q" [5, 5); worker: a [3, 4), and one that never ends */
static void play(const struct tk_timeline_sink *sink)
{
    const struct tk_str a = STR("a"), b = STR("b;\"q\"");
    tell(sink, PROCESS, TK_TRACK_PROCESS, 0, STR("Capture"));
    tell(sink, MAIN, TK_TRACK_THREAD, 2, STR("Main"));
    begin(sink, MAIN, 1000, 0, a);
    begin(sink, MAIN, 2000, 1, b);
    tell(sink, WORKER, TK_TRACK_THREAD, 9, STR("Worker"));
    begin(sink, WORKER, 3000, 0, a);
    end(sink, WORKER, 4000);
    end(sink, MAIN, 5000);
    begin(sink, MAIN, 5000, 1, b);
    end(sink, MAIN, 5000);
    begin(sink, WORKER, 6001, 1, b);
    end(sink, MAIN, 11000);
}

typedef void play_fn(const struct tk_timeline_sink *sink);

static void write_out(const struct tk_timeline_writer_format *format, struct tk_timeline_writer_options opt,
                      play_fn *plays)
{
    struct tk_timeline_writer *v;
    snprintf(path, sizeof path, "/tmp/tk-viewer-%ld", (long)getpid());
    opt.path = path;
    opt.force = true;
    ck_assert_int_eq(tk_timeline_writer_open(&v, format, &opt, NULL), TK_OK);
    const struct tk_timeline_sink sink = tk_timeline_writer_sink(v);
    plays(&sink);
    ck_assert_int_eq(sink.finish(sink.self, NULL), TK_OK);
    ck_assert_int_eq(tk_timeline_writer_commit(v, NULL), TK_OK);
}

/* Reads and removes a file: bytes of `output`, with NUL behind. */
static size_t take(const char *from)
{
    FILE *file = fopen(from, "rb");
    ck_assert_ptr_nonnull(file);
    size_t n = fread(output, 1, sizeof output - 1, file);
    output[n] = 0;
    fclose(file);
    remove(from);
    return n;
}

#endif
