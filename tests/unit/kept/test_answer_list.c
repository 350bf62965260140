/*
 * The section of answers: the newest is found, the oldest goes, and health comes back as it was. It stands
 * alongside libtrace/kept/answers.
 */
#include "kept/kept_in.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static struct tk_bytes text(const char *p)
{
    return (struct tk_bytes){(const uint8_t *)p, strlen(p)};
}

static bool is(const struct tk_kept *kept, const char *question, const char *answer)
{
    const struct tk_bytes found = tk_kept_answer_find(kept, text(question));
    return found.n == strlen(answer) && memcmp(found.n ? (const char *)found.p : "", answer, found.n) == 0;
}

START_TEST(answers_are_found)
{
    struct tk_kept kept = {.most = 1000};
    ck_assert(is(&kept, "a", ""));
    tk_kept_answer_add(&kept, text("a"), text("one"), 1000);
    tk_kept_answer_add(&kept, text("ab"), text("two"), 1000);
    tk_kept_answer_add(&kept, text("a"), text("three"), 1000);
    ck_assert(is(&kept, "a", "three"));
    ck_assert(is(&kept, "ab", "two"));
    ck_assert(is(&kept, "abc", ""));
    tk_kept_release(&kept.made[TK_KEPT_ANSWERS]);
}
END_TEST

START_TEST(those_of_the_file_come_first)
{
    static const uint8_t there[] = {1, 'a', 2, 'b', 'c'};
    struct tk_kept kept = {.most = 1000, .has = {[TK_KEPT_ANSWERS] = {there, sizeof there}}};
    ck_assert(is(&kept, "a", "bc"));
    tk_kept_answer_add(&kept, text("d"), text("e"), 1000);
    ck_assert(is(&kept, "a", "bc"));
    ck_assert(is(&kept, "d", "e"));
    tk_kept_release(&kept.made[TK_KEPT_ANSWERS]);
}
END_TEST

START_TEST(the_oldest_go)
{
    struct tk_kept kept = {.most = 1000};
    char answer[100];
    for (int i = 0; i < 50; i++) {
        char question[16];
        snprintf(question, sizeof question, "%d", i);
        memset(answer, 'x', sizeof answer);
        answer[80] = '\0';
        tk_kept_answer_add(&kept, text(question), text(answer), 300);
        ck_assert(is(&kept, question, answer));
        ck_assert_uint_le(kept.made[TK_KEPT_ANSWERS].bytes.n, 300);
    }
    ck_assert(is(&kept, "48", answer));
    ck_assert(is(&kept, "10", ""));
    tk_kept_answer_add(&kept, text("49"), text(answer), 90); /* more than all may be: nothing changes */
    ck_assert(is(&kept, "48", answer));
    tk_kept_release(&kept.made[TK_KEPT_ANSWERS]);
}
END_TEST

START_TEST(a_section_that_is_cut_has_the_rest)
{
    static const uint8_t there[] = {1, 'a', 2, 'b', 'c', 1, 'd', 9, 'e'};
    for (size_t n = 0; n <= sizeof there; n++) {
        uint8_t *part = malloc(n ? n : 1);
        memcpy(part, there, n);
        struct tk_kept kept = {.has = {[TK_KEPT_ANSWERS] = {part, n}}};
        ck_assert(is(&kept, "a", n < 5 ? "" : "bc"));
        ck_assert(is(&kept, "d", ""));
        free(part);
    }
}
END_TEST

static struct tk_health noted(void)
{
    struct tk_health h = {.max_items = 2};
    h.ledger[TK_LEDGER_EVENTS] = 12345;
    tk_health_note(&h, TK_HEALTH_SCOPE_OPEN, TK_NO_OFFSET, 3, "three");
    tk_health_note(&h, TK_HEALTH_PACKET_DAMAGED, 0, 1, "at the start");
    tk_health_note(&h, TK_HEALTH_PACKET_DAMAGED, 77, 1, "for which no room is left");
    tk_health_limit(&h, TK_LIMIT_timers, 99, 1, "more than that");
    return h;
}

START_TEST(health_comes_back)
{
    struct tk_health h = noted(), back;
    struct tk_kept_bytes bytes = {.failed = false};
    tk_kept_health_put(&bytes, &h);
    struct tk_cur c = tk_cur_of(bytes.bytes.v, bytes.bytes.n);
    tk_kept_health_take(&c, &back, 2);
    ck_assert(tk_cur_ok(&c) && !tk_cur_left(&c));
    ck_assert_mem_eq(back.counts, h.counts, sizeof h.counts);
    ck_assert_mem_eq(back.ledger, h.ledger, sizeof h.ledger);
    ck_assert_uint_eq(back.n_items, 3);
    ck_assert_uint_eq(back.n_items, h.n_items);
    ck_assert_uint_eq(back.named, h.named);
    for (size_t i = 0; i < h.n_items; i++) {
        ck_assert_str_eq(back.items[i].text, h.items[i].text);
        ck_assert_uint_eq(back.items[i].offset, h.items[i].offset);
        ck_assert_uint_eq(back.items[i].count, h.items[i].count);
    }
    tk_health_release(&back);
    for (size_t n = 0; n < bytes.bytes.n; n++) {
        c = tk_cur_of(bytes.bytes.v, n);
        tk_kept_health_take(&c, &back, 2);
        must(!tk_cur_ok(&c));
        tk_health_release(&back);
    }
    tk_kept_release(&bytes);
    tk_health_release(&h);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {answers_are_found, those_of_the_file_come_first, the_oldest_go,
                                  a_section_that_is_cut_has_the_rest, health_comes_back};
    return RUN_TESTS("kept-answer_list", tests);
}
