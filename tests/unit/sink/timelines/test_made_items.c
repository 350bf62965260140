/* Tests of scopes as steps, and of items that are made apart: the same bytes as by items one after the other,
 * which test_timeline_writer.c compares with bytes by hand. */
#include "run.h"
#include "sink/timelines/played.h"
#include "sink/timelines/timeline_writer.h"

#include <stdlib.h>

enum { TRACKS = 8, NAMES = 4, DEEPEST = 8 };

/* A sink that passes begins and ends on as steps. */
struct stepping {
    struct tk_timeline_sink inner;
    struct tk_made_items *made; /* NULL: the writer makes them itself */
    struct tk_timeline_writer *writer;
    struct tk_scope_kind kinds[NAMES];
    struct tk_str names[NAMES], file;
    bool known[NAMES], reported[NAMES];
    uint32_t open[TRACKS][DEEPEST];
    unsigned depth[TRACKS];
    unsigned apart, themselves; /* items that were made in either way */
};

static void put_steps(struct stepping *s, const struct tk_scope_step *step)
{
    if (!s->made) {
        ck_assert_int_eq(s->inner.steps(s->inner.self, step, 1, NULL), TK_OK);
        return;
    }
    tk_made_items_begin(s->made, s->writer);
    tk_made_items_steps(s->made, step, 1);
    ck_assert_int_eq(tk_made_items_put(s->made, 0, tk_made_items_size(s->made), s->writer, NULL), TK_OK);
}

static void tell_kind(struct stepping *s, struct tk_scope_kind *kind, bool first)
{
    if (s->made) {
        ck_assert_int_eq(tk_made_items_kind(s->made, kind, NULL), TK_OK);
        if (!first)
            return;
    }
    ck_assert_int_eq(s->inner.kind(s->inner.self, kind, first, NULL), TK_OK);
}

static void begin_step(struct stepping *s, const struct tk_item *item)
{
    struct tk_scope_kind *kind = &s->kinds[item->name_id];
    const bool first = !s->reported[item->name_id];
    if (!s->known[item->name_id]) {
        s->names[item->name_id] = *item->name;
        *kind = (struct tk_scope_kind){.name = &s->names[item->name_id],
                                       .name_id = item->name_id,
                                       .line = item->line,
                                       .has_file = item->file != NULL,
                                       .file = item->file ? *item->file : s->file};
        tell_kind(s, kind, first);
    }
    s->known[item->name_id] = s->reported[item->name_id] = true;
    s->open[item->track][s->depth[item->track]++] = item->name_id;
    put_steps(s, &(struct tk_scope_step){item->ns, item->track, kind, false, first});
}

static void end_step(struct stepping *s, const struct tk_item *item)
{
    const uint32_t name = s->open[item->track][--s->depth[item->track]];
    put_steps(s, &(struct tk_scope_step){item->ns, item->track, &s->kinds[name], true, false});
}

static void put_item(struct stepping *s, const struct tk_item *item, struct tk_err *err)
{
    bool made = false;
    if (s->made) {
        tk_made_items_begin(s->made, s->writer);
        made = tk_made_items_item(s->made, item);
        ck_assert_int_eq(tk_made_items_put(s->made, 0, tk_made_items_size(s->made), s->writer, err), TK_OK);
    }
    s->apart += made;
    s->themselves += !made;
    if (!made)
        ck_assert_int_eq(s->inner.items(s->inner.self, item, 1, err), TK_OK);
}

static int step_items(void *self, const struct tk_item *items, size_t n, struct tk_err *err)
{
    struct stepping *s = self;
    for (size_t i = 0; i < n; i++)
        if (items[i].kind == TK_ITEM_BEGIN && items[i].track <= WORKER)
            begin_step(s, &items[i]);
        else if (items[i].kind == TK_ITEM_END && items[i].track <= WORKER)
            end_step(s, &items[i]);
        else
            put_item(s, &items[i], err);
    return TK_OK;
}

static int step_track(void *self, const struct tk_track *track, struct tk_err *err)
{
    struct stepping *s = self;
    return s->inner.track(s->inner.self, track, err);
}

enum { FRAMES = 5, MARKS = 6 };

static void put_other(const struct tk_timeline_sink *sink, struct tk_item item)
{
    ck_assert_int_eq(sink->items(sink->self, &item, 1, NULL), TK_OK);
}

/* The scopes, and before, between and after them all others. Name 2 is first that of a frame, name 3 that of
 * a scope. */
