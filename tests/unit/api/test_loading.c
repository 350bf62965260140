/* Load times from events to tables. Expectations are worked out by hand from events 8.1. */
#include "put.h"
#include "values.h"

#define T(time) Q(1000 + (time))
#define PACKAGES                                                                                             \
    "name,header_bytes,imports,exports,priority,request_id,created,serialized,postloads,serialized_bytes,"   \
    "create_time,serialize_time,postload_time,summary_time,excl"

enum load {
    BEGIN_REQUEST,
    END_REQUEST,
    BEGIN_GROUP,
    END_GROUP,
    NEW_PACKAGE,
    DESTROY_PACKAGE,
    DESTROY_LINKER,
    SUMMARY,
    BEGIN_SUMMARY,
    END_SUMMARY,
    BEGIN_CREATE,
    END_CREATE,
    BEGIN_SERIALIZE,
    END_SERIALIZE,
    BEGIN_POSTLOAD,
    END_POSTLOAD,
    BEGIN_POSTLOAD_OBJECT,
    END_POSTLOAD_OBJECT,
    ASSOCIATE,
    LINK,
    IMPORT,
    CLASS,
    START,
    SUSPEND,
    RESUME,
    BEGIN_OLD,
    END_OLD,
    TYPES
};

static const struct {
    const char *name, *fields;
    uint8_t flags;
} known[TYPES] = {
    [BEGIN_REQUEST] = {"LoadTime.BeginRequest", "Cycle:q RequestId:q", 0},
    [END_REQUEST] = {"LoadTime.EndRequest", "Cycle:q RequestId:q", 0},
    [BEGIN_GROUP] = {"LoadTime.BeginRequestGroup", "Format:w FormatArgs:B", 0},
    [END_GROUP] = {"LoadTime.EndRequestGroup", "", 0},
    [NEW_PACKAGE] = {"LoadTime.NewAsyncPackage", "AsyncPackage:q", 0},
    [DESTROY_PACKAGE] = {"LoadTime.DestroyAsyncPackage", "AsyncPackage:q", 0},
    [DESTROY_LINKER] = {"LoadTime.DestroyLinker", "Linker:q", 0},
    [SUMMARY] = {"LoadTime.PackageSummary",
                 "AsyncPackage:q TotalHeaderSize:i ImportCount:i ExportCount:i Name:w Priority:j", 0},
    [BEGIN_SUMMARY] = {"LoadTime.BeginProcessSummary", "Cycle:q AsyncPackage:q", 0},
    [END_SUMMARY] = {"LoadTime.EndProcessSummary", "Cycle:q", 0},
    [BEGIN_CREATE] = {"LoadTime.BeginCreateExport", "Cycle:q AsyncPackage:q", 0},
    [END_CREATE] = {"LoadTime.EndCreateExport", "Cycle:q Object:q Class:q", 0},
    [BEGIN_SERIALIZE] = {"LoadTime.BeginSerializeExport", "Cycle:q Object:q SerialSize:q", 0},
    [END_SERIALIZE] = {"LoadTime.EndSerializeExport", "Cycle:q", 0},
    [BEGIN_POSTLOAD] = {"LoadTime.BeginPostLoad", "", 0},
    [END_POSTLOAD] = {"LoadTime.EndPostLoad", "", 0},
    [BEGIN_POSTLOAD_OBJECT] = {"LoadTime.BeginPostLoadObject", "Cycle:q Object:q", 0},
    [END_POSTLOAD_OBJECT] = {"LoadTime.EndPostLoadObject", "Cycle:q", 0},
    [ASSOCIATE] = {"LoadTime.AsyncPackageRequestAssociation", "AsyncPackage:q RequestId:q", 0},
    [LINK] = {"LoadTime.AsyncPackageLinkerAssociation", "AsyncPackage:q Linker:q", 0},
    [IMPORT] = {"LoadTime.AsyncPackageImportDependency", "AsyncPackage:q ImportedAsyncPackage:q", 0},
    [CLASS] = {"LoadTime.ClassInfo", "Class:q Name:s", TK_UW_IMPORTANT | TK_UW_NOSYNC},
    [START] = {"LoadTime.StartAsyncLoading", "Cycle:q", TK_UW_IMPORTANT | TK_UW_NOSYNC},
    [SUSPEND] = {"LoadTime.SuspendAsyncLoading", "Cycle:q", 0},
    [RESUME] = {"LoadTime.ResumeAsyncLoading", "Cycle:q", 0},
    [BEGIN_OLD] = {"LoadTime.BeginObjectScope", "Cycle:q Object:q EventType:b", 0},
    [END_OLD] = {"LoadTime.EndObjectScope", "Cycle:q", 0},
};

static struct captured *c;
static struct put_type *types[TYPES];

