/*
 * What threads are when they leave a core, by the bits that versions of the kernel have for that
 * (import2 2.4).
 */
#include "format/perfetto/perfetto_in.h"

static enum tk_run_end run_end_of(uint32_t bits)
{
    static const struct {
        uint32_t bit;
        enum tk_run_end end;
    } ends[] = {{1, TK_RUN_END_SLEEPING}, {2, TK_RUN_END_BLOCKED}, {4, TK_RUN_END_STOPPED},
                {8, TK_RUN_END_TRACED},   {16, TK_RUN_END_DEAD},   {32, TK_RUN_END_ZOMBIE}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (bits == ends[i].bit)
            return ends[i].end;
    return bits ? TK_RUN_END_OTHER : TK_RUN_END_READY;
}

/* From 4.14 on. */
static enum tk_run_end run_end_new(uint32_t bits)
{
    enum { PARKED = 0x40, IDLE = 0x80, PREEMPTED = 0x100, NONE = 0xfe00 };
    if (bits & NONE)
        return TK_RUN_END_OTHER;
    if (!(bits & ~(uint32_t)PREEMPTED))
        return bits ? TK_RUN_END_PREEMPTED : TK_RUN_END_READY;
    bits &= ~(uint32_t)PREEMPTED;
    return bits == PARKED ? TK_RUN_END_PARKED : bits == IDLE ? TK_RUN_END_IDLE : run_end_of(bits);
}

/* Before it, as it was from 4.8 on, and before that. */
static enum tk_run_end run_end_old(uint32_t bits, uint32_t preempted)
{
    enum { DEAD = 0x40, WAKEKILL = 0x80, WAKING = 0x100, PARKED = 0x200, IDLE = 0x402 };
    if ((bits & 0x7ff) == IDLE)
        return TK_RUN_END_IDLE;
    const uint32_t rest = bits & 0x7ff;
    if (!rest)
        return bits & preempted ? TK_RUN_END_PREEMPTED : TK_RUN_END_READY;
    return rest == DEAD             ? TK_RUN_END_DEAD
           : rest == WAKING         ? TK_RUN_END_WAKING
           : rest == PARKED         ? TK_RUN_END_PARKED
           : rest == (2 | WAKEKILL) ? TK_RUN_END_KILLABLE
                                    : run_end_of(rest);
}

enum tk_run_end tk_pf_run_end(uint32_t bits, unsigned kernel)
{
    bits &= 0xffff;
    if (kernel >= TK_PF_KERNEL(4, 14))
        return run_end_new(bits);
    return run_end_old(bits, kernel >= TK_PF_KERNEL(4, 8) ? 0x1000 : 0x800);
}

/* SystemInfo: 1 names of the system: 3 its release, "4.14.117-abc". */
void tk_pf_system_kernel(struct tk_pf_trace *t, struct tk_bytes message)
{
    struct tk_pf_message m = tk_pf_message_of(message), names = {0};
    struct tk_pf_field f;
    while (tk_pf_next(&m, &f) == 1)
        if (f.number == 1 && f.wire == TK_PF_BYTES)
            names = tk_pf_message_of(f.bytes);
    while (names.p && tk_pf_next(&names, &f) == 1) {
        unsigned part[2] = {0, 0};
        if (f.number != 3 || f.wire != TK_PF_BYTES)
            continue;
        for (size_t i = 0, at = 0; i < f.bytes.n && at < 2; i++) {
            const uint8_t c = f.bytes.p[i];
            if (c >= '0' && c <= '9' && part[at] < 1000)
                part[at] = part[at] * 10 + (unsigned)(c - '0');
            else
                at += c == '.' ? 1 : 2;
        }
        t->system.kernel = TK_PF_KERNEL(part[0], part[1]);
    }
}
