/*
 * Answer: one table of a result. See answer.h.
 */
#include "pages/answer.h"

#include <string.h>

struct tk_answer tk_answer_find(const struct tk_result *result, const char *name)
{
    struct tk_answer answer = {.result = result};
    for (; answer.index < tk_result_count(result); answer.index++) {
        answer.table = tk_result_table(result, answer.index, &answer.n_rows);
        if (strcmp(answer.table->name, name) == 0)
            return answer;
    }
    return (struct tk_answer){.result = result};
}

const struct tk_cell *tk_answer_cell_of(const struct tk_table *table, const struct tk_cell *row,
                                        const char *column)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    const int at = tk_table_column(table, column);
    return at < 0 ? &none : &row[at];
}

const struct tk_cell *tk_answer_cell(const struct tk_answer *answer, size_t row, const char *column)
{
    return tk_answer_cell_of(answer->table, tk_result_row(answer->result, answer->index, row), column);
}

bool tk_answer_is_text(const struct tk_cell *cell, const char *text)
{
    return cell->kind == TK_TEXT && cell->n == strlen(text) && memcmp(cell->v.p, text, cell->n) == 0;
}