static void start(void)
{
    c = captured_new(7);
    for (size_t i = 0; i < TYPES; i++)
        types[i] = put_new(c, known[i].name, known[i].fields, known[i].flags);
}

static void finish(void)
{
    captured_free(c);
    for (size_t i = 0; i < TYPES; i++)
        free(types[i]);
}

#define PUT(lane, which, ...) put(c, (lane), types[which], __VA_ARGS__)
#define PUT_NONE(lane, which) put(c, (lane), types[which])

/* A class, on the important stream; it is sent when the lanes are. */
static void define_class(uint64_t key, const char *name)
{
    const struct tk_uw_type *type = &types[CLASS]->type;
    tk_uw_begin(&c->uw.important, type);
    tk_uw_u64(&c->uw.important.pending, key);
    tk_uw_value(&c->uw.important, type, 1, name, strlen(name));
    tk_uw_end(&c->uw.important, type);
}

static void summary(unsigned lane, uint64_t key, uint64_t header, const char *name)
{
    PUT(lane, SUMMARY, key, header, Q(1), Q(2), name, Q((uint32_t)-3));
}

/* Serialising inside of creating, and another object inside of that: what is inside does not count outside.
 */
START_TEST(steps_are_exclusive)
{
    start();
    PUT(0, NEW_PACKAGE, Q(10));
    PUT(0, BEGIN_SUMMARY, T(0), Q(10));
    summary(0, 10, 77, "/Game/A");
    PUT(0, END_SUMMARY, T(5));
    PUT(0, BEGIN_CREATE, T(10), Q(10));
    PUT(0, END_CREATE, T(20), Q(500), Q(900));
    PUT(0, BEGIN_SERIALIZE, T(20), Q(500), Q(64));
    PUT(0, BEGIN_CREATE, T(30), Q(10));
    PUT(0, END_CREATE, T(33), Q(501), Q(901));
    PUT(0, BEGIN_SERIALIZE, T(34), Q(501), Q(6));
    PUT(0, END_SERIALIZE, T(40));
    PUT(0, END_SERIALIZE, T(50));
    PUT(0, BEGIN_SERIALIZE, T(50), Q(500), Q(64)); /* again: its size counts once */
    PUT(0, END_SERIALIZE, T(51));
    define_class(901, "Texture"); /* known only after its use */
    define_class(900, "Mesh");
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "packages", PACKAGES), "/Game/A|77|1|2|-3||2|3|0|70|13|37|0|5|46\n");
    /* Mesh: 10 + (30 - 3 - 6) + 1; Texture: 3 + 6 */
    ck_assert_str_eq(
        captured_table(c, "package_classes",
                       "class,created,serialized,serialized_bytes,create_time,serialize_time,excl,max"),
        "Mesh|1|2|64|10|31|32|30\nTexture|1|1|6|3|6|9|6\n");
    finish();
}
END_TEST

/* Objects are post-loaded inside post-loading only, and only those that are known. */
START_TEST(post_loading)
{
    start();
    PUT(0, NEW_PACKAGE, Q(10));
    PUT(0, BEGIN_CREATE, T(0), Q(10));
    PUT(0, END_CREATE, T(1), Q(500), Q(0));
    PUT(0, BEGIN_POSTLOAD_OBJECT, T(2), Q(500)); /* outside */
    PUT(0, END_POSTLOAD_OBJECT, T(3));
    PUT_NONE(0, END_POSTLOAD); /* without a begin */
    PUT_NONE(0, BEGIN_POSTLOAD);
    PUT(0, BEGIN_POSTLOAD_OBJECT, T(4), Q(500));
    PUT(0, BEGIN_POSTLOAD_OBJECT, T(5), Q(777)); /* not known; inside of another */
    PUT(0, END_POSTLOAD_OBJECT, T(7));
    PUT(0, END_POSTLOAD_OBJECT, T(14));
    PUT(1, BEGIN_POSTLOAD_OBJECT, T(20), Q(500)); /* the pair is of another thread */
    PUT(1, END_POSTLOAD_OBJECT, T(21));
    PUT_NONE(0, END_POSTLOAD);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "packages", "name,created,postloads,postload_time"), "|1|1|10\n");
    ck_assert_uint_eq(captured_faults(c, "packages", "scope_end_unmatched"), 1);
    finish();
}
END_TEST

