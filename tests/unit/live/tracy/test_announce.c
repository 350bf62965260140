/*
 * Announcements: datagrams of all versions as tracy-live 2 has them, and the list of who announces himself.
 */
#include "live/tracy/link.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

static struct tk_os_address from(uint8_t last)
{
    struct tk_os_address a = tk_os_address_loopback(40000);
    a.bytes[15] = last;
    return a;
}

static const struct {
    uint8_t bytes[40];
    size_t n;
    uint16_t port;
    uint32_t protocol;
    uint64_t pid;
    int32_t active;
    const char *name;
} sound[] = {
    {"\3\0\x97\x1f\x52\0\0\0\x39\x30\0\0\0\0\0\0\7\0\0\0game", 25, 8087, 82, 12345, 7, "game"},
    {"\2\0\x96\x1f\x3f\0\0\0\1\0\0\0ab", 15, 8086, 63, 0, 1, "ab"},
    {"\1\0\0\0\x40\0\0\0\x98\x1f\0\0\2\0\0\0x", 18, 8088, 64, 0, 2, "x"},
    {"\0\0\0\0\x39\0\0\0\3\0\0\0", 13, 8086, 57, 0, 3, ""},
};

START_TEST(reads_all_versions)
{
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        struct tk_tl_announced a;
        const struct tk_os_address at = from(1);
        ck_assert(tk_tl_announce_read(&a, sound[i].bytes, sound[i].n, &at));
        ck_assert_uint_eq(a.at.port, sound[i].port);
        ck_assert_uint_eq(a.protocol, sound[i].protocol);
        ck_assert_uint_eq(a.pid, sound[i].pid);
        ck_assert_int_eq(a.active, sound[i].active);
        ck_assert_str_eq(a.name, sound[i].name);
    }
}
END_TEST

START_TEST(refuses_what_is_short_long_or_unknown)
{
    struct tk_tl_announced a;
    const struct tk_os_address at = from(1);
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        const size_t fixed = sound[i].n - strlen(sound[i].name) - 1;
        for (size_t n = 0; n <= fixed; n++)
            ck_assert(!tk_tl_announce_read(&a, sound[i].bytes, n, &at));
        uint8_t *longer = calloc(1, fixed + 65);
        ck_assert_ptr_nonnull(longer);
        memcpy(longer, sound[i].bytes, fixed);
        ck_assert(tk_tl_announce_read(&a, longer, fixed + 64, &at));
        ck_assert(!tk_tl_announce_read(&a, longer, fixed + 65, &at));
        free(longer);
    }
    ck_assert(!tk_tl_announce_read(&a, (const uint8_t *)"\4\0\x97\x1f\x52\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0x", 22,
                                   &at));
}
END_TEST

static struct tk_tl_announced *take(struct tk_tl_announcements *list, uint8_t last, int32_t active,
                                    double now, bool *is_new)
{
    uint8_t bytes[25];
    const struct tk_os_address at = from(last);
    memcpy(bytes, sound[0].bytes, sizeof bytes);
    for (unsigned i = 0; i < 4; i++)
        bytes[16 + i] = (uint8_t)((uint32_t)active >> (8 * i));
    return tk_tl_announce_take(list, bytes, sizeof bytes, &at, now, is_new);
}

START_TEST(lists_who_is_there)
{
    struct tk_tl_announcements list = {{0}};
    bool is_new;
    ck_assert_ptr_nonnull(take(&list, 1, 5, 100, &is_new));
    ck_assert(is_new);
    list.list.v[0].taken = true;
    ck_assert_ptr_nonnull(take(&list, 1, 8, 103, &is_new));
    ck_assert(!is_new && list.list.v[0].taken);
    take(&list, 2, 5, 104, &is_new);
    ck_assert(is_new);
    tk_tl_announce_age(&list, 112);
    ck_assert_uint_eq(list.list.n, 2);
    tk_tl_announce_age(&list, 113.5);
    ck_assert_uint_eq(list.list.n, 1);
    ck_assert_ptr_null(take(&list, 2, -1, 114, &is_new));
    ck_assert_uint_eq(list.list.n, 0);
    ck_assert_ptr_null(take(&list, 3, -1, 114, &is_new));
    tk_vec_release(&list.list);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {reads_all_versions, refuses_what_is_short_long_or_unknown,
                                  lists_who_is_there};
    return RUN_TESTS("announce", tests);
}
