/* Memory tags from events to tables. Expectations are worked out by hand. */
#include "captured.h"

#define START 1000 /* cycle 0 of the recording */

static const struct tk_uw_field tag_fields[] = {{.name = "TagId", .type = TK_UW_U32},
                                                {.name = "ParentId", .type = TK_UW_I32},
                                                {.name = "Name", .type = TK_UW_ANSI}};
static const struct tk_uw_field tracker_fields[] = {{.name = "TrackerId", .type = TK_UW_U8},
                                                    {.name = "Name", .type = TK_UW_ANSI}};
static const struct tk_uw_field value_fields[] = {{.name = "TrackerId", .type = TK_UW_U8},
                                                  {.name = "Cycle", .type = TK_UW_U64},
                                                  {.name = "Tags", .type = TK_UW_U32S},
                                                  {.name = "Values", .type = TK_UW_I64S}};

struct tags {
    struct captured *c;
    struct tk_uw_type tag, tracker, value;
};

static void tags_open(struct tags *t)
{
    const uint8_t flags = TK_UW_IMPORTANT | TK_UW_NOSYNC | TK_UW_AUX;
    *t = (struct tags){.c = captured_new(7)};
    t->tag = (struct tk_uw_type){"LLM", "TagsSpec", TK_UW_FIELDS(tag_fields), flags, 0};
    t->tracker = (struct tk_uw_type){"LLM", "TrackerSpec", TK_UW_FIELDS(tracker_fields), flags, 0};
    t->value = (struct tk_uw_type){"LLM", "TagValue", TK_UW_FIELDS(value_fields), TK_UW_AUX, 0};
    captured_type(t->c, &t->tag);
    captured_type(t->c, &t->tracker);
    captured_type(t->c, &t->value);
}

static void define_tag(struct tags *t, uint32_t id, const char *name)
{
    struct tk_uw_lane *lane = &t->c->uw.important;
    tk_uw_begin(lane, &t->tag);
    tk_uw_u32(&lane->pending, id);
    tk_uw_u32(&lane->pending, UINT32_MAX);
    tk_uw_value(lane, &t->tag, 2, name, strlen(name));
    tk_uw_end(lane, &t->tag);
}

static void define_tracker(struct tags *t, uint8_t id, const char *name)
{
    struct tk_uw_lane *lane = &t->c->uw.important;
    tk_uw_begin(lane, &t->tracker);
    tk_uw_u8(&lane->pending, id);
    tk_uw_value(lane, &t->tracker, 1, name, strlen(name));
    tk_uw_end(lane, &t->tracker);
}

/* n tags from `first` on; `values` of them have a value. */
static void snapshot(struct tags *t, uint8_t tracker, int64_t time, uint32_t first, unsigned n,
                     unsigned values, int64_t value)
{
    struct tk_uw_lane *lane = &t->c->lanes[0];
    struct tk_uw_bytes ids = {0}, sizes = {0};
    for (unsigned i = 0; i < n; i++)
        tk_uw_u32(&ids, first + i);
    for (unsigned i = 0; i < values; i++)
        tk_uw_u64(&sizes, (uint64_t)(value + i));
    tk_uw_begin(lane, &t->value);
    tk_uw_u8(&lane->pending, tracker);
    tk_uw_u64(&lane->pending, (uint64_t)(START + time));
    tk_uw_value(lane, &t->value, 2, ids.data, ids.size);
    tk_uw_value(lane, &t->value, 3, sizes.data, sizes.size);
    tk_uw_end(lane, &t->value);
    tk_uw_bytes_release(&ids);
    tk_uw_bytes_release(&sizes);
}

START_TEST(tags_grow)
{
    struct tags t;
    tags_open(&t);
    define_tracker(&t, 1, "Default");
    define_tag(&t, 10, "A");
    snapshot(&t, 1, 0, 10, 1, 1, 500);      /* A 500 */
    snapshot(&t, 0, 0, 10, 1, 1, 7);        /* another tracker, never named */
    snapshot(&t, 1, 30000, 10, 2, 2, 600);  /* A 600, B 601 for the first time */
    snapshot(&t, 1, 60000, 11, 1, 1, 1601); /* only B 1601 */
    snapshot(&t, 1, 60000, 12, 2, 1, -5);   /* one value for two tags */
    captured_send(t.c);
    define_tag(&t, 11, "A/B"); /* after its first value */
    captured_close(t.c);
    /* growth a minute: A 100 in 30 s; B from 0 at the first snapshot, 1601 in 60 s */
    ck_assert_str_eq(captured_table(t.c, "llm", "tracker,tag,count,first,last,min,peak,growth,growth_minute"),
                     "Default|A|2|500|600|500|600|100|200r\n"
                     "|A|1|7|7|7|7|0|\n"
                     "Default|A/B|2|601|1601|601|1601|1601|1601r\n"
                     "Default||1|-5|-5|-5|-5|-5|-5r\n");
    ck_assert_uint_eq(captured_faults(t.c, "llm", "payload_damaged"), 1);
    ck_assert_uint_eq(captured_faults(t.c, "llm", "definition_missing"), 1);
    /* between 10 s and 40 s: from what A was before; B from 0; the third has its first value later */
    t.c->select = (struct tk_selection){
        .has_from = true, .from_ns = INT64_C(10000000000), .has_to = true, .to_ns = INT64_C(40000000000)};
    ck_assert_str_eq(captured_table(t.c, "llm", "tag,count,growth,growth_minute"),
                     "A|1|100|300r\nA|0||\nA/B|1|601|1803r\n");
    captured_free(t.c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {tags_grow};
    return RUN_TESTS("memory_tags", tests);
}
