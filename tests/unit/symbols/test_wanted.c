/*
 * Tests of wanted modules: names without folders, ids as symbol stores write them, ids with zeros behind.
 */
#include "run.h"
#include "symbols/symbols_in.h"

#include <string.h>

static struct tk_wanted wanted(const char *name, const uint8_t *id, uint32_t n)
{
    return tk_wanted_of(name, strlen(name), id, n, 0x4000, "pdb", 3);
}

/* symbols 3.2 has this pair. */
START_TEST(folders_of_symbol_stores)
{
    static const uint8_t guid[16] = {0xab, 0x33, 0x6a, 0x57, 0xbb, 0x24, 0x1c, 0x55,
                                     0x4c, 0x4c, 0x44, 0x20, 0x50, 0x44, 0x42, 0x2e};
    char text[TK_GUID_AGE];
    tk_guid_age(text, guid, 1);
    ck_assert_str_eq(text, "576A33AB24BB551C4C4C44205044422E1");
    tk_guid_age(text, guid, 0x1f);
    ck_assert_str_eq(text, "576A33AB24BB551C4C4C44205044422E1F");
}
END_TEST

/* A name of a capture never leads out of a folder. */
START_TEST(names_are_last_parts)
{
    ck_assert_str_eq(wanted("D:\\forge\\bin\\mesh.dll", NULL, 0).name, "mesh.dll");
    ck_assert_str_eq(wanted("D:\\forge\\bin\\mesh.dll", NULL, 0).stem, "mesh");
    ck_assert_str_eq(wanted("/opt/lib/libpool.so.1", NULL, 0).name, "libpool.so.1");
    ck_assert_str_eq(wanted("/etc/..", NULL, 0).name, "");
    ck_assert_str_eq(wanted("..", NULL, 0).name, "");
    ck_assert_str_eq(wanted("\\\\server\\share\\", NULL, 0).name, "");
    ck_assert_str_eq(wanted("C:", NULL, 0).name, "");
    ck_assert_str_eq(wanted("a\nb", NULL, 0).name, "");
}
END_TEST

START_TEST(build_ids_have_zeros_behind)
{
    static const uint8_t id[20] = {1, 2, 3, 4, 5, 6, 7, 8}, all[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, zeros[20];
    struct tk_wanted w = wanted("a", id, 20);
    ck_assert(tk_wanted_has_id(&w, id, 8));
    ck_assert(tk_wanted_has_id(&w, id, 20));
    ck_assert(!tk_wanted_has_id(&w, id, 7)); /* the 8 is no zero */
    ck_assert(!tk_wanted_has_id(&w, all, 20));
    ck_assert(!tk_wanted_has_id(&w, id, 0));
    w = wanted("a", zeros, 20);
    ck_assert_uint_eq(w.n_id, 0);
    ck_assert(!tk_wanted_has_id(&w, zeros, 20));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {folders_of_symbol_stores, names_are_last_parts,
                                  build_ids_have_zeros_behind};
    return RUN_TESTS("wanted", tests);
}
