/*
 * The section of answers: see answer_list.h.
 *
 *   of each: bytes of the question, question, bytes of the answer, answer
 */
#include "kept/answer_list.h"

#include <string.h>

static struct tk_bytes take_bytes(struct tk_cur *c)
{
    const uint64_t n = tk_varint(c, "an answer");
    const uint8_t *p = n <= tk_cur_left(c) ? tk_take(c, (size_t)n, "an answer") : NULL;
    if (!p)
        c->p = c->end;
    return (struct tk_bytes){p, p ? (size_t)n : 0};
}

/* The last one is the newest. */
static struct tk_bytes find(struct tk_cur c, struct tk_bytes question)
{
    struct tk_bytes found = {NULL, 0};
    while (tk_cur_left(&c)) {
        const struct tk_bytes asked = take_bytes(&c), answer = take_bytes(&c);
        if (answer.n && asked.p && asked.n == question.n && memcmp(asked.p, question.p, asked.n) == 0)
            found = answer;
    }
    return found;
}

/* What is there now, with what was made. */
static struct tk_bytes all(const struct tk_kept *kept)
{
    const struct tk_kept_bytes *made = &kept->made[TK_KEPT_ANSWERS];
    return made->bytes.n && !made->failed ? (struct tk_bytes){made->bytes.v, made->bytes.n}
                                          : kept->has[TK_KEPT_ANSWERS];
}

struct tk_bytes tk_kept_answer_find(const struct tk_kept *kept, struct tk_bytes question)
{
    const struct tk_bytes there = all(kept);
    return find(tk_cur_of(there.p, there.n), question);
}

/* How many bytes of the oldest have to go so that no more than `most` are left. */
static size_t too_many(struct tk_bytes there, size_t most)
{
    struct tk_cur c = tk_cur_of(there.p, there.n);
    while (tk_cur_left(&c) > most) {
        (void)take_bytes(&c);
        (void)take_bytes(&c);
    }
    return tk_cur_at(&c);
}

static void put(struct tk_kept_bytes *out, struct tk_bytes bytes)
{
    tk_kept_put(out, bytes.n);
    tk_kept_put_bytes(out, bytes.p, bytes.n);
}

void tk_kept_answer_add(struct tk_kept *kept, struct tk_bytes question, struct tk_bytes answer, size_t most)
{
    const struct tk_bytes there = all(kept);
    const size_t n = question.n + answer.n + 20;
    struct tk_kept_bytes now = {.failed = false};
    if (n > most)
        return;
    const size_t gone = too_many(there, most - n);
    tk_kept_put_bytes(&now, there.p + gone, there.n - gone);
    put(&now, question);
    put(&now, answer);
    if (now.failed) {
        tk_kept_release(&now);
        return;
    }
    tk_kept_release(&kept->made[TK_KEPT_ANSWERS]);
    kept->made[TK_KEPT_ANSWERS] = now;
}
