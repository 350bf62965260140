/*
 * Can page: see can_page.h.
 */
#include "pages/can_page.h"

#include "pages/answer.h"
#include "pages/lines.h"

#include <inttypes.h>

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
            tk_lines_put(l, ": without ");
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
    put_missing(&lines, &can, "no");
    return tk_lines_send(&lines, "can", sink, err);
}
