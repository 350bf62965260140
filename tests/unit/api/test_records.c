/* Families that say rows: screenshots, cooking, HTTP, the I/O store, Verse samples; and which events are
 * understood. Expectations are worked out by hand from events 3.5, 8.4 to 8.6 and 8.8. */
#include "put.h"

#define T(time) Q(1000 + (time))

/* ---- screenshots ---- */

struct shots {
    struct captured *c;
    struct put_type *header, *chunk;
};

static struct shots shots_new(void)
{
    struct shots s = {.c = captured_new(7)};
    s.header = put_new(s.c, "Misc.ScreenshotHeader",
                       "Id:i Name:w Cycle:q Width:i Height:i TotalChunkNum:i Size:i", 0);
    s.chunk = put_new(s.c, "Misc.ScreenshotChunk", "Id:i ChunkNum:i Size:h Data:B", 0);
    return s;
}

static void shots_free(struct shots *s)
{
    captured_free(s->c);
    free(s->header);
    free(s->chunk);
}

/* FNV-1a of "foobar" with 64 bits is 0x85944171f73967e8, as its authors publish it. */
START_TEST(chunks_come_in_any_order)
{
    struct shots s = shots_new();
    put(s.c, 0, s.header, Q(4), "One.png", T(5), Q(640), Q(480), Q(3), Q(6));
    put(s.c, 0, s.chunk, Q(4), Q(2), Q(1), "r", (size_t)1);
    put(s.c, 1, s.chunk, Q(4), Q(0), Q(3), "foo", (size_t)3);
    put(s.c, 1, s.chunk, Q(4), Q(0), Q(3), "xxx", (size_t)3); /* again */
    put(s.c, 1, s.chunk, Q(9), Q(0), Q(1), "x", (size_t)1);   /* no header */
    put(s.c, 0, s.chunk, Q(4), Q(1), Q(2), "ba", (size_t)2);
    put(s.c, 0, s.header, Q(4), "Two", T(6), Q(1), Q(2), Q(2), Q(2)); /* the number again */
    put(s.c, 0, s.chunk, Q(4), Q(1), Q(1), "y", (size_t)1);
    put(s.c, 0, s.header, Q(4), "Three", T(7), Q(1), Q(2), Q(UINT32_MAX), Q(UINT32_MAX));
    put(s.c, 0, s.chunk, Q(4), Q(1), Q(1), "", (size_t)0);
    put(s.c, 0, s.header, Q(5), "Four", T(8), Q(1), Q(2), Q(1), Q(1));
    put(s.c, 0, s.chunk, Q(5), Q(0), Q(9), "toolong!!", (size_t)9); /* more than was announced */
    captured_close(s.c);
    ck_assert_str_eq(
        captured_table(s.c, "screenshots",
                       "screenshot_id,name,time,width,height,bytes,chunks,chunks_total,complete,hash"),
        "4|One.png|1005|640|480|6|3|3|1|-8821353812377114648\n"
        "4|Two|1006|1|2|2|1|2|0|\n"
        "4|Three|1007|1|2|4294967295|1|4294967295|0|\n"
        "5|Four|1008|1|2|1|0|1|0|\n");
    ck_assert_uint_eq(captured_faults(s.c, "screenshots", "definition_missing"), 1);
    ck_assert_uint_eq(captured_faults(s.c, "screenshots", "payload_damaged"), 1);
    shots_free(&s);
}
END_TEST

/* ---- cooking ---- */

#define COOK "package_id,package,class,step,count,sum,incl,excl,time"

