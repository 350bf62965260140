/*
 * What is reported of the quality of a capture: stalls inside and outside of the selection, channels that are
 * off. Expectations are worked out by hand.
 */
#include "put.h"

/* Stalls of 100 at 2000 and of 500 at 4000; a channel that is off, one that was switched off, one that is on.
 */
static struct captured *make(void)
{
    struct captured *c = captured_new(7);
    struct put_type *stall = put_new(c, "$Trace.TraceStall", "StartCycle:q EndCycle:q", 0);
    tk_uw_channel_announce(&c->uw, "Frame", false, false);
    tk_uw_channel_announce(&c->uw, "Cpu", true, false);
    tk_uw_channel_announce(&c->uw, "Object", true, false);
    tk_uw_channel_announce(&c->uw, "Stats", false, false);
    tk_uw_channel_toggle(&c->uw, "Object", false);
    put(c, 0, stall, Q(2000), Q(2100));
    put(c, 1, stall, Q(4000), Q(4500));
    captured_send(c);
    captured_close(c);
    free(stall);
    return c;
}

static struct {
    int64_t from, to; /* seconds since the start, which is at 1000 cycles of 1 ms; 0 to 0: all */
    const char *stalls;
} const cases[] = {
    {0, 0, "stall||4000|2|600|the recorder stalled the program: times include that\n"},
    {1, 3, "stall||2000|1|100|the recorder stalled the program: times include that\n"},
    {2, 3, ""},
    {3, 4, "stall||4000|1|500|the recorder stalled the program: times include that\n"},
};

START_TEST(says_what_touches_the_selection)
{
    struct captured *c = make();
    char wanted[256];
    c->select = (struct tk_selection){.has_from = cases[_i].to > 0,
                                      .has_to = cases[_i].to > 0,
                                      .from_ns = cases[_i].from * 1000000000,
                                      .to_ns = cases[_i].to * 1000000000};
    snprintf(wanted, sizeof wanted,
             "%schannel|Frame||1||it is off: frames are missing\n"
             "channel|Object||1||it was switched off while recording: some of its events are missing\n",
             cases[_i].stalls);
    ck_assert_str_eq(captured_table(c, "quality", "kind,subject,start,count,total,text"), wanted);
    captured_free(c);
}
END_TEST

/* An emitter that dropped something says so; each kind of reason, and one that is not known. */
START_TEST(says_what_a_program_dropped)
{
    static const char *const said[] = {"thread 5 between 2.000 s and 2.500 s: for an unknown reason",
                                       "thread 5 between 2.000 s and 2.500 s: its buffer was full",
                                       "thread 5 between 2.000 s and 2.500 s: it had no memory",
                                       "thread 5 between 2.000 s and 2.500 s: the file took no more"};
    struct captured *c = captured_new(7);
    struct put_type *loss = put_new(
        c, "Tracekit.Loss", "StartCycle:q EndCycle:q ThreadId:q Scopes:q Events:q Reason:q", TK_UW_NOSYNC);
    put(c, 2, loss, Q(3000), Q(3500), Q(5), Q(1204), Q(11), Q(_i ? _i : 200));
    captured_send(c);
    captured_close(c);
    char wanted[256];
    snprintf(wanted, sizeof wanted, "events_lost|1215|the program dropped 1204 scopes and 11 events of %s\n",
             said[_i]);
    ck_assert_str_eq(captured_table(c, "health", "kind,count,text"), wanted);
    captured_free(c);
    free(loss);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {says_what_touches_the_selection, says_what_a_program_dropped};
    return RUN_TESTS_EACH("quality", tests, sizeof cases / sizeof *cases);
}
