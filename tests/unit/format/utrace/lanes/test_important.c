/*
 * Framing of tids 0 and 1: slack, empty blobs, cuts at any byte, lost pieces, undeclared uids, wrong sizes
 * (wire 3.6, 9.2).
 */
#include "format/utrace/fed.h"
#include "format/utrace/lanes/lane.h"

static const struct tk_uw_field name_fields[] = {{.name = "Id", .type = TK_UW_U32},
                                                 {.name = "Name", .type = TK_UW_ANSI}};
static const struct tk_uw_field id_fields[] = {{.name = "Id", .type = TK_UW_U32}};
static const uint8_t important_flags = TK_UW_IMPORTANT | TK_UW_NOSYNC;

static const struct tk_uw_type named = {.logger = "Demo",
                                        .event = "Named",
                                        TK_UW_FIELDS(name_fields),
                                        .flags = TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX,
                                        .uid = 300};
static const struct tk_uw_type plain = {
    .logger = "Demo", .event = "Plain", TK_UW_FIELDS(id_fields), .flags = important_flags, .uid = 301};
static const struct tk_uw_type bare = {
    .logger = "Demo", .event = "Bare", .flags = important_flags, .uid = 302};

static void open_stream(struct fed *f, uint8_t protocol)
{
    fed_open(f, protocol, 1);
    fed_declare(f, &named);
    fed_declare(f, &plain);
    fed_declare(f, &bare);
}

static void put_named(struct fed *f, uint32_t id, const char *name)
{
    tk_uw_begin(&f->lane, &named);
    tk_uw_u32(&f->lane.pending, id);
    tk_uw_value(&f->lane, &named, 1, name, strlen(name));
    tk_uw_end(&f->lane, &named);
}

static void put_plain(struct fed *f, uint32_t id)
{
    tk_uw_begin(&f->lane, &plain);
    tk_uw_u32(&f->lane.pending, id);
    tk_uw_end(&f->lane, &plain);
}

static void put_bare(struct fed *f)
{
    tk_uw_begin(&f->lane, &bare);
    tk_uw_end(&f->lane, &bare);
}

typedef int feed_fn(struct tk_ut_decoder *d, struct tk_ut_important *s, const struct tk_ut_payload *payload);

static void feed_piece(struct fed *f, struct tk_ut_important *s, feed_fn *fn, size_t from, size_t to)
{
    uint8_t *copy = malloc(to - from + 1);
    memcpy(copy, f->lane.pending.data + from, to - from);
    struct tk_ut_payload payload = {.p = copy, .n = to - from, .offset = from};
    ck_assert_int_eq(fn(&f->decoder, s, &payload), TK_OK);
    free(copy);
}

/* Feeds the bytes in pieces that end at `cuts` and leaves out those from lost[0] to lost[1]. */
static const char *feed_but(struct fed *f, const size_t *cuts, const size_t *lost, bool truncated)
{
    struct tk_ut_important s = {.lane = {.tid = 1}};
    size_t at = 0, n = f->lane.pending.size;
    clear_lines(&f->reported);
    add_line(&f->reported, "%s", "");
    for (; at < n; at = *cuts ? *cuts++ : n) {
        size_t to = *cuts ? *cuts : n;
        if (lost && at == lost[0]) {
            ck_assert_int_eq(tk_ut_important_break(&f->decoder, &s), TK_OK);
            to = lost[1];
            if (to == n)
                break;
            feed_piece(f, &s, tk_ut_important_feed, to, n);
            break;
        }
        feed_piece(f, &s, tk_ut_important_feed, at, to);
    }
    ck_assert_int_eq(tk_ut_important_finish(&f->decoder, &s, truncated), TK_OK);
    tk_ut_lane_release(&s.lane);
    return f->reported.text;
}

static const char *feed_cut(struct fed *f, const size_t *cuts)
{
    return feed_but(f, cuts, NULL, false);
}

