/* Owners by a CODEOWNERS file: what matches, by the rules of gitignore that it keeps, and what is refused. */
#include "judge/owners.h"
#include "run.h"

#include <string.h>

static struct tk_str text_of(const char *s)
{
    return (struct tk_str){.p = s, .n = (uint32_t)strlen(s)};
}

/* The line that decides; 0: none. */
static unsigned line_of(const struct tk_owners *o, const char *thread, const char *timer, const char *file)
{
    const struct tk_str a = text_of(thread), b = text_of(timer), c = text_of(file);
    const struct tk_owner_rule *r = tk_owners_find(o, &a, &b, &c);
    return r ? r->line : 0;
}

static void read(struct tk_owners *o, const char *text, const char *root)
{
    struct tk_err err = {0};
    *o = (struct tk_owners){0};
    ck_assert_msg(tk_owners_parse(o, text, strlen(text), root, &err) == TK_OK, "%s", err.text[0]);
}

START_TEST(the_last_line_counts)
{
    struct tk_owners o;
    read(&o,
         "*            @all\n"
         "# a comment\n"
         "Game.cpp     @game @design  # why\n"
         "timer:Load*  @load\n"
         "timer:Idle\\ (a\\ b)\n"
         "thread:RHIThread @rhi\n",
         NULL);
    ck_assert_uint_eq(line_of(&o, "Main", "Tick", "/home/x/Other.cpp"), 1);
    ck_assert_uint_eq(line_of(&o, "Main", "Tick", "/home/x/Game.cpp"), 3);
    ck_assert_uint_eq(line_of(&o, "Main", "Tick", "/home/x/MyGame.cpp"), 1);
    ck_assert_uint_eq(line_of(&o, "Main", "LoadAll", "Game.cpp"), 4);
    ck_assert_uint_eq(line_of(&o, "Main", "Idle (a b)", "Game.cpp"), 5);
    ck_assert_uint_eq(line_of(&o, "RHIThread 12", "LoadAll", "Game.cpp"), 6);
    ck_assert_uint_eq(line_of(&o, "Main", "Tick", ""), 0);
    ck_assert_str_eq(o.v.v[1].owners->n == 13 ? "13" : "", "13"); /* "@game @design" */
    ck_assert_uint_eq(o.v.v[3].owners->n, 0);
    tk_owners_release(&o);
}
END_TEST

START_TEST(files_match_as_in_gitignore)
{
    struct tk_owners o;
    read(&o,
         "/Engine/RHI/  @a\n"
         "docs/*        @b\n"
         "src/**/gen    @c\n"
         "build/        @d\n"
         "*.inl         @e\n",
         NULL);
    ck_assert_uint_eq(line_of(&o, "", "", "D:\\agent\\Engine\\RHI\\Private\\RHI.cpp"), 1);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/MyEngine/RHI/a.cpp"), 0);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/docs/a.md"), 2);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/docs/deep/a.md"), 0);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/src/gen/a.c"), 3);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/src/one/two/gen/a.c"), 3);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/src/one/regen/a.c"), 0);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/a/build/b/c.c"), 4);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/build"), 0);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/a/b.inl"), 5);
    tk_owners_release(&o);
    read(&o, "/Engine/ @a\nlib.c @b\n", "/x/proj");
    ck_assert_uint_eq(line_of(&o, "", "", "/x/proj/Engine/a.c"), 1);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/proj/Other/Engine/a.c"), 0);
    ck_assert_uint_eq(line_of(&o, "", "", "/x/proj/Other/lib.c"), 2);
    tk_owners_release(&o);
}
END_TEST

START_TEST(what_it_does_not_have_is_refused)
{
    static const char *const texts[] = {"a @b\n!c @d\n", "\n[ab] @c\n", "# x\n\\#a @b\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tk_owners o = {0};
        struct tk_err err = {0};
        ck_assert_int_eq(tk_owners_parse(&o, texts[i], strlen(texts[i]), NULL, &err), TK_EUSAGE);
        ck_assert_msg(strncmp(err.text[0], "line 2: ", 8) == 0, "%s", err.text[0]);
        tk_owners_release(&o);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_last_line_counts, files_match_as_in_gitignore,
                                  what_it_does_not_have_is_refused};
    return RUN_TESTS("owners", tests);
}
