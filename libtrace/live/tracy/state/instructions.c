/*
 * Where instructions begin, and where direct jumps and calls lead: for code that a program sends, whose lines
 * are requested by instruction (tracy-live 7.10). x86-64 by its lengths alone, and ARM64.
 */
#include "live/tracy/state/state.h"

enum { X64 = 2, ARM64 = 4, INSTRUCTION_MOST = 15 };

/*
 * What follows an opcode: '.' nothing, m a ModR/M, b that and a byte, z that and an immediate of the
 * operand's size, i a byte, I such an immediate, w 2 bytes, e 3, o an address, q as I or 8 bytes, j and J a
 * distance of 1 and 4 bytes (those of loops are i: nobody follows them), g and G a ModR/M that may have an
 * immediate; r p v: a prefix, 2 another map, x no instruction.
 */
static const char first_map[] = "mmmmiIxxmmmmiIx2"
                                "mmmmiIxxmmmmiIxx"
                                "mmmmiIpxmmmmiIpx"
                                "mmmmiIpxmmmmiIpx"
                                "rrrrrrrrrrrrrrrr"
                                "................"
                                "xxvmppppIzib...."
                                "jjjjjjjjjjjjjjjj"
                                "bzxbmmmmmmmmmmmm"
                                "..........x....."
                                "oooo....iI......"
                                "iiiiiiiiqqqqqqqq"
                                "bbw.vvbze.w..ix."
                                "mmmmxxx.mmmmmmmm"
                                "iiijiiiiJJxj...."
                                "p.pp..gG......mm";

static const char second_map[] = "mmmmx.....x.xm.b"
                                 "mmmmmmmmmmmmmmmm"
                                 "mmmmxxxxmmmmmmmm"
                                 "......x.2x2xxxxx"
                                 "mmmmmmmmmmmmmmmm"
                                 "mmmmmmmmmmmmmmmm"
                                 "mmmmmmmmmmmmmmmm"
                                 "bbbbmmm.mmxxmmmm"
                                 "JJJJJJJJJJJJJJJJ"
                                 "mmmmmmmmmmmmmmmm"
                                 "...mbmxx...mbmmm"
                                 "mmmmmmmmmmbmmmmm"
                                 "mmbmbbbm........"
                                 "mmmmmmmmmmmmmmmm"
                                 "mmmmmmmmmmmmmmmm"
                                 "mmmmmmmmmmmmmmmm";

struct reading {
    const uint8_t *p;
    size_t n, at;
    bool small, wide, short_address; /* prefixes: operands of 2 bytes, of 8; addresses of 4 */
    char kind;                       /* 'x': no instruction */
    size_t distance;                 /* bytes of one at the end; 0: it has none */
};

/* 0 behind the end, which is found out at the end. */
static uint8_t next(struct reading *r)
{
    const size_t at = r->at++;
    return at < r->n ? r->p[at] : 0;
}

/* VEX and EVEX name the map; map 1 is the second one, 3 has a byte behind it all. */
static void read_vector(struct reading *r, uint8_t form)
{
    unsigned map = 1;
    if (form != 0xc5)
        map = next(r) & (form == 0xc4 ? 31 : 7);
    r->at += form == 0x62 ? 2 : 1;
    const char kind = second_map[next(r)];
    if (map == 1)
        r->kind = kind == 'b' || kind == '.' ? kind : 'm';
    else
        r->kind = map == 0 ? 'x' : map == 3 ? 'b' : 'm';
}

/* XOP, which has the place of an instruction whose ModR/M would be another one. */
static bool is_xop(const struct reading *r, uint8_t opcode)
{
    return opcode == 0x8f && r->at < r->n && (r->p[r->at] & 31) >= 8;
}

static void read_xop(struct reading *r)
{
    const unsigned map = next(r) & 31;
    r->at += 2;
    r->kind = map == 8 ? 'b' : map == 9 ? 'm' : 'z';
}