START_TEST(cooking)
{
    struct captured *c = captured_new(7);
    struct put_type *package = put_new(c, "CookTrace.Package", "Id:q Name:w Cycle:q", 0);
    struct put_type *class = put_new(c, "CookTrace.PackageAssetClass", "Id:q ClassName:w", 0);
    struct put_type *stat = put_new(c, "CookTrace.PackageStat", "Id:q Duration:k StatType:b", 0);
    struct put_type *begin = put_new(c, "CookTrace.PackageStatBeginScope", "Id:q Time:q StatType:b", 0);
    struct put_type *end = put_new(c, "CookTrace.PackageStatEndScope", "Id:q Time:q StatType:b", 0);
    put(c, 0, stat, Q(1), Q(5), Q(0)); /* before its name */
    put(c, 0, package, Q(1), "/Game/A", T(3));
    put(c, 0, class, Q(1), "World");
    put(c, 0, stat, Q(1), Q(6), Q(0));
    put(c, 0, stat, Q(1), Q(5), Q(1)); /* saving is set, not added */
    put(c, 0, stat, Q(1), Q(7), Q(1));
    put(c, 0, begin, Q(1), T(10), Q(2));
    put(c, 0, begin, Q(2), T(12), Q(3));
    put(c, 0, begin, Q(1), T(13), Q(2)); /* inside itself: counts in full once more */
    put(c, 1, end, Q(1), T(14), Q(2));   /* of another thread */
    put(c, 0, end, Q(1), T(15), Q(2));
    put(c, 0, end, Q(2), T(19), Q(3));
    put(c, 0, end, Q(1), T(30), Q(2));
    put(c, 0, begin, Q(1), T(40), Q(2));
    put(c, 0, begin, Q(2), T(41), Q(9)); /* loses its end */
    put(c, 0, end, Q(1), T(39), Q(2));   /* before its begin */
    put(c, 0, begin, Q(2), T(50), Q(9)); /* never ends */
    put(c, 0, package, Q(3), "/Game/C", T(60));
    captured_close(c);
    /* begin_cache of 1: 2 + 20 + 0; own: 2 + (20 - 7). is_cached of 2: 7, own 7 - 2 */
    ck_assert_str_eq(captured_table(c, "cook", COOK), "1|/Game/A|World|load|2|11|||1003\n"
                                                      "1|/Game/A|World|save|2|7|||1003\n"
                                                      "1|/Game/A|World|begin_cache|3||22|15|1003\n"
                                                      "2|||is_cached|1||7|5|\n"
                                                      "3|/Game/C|||||||1060\n");
    ck_assert_uint_eq(captured_faults(c, "cook", "scope_end_unmatched"), 1);
    ck_assert_uint_eq(captured_faults(c, "cook", "scope_open"), 2);
    ck_assert_uint_eq(captured_faults(c, "cook", "time_backwards"), 1);
    captured_free(c);
    free(package);
    free(class);
    free(stat);
    free(begin);
    free(end);
}
END_TEST

/* ---- HTTP ---- */

START_TEST(http_requests)
{
    struct captured *c = captured_new(7);
    struct put_type *category =
        put_new(c, "Http.CategoryCreated", "Category:q Name:w", TK_UW_IMPORTANT | TK_UW_NOSYNC);
    struct put_type *begin = put_new(c, "Http.RequestStarted",
                                     "Dispatcher:q Request:q StartTime:q Priority:j Category:q Url:s", 0);
    struct put_type *end = put_new(c, "Http.RequestCompleted",
                                   "Request:q CompletionTime:q StatusCode:i ContentLength:q Host:s", 0);
    tk_uw_begin(&c->uw.important, &category->type); /* on the important stream */
    tk_uw_u64(&c->uw.important.pending, 3);
    tk_uw_value(&c->uw.important, &category->type, 1, "D\0D\0C\0", 6);
    tk_uw_end(&c->uw.important, &category->type);
    captured_send(c);
    put(c, 0, begin, Q(0), Q(1), T(10), Q((uint32_t)-2), Q(3), "/a");
    put(c, 1, end, Q(1), T(25), Q(200), Q(512), "cdn");
    put(c, 0, begin, Q(0), Q(1), T(30), Q(0), Q(0), "/b"); /* the key again */
    put(c, 0, begin, Q(0), Q(1), T(40), Q(0), Q(0), "/c"); /* before it ended */
    put(c, 0, end, Q(7), T(50), Q(404), Q(0), "cdn");      /* began before the recording */
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "http", "request_id,start,end,dur,status,bytes,host,url,priority,category"),
        "1|1010|1025|15|200|512|cdn|/a|-2|DDC\n"
        "1|1030||||||/b|0|\n"
        "7||1050||404|0|cdn|||\n"
        "1|1040||||||/c|0|\n");
    captured_free(c);
    free(category);
    free(begin);
    free(end);
}
END_TEST