static void check_all_cuts(struct fed *f, const char *expected)
{
    size_t n = f->lane.pending.size;
    check_text(feed_cut(f, (const size_t[]){0}), expected);
    for (size_t a = 1; a < n; a++)
        check_text(feed_cut(f, (const size_t[]){a, 0}), expected);
    for (size_t a = 1; a + 1 < n; a += 3)
        for (size_t b = a + 1; b < n; b += 5)
            check_text(feed_cut(f, (const size_t[]){a, b, 0}), expected);
}

START_TEST(events)
{
    for (uint8_t protocol = 5; protocol <= 7; protocol++) {
        struct fed f;
        open_stream(&f, protocol);
        put_named(&f, 1, "one");
        put_plain(&f, 2);
        put_bare(&f);
        put_named(&f, 3, ""); /* writes a blob of no bytes */
        put_plain(&f, 4);
        check_all_cuts(&f, "Demo.Named Id=1 Name=\"one\"\nDemo.Plain Id=2\nDemo.Bare\nDemo.Named Id=3 "
                           "Name=\"\"\nDemo.Plain Id=4\n");
        ck_assert_uint_eq(f.health.n_items, 0);
        fed_close(&f);
    }
}
END_TEST

/* Space behind the terminal, up to the size; several blobs; none at all. */
START_TEST(by_hand)
{
    struct fed f;
    open_stream(&f, 7);
    FED_RAW(&f, "\x2C\x01\x13\x00\x01\x00\x00\x00\x01\x41\x00\x00hi\x03\x01\x41\x00\x00\x03\x03\x03\x03");
    FED_RAW(&f, "\x2C\x01\x10\x00\x02\x00\x00\x00\x01\x01\x00\x00\x01\x41\x00\x00"
                "ab\x03\xFF");
    FED_RAW(&f, "\x2C\x01\x05\x00\x03\x00\x00\x00\x03");
    FED_RAW(&f, "\x2C\x01\x11\x00\x04\x00\x00\x00\x01\x41\x00\x00xy\x01\x41\x00\x00zw\x03");
    f.lane.pending.data[f.lane.pending.size - 19] = 0x11; /* size 0x11: terminal included */
    check_all_cuts(&f, "Demo.Named Id=1 Name=\"hi\"\nDemo.Named Id=2 Name=\"ab\"\nDemo.Named Id=3 Name=\"\"\n"
                       "Demo.Named Id=4 Name=\"xyzw\"\n");
    ck_assert_uint_eq(f.health.n_items, 0);
    fed_close(&f);
}
END_TEST

/* What is wrong inside an event stays inside. */
START_TEST(damaged_events)
{
    struct fed f;
    open_stream(&f, 7);
    FED_RAW(&f, "\x2C\x01\x0A\x00\x01\x00\x00\x00\x01\x41\x00\x00hi");     /* no terminal */
    FED_RAW(&f, "\x2C\x01\x0A\x00\x02\x00\x00\x00\x01\x01\x01\x00hi");     /* a blob that does not fit */
    FED_RAW(&f, "\x2C\x01\x0B\x00\x03\x00\x00\x00\x01\x41\x00\x00hi\x06"); /* the terminal of threads */
    FED_RAW(&f, "\x2C\x01\x03\x00\x04\x00\x00");                           /* shorter than its fixed part */
    FED_RAW(&f, "\x2D\x01\x06\x00\x05\x00\x00\x00\xEE\xEE");               /* longer */
    FED_RAW(&f, "\x20\x03\x02\x00??");                                     /* uid 800 */
    put_plain(&f, 6);
    check_text(feed_cut(&f, (const size_t[]){0}),
               "Demo.Named Id=1 Name=\"hi\" incomplete\nDemo.Named Id=2 Name=\"\" incomplete\n"
               "Demo.Named Id=3 Name=\"hi\" incomplete\nDemo.Plain Id=5\nDemo.Plain Id=6\n");
    ck_assert_uint_eq(f.health.counts[TK_HEALTH_EVENT_DAMAGED], 4);
    ck_assert_uint_eq(f.health.counts[TK_HEALTH_TYPE_UNDECLARED], 1);
    fed_close(&f);
}
END_TEST

