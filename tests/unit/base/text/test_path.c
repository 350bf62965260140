/* Paths as text. */
#include "base/text/path.h"
#include "run.h"

START_TEST(the_last_name)
{
    static const struct {
        const char *path;
        size_t base;
    } cases[] = {{"a", 0}, {"", 0}, {"/a", 1}, {"/", 1}, {"a/b/c.x", 4}, {"a/", 2}, {"./a", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(tk_path_base(cases[i].path), cases[i].base);
}
END_TEST

START_TEST(stems)
{
    static const struct {
        const char *path, *stem;
    } cases[] = {{"game.utrace", "game"},
                 {"a.b/game", "a.b/game"},
                 {"d/x.tracy.zst", "d/x"},
                 {"x-0.14.0.tracy", "x-0.14.0"},
                 {"x-0.14.0", "x-0.14.0"},
                 {"my.game.json.gz", "my.game"},
                 {".x.json", ".x"},
                 {".hidden", ".hidden"},
                 {"part.gz", "part"},
                 {"d/.gz", "d/.gz"},
                 {"", ""},
                 {"dot.", "dot."}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(tk_path_stem(cases[i].path), strlen(cases[i].stem));
}
END_TEST

START_TEST(names_of_folders)
{
    ck_assert(tk_path_names_folder("a/"));
    ck_assert(tk_path_names_folder("/"));
    ck_assert(!tk_path_names_folder("a/b"));
    ck_assert(!tk_path_names_folder(""));
}
END_TEST

/* The names that Microsoft lists ("Naming Files, Paths, and Namespaces"), with any ending and in any case. */
START_TEST(devices)
{
    static const char *const are[] = {"CON",           "nul",        "Aux.csv",  "prn.a.b", "COM1",
                                      "lpt9.txt",      "com0",       "CONIN$",   "nul ",    "COM\u00b9",
                                      "lpt\u00b2.csv", "Com\u00b3 ", "LPT\u00b9"},
                             *const not [] = {"",
                                              "CONS",
                                              "com",
                                              "com10",
                                              "xnul",
                                              "_con",
                                              "comx",
                                              "console.csv",
                                              "lpt",
                                              "COM\u2074",
                                              "com\u00b9\u00b9",
                                              "com1\u00b9",
                                              "con\u00b9",
                                              "com\xc2"};
    for (size_t i = 0; i < sizeof are / sizeof *are; i++)
        ck_assert_msg(tk_path_is_device(are[i]), "%s", are[i]);
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
        ck_assert_msg(!tk_path_is_device(not [i]), "%s", not [i]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {devices, the_last_name, stems, names_of_folders};
    return RUN_TESTS("base-text-path", tests);
}
