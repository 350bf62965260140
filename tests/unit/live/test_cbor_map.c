/* Maps of CBOR as viewers and servers write them: the bytes of the paper (live 8.2), and what is none. */
#include "live/server.h"
#include "run.h"

#include <string.h>

#define FIND(bytes, key) tk_cbor_find((const uint8_t *)(bytes), sizeof(bytes) - 1, key, &item)
#define LOW(bytes, key)  tk_cbor_find_low((const uint8_t *)(bytes), sizeof(bytes) - 1, key, &low)

static struct tk_cbor_item item;
static uint32_t low;

START_TEST(requests_of_a_viewer)
{
    static const char info[] =
        "\xBF\x48$request\x43GET\x45$path\x4Dv1/trace/info\x42id\x3A\x0F\x85\xC1\xA2\xFF";
    ck_assert(FIND(info, "$request") && item.kind == TK_CBOR_STRING && item.n == 3 &&
              memcmp(item.text, "GET", 3) == 0);
    ck_assert(FIND(info, "$path") && item.n == 13);
    ck_assert(FIND(info, "id") && item.kind == TK_CBOR_NEGATIVE);
    ck_assert(LOW(info, "id"));
    ck_assert_uint_eq(low, 4034543197u); /* sent as that less 2^32 */
    ck_assert(!FIND(info, "index") && !FIND(info, "i") && !FIND(info, "idx"));
    ck_assert(LOW("\xA1\x62id\x1B\0\0\0\1\xF0\x7A\x3E\x5D", "id") && low == 4034543197u); /* and 2^32 more */
}
END_TEST

START_TEST(what_is_passed_over_and_what_is_not)
{
    ck_assert(FIND("\xBF\x61x\xF5\x61y\xFB\1\2\3\4\5\6\7\x08\x61z\xF6\x61k\x07\xFF", "k") && item.value == 7);
    ck_assert(FIND("\xBF\x61k\x07", "k"));             /* the break is missing */
    ck_assert(FIND("\xBF\x61k\x07\xFF\xFF\xFF", "k")); /* more behind it */
    ck_assert(!FIND("\xBF\x61"
                    "a\x80\x61k\x07\xFF",
                    "k")); /* an array in front */
    ck_assert(!FIND("\xBF\x61"
                    "a\xA0\x61k\x07\xFF",
                    "k"));
    ck_assert(!FIND("\xBF\x61"
                    "a\xC1\x01\x61k\x07\xFF",
                    "k"));                              /* a tag */
    ck_assert(!FIND("\xBF\x7F\x61k\xFF\x07\xFF", "k")); /* a text in pieces */
    ck_assert(!FIND("\xBF\x62k", "k") && !FIND("\xBF\x7B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFk\x07", "k"));
    ck_assert(!FIND("\x05", "k") && !FIND("", "k") && !FIND("\xBF", "k") && !FIND("\xBF\xFF\x61k\x07", "k"));
    ck_assert(!FIND("\xBF\x61k\x1C\xFF", "k")); /* a length that is none */
    ck_assert(!LOW("\xBF\x61k\x61v\xFF", "k"));
}
END_TEST

START_TEST(answers_of_a_server)
{
    static const char status[] = "\xBF\x67$status\x18\xC8\x6Drecorder_port\x19\x07\xBD\x6D"
                                 "change_serial\x1A\xD4\x96\x3D\x55\x69store_dir\x6E/tmp/store/001\xFF";
    static const char wide[] =
        "\xBF\x67$status\x18\xC8\x69timestamp\x1B\x08\xDD\x2C\x6C\x72\xC3\xC0\x80\x61z\x17\xFF";
    uint8_t p[256];
    struct tk_cbor_writer w = {.p = p, .capacity = sizeof p};
    tk_cbor_begin(&w);
    tk_cbor_put_number(&w, "$status", 200);
    tk_cbor_put_number(&w, "recorder_port", 1981);
    tk_cbor_put_number(&w, "change_serial", 3566615893u);
    tk_cbor_put_text(&w, "store_dir", "/tmp/store/001", 14);
    tk_cbor_end(&w);
    ck_assert_uint_eq(w.n, sizeof status - 1);
    ck_assert_mem_eq(p, status, sizeof status - 1);
    ck_assert_uint_eq(w.n, 0x49); /* the count in front of it */
    w = (struct tk_cbor_writer){.p = p, .capacity = sizeof p};
    tk_cbor_begin(&w);
    tk_cbor_put_number(&w, "$status", 200);
    tk_cbor_put_number(&w, "timestamp", UINT64_C(638715566450000000));
    tk_cbor_put_number(&w, "z", 23);
    tk_cbor_end(&w);
    ck_assert_mem_eq(p, wide, sizeof wide - 1);
    for (size_t capacity = 0; capacity < sizeof wide - 1; capacity++) {
        w = (struct tk_cbor_writer){.p = p, .capacity = capacity};
        tk_cbor_begin(&w);
        tk_cbor_put_number(&w, "$status", 200);
        tk_cbor_put_number(&w, "timestamp", UINT64_C(638715566450000000));
        tk_cbor_put_number(&w, "z", 23);
        tk_cbor_end(&w);
        ck_assert(w.full && w.n <= capacity);
    }
}
END_TEST

START_TEST(ids_of_captures)
{
    ck_assert_uint_eq(tk_store_hash("20250102_030405", 15), 70805884); /* live 3.5 */
    ck_assert_uint_eq(tk_store_hash("20250103_030405", 15), 4034543197u);
    ck_assert_uint_eq(tk_store_hash("\xE9", 1), 5381u * 33 - 23); /* bytes are signed */
}
END_TEST

START_TEST(names_that_rules_may_remove)
{
    ck_assert(tk_keep_is_ours("20250102_030405", NULL) && tk_keep_is_ours("20250102_030405_00", NULL));
    ck_assert(tk_keep_is_ours("n-20250102_030405_123", "n-") && !tk_keep_is_ours("20250102_030405", "n-"));
    ck_assert(!tk_keep_is_ours("20250102_03040", NULL) && !tk_keep_is_ours("20250102_030405_1", NULL));
    ck_assert(!tk_keep_is_ours("20250102_030405x", NULL) && !tk_keep_is_ours("20250102-030405", NULL));
    ck_assert(!tk_keep_is_ours("n-20250102_030405", NULL) && !tk_keep_is_ours("", NULL));
    ck_assert(!tk_keep_is_ours("20250102_030405_", NULL) &&
              !tk_keep_is_ours("20250102_030405_00 good", NULL));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {requests_of_a_viewer, what_is_passed_over_and_what_is_not,
                                  answers_of_a_server, ids_of_captures, names_that_rules_may_remove};
    return RUN_TESTS("live-cbor_map", tests);
}
