/* Health, its ledger, and limits. */
#include "base/health/health.h"
#include "run.h"

#include <string.h>

START_TEST(all_are_counted_and_some_kept)
{
    struct tk_health h = {.max_items = 3};
    for (uint64_t i = 0; i < 10; i++)
        tk_health_note(&h, TK_HEALTH_SERIAL_GAP, 100 + i, 2, "serial %d of thread %d", (int)i, 7);
    ck_assert_uint_eq(h.counts[TK_HEALTH_SERIAL_GAP], 20);
    ck_assert_uint_eq(h.n_items, 3);
    ck_assert_int_eq(h.items[2].kind, TK_HEALTH_SERIAL_GAP);
    ck_assert_uint_eq(h.items[2].offset, 102);
    ck_assert_uint_eq(h.items[2].count, 2);
    ck_assert_str_eq(h.items[0].text, "serial 0 of thread 7");
    ck_assert_str_eq(h.items[2].text, "serial 2 of thread 7");
    tk_health_clear(&h);
    ck_assert_uint_eq(h.counts[TK_HEALTH_SERIAL_GAP] + h.n_items, 0);
    ck_assert_uint_eq(h.max_items, 3);
    tk_health_note(&h, TK_HEALTH_SERIAL_GAP, TK_NO_OFFSET, 1, "again");
    ck_assert_str_eq(h.items[0].text, "again");
    tk_health_release(&h);
    ck_assert_ptr_null(h.items);
}
END_TEST

START_TEST(no_items_without_space)
{
    struct tk_health h = {0};
    tk_health_note(&h, TK_HEALTH_PACKET_DAMAGED, 0, 1, "x");
    ck_assert_uint_eq(h.counts[TK_HEALTH_PACKET_DAMAGED], 1);
    ck_assert_uint_eq(h.n_items, 0);
    tk_health_release(&h);
}
END_TEST

START_TEST(only_damage_is_damage)
{
    for (int i = 0; i < TK_HEALTH_COUNT; i++) {
        enum tk_health_kind kind = (enum tk_health_kind)i;
        struct tk_health h = {.max_items = 1};
        ck_assert(!tk_health_damaged(&h));
        tk_health_note(&h, kind, 0, 1, "x");
        ck_assert_int_eq(tk_health_damaged(&h), tk_health_is_damage(kind));
        ck_assert_int_gt((int)strlen(tk_health_name(kind)), 3);
        ck_assert_int_gt((int)strlen(tk_health_help(kind)), 3);
        tk_health_release(&h);
    }
    ck_assert(tk_health_is_damage(TK_HEALTH_STREAM_BREAK));
    ck_assert(!tk_health_is_damage(TK_HEALTH_FILE_TRUNCATED));
    ck_assert_str_eq(tk_health_name(TK_HEALTH_FILE_TRUNCATED), "file_truncated");
    ck_assert_str_eq(tk_ledger_name(TK_LEDGER_SKIPPED), "skipped");
    ck_assert_str_eq(tk_ledger_help(TK_LEDGER_HEADER), "file header");
}
END_TEST

START_TEST(texts_are_printable_utf8)
{
    struct tk_health h = {.max_items = 10};
    tk_health_note(&h, TK_HEALTH_EVENT_DAMAGED, 0, 1, "name '%s'", "a\n\x1b[0m\xff\xc3\xa9");
    ck_assert_str_eq(h.items[0].text, "name 'a\xef\xbf\xbd\xef\xbf\xbd[0m\xef\xbf\xbd\xc3\xa9'");
    char text[3000];
    memset(text, 1, sizeof text);
    text[sizeof text - 1] = '\0';
    tk_health_note(&h, TK_HEALTH_EVENT_DAMAGED, 0, 1, "%s", text);
    ck_assert_uint_gt(strlen(h.items[1].text), 500);
    ck_assert_uint_lt(strlen(h.items[1].text), sizeof text);
    tk_health_release(&h);
}
END_TEST

