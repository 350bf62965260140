/* Lengths and targets of instructions, by the manuals of the processors and objdump. */
#include "live/tracy/state/state.h"
#include "run.h"

enum { X64 = 2, ARM64 = 4 };

static void is(unsigned arch, const char *bytes, size_t n, size_t size, bool leads, int64_t to)
{
    struct tk_tl_instruction i;
    ck_assert(tk_tl_instruction_read(arch, (const uint8_t *)bytes, n, &i));
    ck_assert_uint_eq(i.size, size);
    ck_assert_int_eq(i.leads, leads);
    if (leads)
        ck_assert_int_eq(i.to, to);
    for (size_t k = 0; k < size; k++) /* cut */
        ck_assert(!tk_tl_instruction_read(arch, (const uint8_t *)bytes, k, &i));
}

#define IS(arch, bytes, size, leads, to) is(arch, bytes, sizeof bytes - 1, size, leads, to)

START_TEST(x64_instructions_have_their_lengths)
{
    IS(X64, "\x55\x90", 1, false, 0);                        /* push rbp */
    IS(X64, "\x48\x89\xe5\x90", 3, false, 0);                /* mov rbp, rsp */
    IS(X64, "\x48\xb8\1\2\3\4\5\6\7\x08\x90", 10, false, 0); /* movabs rax, 8 bytes */
    IS(X64, "\x48\x8b\x84\x24\x80\0\0\0\x90", 8, false, 0);  /* mov rax, [rsp+0x80] */
    IS(X64, "\x66\xc7\x45\xf8\x34\x12\x90", 6, false, 0);    /* mov word [rbp-8], 0x1234 */
    IS(X64, "\x48\x8d\x05\1\0\0\0\x90", 7, false, 0);        /* lea rax, [rip+1] */
    IS(X64, "\xf6\x45\xfc\x01\x90", 4, false, 0);            /* test byte [rbp-4], 1 */
    IS(X64, "\xf7\xd8\x90", 2, false, 0);                    /* neg eax */
    IS(X64, "\xf3\x0f\x1e\xfa\x90", 4, false, 0);            /* endbr64 */
    IS(X64, "\x66\x0f\x3a\x0f\xc1\x08\x90", 6, false, 0);    /* palignr xmm0, xmm1, 8 */
    IS(X64, "\xc5\xf8\x77\x90", 3, false, 0);                /* vzeroupper */
    IS(X64, "\xc4\xe3\x7d\x19\xc1\x01\x90", 6, false, 0);    /* vextractf128 xmm1, ymm0, 1 */
    IS(X64, "\x62\xf1\x7c\x48\x28\xc1\x90", 6, false, 0);    /* vmovaps zmm0, zmm1 */
    IS(X64, "\xa1\1\2\3\4\5\6\7\x08\x90", 9, false, 0);      /* mov eax, [8 bytes] */
    IS(X64, "\xc8\x10\0\0\x90", 4, false, 0);                /* enter 16, 0 */
}
END_TEST

START_TEST(x64_jumps_lead_where_they_do)
{
    IS(X64, "\xe8\xfb\xff\xff\xff\x90", 5, true, 0); /* call itself */
    IS(X64, "\xeb\xfe\x90", 2, true, 0);
    IS(X64, "\x74\x10\x90", 2, true, 0x12);
    IS(X64, "\x0f\x84\0\1\0\0\x90", 6, true, 0x106);
    IS(X64, "\xff\x25\1\0\0\0\x90", 6, false, 0); /* jmp [rip+1]: nobody knows where to */
}
END_TEST

START_TEST(arm64_branches_lead_where_they_do)
{
    IS(ARM64, "\x1f\x20\x03\xd5", 4, false, 0); /* nop */
    IS(ARM64, "\xff\xff\xff\x97", 4, true, -4); /* bl .-4 */
    IS(ARM64, "\x02\x00\x00\x14", 4, true, 8);  /* b .+8 */
    IS(ARM64, "\xc1\xff\xff\x54", 4, true, -8); /* b.ne .-8 */
    IS(ARM64, "\x40\x00\x00\xb4", 4, false, 0); /* cbz x0, .+8 */
}
END_TEST

START_TEST(what_is_none_is_not_read)
{
    struct tk_tl_instruction i;
    static const uint8_t prefixes[20] = {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
                                         0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90};
    ck_assert(!tk_tl_instruction_read(X64, (const uint8_t *)"\x06", 1, &i));
    ck_assert(!tk_tl_instruction_read(X64, prefixes, sizeof prefixes, &i));
    ck_assert(!tk_tl_instruction_read(1, (const uint8_t *)"\x90", 1, &i));
    ck_assert(!tk_tl_instruction_read(X64, NULL, 0, &i));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {x64_instructions_have_their_lengths, x64_jumps_lead_where_they_do,
                                  arm64_branches_lead_where_they_do, what_is_none_is_not_read};
    return RUN_TESTS("instructions", tests);
}
