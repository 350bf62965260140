/*
 * What is read and what is refused, and the layout of the releases (tracy-file 2).
 */
#include "format/tracy/file/version.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

#define MINOR (TK_TRACY_NEWEST >> 8 & 255)

static int parse(const char *mark, uint8_t major, uint8_t minor, uint8_t patch, struct tk_err *err)
{
    uint8_t p[TK_TRACY_VERSION_BYTES];
    uint32_t version = 0;
    memcpy(p, mark, 5);
    p[5] = major;
    p[6] = minor;
    p[7] = patch;
    memset(err, 0, sizeof *err);
    int rc = tk_tracy_version_parse(p, &version, err);
    if (rc == TK_OK)
        ck_assert_uint_eq(version, TK_TRACY_V(major, minor, patch));
    return rc;
}

START_TEST(range)
{
    struct tk_err err;
    ck_assert_int_eq(parse("tracy", 0, 7, 0, &err), TK_OK);
    ck_assert_int_eq(parse("tracy", 0, 13, 4, &err), TK_OK);
    ck_assert_int_eq(parse("tracy", 0, 14, 0, &err), TK_OK);
    ck_assert_int_eq(parse("tracy", 0, 6, 255, &err), TK_EFORMAT);
    ck_assert_int_eq(parse("tracy", 0, 14, 1, &err), TK_OK);
    ck_assert_int_eq(parse("tracy", 0, MINOR, 255, &err), TK_OK);
    ck_assert_int_eq(parse("tracy", 0, MINOR + 1, 0, &err), TK_EFORMAT);
    ck_assert_int_eq(parse("tracy", 1, 0, 0, &err), TK_EFORMAT);
}
END_TEST

START_TEST(refusals_name_the_version)
{
    struct tk_err err;
    char later[32], reader[32];
    snprintf(later, sizeof later, "0.%u.2", MINOR + 1);
    snprintf(reader, sizeof reader, "Tracy 0.%u or later", MINOR + 1);
    parse("tracy", 0, MINOR + 1, 2, &err);
    ck_assert_ptr_nonnull(strstr(err.text[0], later));
    ck_assert_ptr_nonnull(strstr(err.text[0], reader));
    parse("tracy", 0, 6, 3, &err);
    ck_assert_ptr_nonnull(strstr(err.text[0], "0.6.3"));
    ck_assert_ptr_nonnull(strstr(err.text[0], "Tracy 0.7 can read it"));
    parse("tracy", 0, 5, 9, &err);
    ck_assert_ptr_nonnull(strstr(err.text[0], "Tracy 0.6 can read it"));
    parse("tracy", 0, 3, 0, &err);
    ck_assert_ptr_nonnull(strstr(err.text[0], "Tracy 0.5 can read it"));
    ck_assert_int_eq(parse("tracX", 0, 14, 0, &err), TK_EFORMAT);
    ck_assert_ptr_nonnull(strstr(err.text[0], "before version 0.3"));
}
END_TEST

/* The first version that has each part, or (was) the first that has it no more. */
START_TEST(layouts)
{
#define AT(name, major, minor, patch)                                                                        \
    ck_assert(tk_tracy_layout_of(TK_TRACY_V(major, minor, patch)).name);                                     \
    ck_assert(!tk_tracy_layout_of(TK_TRACY_V(major, minor, patch) - 1).name)
#define WAS(name, major, minor, patch)                                                                       \
    ck_assert(!tk_tracy_layout_of(TK_TRACY_V(major, minor, patch)).name);                                    \
    ck_assert(tk_tracy_layout_of(TK_TRACY_V(major, minor, patch) - 1).name)
    AT(named_pools, 0, 7, 3);
    AT(zone_colour, 0, 7, 5);
    AT(exec_time, 0, 7, 6);
    AT(gpu_name, 0, 7, 6);
    AT(image_dictionary, 0, 7, 8);
    AT(kernel_samples, 0, 7, 9);
    AT(gpu_overflow, 0, 7, 9);
    AT(code_symbols, 0, 7, 9);
    AT(plot_sum, 0, 7, 10);
    AT(fiber, 0, 7, 11);
    AT(switch_thread, 0, 7, 12);
    AT(switch_samples, 0, 7, 14);
    AT(gpu_counts, 0, 7, 15);
    AT(plot_style, 0, 8, 3);
    WAS(code_locations, 0, 8, 5);
    AT(on_demand, 0, 9, 2);
    AT(group_hint, 0, 11, 1);
    AT(dies, 0, 11, 2);
    AT(wakeup_cpu, 0, 11, 3);
    WAS(delay, 0, 12, 3);
    AT(gpu_notes, 0, 12, 4);
    AT(message_source, 0, 13, 2);
    AT(section_list, 0, 13, 4);
    WAS(section_list, 0, 13, 5);
    AT(section_categories, 0, 13, 5);
    ck_assert(tk_tracy_layout_of(TK_TRACY_V(0, 7, 0)).delay);
    ck_assert(tk_tracy_layout_of(TK_TRACY_V(0, 7, 0)).code_locations);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {range, refusals_name_the_version, layouts};
    return RUN_TESTS("tracy version", tests);
}
