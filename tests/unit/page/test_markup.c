/* Texts of captures in HTML and in blocks of a page. */
#include "page/markup.h"
#include "run.h"

#include <math.h>
#include <stdio.h>

static struct tk_markup m;

static void begin(void)
{
    ck_assert_int_eq(tk_markup_init(&m, NULL), TK_OK);
}

static void end(void)
{
    tk_markup_release(&m);
}

/* What was written, as a C string; begins anew. */
static const char *written(void)
{
    static char text[4096];
    snprintf(text, sizeof text, "%.*s", (int)m.out.n, m.out.p);
    m.out.n = 0;
    return text;
}

static struct tk_str str(const char *s)
{
    return (struct tk_str){.p = s, .n = (uint32_t)strlen(s)};
}

START_TEST(test_escapes)
{
    tk_markup_text(&m, str("<a href=\"x\" title='y'>&</a>"), SIZE_MAX);
    ck_assert_str_eq(written(), "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
}
END_TEST

START_TEST(test_unsafe)
{
    tk_markup_text(&m,
                   str("a\nb\tc\x01"
                       "d\xe2\x80\xae"
                       "e"),
                   SIZE_MAX); /* U+202E turns text round */
    ck_assert_str_eq(written(), "a b c\xef\xbf\xbd"
                                "d\xef\xbf\xbd"
                                "e");
    tk_markup_text(&m, (struct tk_str){.p = "\xff<", .n = 2, .enc = TK_ENC_BYTES}, SIZE_MAX);
    ck_assert_str_eq(written(), "\xef\xbf\xbd&lt;");
}
END_TEST

START_TEST(test_cut)
{
    tk_markup_text(&m, str("\xc3\xa4\xc3\xb6\xc3\xbc"), 2);
    ck_assert_str_eq(written(), "\xc3\xa4\xc3\xb6\xe2\x80\xa6");
    tk_markup_text(&m, str("ab"), 2);
    ck_assert_str_eq(written(), "ab");
}
END_TEST

START_TEST(test_cells)
{
    const struct tk_column time = {.name = "dur", .kind = TK_DURATION},
                           share = {.name = "share", .kind = TK_REAL, .flags = TK_COL_PART};
    tk_markup_cell(&m, &(struct tk_cell){.kind = TK_DURATION, .v.i = 67534500}, &time);
    ck_assert_str_eq(written(), "<data value=\"67534500\">67.53 ms</data>"); /* 67.5345 */
    tk_markup_cell(&m, &(struct tk_cell){.kind = TK_REAL, .v.r = 0.25}, &share);
    ck_assert_str_eq(written(), "<data value=\"0.25\">25.00 %</data>");
    tk_markup_cell(&m, &(struct tk_cell){.kind = TK_NONE}, &time);
    ck_assert_str_eq(written(), "");
    tk_markup_json_number(&m, &(struct tk_cell){.kind = TK_REAL, .v.r = INFINITY});
    ck_assert_str_eq(written(), "null");
}
END_TEST

START_TEST(test_json)
{
    tk_markup_json_text(&m, NULL, str("\"</script>\\"), SIZE_MAX);
    ck_assert_str_eq(written(), "\"\\\"</script>\\\\\"");
}
END_TEST

/* Only base64 stands in the element, whatever its data says. */
START_TEST(test_block)
{
    struct tk_markup data;
    ck_assert_int_eq(tk_markup_init(&data, NULL), TK_OK);
    for (int i = 0; i < 3; i++) { /* lengths with 0, 1 and 2 bytes left over come by */
        tk_markup_put(&data, i == 0 ? "[]" : i == 1 ? "[1,2]" : "[\"</script>\"]");
        tk_block_put(&m, "b-x", &data);
        const char *text = written(), head[] = "<script type=\"application/octet-stream\" id=\"b-x\">";
        ck_assert_int_eq(strncmp(text, head, sizeof head - 1), 0);
        const size_t n = strspn(text + sizeof head - 1,
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=");
        ck_assert_str_eq(text + sizeof head - 1 + n, "</script>\n");
        ck_assert_uint_eq(n % 4, 0);
        ck_assert_uint_eq(data.out.n, 0);
    }
    tk_markup_release(&data);
}
END_TEST

START_TEST(test_names)
{
    struct tk_names names = {0};
    char text[16];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            snprintf(text, sizeof text, "name %d", i);
            must(tk_names_number(&names, str(text)) == i);
        }
    ck_assert_uint_eq(names.list.n, 1000);
    tk_names_release(&names);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_escapes, test_unsafe, test_cut,  test_cells,
                                  test_json,    test_block,  test_names};
    return RUN_TESTS_AROUND("markup", tests, begin, end);
}