/* The address of a package that was destroyed is that of another one; a linker's stands for its package. */
START_TEST(addresses_are_used_again)
{
    start();
    PUT(0, NEW_PACKAGE, Q(10));
    summary(0, 10, 1, "A");
    PUT(0, LINK, Q(10), Q(60));
    PUT(0, BEGIN_CREATE, T(0), Q(60)); /* by its linker */
    PUT(0, END_CREATE, T(2), Q(500), Q(0));
    PUT(0, DESTROY_LINKER, Q(60));
    PUT(0, DESTROY_PACKAGE, Q(10));
    PUT(0, NEW_PACKAGE, Q(10));
    summary(0, 10, 2, "B");
    PUT(0, BEGIN_CREATE, T(3), Q(10));
    PUT(0, END_CREATE, T(7), Q(500), Q(0)); /* the object's address, too */
    PUT(0, BEGIN_SERIALIZE, T(8), Q(500), Q(5));
    PUT(0, END_SERIALIZE, T(9));
    PUT(0, BEGIN_CREATE, T(10), Q(60)); /* the linker is gone: something new */
    PUT(0, END_CREATE, T(11), Q(501), Q(0));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "packages", "name,header_bytes,created,create_time,serialize_time"),
                     "A|1|1|2|0\nB|2|1|4|1\n||1|1|0\n");
    finish();
}
END_TEST

/* From before the recording: objects that nobody made, ends without a begin, a package that is met late. */
START_TEST(the_beginning_is_missing)
{
    start();
    PUT(0, END_CREATE, T(0), Q(500), Q(0));
    PUT(0, END_SERIALIZE, T(0));
    PUT(0, END_SUMMARY, T(0));
    PUT(0, BEGIN_SERIALIZE, T(1), Q(500), Q(9));
    PUT(0, BEGIN_SUMMARY, T(2), Q(10)); /* was never announced */
    PUT(0, END_SERIALIZE, T(4));        /* the summary has lost its end */
    PUT(0, BEGIN_CREATE, T(6), Q(10));
    PUT(0, END_CREATE, T(5), Q(501), Q(0)); /* ends before it begins */
    summary(0, 10, 3, "Late");
    PUT(0, BEGIN_CREATE, T(8), Q(10)); /* never ends */
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "packages", PACKAGES),
                     "Late|3|1|2|-3||1|0|0|0|0|0|0|0|0\n||||||0|1|0|9|0|3|0|0|3\n");
    ck_assert_uint_eq(captured_faults(c, "packages", "scope_end_unmatched"), 3);
    ck_assert_uint_eq(captured_faults(c, "packages", "scope_open"), 2);
    ck_assert_uint_eq(captured_faults(c, "packages", "time_backwards"), 1);
    finish();
}
END_TEST

/* Imports join the request of the package, and theirs with them, whatever comes first. */
START_TEST(requests_are_inherited)
{
    start();
    for (uint64_t key = 1; key <= 6; key++) {
        char name[2] = {(char)('A' + key - 1), 0};
        PUT(0, NEW_PACKAGE, key);
        summary(0, key, key, name);
    }
    PUT(0, IMPORT, Q(2), Q(3)); /* B imports C */
    PUT(0, IMPORT, Q(1), Q(2)); /* A imports B */
    PUT(0, BEGIN_REQUEST, T(0), Q(71));
    PUT(0, BEGIN_REQUEST, T(1), Q(72));
    PUT(0, ASSOCIATE, Q(4), Q(72));  /* D */
    PUT(0, ASSOCIATE, Q(1), Q(71));  /* A, B, C */
    PUT(0, IMPORT, Q(3), Q(4));      /* D has one already */
    PUT(0, IMPORT, Q(3), Q(5));      /* E */
    PUT(0, IMPORT, Q(3), Q(999));    /* is not there */
    PUT(0, ASSOCIATE, Q(6), Q(999)); /* no such request */
    PUT(0, END_REQUEST, T(10), Q(71));
    PUT(0, END_REQUEST, T(11), Q(999));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "packages", "name,request_id"), "A|1\nB|1\nC|1\nD|2\nE|1\nF|\n");
    ck_assert_str_eq(captured_table(c, "load_requests", "request_id,source_id,group,start,end,dur,packages"),
                     "1|71||1000|1010|10|4\n2|72||1001|||1\n");
    ck_assert_uint_eq(captured_faults(c, "load_requests", "scope_end_unmatched"), 1);
    finish();
}
END_TEST

