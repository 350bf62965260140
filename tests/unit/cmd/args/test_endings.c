/* Formats by the endings of outputs. */
#include "args/endings.h"
#include "run.h"

static char message[TK_OPT_MESSAGE];

static const char *of_export(const char *format, const char *path)
{
    return tk_endings_format(tk_endings_of_exports, format, path, NULL, message);
}

START_TEST(endings)
{
    static const struct {
        const char *path, *format;
    } of[] = {{"a.csv", "csv"},          {"a.b/x.tsv.zst", "tsv"}, {"f.folded.gz", "folded"},
              {"g.db", "sqlite"},        {"t.json.lz4", "chrome"}, {"t.speedscope.json", "speedscope"},
              {"x.pftrace", "perfetto"}, {"h.pb.gz", "pprof"},     {"r.jsonl", "ndjson"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        ck_assert_str_eq(of_export(NULL, of[i].path), of[i].format);
    ck_assert_str_eq(of_export("speedscope", "t.json"), "speedscope");
    ck_assert_str_eq(of_export("folded", "f"), "folded");
    ck_assert_str_eq(of_export("folded", "f.out"), "folded");
    ck_assert_str_eq(tk_endings_format(tk_endings_of_tables, NULL, "x.md", "table", message), "markdown");
    ck_assert_str_eq(tk_endings_format(tk_endings_of_tables, "text", "x.txt", "table", message), "text");
    ck_assert_str_eq(tk_endings_format(tk_endings_of_tables, NULL, NULL, "table", message), "table");
}
END_TEST

START_TEST(contradictions)
{
    ck_assert(!of_export("folded", "f.csv") && strstr(message, "contradicts"));
    ck_assert(!of_export("folded", "f.svg") && strstr(message, ".svg"));
    ck_assert(!of_export("csv", "csv.zip") && strstr(message, ".zip"));
    ck_assert(!of_export(NULL, "somewhere") && !*message);
    ck_assert(!of_export(NULL, "x/.csv") && !*message); /* a name, no ending */
    ck_assert(!of_export(NULL, ".gz") && !*message);
    ck_assert(!of_export(NULL, "") && !*message);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {endings, contradictions};
    return RUN_TESTS("endings", tests);
}