static void put_many(struct fed *f, struct lines *l, uint32_t from, uint32_t to)
{
    static const char *const names[] = {"", "a", "some name", "a much longer name than the others have"};
    for (uint32_t i = from; i < to; i++) {
        if (i % 3) {
            put_named(f, i, names[i % 4]);
            add_line(l, "Demo.Named Id=%u Name=\"%s\"\n", i, names[i % 4]);
        } else {
            put_plain(f, i);
            add_line(l, "Demo.Plain Id=%u\n", i);
        }
    }
}

/* Their sizes lead into others. */
START_TEST(wrong_sizes)
{
    struct fed f;
    open_stream(&f, 7);
    put_plain(&f, 1);
    FED_RAW(&f, "\x2C\x01\x16\x00\x02\x00\x00\x00\x01\x41\x00\x00hi\x03"); /* 22 of 11 bytes */
    put_plain(&f, 3);
    put_plain(&f, 4);
    put_plain(&f, 5);
    FED_RAW(&f, "\x2D\x01\x05\x00\x06\x00\x00\x00"); /* 5 of 4 */
    put_named(&f, 7, "seven");
    put_plain(&f, 8);
    put_plain(&f, 9);
    check_text(feed_cut(&f, (const size_t[]){0}),
               "Demo.Plain Id=1\nDemo.Named Id=2 Name=\"hi\"\nDemo.Plain Id=3\nDemo.Plain Id=4\n"
               "Demo.Plain Id=5\nDemo.Plain Id=6\nDemo.Named Id=7 Name=\"seven\"\nDemo.Plain "
               "Id=8\nDemo.Plain Id=9\n");
    ck_assert_uint_eq(f.health.counts[TK_HEALTH_EVENT_DAMAGED], 2);
    fed_close(&f);
}
END_TEST

/* Is every line of `reported` among those of `all`, in order? */
static bool only_from(const char *reported, const char *all)
{
    while (*reported) {
        size_t n = strcspn(reported, "\n") + 1;
        while (*all && strncmp(all, reported, n) != 0)
            all += strcspn(all, "\n") + 1;
        if (!*all)
            return false;
        all += n;
        reported += n;
    }
    return true;
}

static size_t lines_in(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* A lost piece at every place, of many lengths: no false event, and no more lost than what the piece touched.
 */
START_TEST(lost_piece)
{
    static const size_t lengths[] = {1, 2, 3, 4, 5, 7, 11, 16, 29, 64, 100};
    struct fed f;
    struct lines all = {0};
    open_stream(&f, 7);
    put_many(&f, &all, 1000, 1030);
    size_t n = f.lane.pending.size, longest = 4 + 4 + 4 + 40 + 1;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        for (size_t at = 1; at + lengths[k] <= n; at++) {
            size_t lost[] = {at, at + lengths[k]};
            const char *reported = feed_but(&f, (const size_t[]){at, 0}, lost, false);
            ck_assert_msg(only_from(reported, all.text), "%zu bytes at %zu: %s", lengths[k], at, reported);
            size_t most = (lengths[k] + 2 * longest) / 8 + 1;
            ck_assert_msg(lines_in(reported) + most >= 30, "%zu bytes at %zu: %zu events", lengths[k], at,
                          lines_in(reported));
        }
    }
    release_lines(&all);
    fed_close(&f);
}
END_TEST

/* Wire 9.2: pieces of 1024 bytes, each left out in turn; the loss is about what the piece held. */
START_TEST(lost_kilobyte)
{
    struct fed f;
    struct lines all = {0};
    open_stream(&f, 7);
    put_many(&f, &all, 0, 400);
    size_t n = f.lane.pending.size;
    for (size_t at = 1024; at < n; at += 1024) {
        size_t lost[] = {at, at + 1024 < n ? at + 1024 : n};
        const char *reported = feed_but(&f, (const size_t[]){at, 0}, lost, false);
        ck_assert(only_from(reported, all.text));
        ck_assert_uint_ge(lines_in(reported), 400 - 1024 / 8 - 8);
        ck_assert_uint_lt(lines_in(reported), 400);
    }
    release_lines(&all);
    fed_close(&f);
}
END_TEST