/* Ranges of a request that runs, of one that is over, and of one from before the recording. */
START_TEST(http_ranges)
{
    struct captured *c = captured_new(7);
    struct put_type *begin = put_new(c, "Http.RequestStarted", "Request:q StartTime:q Url:s", 0);
    struct put_type *range = put_new(c, "Http.ChunkRangeAdded", "Request:q Offset:i Chunk:s", 0);
    struct put_type *timed = put_new(c, "Http.Other", "Request:q", 0);
    struct put_type *end = put_new(c, "Http.RequestCompleted", "Request:q CompletionTime:q Host:s", 0);
    put(c, 0, begin, Q(1), T(10), "/a");
    put(c, 0, range, Q(1), Q(7), "x");
    put(c, 1, range, Q(1), Q(8), "");
    put(c, 0, timed, Q(1));
    put(c, 0, end, Q(1), T(20), "cdn");
    put(c, 0, range, Q(1), Q(9), "y");
    put(c, 0, begin, Q(2), T(30), "/b");
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "http_ranges", "request_id,url,fields,time,thread_id"),
                     "1|/a|{Request=1 Offset=7 Chunk=x}||2\n"
                     "1|/a|{Request=1 Offset=8 Chunk=}||3\n"
                     "1||{Request=1 Offset=9 Chunk=y}||2\n");
    ck_assert_str_eq(captured_table(c, "http", "request_id,url,ranges"), "1|/a|2\n2|/b|0\n");
    ck_assert_str_eq(captured_table(c, "coverage", "event,family"),
                     "Http.ChunkRangeAdded|http\nHttp.RequestCompleted|http\nHttp.RequestStarted|http\n"
                     "$Trace.NewTrace|trace\nHttp.Other|generic\n");
    captured_free(c);
    free(begin);
    free(range);
    free(timed);
    free(end);
}
END_TEST

/* ---- I/O store ---- */

START_TEST(chunks_on_demand)
{
    struct captured *c = captured_new(7);
    struct put_type *chunk = put_new(c, "Ias.ChunkRequest",
                                     "Timestamp:q Offset:i Length:i Hash_A:q Hash_B:q Hash_C:i Id_A:q Id_B:i "
                                     "IsPiggyback:b",
                                     TK_UW_NOSYNC);
    struct put_type *early = put_new(c, "Ias.ChunkRequest", "Timestamp:q Length:i", TK_UW_NOSYNC);
    put(c, 0, chunk, T(5), Q(4096), Q(UINT32_MAX), Q(0x0123456789abcdef), Q(1), Q(0xff),
        Q(0xfedcba9876543210), Q(2), Q(1));
    put(c, 1, early, T(6), Q(10)); /* of a version with fewer fields */
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "io_chunks", "time,offset,requested_bytes,chunk,hash,merged,thread_id"),
        "1005|4096|4294967295|fedcba987654321000000002|"
        "0123456789abcdef0000000000000001000000ff|1|2\n"
        "1006|0|10|000000000000000000000000|0000000000000000000000000000000000000000|0|3\n");
    ck_assert_str_eq(captured_table(c, "io", "state"), "");
    captured_free(c);
    free(chunk);
    free(early);
}
END_TEST

