/*
 * Fuzzes answers of symbols that are kept: a section of the cache or of a file that was sent along. Its
 * checksum is made to fit, so that what is behind it is reached.
 */
#include "base/checksum.h"
#include "symbol_questions.h"
#include "symbols/symbols_in.h"

#include <stdlib.h>

static void fit_checksum(uint8_t *p, size_t size)
{
    uint64_t n = size > TK_ANSWERS_HEAD ? tk_load64(p + TK_AT_SIZE) : 0;
    if (n <= TK_AT_SIZE || n > size)
        return;
    uint64_t sum = tk_checksum(p + TK_AT_SIZE, (size_t)n - TK_AT_SIZE, 0);
    for (int i = 0; i < 8; i++)
        p[TK_AT_CHECKSUM + i] = (uint8_t)(sum >> 8 * i);
}

/* What is written of answers is answered once more. */
static void write_again(const struct tk_answer_section *s, const struct tk_sym_question *q,
                        const struct tk_sym_answers *answers)
{
    struct tk_answer_writer writer = {.strip = false};
    struct tk_answer_section again;
    const char *why = NULL;
    size_t n = 0, used = 0;
    for (uint32_t i = 0; i < FUZZ_QUESTIONS; i++)
        fuzz_promise(tk_answer_writer_add(&writer, q[i].address,
                                          q[i].n ? answers->frames.v + q[i].first : NULL, q[i].n) == 0,
                     "there is memory");
    uint8_t *bytes = tk_answer_writer_end(&writer, &s->origin, &n);
    fuzz_promise(bytes != NULL, "there is memory");
    struct tk_bytes all = {bytes, n};
    fuzz_promise(tk_answer_section_open(&again, all, &used, &why) == 0 && used == n,
                 "what is written is read");
    for (uint32_t i = 0; i < FUZZ_QUESTIONS; i++) {
        uint32_t place = 0;
        fuzz_promise(tk_answer_section_find(&again, q[i].address, &place), "an address is found again");
        fuzz_promise((place > 0) == (q[i].n > 0), "one without frames has none");
    }
    tk_answer_section_release(&again);
    tk_answer_writer_release(&writer);
    free(bytes);
}

static void ask(struct tk_answer_section *s)
{
    struct tk_sym_question questions[FUZZ_QUESTIONS];
    struct tk_sym_answers answers = {0};
    bool sorted = true; /* addresses of a file may be the greatest there are, behind which there is none */
    fuzz_questions(questions, s->n_addresses ? tk_load64(s->addresses.p) : 0);
    for (uint32_t i = 0; i < FUZZ_QUESTIONS; i++) {
        uint32_t place;
        if (i < s->n_addresses && questions[0].address < UINT64_MAX / 2)
            questions[i].address = tk_answer_section_address(s, i, &place);
        if (i && questions[i].address <= questions[i - 1].address)
            questions[i].address = questions[i - 1].address + 1;
        sorted &= !i || questions[i].address > questions[i - 1].address;
        if (tk_answer_section_find(s, questions[i].address, &place))
            tk_answer_section_add(s, place, &answers, &questions[i]);
    }
    if (!answers.failed && sorted)
        write_again(s, questions, &answers);
    fuzz_answers(questions, &answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tk_answer_section section;
    const char *why = NULL;
    size_t used = 0;
    uint8_t *copy = fuzz_copy(data, size);
    fit_checksum(copy, size);
    int rc = tk_answer_section_open(&section, (struct tk_bytes){copy, size}, &used, &why);
    fuzz_promise((rc < 0) == (why != NULL), "what is refused has a cause");
    if (rc == 0) {
        fuzz_promise(used <= size, "a section lies in its bytes");
        ask(&section);
    }
    tk_answer_section_release(&section);
    free(copy);
    return 0;
}
