/* Counters from events to tables: late and missing definitions, reused ids, disorder across threads, values
 * from before the recording. Expectations are worked out by hand. */
#include "captured.h"

#define START 1000 /* cycle 0 of the recording */

static void set(struct captured *c, unsigned lane, int64_t time, uint16_t id, int64_t value)
{
    tk_uw_counter_int(&c->uw, &c->lanes[lane], (uint64_t)(START + time), id, value);
}

START_TEST(counters_are_in_order_of_time)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 2, 1, 0, "Real");
    captured_send(c);
    set(c, 0, 100, 1, 5);
    set(c, 0, 300, 1, 7);
    tk_uw_counter_float(&c->uw, &c->lanes[0], START + 10, 2, 0.1);
    captured_send(c);
    set(c, 1, -20, 1, 2); /* from before the recording */
    set(c, 1, 200, 1, -3);
    set(c, 1, 250, 7, 9); /* never defined */
    set(c, 1, 260, 0, 1); /* of no counter */
    captured_send(c);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "Old"); /* after its values, and then once more */
    tk_uw_counter_spec(&c->uw, 1, 0, 1, "New");
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "counter_values", "time,counter_id,counter,value,unit,thread_id"),
                     "980|1|New|2|bytes|3\n"
                     "1010|2|Real|0.1r||2\n"
                     "1100|1|New|5|bytes|2\n"
                     "1200|1|New|-3|bytes|3\n"
                     "1250|7||9||3\n"
                     "1300|1|New|7|bytes|2\n");
    /* over time: 2 for 120, 5 for 100, -3 for 100, then the end */
    ck_assert_str_eq(captured_table(c, "counters",
                                    "counter_id,counter,type,count,first,last,min,max,mean,time_mean,median"),
                     "2|Real|float|1|0.1r|0.1r|0.1r|0.1r|0.1r|0.1r|0.1r\n"
                     "1|New|int|4|2|7|-3|7|2.75r|1.375r|2\n"
                     "7||int|1|9|9|9|9|9r|9r|9\n");
    ck_assert_uint_eq(captured_faults(c, "counters", "definition_missing"), 2);
    captured_free(c);
}
END_TEST

/* 2^1023 for 100, half of it for 300, and a quarter for no time: no sum of them over time is a double. */
START_TEST(counters_beyond_sums)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 1, 0, "Great");
    tk_uw_counter_float(&c->uw, &c->lanes[0], START, 1, 0x1p1023);
    tk_uw_counter_float(&c->uw, &c->lanes[0], START + 100, 1, 0x1p1022);
    tk_uw_counter_float(&c->uw, &c->lanes[0], START + 400, 1, 0x1p1021);
    captured_close(c);
    /* the median is known by the middle of its bucket of 1/128: 2^1022 * (1 + 1/256) */
    ck_assert_str_eq(captured_table(c, "counters", "max,median,time_mean"),
                     "8.98846567e+307r|4.51178843e+307r|5.61779105e+307r\n");
    captured_free(c);
}
END_TEST

/* A definition that is no important event, behind its values on an ordinary thread. */
START_TEST(counters_are_defined_anywhere)
{
    static const struct tk_uw_field fields[] = {{.name = "Id", .type = TK_UW_U16},
                                                {.name = "Type", .type = TK_UW_U8},
                                                {.name = "Name", .type = TK_UW_WIDE}};
    struct tk_uw_type spec = {"Counters", "Spec", TK_UW_FIELDS(fields), TK_UW_AUX | TK_UW_NOSYNC, 0};
    struct captured *c = captured_new(7);
    captured_type(c, &spec);
    set(c, 0, 1, 3, 4);
    tk_uw_begin(&c->lanes[0], &spec);
    tk_uw_u16(&c->lanes[0].pending, 3);
    tk_uw_u8(&c->lanes[0].pending, 0);
    tk_uw_value(&c->lanes[0], &spec, 2, "W\0i\0d\0e\0", 8);
    tk_uw_end(&c->lanes[0], &spec);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "counters", "counter,count,last"), "Wide|1|4\n");
    ck_assert_uint_eq(captured_faults(c, "counters", "definition_missing"), 0);
    captured_free(c);
}
END_TEST

/* Of one time, the serial number decides, not the thread. */
START_TEST(counters_of_one_time)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "C");
    set(c, 1, 10, 1, 1);
    set(c, 0, 10, 1, 2);
    set(c, 1, 10, 1, 3);
    captured_send(c);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "counter_values", "value,thread_id"), "1|3\n2|2\n3|3\n");
    captured_free(c);
}
END_TEST

