/*
 * Answers of symbols that are kept: what was written is read again, and bytes whose checksum is right though
 * what they say is not are refused, or say little.
 */
#include "base/checksum.h"
#include "run.h"
#include "symbols/symbols_in.h"

#include <string.h>

#define SYMBOL(s)                                                                                            \
    {                                                                                                        \
        .p = s, .n = sizeof(s) - 1                                                                           \
    }

/* Three texts of 3, 4 and 5 bytes; address 16: inner at a.c:7 called by outer at a.c:9. */
static uint8_t *made_section(size_t *n)
{
    static const struct tk_str inner = SYMBOL("inn"), file = SYMBOL("file"), outer = SYMBOL("outer");
    const struct tk_sym_frame frames[] = {{&inner, &file, 7}, {&outer, &file, 9}};
    const struct tk_answer_origin origin = {.wanted = {.name = "m"}, .path = "", .how = ""};
    struct tk_answer_writer w = {.strip = false};
    ck_assert_int_eq(tk_answer_writer_add(&w, 16, frames, 2), 0);
    uint8_t *bytes = tk_answer_writer_end(&w, &origin, n);
    ck_assert_ptr_nonnull(bytes);
    tk_answer_writer_release(&w);
    return bytes;
}

static void seal(uint8_t *bytes, size_t n)
{
    const uint64_t sum = tk_checksum(bytes + TK_AT_SIZE, n - TK_AT_SIZE, 0);
    for (int i = 0; i < 8; i++)
        bytes[TK_AT_CHECKSUM + i] = (uint8_t)(sum >> (8 * i));
}

/* Frames of address 16; -1: the section is refused. */
static long frames_of(const uint8_t *bytes, size_t n, struct tk_sym_answers *answers)
{
    struct tk_answer_section s;
    struct tk_sym_question q = {.address = 16};
    const char *why = "";
    size_t used;
    uint32_t place;
    long found = -1;
    if (tk_answer_section_open(&s, (struct tk_bytes){bytes, n}, &used, &why) == 0) {
        found = 0;
        if (tk_answer_section_find(&s, 16, &place)) {
            tk_answer_section_add(&s, place, answers, &q);
            found = (long)q.n;
        }
    } else {
        ck_assert_str_eq(why, "damaged");
    }
    tk_answer_section_release(&s);
    return found;
}

START_TEST(answers_come_back)
{
    struct tk_sym_answers answers = {.lost = 0};
    size_t n;
    uint8_t *bytes = made_section(&n);
    ck_assert_int_eq(frames_of(bytes, n, &answers), 2);
    ck_assert_uint_eq(answers.frames.v[0].function->n, 3);
    ck_assert_mem_eq(answers.frames.v[1].function->p, "outer", 5);
    ck_assert_uint_eq(answers.frames.v[1].line, 9);
    tk_sym_answers_release(&answers);
    free(bytes);
}
END_TEST

/* Where the ends of the texts stand: the only three numbers in a row that are these. */
static uint8_t *ends_of(uint8_t *bytes, size_t n)
{
    for (size_t at = TK_ANSWERS_HEAD; at + 12 <= n; at += 4) {
        const uint32_t a = tk_load32(bytes + at), b = tk_load32(bytes + at + 4),
                       c = tk_load32(bytes + at + 8);
        if (a < b && b < c && c == 12)
            return bytes + at;
    }
    return NULL;
}

/* Texts that overlap would make megabytes of a small file: 12, 3, 12 is two texts of all the bytes. */
START_TEST(texts_do_not_overlap)
{
    struct tk_sym_answers answers = {.lost = 0};
    size_t n;
    uint8_t *bytes = made_section(&n), *ends = ends_of(bytes, n);
    ck_assert_ptr_nonnull(ends);
    ends[0] = 12;
    seal(bytes, n);
    ck_assert_int_eq(frames_of(bytes, n, &answers), -1);
    ends[0] = ends[4] = 3;
    ends[8] = 13; /* behind all texts */
    seal(bytes, n);
    ck_assert_int_eq(frames_of(bytes, n, &answers), -1);
    tk_sym_answers_release(&answers);
    free(bytes);
}
END_TEST

/* Every byte wrong, with a checksum that says it is right: nothing is read outside, and a chain of callers
 * that leads to itself ends. */
START_TEST(wrong_numbers)
{
    size_t n;
    uint8_t *bytes = made_section(&n);
    for (size_t at = TK_AT_SIZE; at < n; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct tk_sym_answers answers = {.lost = 0};
            struct tk_answer_section s;
            const char *why;
            size_t used;
            bytes[at] ^= (uint8_t)(1u << bit);
            seal(bytes, n);
            if (tk_answer_section_open(&s, (struct tk_bytes){bytes, n}, &used, &why) == 0) {
                struct tk_sym_question q = {.address = 16};
                for (uint32_t place = 0; place < 4; place++)
                    tk_answer_section_add(&s, place, &answers, &q);
                ck_assert_uint_le(answers.frames.n, 4u * TK_ANSWERS_MOST_FRAMES);
            }
            tk_answer_section_release(&s);
            tk_sym_answers_release(&answers);
            bytes[at] ^= (uint8_t)(1u << bit);
        }
    free(bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {answers_come_back, texts_do_not_overlap, wrong_numbers};
    return RUN_TESTS("answer section", tests);
}