START_TEST(store_requests)
{
    struct captured *c = captured_new(7);
    struct put_type *backend = put_new(c, "IoStore.BackendName", "BackendHandle:q Name:w", TK_UW_NOSYNC);
    struct put_type *create = put_new(c, "IoStore.RequestCreate",
                                      "Cycle:q RequestHandle:q BatchHandle:q ChunkIdHash:i ChunkType:b "
                                      "CallstackId:i Offset:q Size:q",
                                      0);
    struct put_type *begin =
        put_new(c, "IoStore.RequestStarted", "Cycle:q RequestHandle:q BackendHandle:q", 0);
    struct put_type *end = put_new(c, "IoStore.RequestCompleted", "Cycle:q RequestHandle:q Size:q", 0);
    struct put_type *failed = put_new(c, "IoStore.RequestFailed", "Cycle:q RequestHandle:q", 0);
    struct put_type *unresolved = put_new(c, "IoStore.RequestUnresolved", "Cycle:q RequestHandle:q", 0);
    put(c, 0, backend, Q(90), "Pak");
    put(c, 0, create, T(1), Q(5), Q(2), Q(0xabcd), Q(1), Q(0), Q(100), Q(64));
    put(c, 0, create, T(2), Q(6), Q(2), Q(0), Q(0), Q(0), Q(0), Q(10));
    put(c, 1, begin, T(4), Q(5), Q(90));
    put(c, 1, end, T(9), Q(5), Q(60));
    put(c, 0, create, T(10), Q(5), Q(0), Q(0), Q(0), Q(0), Q(0), Q(1)); /* the handle again */
    put(c, 0, unresolved, T(11), Q(6));
    put(c, 0, begin, T(12), Q(5), Q(91)); /* a backend without a name */
    put(c, 0, failed, T(14), Q(5));
    put(c, 1, begin, T(15), Q(7), Q(90)); /* made before the recording */
    put(c, 1, end, T(18), Q(7), Q(3));
    put(c, 1, end, T(19), Q(8), Q(4)); /* begun before the recording */
    put(c, 0, create, T(20), Q(9), Q(0), Q(0), Q(0), Q(0), Q(0), Q(1));
    put(c, 0, create, T(21), Q(9), Q(0), Q(0), Q(0), Q(0), Q(0), Q(2)); /* before it ended */
    captured_close(c);
    ck_assert_str_eq(
        captured_table(
            c, "io",
            "state,created,start,end,wait,service,requested_bytes,bytes,backend,in_flight,thread_id"),
        "completed|1001|1004|1009|3|5|64|60|Pak|1|2\n"
        "unresolved|1002||1011|||10|||2|2\n"
        "failed|1010|1012|1014|2|2|1|||2|2\n"
        "completed||1015|1018||3||3|Pak||3\n"
        "completed|||1019||||4|||3\n"
        "replaced|1020|||||1|||1|2\n"
        "open|1021|||||2|||1|2\n");
    captured_free(c);
    free(backend);
    free(create);
    free(begin);
    free(end);
    free(failed);
    free(unresolved);
}
END_TEST

/* Names stand for an address as long as no other is reported for it. */
START_TEST(a_backend_that_is_named_again)
{
    struct captured *c = captured_new(7);
    struct put_type *backend = put_new(c, "IoStore.BackendName", "BackendHandle:q Name:w", TK_UW_NOSYNC);
    struct put_type *begin =
        put_new(c, "IoStore.RequestStarted", "Cycle:q RequestHandle:q BackendHandle:q", 0);
    struct put_type *end = put_new(c, "IoStore.RequestCompleted", "Cycle:q RequestHandle:q Size:q", 0);
    put(c, 0, backend, Q(90), "Pak");
    put(c, 0, backend, Q(91), "Patch");
    put(c, 0, begin, T(1), Q(5), Q(90));
    put(c, 0, end, T(2), Q(5), Q(60));
    put(c, 0, backend, Q(90), "Cloud");
    put(c, 0, begin, T(3), Q(6), Q(90));
    put(c, 0, end, T(4), Q(6), Q(60));
    put(c, 0, begin, T(5), Q(7), Q(91));
    put(c, 0, end, T(6), Q(7), Q(60));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "io", "start,backend"), "1001|Pak\n1003|Cloud\n1005|Patch\n");
    captured_free(c);
    free(backend);
    free(begin);
    free(end);
}
END_TEST