/* With space for four values the two oldest are used when the fifth comes: what is older than they is late.
 */
START_TEST(counters_beyond_the_window)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "C");
    for (int i = 0; i < 8; i++)
        set(c, 0, 10 * i, 1, i);
    set(c, 1, 5, 1, 100);
    set(c, 1, 200, 1, 101);
    captured_send(c);
    captured_close(c);
    c->limit = "counter_window=4";
    ck_assert_str_eq(captured_table(c, "counters", "count,first,last,min,max"), "10|0|101|0|101\n");
    ck_assert_uint_eq(captured_faults(c, "counters", "value_late"), 1);
    c->limit = NULL;
    ck_assert_uint_eq(captured_faults(c, "counters", "value_late"), 0);
    ck_assert_str_eq(captured_table(c, "counters", "count,first,last,min,max"), "10|0|101|0|101\n");
    c->limit = "counters=0";
    ck_assert_str_eq(captured_table(c, "counters", "count"), "");
    ck_assert_uint_eq(captured_faults(c, "counters", "limit_reached"), 11); /* a definition too */
    captured_free(c);
}
END_TEST

static const struct tk_uw_field odd_fields[] = {{.name = "Cycle", .type = TK_UW_U32},
                                                {.name = "CounterId", .type = TK_UW_I64}};
static const struct tk_uw_field real_fields[] = {{.name = "Cycle", .type = TK_UW_F64},
                                                 {.name = "Value", .type = TK_UW_I8},
                                                 {.name = "CounterId", .type = TK_UW_U8}};

START_TEST(counters_with_other_fields)
{
    struct tk_uw_type odd = {"Counters", "SetValueInt", TK_UW_FIELDS(odd_fields), 0, 0};
    struct tk_uw_type real = {"Counters", "SetValueFloat", TK_UW_FIELDS(real_fields), 0, 0};
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "C");
    captured_type(c, &odd);
    captured_type(c, &real);
    tk_uw_begin(&c->lanes[0], &odd); /* has no value */
    tk_uw_u32(&c->lanes[0].pending, 1001);
    tk_uw_u64(&c->lanes[0].pending, 1);
    tk_uw_end(&c->lanes[0], &odd);
    tk_uw_begin(&c->lanes[0], &real);
    tk_uw_f64(&c->lanes[0].pending, 1007);
    tk_uw_u8(&c->lanes[0].pending, 0xff);
    tk_uw_u8(&c->lanes[0].pending, 1);
    tk_uw_end(&c->lanes[0], &real);
    captured_send(c);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "counter_values", "time,counter,value"), "1007|C|-1r\n");
    ck_assert_uint_eq(captured_faults(c, "counter_values", "payload_damaged"), 1);
    captured_free(c);
}
END_TEST

/* Values outside the selection are in no figure, but what holds when it begins weighs. */
START_TEST(counters_of_a_selection)
{
    struct captured *c = captured_new(7);
    tk_uw_counter_spec(&c->uw, 1, 0, 0, "C");
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 0, 0);
    set(c, 0, 0, 1, 10);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 100, 0);
    set(c, 0, 150, 1, 20);
    set(c, 0, 160, 1, 40);
    tk_uw_frame_begin(&c->uw, &c->lanes[0], START + 200, 0);
    set(c, 0, 250, 1, 80);
    captured_send(c);
    captured_close(c);
    c->select = (struct tk_selection){.has_frames = true, .first_frame = 1, .last_frame = 1};
    /* 10 for 50, 20 for 10, 40 for 40 */
    ck_assert_str_eq(captured_table(c, "counters", "count,first,last,time_mean,frame_mean,frame_max"),
                     "2|20|40|23r|60r|60\n");
    c->select =
        (struct tk_selection){.has_from = true, .from_ns = 110000000, .has_to = true, .to_ns = 120000000};
    ck_assert_str_eq(captured_table(c, "counters", "count,first,last,time_mean"), "0|||10r\n");
    /* from inside frame 1 into frame 2: 40 and 80, of which 80 alone is of a frame that begins there */
    c->select =
        (struct tk_selection){.has_from = true, .from_ns = 155000000, .has_to = true, .to_ns = 260000000};
    ck_assert_str_eq(captured_table(c, "counters", "count,first,last,frame_mean,frame_max"),
                     "2|40|80|80r|80\n");
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {counters_are_in_order_of_time, counters_beyond_sums,
                                  counters_are_defined_anywhere, counters_of_one_time,
                                  counters_beyond_the_window,    counters_with_other_fields,
                                  counters_of_a_selection};
    return RUN_TESTS("counters", tests);
}
