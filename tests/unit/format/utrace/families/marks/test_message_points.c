/* Points of messages and names of numbers: the last definition counts, and what waits is said once. By hand.
 */
#include "format/utrace/families/marks/message_points.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static struct tk_ut_message_points points;
static struct tk_context ctx;
static struct tk_ut_capture capture = {.ctx = &ctx};
static struct tk_ut_batch batch;
static struct tk_ut_feed feed = {.capture = &capture, .out = &batch};
static char said[256];

static void set_up(void)
{
    ctx.limits = tk_limits_default();
    batch.health.max_items = 10;
    said[0] = '\0';
}

static void tear_down(void)
{
    tk_ut_message_points_release(&points);
    tk_health_release(&batch.health);
}

START_TEST(the_last_definition_counts)
{
    ck_assert_ptr_null(tk_ut_message_point_get(&points, 0x1000));
    ck_assert_int_eq(tk_ut_message_point_put(&points, 0x1000, &(struct tk_ut_message_point){.line = 10}),
                     TK_OK);
    ck_assert_int_eq(tk_ut_message_point_put(&points, 0x2000, &(struct tk_ut_message_point){.line = 20}),
                     TK_OK);
    ck_assert_int_eq(
        tk_ut_message_point_put(&points, 0x1000, &(struct tk_ut_message_point){.line = 11, .verbosity = 3}),
        TK_OK);
    ck_assert_uint_eq(tk_ut_message_point_get(&points, 0x1000)->line, 11);
    ck_assert_uint_eq(tk_ut_message_point_get(&points, 0x1000)->verbosity, 3);
    ck_assert_uint_eq(tk_ut_message_point_get(&points, 0x2000)->line, 20);
    ck_assert_ptr_null(tk_ut_message_point_get(&points, 0x3000));
}
END_TEST

/* Thread, line of the point and arguments of each message. */
static int say(struct tk_ut_feed *f, struct tk_fact *fact, const struct tk_ut_message_point *point,
               struct tk_ut_message_args args)
{
    size_t at = strlen(said);
    ck_assert_ptr_eq(f, &feed);
    snprintf(said + at, sizeof said - at, "%u:%d:%.*s ", fact->thread, point ? (int)point->line : -1,
             (int)args.bytes.n, (const char *)args.bytes.p);
    return TK_OK;
}

static void wait_for(uint32_t thread, uint64_t point, const char *args)
{
    const struct tk_fact fact = {.kind = TK_FACT_LOG, .thread = thread};
    const struct tk_ut_message_args span = {{(const uint8_t *)args, strlen(args)}, false};
    ck_assert_int_eq(tk_ut_message_wait(&feed, &points, &fact, point, span), TK_OK);
}

START_TEST(messages_wait_for_their_points)
{
    char args[] = "one";
    wait_for(2, 0x1000, args);
    args[0] = 'X'; /* they were copied */
    wait_for(3, 0x9000, "");
    wait_for(4, 0x1000, "three");
    ck_assert_int_eq(tk_ut_message_point_put(&points, 0x1000, &(struct tk_ut_message_point){.line = 10}),
                     TK_OK);
    ck_assert_int_eq(tk_ut_messages_finish(&feed, &points, say), TK_OK);
    ck_assert_str_eq(said, "2:10:one 3:-1: 4:10:three ");
    ck_assert_uint_eq(batch.health.counts[TK_HEALTH_DEFINITION_MISSING], 1);
    ck_assert_int_eq(tk_ut_messages_finish(&feed, &points, say), TK_OK);
    ck_assert_str_eq(said, "2:10:one 3:-1: 4:10:three ");
}
END_TEST

START_TEST(only_so_many_wait)
{
    ctx.limits.pending_logs = 2;
    wait_for(2, 0x1000, "a");
    wait_for(3, 0x1000, "b");
    ck_assert_uint_eq(batch.health.counts[TK_HEALTH_LIMIT_REACHED], 0);
    wait_for(4, 0x1000, "c");
    ck_assert_uint_eq(batch.health.counts[TK_HEALTH_LIMIT_REACHED], 1);
    ck_assert_int_eq(tk_ut_messages_finish(&feed, &points, say), TK_OK);
    ck_assert_str_eq(said, "2:-1:a 3:-1:b ");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_last_definition_counts, messages_wait_for_their_points,
                                  only_so_many_wait};
    return RUN_TESTS_AROUND("points", tests, set_up, tear_down);
}
