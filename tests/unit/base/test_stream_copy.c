/* Tests of copies for another thread: the bytes, and none alongside them. */
#include "base/stream_copy.h"
#include "run.h"

START_TEST(only_these_bytes_change)
{
    static _Alignas(16) unsigned char to[256];
    static unsigned char from[257];
    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7 + 1);
    for (size_t n = 0; n <= 192; n += 16) {
        memset(to, 0xEE, sizeof to);
        tk_stream_copy(to + 32, from + 1, n); /* from any address */
        tk_stream_end();
        ck_assert_mem_eq(to + 32, from + 1, n);
        for (size_t i = 0; i < sizeof to; i++)
            ck_assert(to[i] == 0xEE || (i >= 32 && i < 32 + n));
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {only_these_bytes_change};
    return RUN_TESTS("stream_copy", tests);
}
