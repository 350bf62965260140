/*
 * Missing symbols.
 */
#include "pages/pages_in.h"
#include "pages/summary_pages.h"

#include <inttypes.h>
#include <string.h>

/*
 * Can page.
 */

#define MOST_BYTES 300

static void put_answered(struct tk_lines *l, const struct tk_answer *can)
{
    tk_lines_begin(l, "yes");
    for (size_t i = 0; i < can->n_rows; i++) {
        if (!tk_answer_is_text(tk_answer_cell(can, i, "answer"), "yes"))
            continue;
        tk_lines_comma(l);
        tk_lines_cell(l, tk_answer_cell(can, i, "question"), MOST_BYTES);
        tk_lines_put(l, " (%" PRIu64 ")", tk_answer_cell(can, i, "found")->v.u);
    }
}

/* Those with another answer, a line each. */
static void put_missing(struct tk_lines *l, const struct tk_answer *can, const char *answer)
{
    for (size_t i = 0; i < can->n_rows; i++) {
        if (!tk_answer_is_text(tk_answer_cell(can, i, "answer"), answer))
            continue;
        tk_lines_begin(l, answer);
        tk_lines_cell(l, tk_answer_cell(can, i, "question"), MOST_BYTES);
        if (tk_answer_cell(can, i, "missing")->kind == TK_TEXT) {
            tk_lines_put(l, strcmp(answer, "unread") == 0 ? ": " : ": without ");
            tk_lines_cell(l, tk_answer_cell(can, i, "missing"), MOST_BYTES);
        }
        if (tk_answer_cell(can, i, "how")->kind == TK_TEXT) {
            tk_lines_put(l, "; ");
            tk_lines_cell(l, tk_answer_cell(can, i, "how"), MOST_BYTES);
        }
    }
}

int tk_can_page_send(const struct tk_result *result, const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_answer can = tk_answer_find(result, "can");
    struct tk_lines lines = {0};
    put_answered(&lines, &can);
    put_missing(&lines, &can, "partly");
    put_missing(&lines, &can, "unread");
    put_missing(&lines, &can, "no");
    return tk_lines_send(&lines, "can", sink, err);
}

static const struct tk_column columns[] = {
    {"wanted", TK_TEXT, 0, NULL, "path in a symbol store, build id or UUID"},
};

static const struct tk_table table = {
    .name = "missing_symbols", .help = "what symbols to ask for", .columns = columns, .n_columns = 1};

static bool is_missing(const struct tk_cell *state)
{
    static const char *const states[] = {"no file", "wrong build", "unreadable", "no symbols",
                                         "not looked for"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (tk_answer_is_text(state, states[i]))
            return true;
    return false;
}

/* Sends the rows that are to be requested, each alone. */
static int send_rows(const struct tk_answer *files, struct tk_missing_count *count,
                     const struct tk_sink *sink, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < files->n_rows && rc >= 0; i++) {
        struct tk_cell wanted = *tk_answer_cell(files, i, "wanted");
        const struct tk_rows rows = {.n = 1, .cells = &wanted};
        if (!is_missing(tk_answer_cell(files, i, "state")))
            continue;
        count->unnamed += wanted.kind != TK_TEXT;
        count->requested += wanted.kind == TK_TEXT;
        if (wanted.kind == TK_TEXT)
            rc = sink->rows(sink->self, &table, &rows, err);
    }
    return rc;
}

int tk_missing_page_send(const struct tk_result *result, struct tk_missing_count *count,
                         const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_answer files = tk_answer_find(result, "symbol_files");
    int rc = sink->begin ? sink->begin(sink->self, &table, err) : TK_OK;
    if (rc >= 0)
        rc = send_rows(&files, count, sink, err);
    return rc >= 0 && sink->end ? sink->end(sink->self, &table, err) : rc;
}
