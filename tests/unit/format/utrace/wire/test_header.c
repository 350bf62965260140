/*
 * File headers: all forms, metadata, what is refused and the sentences for it (wire 1).
 */
#include "format/utrace/wire/header.h"
#include "run.h"

#include <string.h>

static struct tk_ut_header header;
static struct tk_health health;
static struct tk_err err;

static int parse(const void *p, size_t n)
{
    tk_health_release(&health);
    health = (struct tk_health){.max_items = 10};
    err = (struct tk_err){0};
    return tk_ut_header_parse(&header, p, n, &health, &err);
}

#define PARSE(text) parse(text, sizeof(text) - 1)

static void check_versions(const char *magic, unsigned transport, unsigned protocol, unsigned size)
{
    ck_assert_str_eq(header.magic, magic);
    ck_assert_uint_eq(header.transport, transport);
    ck_assert_uint_eq(header.protocol, protocol);
    ck_assert_uint_eq(header.size, size);
}

START_TEST(forms)
{
    ck_assert_int_eq(PARSE("ECRT\x03\x05"), TK_OK);
    check_versions("ECRT", 3, 5, 6);
    ck_assert(!header.has_port && !header.has_session && !header.has_trace);
    ck_assert_int_eq(PARSE("2CRT\x04\x00\x02\x00\xC1\x07\x04\x05"), TK_OK);
    check_versions("2CRT", 4, 5, 12);
    ck_assert(header.has_port && !header.has_session);
    ck_assert_uint_eq(header.control_port, 1985);
    ck_assert_int_eq(PARSE("2CRT\x00\x00\x03\x01"), TK_OK);
    check_versions("2CRT", 3, 1, 8);
    ck_assert_int_eq(PARSE("\x01\x00\x00\x00\x15"), TK_OK);
    check_versions("none", 1, 0, 2);
}
END_TEST

START_TEST(guids)
{
    static const char bytes[] = "2CRT\x28\x00\x02\x00\xC1\x07"
                                "\x10\x01\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1A\x1B\x1C\x1D\x1E\x1F"
                                "\x10\x02\x20\x21\x22\x23\x24\x25\x26\x27\x28\x29\x2A\x2B\x2C\x2D\x2E\x2F"
                                "\x04\x07";
    char text[33];
    ck_assert_int_eq(PARSE(bytes), TK_OK);
    check_versions("2CRT", 4, 7, 48);
    ck_assert(header.has_port && header.has_session && header.has_trace);
    tk_ut_guid_text(text, header.session_guid);
    ck_assert_str_eq(text, "13121110171615141B1A19181F1E1D1C");
    tk_ut_guid_text(text, header.trace_guid);
    ck_assert_str_eq(text, "23222120272625242B2A29282F2E2D2C");
}
END_TEST

/* Unknown ids and known ids of another size are passed over. */
START_TEST(odd_metadata)
{
    ck_assert_int_eq(PARSE("2CRT\x0E\x00\x03\x09"
                           "abc\x00\x07\x02\x00\x34\x12\x01\x00\xFF\x04\x07"),
                     TK_OK);
    check_versions("2CRT", 4, 7, 22);
    ck_assert_uint_eq(header.control_port, 0x1234);
    ck_assert_uint_eq(health.counts[TK_HEALTH_HEADER_DAMAGED], 0);
    /* a field that runs past the block: the size of the block alone says where the versions are */
    ck_assert_int_eq(PARSE("2CRT\x06\x00\x02\x00\xC1\x07\x09\x05\x04\x07"), TK_OK);
    check_versions("2CRT", 4, 7, 14);
    ck_assert_uint_eq(header.control_port, 1985);
    ck_assert_uint_eq(health.counts[TK_HEALTH_HEADER_DAMAGED], 1);
}
END_TEST

/* Wire 9: a wrong block size, but valid versions behind the last field of a known id. */
START_TEST(wrong_metadata_size)
{
    ck_assert_int_eq(PARSE("2CRT\x05\x00\x02\x00\xC1\x07\x04\x05\x00\x00"), TK_OK);
    check_versions("2CRT", 4, 5, 12);
    ck_assert_uint_ge(health.counts[TK_HEALTH_HEADER_DAMAGED], 1);
    ck_assert_int_eq(PARSE("2CRT\xFF\xFF\x02\x00\xC1\x07\x04\x05\x00\x00"), TK_OK);
    check_versions("2CRT", 4, 5, 12);
}
END_TEST