START_TEST(dispatcher_batches)
{
    struct captured *c = captured_new(7);
    struct put_type *issued = put_new(c, "IoDispatcher.BatchIssued", "Cycle:q BatchId:q", 0);
    struct put_type *resolved = put_new(c, "IoDispatcher.BatchResolved", "Cycle:q BatchId:q TotalSize:q", 0);
    put(c, 0, resolved, T(0), Q(1), Q(5));
    put(c, 0, issued, T(1), Q(1));
    put(c, 1, resolved, T(4), Q(1), Q(100));
    put(c, 0, issued, T(5), Q(1));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "io_batches", "batch_id,issued,resolved,dur,requested_bytes"),
                     "1|1001|1004|3|100\n1|1005|||\n");
    ck_assert_uint_eq(captured_faults(c, "io_batches", "scope_end_unmatched"), 1);
    captured_free(c);
    free(issued);
    free(resolved);
}
END_TEST

/* ---- Verse ---- */

static void sample(struct captured *c, const struct put_type *type, bool native, uint64_t time, uint32_t line,
                   const uint32_t *stack, size_t n)
{
    if (native)
        put(c, 0, type, (const void *)stack, n * 4, time);
    else
        put(c, 0, type, (const void *)stack, n * 4, time, Q(0), Q(line));
}

/* Samples (innermost first): main>a at 10, main>a>b (native) at 20, main>c at 30, written in another order.
 */
START_TEST(verse_samples)
{
    static const uint32_t a[] = {2, 1}, b[] = {3, 2, 1}, d[] = {4, 1};
    struct captured *c = captured_new(7);
    struct put_type *name = put_new(c, "VerseVMSampler.StringEvent", "Id:i Name:w", 0);
    struct put_type *plain =
        put_new(c, "VerseVMSampler.SampleEvent", "Callstack:I Cycles:q BytecodeOffset:i Line:i", 0);
    struct put_type *native = put_new(c, "VerseVMSampler.NativeSampleEvent", "Callstack:I Cycles:q", 0);
    sample(c, plain, false, T(30), 99, d, 2);
    sample(c, plain, false, T(10), 7, a, 2);
    sample(c, native, true, T(20), 0, b, 3);
    put(c, 0, native, (const uint32_t[]){1, 1}, (size_t)5, T(40)); /* ends inside a frame: main alone */
    put(c, 0, name, Q(1), "main");
    put(c, 0, name, Q(2), "a");
    put(c, 0, name, Q(3), "b"); /* 4 has no name */
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "verse", "function,depth,start,end,dur,samples,excl_samples,native_samples,line"),
        "main|0|1010|1040|30|4|1|1|\n"
        "a|1|1010|1030|20|2|1|0|7\n"
        "b|2|1020|1030|10|1|1|1|\n"
        "|1|1030|1040|10|1|1|0|99\n");
    ck_assert_uint_eq(captured_faults(c, "verse", "payload_damaged"), 1);
    captured_free(c);
    free(name);
    free(plain);
    free(native);
}
END_TEST

/* ---- what is understood ---- */