static void read_second(struct reading *r)
{
    const uint8_t opcode = next(r);
    r->kind = second_map[opcode];
    if (r->kind == '2') {
        next(r);
        r->kind = opcode == 0x38 ? 'm' : 'b';
    }
}

static void read_opcode(struct reading *r)
{
    for (;;) {
        const uint8_t byte = next(r);
        r->kind = r->at > INSTRUCTION_MOST || r->at > r->n ? 'x' : first_map[byte];
        r->small |= byte == 0x66 && r->kind == 'p';
        r->short_address |= byte == 0x67 && r->kind == 'p';
        if (r->kind == 'r') { /* REX stands right before the opcode */
            r->wide = byte & 8;
            continue;
        }
        if (r->kind == 'p') {
            r->wide = false;
            continue;
        }
        if (is_xop(r, byte))
            read_xop(r);
        else if (r->kind == 'v')
            read_vector(r, byte);
        else if (r->kind == '2')
            read_second(r);
        return;
    }
}

static uint8_t skip_modrm(struct reading *r)
{
    const uint8_t modrm = next(r), mod = modrm >> 6, rm = modrm & 7;
    const uint8_t base = mod != 3 && rm == 4 ? next(r) & 7 : rm;
    if (mod == 1)
        r->at += 1;
    else if (mod == 2 || (mod == 0 && base == 5))
        r->at += 4;
    return modrm;
}

static void skip_rest(struct reading *r)
{
    const size_t operand = r->small && !r->wide ? 2 : 4;
    const bool has_modrm =
        r->kind == 'm' || r->kind == 'b' || r->kind == 'z' || r->kind == 'g' || r->kind == 'G';
    const uint8_t modrm = has_modrm ? skip_modrm(r) : 0;
    const bool tests = (modrm >> 3 & 7) < 2;
    r->distance = r->kind == 'j' ? 1 : r->kind == 'J' ? 4 : 0;
    r->at += r->distance;
    r->at += r->kind == 'i' || r->kind == 'b' || (r->kind == 'g' && tests) ? 1 : 0;
    r->at += r->kind == 'I' || r->kind == 'z' || (r->kind == 'G' && tests) ? operand : 0;
    r->at += r->kind == 'w' ? 2 : r->kind == 'e' ? 3 : 0;
    r->at += r->kind == 'o' ? (r->short_address ? 4 : 8) : 0;
    r->at += r->kind == 'q' ? (r->wide ? 8 : operand) : 0;
}

static bool read_x64(const uint8_t *p, size_t n, struct tk_tl_instruction *out)
{
    struct reading r = {.p = p, .n = n};
    read_opcode(&r);
    if (r.kind == 'x')
        return false;
    skip_rest(&r);
    if (r.at > n)
        return false;
    out->size = r.at;
    out->leads = r.distance != 0;
    if (r.distance == 1)
        out->to = (int64_t)r.at + (int8_t)p[r.at - 1];
    else if (r.distance)
        out->to = (int64_t)r.at + (int32_t)tk_load32(p + r.at - 4);
    return true;
}

/* B and BL with 26 bits of distance, B.cond with 19. */
static bool read_arm64(const uint8_t *p, size_t n, struct tk_tl_instruction *out)
{
    const uint32_t code = n >= 4 ? tk_load32(p) : 0;
    if (code == 0)
        return false;
    out->size = 4;
    const bool far = (code & 0x7c000000) == 0x14000000, conditional = (code & 0xff000010) == 0x54000000;
    out->leads = far || conditional;
    if (far)
        out->to = (int64_t)((int32_t)(code << 6) >> 6) * 4;
    else if (conditional)
        out->to = (int64_t)((int32_t)(code << 8) >> 13) * 4;
    return true;
}

bool tk_tl_instruction_read(unsigned arch, const uint8_t *p, size_t n, struct tk_tl_instruction *out)
{
    *out = (struct tk_tl_instruction){.size = 0};
    if (n == 0)
        return false;
    return arch == X64 ? read_x64(p, n, out) : arch == ARM64 && read_arm64(p, n, out);
}