/* The outermost group of the thread counts; requests without an id are last in, first out on their thread. */
START_TEST(groups_and_requests_without_id)
{
    struct tk_uw_args args = {0};
    struct tk_uw_bytes block = {0};
    start();
    tk_uw_arg_wide(&args, "Arena");
    tk_uw_arg_int(&args, 4, 7);
    tk_uw_args_put(&args, &block);
    PUT_NONE(0, END_GROUP);
    PUT(0, BEGIN_GROUP, "Map %s %d", block.data, block.size);
    PUT(0, BEGIN_GROUP, "Inner", "", (size_t)0);
    PUT(0, BEGIN_REQUEST, T(10), Q(0));
    PUT(0, BEGIN_REQUEST, T(12), Q(0));
    PUT(1, BEGIN_REQUEST, T(13), Q(0)); /* no group there */
    PUT(0, ASSOCIATE, Q(1), Q(0));      /* the second one */
    PUT(0, END_REQUEST, T(20), Q(0));   /* the second one */
    PUT_NONE(0, END_GROUP);
    PUT(0, ASSOCIATE, Q(2), Q(0)); /* the first one */
    PUT_NONE(0, END_GROUP);
    PUT(0, END_REQUEST, T(30), Q(0));
    PUT(0, END_REQUEST, T(31), Q(0)); /* none left */
    PUT(0, BEGIN_GROUP, "Empty", "", (size_t)0);
    PUT_NONE(0, END_GROUP);
    PUT(0, BEGIN_GROUP, "Open", "", (size_t)0);
    PUT(0, BEGIN_REQUEST, T(40), Q(5));
    PUT(1, ASSOCIATE, Q(3), Q(0)); /* the one of no group */
    PUT(0, ASSOCIATE, Q(4), Q(5));
    PUT(0, NEW_PACKAGE, Q(6));
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "load_requests", "request_id,source_id,group,start,end,packages,thread_id"),
        "1||Map Arena 7|1010|1030|1|2\n"
        "2||Map Arena 7|1012|1020|1|2\n"
        "3|||1013||1|3\n"
        "4|5|Open|1040||1|2\n");
    ck_assert_str_eq(captured_table(c, "packages", "request_id,group"),
                     "2|Map Arena 7\n1|Map Arena 7\n3|\n4|Open\n|\n");
    ck_assert_str_eq(captured_table(c, "load_groups", "group,start,end,dur,requests,packages"),
                     "Map Arena 7|1010|1030|20|2|2\n"
                     "Empty||||0|0\n"
                     "Open|1040|||1|1\n");
    ck_assert_uint_eq(captured_faults(c, "load_groups", "scope_end_unmatched"), 2);
    tk_uw_args_release(&args);
    tk_uw_bytes_release(&block);
    finish();
}
END_TEST

START_TEST(activity)
{
    start();
    tk_uw_begin(&c->uw.important, &types[START]->type);
    tk_uw_u64(&c->uw.important.pending, 1005);
    tk_uw_end(&c->uw.important, &types[START]->type);
    captured_send(c);
    PUT(0, SUSPEND, T(10));
    PUT(0, SUSPEND, T(12)); /* is already */
    PUT(1, RESUME, T(15));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "load_activity", "start,end,dur,state,thread_id"),
                     "1005|1010|5|active|\n1010|1015|5|suspended|2\n1015|||active|3\n");
    finish();
}
END_TEST

/* Up to 5.0: one event for steps of all kinds (0 creating, 1 serialising, 2 post-loading). */
START_TEST(steps_of_old_recordings)
{
    start();
    PUT(0, NEW_PACKAGE, Q(10));
    summary(0, 10, 1, "A");
    PUT(0, BEGIN_CREATE, T(0), Q(10));
    PUT(0, END_CREATE, T(1), Q(500), Q(0));
    PUT(0, BEGIN_OLD, T(2), Q(500), Q(1));
    PUT(0, BEGIN_OLD, T(3), Q(500), Q(2));
    PUT(0, END_OLD, T(5));
    PUT(0, END_OLD, T(8));
    PUT(0, BEGIN_OLD, T(9), Q(500), Q(77)); /* no such kind */
    PUT(0, END_OLD, T(9));
    PUT(0, END_OLD, T(9));
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "packages", "name,created,serialized,postloads,serialize_time,postload_time,excl"),
        "A|1|1|1|6|2|7\n");
    ck_assert_uint_eq(captured_faults(c, "packages", "scope_end_unmatched"), 1);
    finish();
}
END_TEST

/* A summary of 2^62 cycles twice: the sum does not fit 63 bits, and wraps. */
START_TEST(times_far_apart)
{
    const uint64_t far = UINT64_C(1) << 62;
    start();
    PUT(0, NEW_PACKAGE, Q(10));
    summary(0, 10, 77, "/Game/A");
    for (int i = 0; i < 2; i++) {
        PUT(0, BEGIN_SUMMARY, T(0), Q(10));
        PUT(0, END_SUMMARY, T(far));
    }
    captured_send(c);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "packages", "name,summary_time,excl"),
                     "/Game/A|-9223372036854775808|-9223372036854775808\n");
    finish();
}
END_TEST

int main(void)
{
    const TTest *tests[] = {steps_are_exclusive,
                            post_loading,
                            addresses_are_used_again,
                            the_beginning_is_missing,
                            requests_are_inherited,
                            groups_and_requests_without_id,
                            activity,
                            steps_of_old_recordings,
                            times_far_apart};
    return RUN_TESTS("loading", tests);
}
