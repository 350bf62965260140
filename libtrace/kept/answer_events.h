/*
 * What happens while a query is answered, as numbers in front of what belongs to it. Answers are recorded and
 * sent by it.
 */
#ifndef TK_KEPT_ANSWERS_ANSWER_EVENTS_H
#define TK_KEPT_ANSWERS_ANSWER_EVENTS_H

/*
 * An answer: health | read? | events
 *
 *   BEGIN, END  table, its text where there are no rows: bytes with the NUL or 0, text
 *   ROWS        table, rows, cells
 *   FILTERED    table, rows that passed, rows
 *   STOP
 *
 * A table is its place in the query.
 */
enum tk_answer_event { TK_ANSWER_BEGIN, TK_ANSWER_END, TK_ANSWER_ROWS, TK_ANSWER_FILTERED, TK_ANSWER_STOP };

#endif