static void play_all(const struct tk_timeline_sink *sink)
{
    static const struct tk_str frame = STR("frame"), scope = STR("s"), mark = STR("mark \xff"),
                               line = STR("flow"), region = STR("region");
    play(sink);
    tell(sink, COUNTER, TK_TRACK_COUNTER, 0, STR("n"));
    tell(sink, FRAMES, TK_TRACK_FRAMES, 1, STR("frames"));
    const struct tk_track marks = {
        .id = MARKS, .kind = TK_TRACK_MARKS, .number = 2, .parent = MAIN, .name = &mark};
    ck_assert_int_eq(sink->track(sink->self, &marks, NULL), TK_OK);
    put_other(sink, (struct tk_item){
                        .kind = TK_ITEM_BEGIN, .track = FRAMES, .ns = 1, .name_id = 2, .name = &frame});
    begin(sink, MAIN, 12000, 2, frame);
    put_other(sink,
              (struct tk_item){
                  .kind = TK_ITEM_COUNTER, .track = COUNTER, .ns = -5, .value = {.kind = TK_INT, .v.i = -7}});
    put_other(sink, (struct tk_item){.kind = TK_ITEM_INSTANT, .track = MARKS, .ns = 12345, .name = &mark});
    put_other(sink, (struct tk_item){.kind = TK_ITEM_END, .track = FRAMES, .ns = 9});
    begin(sink, MAIN, 13000, 3, scope);
    put_other(sink, (struct tk_item){
                        .kind = TK_ITEM_BEGIN, .track = FRAMES, .ns = 9, .name_id = 3, .name = &scope});
    put_other(sink,
              (struct tk_item){.kind = TK_ITEM_FLOW_OUT, .track = MARKS, .ns = 13, .name = &line, .id = 4});
    put_other(sink,
              (struct tk_item){.kind = TK_ITEM_FLOW_IN, .track = MAIN, .ns = 14, .name = &line, .id = 4});
    put_other(sink, (struct tk_item){
                        .kind = TK_ITEM_SPAN_BEGIN, .track = PROCESS, .ns = 3, .name = &region, .id = 1});
    put_other(sink, (struct tk_item){
                        .kind = TK_ITEM_SPAN_END, .track = PROCESS, .ns = 4, .name = &region, .id = 1});
    end(sink, MAIN, 14000);
    end(sink, MAIN, 15000);
    put_other(sink, (struct tk_item){.kind = TK_ITEM_END, .track = FRAMES, .ns = 20});
}

/* Writes it in steps, or with all that can be made apart; what was passed on otherwise is in *s. */
static size_t write_steps(const struct tk_timeline_writer_format *format, bool args, bool apart,
                          struct stepping *s)
{
    struct tk_timeline_writer_options opt = {.path = path, .force = true, .args = args};
    struct tk_made_items made;
    *s = (struct stepping){0};
    s->reported[2] = true; /* by a frame */
    ck_assert_int_eq(tk_timeline_writer_open(&s->writer, format, &opt, NULL), TK_OK);
    ck_assert(tk_timeline_writer_makes_apart(s->writer));
    ck_assert_int_eq(tk_made_items_init(&made, s->writer, NULL), TK_OK);
    s->made = apart ? &made : NULL;
    s->inner = tk_timeline_writer_sink(s->writer);
    const struct tk_timeline_sink sink = {.self = s, .track = step_track, .items = step_items};
    play_all(&sink);
    ck_assert_int_eq(s->inner.finish(s->inner.self, NULL), TK_OK);
    ck_assert_int_eq(tk_timeline_writer_commit(s->writer, NULL), TK_OK);
    tk_made_items_release(&made);
    return take(path);
}

static void same_bytes(const struct tk_timeline_writer_format *format, bool args)
{
    const struct tk_timeline_writer_options opt = {.args = args};
    struct stepping s;
    write_out(format, opt, play_all);
    const size_t n = take(path);
    char *by_items = malloc(n);
    memcpy(by_items, output, n);
    for (unsigned apart = 0; apart < 2; apart++) {
        ck_assert_uint_eq(write_steps(format, args, apart, &s), n);
        ck_assert_mem_eq(output, by_items, n);
        ck_assert_uint_eq(s.apart, apart ? 4 : 0);
        ck_assert_uint_eq(s.themselves, apart ? 6 : 10);
    }
    free(by_items);
}

START_TEST(chrome_is_the_same_in_steps)
{
    same_bytes(&tk_chrome_format, false);
    same_bytes(&tk_chrome_format, true);
    ck_assert_ptr_nonnull(strstr(output, "\"args\":{\"file\":\"a.cpp\",\"line\":7}"));
}
END_TEST

START_TEST(perfetto_is_the_same_in_steps)
{
    same_bytes(&tk_perfetto_format, false);
    same_bytes(&tk_perfetto_format, true);
}
END_TEST

START_TEST(others_come_as_items)
{
    struct tk_timeline_writer_options split = {.path = path, .force = true, .split = 1000, .most_parts = 9};
    struct tk_timeline_writer *v;
    ck_assert_int_eq(tk_timeline_writer_open(&v, &tk_chrome_format, &split, NULL), TK_OK);
    ck_assert(!tk_timeline_writer_makes_apart(v));
    ck_assert_ptr_null(tk_timeline_writer_sink(v).steps);
    tk_timeline_writer_discard(v);
    ck_assert_ptr_null(tk_speedscope_format.steps);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {chrome_is_the_same_in_steps, perfetto_is_the_same_in_steps,
                                  others_come_as_items};
    return RUN_TESTS("made_items", tests);
}