/* Bytes inside a value that look like one event, or two, prove nothing. */
START_TEST(look_alikes)
{
    static const uint8_t alike[] = {0x2D, 0x01, 4, 0, 9, 9, 9, 9, 0x2E, 0x01, 0, 0};
    struct fed f;
    struct lines expected = {0};
    open_stream(&f, 7);
    put_many(&f, &expected, 1, 3);
    size_t at = f.lane.pending.size;
    tk_uw_begin(&f.lane, &named);
    tk_uw_u32(&f.lane.pending, 5);
    tk_uw_u32(&f.lane.pending, (uint32_t)(sizeof alike + 20) << 13 | 1 << 8 | 1);
    tk_uw_raw(&f.lane.pending, alike, sizeof alike);
    tk_uw_raw(&f.lane.pending, "....................", 20);
    tk_uw_end(&f.lane, &named);
    put_many(&f, &expected, 10, 14);
    size_t lost[] = {at, at + 3};
    check_text(feed_but(&f, (const size_t[]){at, 0}, lost, false), expected.text);
    release_lines(&expected);
    fed_close(&f);
}
END_TEST

/* Events behind the lost piece come as soon as three prove the place, or at the end. */
START_TEST(few_after_a_break)
{
    for (unsigned after = 0; after < 5; after++) {
        struct fed f;
        struct lines expected = {0};
        open_stream(&f, 7);
        put_many(&f, &expected, 1, 3);
        size_t at = f.lane.pending.size;
        FED_RAW(&f, "\x2C\x01\x09");
        put_many(&f, &expected, 3, 3 + after);
        size_t lost[] = {at, at + 2};
        check_text(feed_but(&f, (const size_t[]){at, 0}, lost, false), expected.text);
        release_lines(&expected);
        fed_close(&f);
    }
}
END_TEST

/* A piece that is missing without a trace: an event swallows others; at the end of the stream they are found
 * inside. */
START_TEST(swallowed)
{
    struct fed f;
    struct lines expected = {0};
    open_stream(&f, 7);
    put_many(&f, &expected, 1, 3);
    FED_RAW(&f, "\x2C\x01\xFF\x7F\x01\x00\x00\x00");
    put_many(&f, &expected, 3, 9);
    check_text(feed_cut(&f, (const size_t[]){0}), expected.text);
    ck_assert(tk_health_damaged(&f.health));
    release_lines(&expected);
    fed_close(&f);
}
END_TEST

/* A stream cut at every byte because the file is: whole events before, nothing else, no damage. */
START_TEST(truncated)
{
    struct fed f;
    struct lines all = {0};
    open_stream(&f, 7);
    put_many(&f, &all, 1000, 1006);
    FED_RAW(&f, "\x2C\x01\x15\x00\x2E\x01\x00\x00\x01\x81\x01\x00\x2E\x01\x00\x00\x2E\x01\x00\x00\x2E\x01\x00"
                "\x00\x03");
    size_t n = f.lane.pending.size;
    for (size_t cut = n; cut > 0; cut--) {
        f.lane.pending.size = cut;
        const char *reported = feed_but(&f, (const size_t[]){0}, NULL, true);
        ck_assert_msg(cut == n || strncmp(reported, all.text, strlen(reported)) == 0, "%zu: %s", cut,
                      reported);
        ck_assert(!tk_health_damaged(&f.health));
    }
    release_lines(&all);
    fed_close(&f);
}
END_TEST

/* ---- declarations ---- */

static void put_declaration(struct fed *f, uint16_t uid)
{
    static const struct tk_uw_type type = {
        .logger = "Demo", .event = "New", TK_UW_FIELDS(id_fields), .flags = 4};
    struct tk_uw_type t = type;
    t.uid = uid;
    tk_uw_declare(&f->lane, &t);
}

