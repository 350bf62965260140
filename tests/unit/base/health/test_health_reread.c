/* Faults over several readings: each finds what it reads again, and none is reported twice. By hand. */
#include "base/health/health.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static struct tk_health health;
static const struct tk_health *earlier; /* where a reading goes on */
static struct tk_health before, opened;
static char text[512];

static void set_up(void)
{
    health.max_items = opened.max_items = 10;
    tk_health_note(&opened, TK_HEALTH_HEADER_DAMAGED, 4, 1, "header");
    opened.ledger[TK_LEDGER_EVENTS] = 100;
    tk_health_reread_copy(&health, &opened);
}

static void tear_down(void)
{
    tk_health_release(&health);
    tk_health_release(&opened);
}

static const char *listed(const struct tk_health *h)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < h->n_items; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %llu, ", h->items[i].text,
                               (unsigned long long)h->items[i].count);
    return text;
}

/* What is known while a reading goes on. */
static const char *known(void)
{
    struct tk_health all;
    tk_health_reread_known(&health, earlier, &all);
    listed(&all);
    tk_health_release(&all);
    return text;
}

static void begin(void)
{
    tk_health_reread_start(&health, &before, &opened);
    earlier = &before;
}

static void end(void)
{
    earlier = NULL;
    tk_health_reread_finish(&health, &before);
}

/* The reading finds a packet at 50; what makes its rows finds 3 steps without a beginning. */
static void read_all(void)
{
    begin();
    tk_health_note(&health, TK_HEALTH_PACKET_DAMAGED, 50, 1, "packet");
    tk_health_move(&health, TK_LEDGER_EVENTS, TK_LEDGER_UNREADABLE, 20);
    tk_health_note(&health, TK_HEALTH_PART_UNMATCHED, TK_NO_OFFSET, 3, "steps");
    end();
}

START_TEST(a_reading_keeps_what_others_found)
{
    read_all();
    ck_assert_str_eq(listed(&health), "header 1, packet 1, steps 3, ");
    begin(); /* reads less */
    ck_assert_str_eq(listed(&health), "header 1, ");
    ck_assert_uint_eq(health.ledger[TK_LEDGER_UNREADABLE], 0);
    ck_assert_str_eq(known(), "header 1, packet 1, steps 3, ");
    end();
    ck_assert_str_eq(listed(&health), "header 1, packet 1, steps 3, ");
    ck_assert_uint_eq(health.ledger[TK_LEDGER_UNREADABLE], 20);
    ck_assert_uint_eq(health.ledger[TK_LEDGER_EVENTS], 80);
}
END_TEST

START_TEST(faults_do_not_add_up)
{
    for (int i = 0; i < 3; i++) {
        read_all();
        ck_assert_str_eq(listed(&health), "header 1, packet 1, steps 3, ");
        ck_assert_uint_eq(health.counts[TK_HEALTH_PACKET_DAMAGED], 1);
        ck_assert_uint_eq(health.counts[TK_HEALTH_PART_UNMATCHED], 3);
        ck_assert_uint_eq(health.ledger[TK_LEDGER_UNREADABLE], 20);
    }
}
END_TEST

/* One fault of a kind found again, another not: both once. */
START_TEST(some_are_found_again)
{
    begin();
    tk_health_note(&health, TK_HEALTH_PACKET_DAMAGED, 50, 1, "packet");
    tk_health_note(&health, TK_HEALTH_PACKET_DAMAGED, 70, 1, "packet");
    end();
    for (int i = 0; i < 2; i++) {
        begin();
        tk_health_note(&health, TK_HEALTH_PACKET_DAMAGED, 70, 1, "packet");
        end();
        ck_assert_uint_eq(health.n_items, 3);
        ck_assert_uint_eq(health.items[1].offset, 70);
        ck_assert_uint_eq(health.items[2].offset, 50);
        ck_assert_uint_eq(health.counts[TK_HEALTH_PACKET_DAMAGED], 2);
    }
}
END_TEST

/* Two readings meet the same events: they are not added, the reading that met more of them counts. */
START_TEST(undeclared_events_are_not_summed_twice)
{
    for (unsigned first = 2; first <= 5; first += 3) {
        begin();
        for (unsigned i = 0; i < first; i++)
            tk_health_note(&health, TK_HEALTH_TYPE_UNDECLARED, 90 - i, 1, "uid 7");
        end();
    }
    begin();
    tk_health_note(&health, TK_HEALTH_TYPE_UNDECLARED, 90, 1, "uid 7");
    end();
    ck_assert_str_eq(listed(&health), "header 1, uid 7 5, ");
    ck_assert_uint_eq(health.items[1].offset, 86);
    ck_assert_uint_eq(health.counts[TK_HEALTH_TYPE_UNDECLARED], 5);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_reading_keeps_what_others_found, faults_do_not_add_up,
                                  undeclared_events_are_not_summed_twice, some_are_found_again};
    return RUN_TESTS_AROUND("carry", tests, set_up, tear_down);
}