START_TEST(muted_kinds_are_not_noted)
{
    struct tk_health h = {.max_items = 10, .muted = UINT64_C(1) << TK_HEALTH_SERIAL_GAP};
    tk_health_note(&h, TK_HEALTH_SERIAL_GAP, 0, 1, "x");
    tk_health_note(&h, TK_HEALTH_SERIAL_LATE, 0, 1, "y");
    ck_assert_uint_eq(h.counts[TK_HEALTH_SERIAL_GAP], 0);
    ck_assert_uint_eq(h.counts[TK_HEALTH_SERIAL_LATE], 1);
    ck_assert_uint_eq(h.n_items, 1);
    tk_health_release(&h);
}
END_TEST

START_TEST(merge_adds_and_forgets)
{
    struct tk_health a = {.max_items = 3, .muted = UINT64_C(1) << TK_HEALTH_SCOPE_OPEN};
    struct tk_health b = {.max_items = 10};
    tk_health_note(&a, TK_HEALTH_SERIAL_GAP, 1, 1, "a");
    for (uint64_t i = 0; i < 3; i++)
        tk_health_note(&b, TK_HEALTH_STREAM_BREAK, 10 + i, 5, "b%d", (int)i);
    tk_health_note(&b, TK_HEALTH_SCOPE_OPEN, 1, 1, "muted");
    b.ledger[TK_LEDGER_EVENTS] = 7;
    tk_health_merge(&a, &b);
    ck_assert_uint_eq(a.counts[TK_HEALTH_STREAM_BREAK], 15);
    ck_assert_uint_eq(a.counts[TK_HEALTH_SERIAL_GAP], 1);
    ck_assert_uint_eq(a.counts[TK_HEALTH_SCOPE_OPEN], 0);
    ck_assert_uint_eq(a.n_items, 3);
    ck_assert_uint_eq(a.ledger[TK_LEDGER_EVENTS], 0);
    ck_assert_uint_eq(b.counts[TK_HEALTH_STREAM_BREAK] + b.n_items, 0);
    ck_assert_uint_eq(b.ledger[TK_LEDGER_EVENTS], 7);
    tk_health_release(&b);
    ck_assert_str_eq(a.items[0].text, "a");
    ck_assert_str_eq(a.items[2].text, "b1");
    ck_assert_uint_eq(a.items[2].offset, 11);
    tk_health_release(&a);
}
END_TEST

START_TEST(ledger_keeps_its_sum)
{
    struct tk_health h = {0};
    h.ledger[TK_LEDGER_EVENTS] = 100;
    tk_health_move(&h, TK_LEDGER_EVENTS, TK_LEDGER_UNREADABLE, 30);
    ck_assert_uint_eq(h.ledger[TK_LEDGER_EVENTS], 70);
    ck_assert_uint_eq(h.ledger[TK_LEDGER_UNREADABLE], 30);
    tk_health_move(&h, TK_LEDGER_EVENTS, TK_LEDGER_SKIPPED, 1000);
    ck_assert_uint_eq(h.ledger[TK_LEDGER_EVENTS], 0);
    ck_assert_uint_eq(h.ledger[TK_LEDGER_SKIPPED], 70);
}
END_TEST

START_TEST(chosen_limits_are_taken_back)
{
    struct tk_health h = {.max_items = 10};
    tk_health_limit(&h, TK_LIMIT_hitches, TK_NO_OFFSET, 77, "%d hitches", 77);
    tk_health_limit(&h, TK_LIMIT_threads, TK_NO_OFFSET, 3, "%d threads", 3);
    tk_health_limit(&h, TK_LIMIT_hitches, TK_NO_OFFSET, 5, "%d hitches", 5);
    ck_assert_uint_eq(tk_health_take_limit(&h, TK_LIMIT_tree_nodes), 0);
    ck_assert_uint_eq(tk_health_take_limit(&h, TK_LIMIT_hitches), 82);
    ck_assert_uint_eq(h.counts[TK_HEALTH_LIMIT_REACHED], 3);
    ck_assert_uint_eq(h.n_items, 1);
    ck_assert_int_eq(h.items[0].limit, TK_LIMIT_threads + 1);
    ck_assert(tk_health_partial(&h));
    ck_assert_uint_eq(tk_health_take_limit(&h, TK_LIMIT_threads), 3);
    ck_assert(!tk_health_partial(&h));
    tk_health_release(&h);
}
END_TEST