START_TEST(coverage)
{
    struct captured *c = captured_new(7);
    struct put_type *known = put_new(c, "IoDispatcher.BatchIssued", "Cycle:q BatchId:q", 0);
    struct put_type *scoped = put_new(c, "Cpu.Whatever", "X:i", TK_UW_NOSYNC);
    struct put_type *unknown = put_new(c, "Game.Thing", "X:i", TK_UW_NOSYNC);
    put(c, 0, known, T(1), Q(1));
    for (int i = 0; i < 3; i++)
        put(c, 0, unknown, Q(i));
    put(c, 0, scoped, Q(1));
    captured_close(c);
    /* 2 bytes of uid, 3 of the serial number where it has one, and the fields; of important ones 4 and those
     */
    ck_assert_str_eq(captured_table(c, "coverage", "event,family,count,bytes"),
                     "Cpu.Whatever|cpu|1|6\n"
                     "IoDispatcher.BatchIssued|io|1|21\n"
                     "$Trace.NewTrace|trace|1|23\n"
                     "Game.Thing|generic|3|18\n");
    ck_assert_str_eq(captured_table(c, "coverage_summary", "kind,types,count,bytes"),
                     "understood|3|3|50\ngeneric|1|3|18\nunreadable||0|0\n");
    captured_free(c);
    free(known);
    free(scoped);
    free(unknown);
}
END_TEST

/* Rows of one table are not made because another one of the family is requested; and times are selected. */
START_TEST(rows_are_selected)
{
    struct captured *c = captured_new(7);
    struct put_type *issued = put_new(c, "IoDispatcher.BatchIssued", "Cycle:q BatchId:q", 0);
    struct put_type *resolved = put_new(c, "IoDispatcher.BatchResolved", "Cycle:q BatchId:q TotalSize:q", 0);
    for (uint64_t i = 0; i < 5; i++) {
        put(c, (unsigned)(i & 1), issued, T(10 * i), i);
        put(c, 0, resolved, T(10 * i + 5), i, Q(1));
    }
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "io", "state"), "");
    c->select =
        (struct tk_selection){.has_from = true, .has_to = true, .from_ns = 12000000, .to_ns = 30000000};
    ck_assert_str_eq(captured_table(c, "io_batches", "batch_id"), "1\n2\n");
    captured_free(c);
    free(issued);
    free(resolved);
}
END_TEST

/* Arrays and texts of what no family understands: recorders write whole elements alone (wire 8). */
START_TEST(arrays_end_with_an_element)
{
    static const uint8_t bytes[24] = {1, 2, 3};
    struct captured *c = captured_new(7);
    struct put_type *thing = put_new(c, "Game.Thing", "Name:s Wide:w List:U Small:I Bytes:B", 0);
    char expected[256];
    put(c, 0, thing, "odd", "x", bytes, (size_t)16, bytes, (size_t)4, bytes, (size_t)3);
    put(c, 0, thing, "", "", bytes, (size_t)0, bytes, (size_t)0, bytes, (size_t)0);
    tk_uw_lane_flush(&c->lanes[0]);
    const unsigned long long at = c->file.size;
    put(c, 0, thing, "odd", "x", bytes, (size_t)12, bytes, (size_t)4, bytes, (size_t)3);
    put(c, 0, thing, "odd", "x", bytes, (size_t)8, bytes, (size_t)7, bytes, (size_t)3);
    captured_close(c);
    snprintf(
        expected, sizeof expected,
        "payload_damaged|1|%llu|an event 'Game.Thing' of thread 2: its field 'List' ends inside an element\n"
        "payload_damaged|1|%llu|an event 'Game.Thing' of thread 2: its field 'Small' ends inside an "
        "element\n",
        at, at);
    ck_assert_str_eq(captured_table(c, "health", "kind,count,offset,text"), expected);
    ck_assert_uint_eq(captured_faults(c, "event_counts", "payload_damaged"), 0); /* counts them alone */
    captured_free(c);
    free(thing);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {chunks_come_in_any_order,
                            cooking,
                            http_requests,
                            http_ranges,
                            chunks_on_demand,
                            store_requests,
                            a_backend_that_is_named_again,
                            dispatcher_batches,
                            verse_samples,
                            coverage,
                            rows_are_selected,
                            arrays_end_with_an_element};
    return RUN_TESTS("records", tests);
}