static size_t declared(const struct fed *f, uint16_t from, uint16_t to)
{
    size_t n = 0;
    for (uint16_t uid = from; uid < to; uid++)
        n += tk_ut_schema_find(&f->schema, uid, UINT64_MAX) != NULL;
    return n;
}

static void feed_declarations(struct fed *f, size_t first, size_t second)
{
    struct tk_ut_important s = {.lane = {.tid = 0}};
    size_t n = f->lane.pending.size;
    feed_piece(f, &s, tk_ut_declarations_feed, 0, first);
    if (second != first)
        ck_assert_int_eq(tk_ut_important_break(&f->decoder, &s), TK_OK);
    if (second < n)
        feed_piece(f, &s, tk_ut_declarations_feed, second, n);
    ck_assert_int_eq(tk_ut_important_finish(&f->decoder, &s, false), TK_OK);
    tk_ut_lane_release(&s.lane);
}

START_TEST(declarations_cut)
{
    size_t n = 2;
    for (size_t cut = 1; cut < n; cut++) {
        struct fed f;
        fed_open(&f, 7, 0);
        for (uint16_t uid = 16; uid < 20; uid++)
            put_declaration(&f, uid);
        n = f.lane.pending.size;
        feed_declarations(&f, cut, cut);
        ck_assert_uint_eq(declared(&f, 16, 20), 4);
        ck_assert_uint_eq(f.health.n_items, 0);
        /* each holds from the piece it begins in */
        ck_assert_uint_eq(tk_ut_schema_find(&f.schema, 19, UINT64_MAX)->from, n / 4 * 3 < cut ? 0 : cut);
        fed_close(&f);
    }
}
END_TEST

/* Another uid than 0 is no declaration; the one behind it is taken. */
START_TEST(no_declaration)
{
    struct fed f;
    fed_open(&f, 7, 0);
    put_declaration(&f, 16);
    FED_RAW(&f, "\x05\x00\x03\x00???");
    put_declaration(&f, 17);
    feed_declarations(&f, f.lane.pending.size, f.lane.pending.size);
    ck_assert_uint_eq(declared(&f, 16, 18), 2);
    ck_assert_uint_eq(f.health.counts[TK_HEALTH_DECLARATION_DAMAGED], 1);
    fed_close(&f);
}
END_TEST

/* After a break packets begin with a record (wire 9.2). */
START_TEST(declarations_lost)
{
    struct fed f;
    fed_open(&f, 7, 0);
    for (uint16_t uid = 16; uid < 24; uid++)
        put_declaration(&f, uid);
    size_t each = f.lane.pending.size / 8;
    feed_declarations(&f, 2 * each + 7, 5 * each);
    ck_assert_uint_eq(declared(&f, 16, 24), 5);
    ck_assert_ptr_null(tk_ut_schema_find(&f.schema, 18, 0));
    fed_close(&f);
}
END_TEST

/* A size that is wrong swallows no others. */
START_TEST(declarations_swallowed)
{
    struct fed f;
    fed_open(&f, 7, 0);
    for (uint16_t uid = 16; uid < 24; uid++)
        put_declaration(&f, uid);
    size_t each = f.lane.pending.size / 8;
    f.lane.pending.data[3 * each + 3] = 0x7F;
    feed_declarations(&f, f.lane.pending.size, f.lane.pending.size);
    ck_assert_uint_eq(declared(&f, 16, 24), 8);
    ck_assert(tk_health_damaged(&f.health));
    fed_close(&f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {events,
                                  by_hand,
                                  damaged_events,
                                  wrong_sizes,
                                  lost_piece,
                                  lost_kilobyte,
                                  look_alikes,
                                  few_after_a_break,
                                  swallowed,
                                  truncated,
                                  declarations_cut,
                                  no_declaration,
                                  declarations_lost,
                                  declarations_swallowed};
    return RUN_TESTS("utrace important", tests);
}