/* Wire 1.4: protocol 0 goes with transports 1 and 2, the others with 3 and 4. */
START_TEST(combinations)
{
    char bytes[] = "ECRT..";
    for (unsigned transport = 0; transport < 256; transport++) {
        for (unsigned protocol = 0; protocol < 256; protocol++) {
            bool valid = (protocol == 0 && (transport == 1 || transport == 2)) ||
                         (protocol >= 1 && protocol <= 7 && (transport == 3 || transport == 4));
            bytes[4] = (char)transport;
            bytes[5] = (char)protocol;
            ck_assert_int_eq(parse(bytes, 6), valid ? TK_OK : TK_EFORMAT);
        }
    }
}
END_TEST

START_TEST(sentences)
{
    ck_assert_int_eq(PARSE("ECRT\x05\x07"), TK_EFORMAT);
    ck_assert_str_eq(err.text[0], "transport 5 with protocol 7 at offset 4 is not known");
    ck_assert_int_eq(PARSE("2CRT\x04\x00\x02\x00\xC1\x07\x04\x08"), TK_EFORMAT);
    ck_assert_str_eq(err.text[0], "transport 4 with protocol 8 at offset 10 is not known");
    ck_assert_int_eq(PARSE("2CRT\x04\x00\x02"), TK_EFORMAT);
    ck_assert_str_eq(err.text[0], "the header is cut off: the file ends at offset 7");
}
END_TEST

START_TEST(cut_everywhere)
{
    static const char bytes[] = "2CRT\x04\x00\x02\x00\xC1\x07\x04\x05";
    for (size_t n = 0; n < 12; n++) {
        ck_assert_int_eq(parse(bytes, n), TK_EFORMAT);
        ck_assert_ptr_nonnull(strstr(err.text[0], "cut off"));
    }
    ck_assert_int_eq(parse(bytes, 12), TK_OK);
    for (size_t n = 0; n < 6; n++)
        ck_assert_int_eq(parse("ECRT\x03\x05", n), TK_EFORMAT);
}
END_TEST

START_TEST(probing)
{
    ck_assert_int_eq(tk_ut_header_probe((const uint8_t *)"2CRT", 4), 100);
    ck_assert_int_eq(tk_ut_header_probe((const uint8_t *)"ECRT", 4), 100);
    ck_assert_int_gt(tk_ut_header_probe((const uint8_t *)"\1\0\0\0", 4), 0);
    ck_assert_int_lt(tk_ut_header_probe((const uint8_t *)"\1\0\0\0", 4), 100);
    ck_assert_int_eq(tk_ut_header_probe((const uint8_t *)"2CRT", 3), 0);
    ck_assert_int_eq(tk_ut_header_probe((const uint8_t *)"TRC2", 4), 0);
    ck_assert_int_eq(tk_ut_header_probe((const uint8_t *)"\1\0\0\1", 4), 0);
}
END_TEST

static const char *explain(const char *p)
{
    return tk_ut_header_explain((const uint8_t *)p, strlen(p));
}

START_TEST(explanations)
{
    ck_assert_ptr_nonnull(strstr(explain("TRCE...."), "big-endian"));
    ck_assert_ptr_nonnull(strstr(explain("TRC2...."), "big-endian"));
    ck_assert_ptr_nonnull(strstr(explain("3CRT...."), "newer"));
    ck_assert_ptr_nonnull(strstr(explain("9CRT...."), "newer"));
    ck_assert_ptr_nonnull(strstr(explain("\x16\x03\x01zz"), "TLS"));
    ck_assert_ptr_nonnull(strstr(explain("2C"), "cut off"));
    ck_assert_ptr_null(explain("PK\3\4...."));
    ck_assert_ptr_null(explain("1CRT...."));
    ck_assert_ptr_null(explain(""));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {forms,     guids,          odd_metadata, wrong_metadata_size, combinations,
                                  sentences, cut_everywhere, probing,      explanations};
    return RUN_TESTS("utrace header", tests);
}