/* Where there is no space for items each limit has one all the same, and the others of it are counted with
 * it.
 */
START_TEST(chosen_limits_without_space)
{
    struct tk_health h = {.max_items = 1};
    for (int i = 0; i < 5; i++)
        tk_health_limit(&h, TK_LIMIT_tree_nodes, TK_NO_OFFSET, 10, "thread %d", i);
    ck_assert_uint_eq(tk_health_take_limit(&h, TK_LIMIT_tree_nodes), 50);
    ck_assert(!tk_health_partial(&h));
    tk_health_release(&h);
}
END_TEST

static void note_uid(struct tk_health *h, uint64_t offset, unsigned uid)
{
    tk_health_note(h, TK_HEALTH_TYPE_UNDECLARED, offset, 1, "uid %u", uid);
}

static void check_item(const struct tk_health *h, size_t i, const char *text, uint64_t count, uint64_t offset)
{
    ck_assert_str_eq(h->items[i].text, text);
    ck_assert_uint_eq(h->items[i].count, count);
    ck_assert_uint_eq(h->items[i].offset, offset);
}

/* Events of one undeclared type are one item with the first offset, also when other items are full, and
 * however readings are put together; those of two types are two. */
START_TEST(undeclared_events_are_summed)
{
    struct tk_health h = {.max_items = 2}, other = {.max_items = 10};
    for (unsigned i = 0; i < 180; i++)
        note_uid(&h, 5000 - i % 90, 7);
    note_uid(&h, 100, 8);
    note_uid(&h, 200, 9);
    note_uid(&h, 50, 7);
    ck_assert_uint_eq(h.n_items, 2);
    check_item(&h, 0, "uid 7", 181, 50);
    check_item(&h, 1, "uid 8", 1, 100);
    ck_assert_uint_eq(h.counts[TK_HEALTH_TYPE_UNDECLARED], 183);
    note_uid(&other, 30, 8);
    note_uid(&other, 40, 8);
    tk_health_merge(&h, &other);
    check_item(&h, 1, "uid 8", 3, 30);
    note_uid(&other, 20, 8); /* forgotten there */
    check_item(&other, 0, "uid 8", 1, 20);
    tk_health_release(&other);
    tk_health_release(&h);
}
END_TEST

/* Items move when notes of a limit are taken back: sums still find theirs. */
START_TEST(sums_follow_moved_items)
{
    struct tk_health h = {.max_items = 10};
    tk_health_limit(&h, TK_LIMIT_hitches, TK_NO_OFFSET, 77, "%d hitches", 77);
    note_uid(&h, 5, 7);
    note_uid(&h, 6, 8);
    ck_assert_uint_eq(tk_health_take_limit(&h, TK_LIMIT_hitches), 77);
    note_uid(&h, 3, 8);
    ck_assert_uint_eq(h.n_items, 2);
    check_item(&h, 0, "uid 7", 1, 5);
    check_item(&h, 1, "uid 8", 2, 3);
    tk_health_release(&h);
}
END_TEST

START_TEST(limits_by_name)
{
    struct tk_limits limits = tk_limits_default();
    ck_assert_uint_eq(limits.threads, 65536);
    ck_assert_uint_eq(limits.health_items, 1000);
    ck_assert_int_eq(tk_limits_set(&limits, "threads=5", 7, 5), TK_OK);
    ck_assert_uint_eq(limits.threads, 5);
    ck_assert_uint_eq(limits.types, 65536);
    ck_assert_int_eq(tk_limits_set(&limits, "thread", 6, 5), TK_EUSAGE);
    ck_assert_int_eq(tk_limits_set(&limits, "threadss", 8, 5), TK_EUSAGE);
    ck_assert_int_eq(tk_limits_set(&limits, "", 0, 5), TK_EUSAGE);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        all_are_counted_and_some_kept, no_items_without_space,
        only_damage_is_damage,         texts_are_printable_utf8,
        muted_kinds_are_not_noted,     merge_adds_and_forgets,
        ledger_keeps_its_sum,          limits_by_name,
        chosen_limits_are_taken_back,  chosen_limits_without_space,
        undeclared_events_are_summed,  sums_follow_moved_items,
    };
    return RUN_TESTS("health", tests);
}
