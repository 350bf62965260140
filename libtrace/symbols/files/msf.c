/*
 * The container of a PDB, "MSF 7.00". See msf.h.
 */
#include "symbols/files/msf.h"

static const char magic[] = "Microsoft C/C++ MSF 7.00\r\n\x1a"
                            "DS\0\0";

enum { MOST_STREAMS = 1 << 20 };

static uint64_t blocks_of(const struct tk_msf *m, uint64_t bytes)
{
    return (bytes + m->block - 1) / m->block;
}

/* A block, or nothing. The last of a file may be cut. */
static struct tk_bytes block_at(const struct tk_msf *m, uint32_t number)
{
    uint64_t at = (uint64_t)number * m->block;
    if (at >= m->bytes.n)
        return (struct tk_bytes){NULL, 0};
    uint64_t left = m->bytes.n - at;
    return (struct tk_bytes){m->bytes.p + at, (size_t)(left < m->block ? left : m->block)};
}

/* Blocks that stand one behind the other are one run. Is what a list says one, of n bytes from `at` on? */
static const uint8_t *run_of(const struct tk_msf *m, const uint8_t *list, uint64_t at, uint64_t n)
{
    uint64_t first = at / m->block, last = (at + n - 1) / m->block;
    uint32_t from = tk_load32(list + first * 4);
    for (uint64_t i = first + 1; i <= last; i++)
        if (tk_load32(list + i * 4) != from + (i - first))
            return NULL;
    return tk_sym_slice(m->bytes, (uint64_t)from * m->block + at % m->block, n).p;
}

static int copy_run(const struct tk_msf *m, const uint8_t *list, uint64_t at, uint64_t n, uint8_t *to)
{
    for (uint64_t done = 0, part; done < n; done += part) {
        uint64_t inside = (at + done) % m->block;
        struct tk_bytes block = block_at(m, tk_load32(list + (at + done) / m->block * 4));
        part = m->block - inside < n - done ? m->block - inside : n - done;
        if (!block.p || inside + part > block.n)
            return -1;
        memcpy(to + done, block.p + inside, (size_t)part);
    }
    return 0;
}

static int read_directory(struct tk_msf *m, uint64_t n, uint32_t map_block)
{
    uint64_t n_blocks = blocks_of(m, n);
    struct tk_bytes map = tk_sym_slice(m->bytes, (uint64_t)map_block * m->block, n_blocks * 4);
    if (!map.p || n > m->bytes.n || n < 4)
        return -1;
    m->directory = malloc((size_t)n);
    m->n_directory = n;
    return m->directory ? copy_run(m, map.p, 0, n, m->directory) : -1;
}

static int list_streams(struct tk_msf *m)
{
    m->n_streams = tk_load32(m->directory);
    if (m->n_streams > MOST_STREAMS || 4 + (uint64_t)m->n_streams * 4 > m->n_directory)
        return -1;
    m->blocks_at = malloc((m->n_streams + (size_t)1) * sizeof *m->blocks_at);
    if (!m->blocks_at)
        return -1;
    uint64_t at = 4 + (uint64_t)m->n_streams * 4;
    for (uint32_t i = 0; i < m->n_streams; i++) {
        m->blocks_at[i] = at;
        at += blocks_of(m, tk_msf_size(m, i)) * 4;
        if (at > m->n_directory)
            return -1;
    }
    return 0;
}

int tk_msf_open(struct tk_msf *m, struct tk_bytes bytes, const char **why)
{
    *m = (struct tk_msf){.bytes = bytes};
    *why = "not a PDB";
    if (bytes.n < 56 || memcmp(bytes.p, magic, 32) != 0)
        return -1;
    m->block = tk_load32(bytes.p + 32);
    *why = "a broken PDB";
    if (m->block < 512 || m->block > 1 << 16 || (m->block & (m->block - 1)) != 0)
        return -1;
    if (read_directory(m, tk_load32(bytes.p + 44), tk_load32(bytes.p + 52)) < 0 || list_streams(m) < 0)
        return -1;
    *why = NULL;
    return 0;
}

uint64_t tk_msf_size(const struct tk_msf *m, uint32_t stream)
{
    if (stream >= m->n_streams)
        return 0;
    uint32_t n = tk_load32(m->directory + 4 + (size_t)stream * 4);
    return n == UINT32_MAX ? 0 : n;
}

int tk_msf_read(const struct tk_msf *m, uint32_t stream, uint64_t at, uint64_t n, struct tk_msf_bytes *out)
{
    uint64_t size = tk_msf_size(m, stream);
    *out = (struct tk_msf_bytes){{NULL, 0}, NULL};
    if (at >= size)
        return 0;
    n = n < size - at ? n : size - at;
    if (!n || n > m->bytes.n)
        return n ? -1 : 0;
    tk_sym_file_touch(m->file, n);
    const uint8_t *list = m->directory + m->blocks_at[stream];
    const uint8_t *run = run_of(m, list, at, n);
    if (run) {
        out->span = (struct tk_bytes){run, (size_t)n};
        return 0;
    }
    out->copy = malloc((size_t)n);
    if (!out->copy || copy_run(m, list, at, n, out->copy) < 0) {
        tk_msf_bytes_release(out);
        return -1;
    }
    out->span = (struct tk_bytes){out->copy, (size_t)n};
    return 0;
}

void tk_msf_release(struct tk_msf *m)
{
    free(m->directory);
    free(m->blocks_at);
    *m = (struct tk_msf){0};
}
