/* Compressed inputs: whole, in several frames, cut, broken, too large. */
#include "files.h"
#include "io/file.h"
#include "small_disk.h"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

enum { SIZE = 1500000, CAPACITY = 2 * SIZE, ZEROS = 64 << 20 };

static uint8_t bytes[SIZE], packed[CAPACITY], back[SIZE + 1];

static size_t pack_zstd(uint8_t *out, size_t capacity, const void *p, size_t n)
{
    ZSTD_CCtx *z = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    size_t k = ZSTD_compress2(z, out, capacity, p, n);
    ck_assert(!ZSTD_isError(k));
    ZSTD_freeCCtx(z);
    return k;
}

/* Blocks larger than the pieces in which they are given out. */
static size_t pack_lz4(uint8_t *out, size_t capacity, const void *p, size_t n)
{
    LZ4F_preferences_t prefs = {
        .frameInfo = {.blockSizeID = LZ4F_max4MB, .contentChecksumFlag = LZ4F_contentChecksumEnabled}};
    size_t k = LZ4F_compressFrame(out, capacity, p, n, &prefs);
    ck_assert(!LZ4F_isError(k));
    return k;
}

static size_t pack_gzip(uint8_t *out, size_t capacity, const void *p, size_t n)
{
    z_stream z = {
        .next_in = (z_const Bytef *)p, .avail_in = (uInt)n, .next_out = out, .avail_out = (uInt)capacity};
    ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return capacity - z.avail_out;
}

static const struct packer {
    const char *name;
    size_t (*pack)(uint8_t *out, size_t capacity, const void *p, size_t n);
    size_t flags;   /* where a byte of the head is with reserved bits or a version */
    size_t trailer; /* bytes behind the last data: end mark, checksum, size */
} packers[] = {{"zstd", pack_zstd, 4, 4}, {"lz4", pack_lz4, 4, 8}, {"gzip", pack_gzip, 3, 8}};

enum { N_PACKERS = sizeof packers / sizeof packers[0] };

struct job {
    struct tk_options opt;
    struct tk_limits limits;
    tk_file_accept *accept;
    struct tk_err err;
};

static struct job new_job(void)
{
    return (struct job){.opt = TK_INIT(struct tk_options), .limits = tk_limits_default()};
}

static int open_packed(struct tk_file **f, struct job *job, size_t n)
{
    put_file(in_dir("packed"), packed, n);
    return tk_file_open(f, in_dir("packed"), &job->opt, &job->limits, job->accept, &job->err);
}

/* The file holds just the first n bytes. */
static void check_content(const struct tk_file *f, size_t n)
{
    size_t got;
    ck_assert_uint_eq(tk_file_size(f), n);
    ck_assert_int_eq(tk_file_read(f, 0, back, n + 1, &got, NULL), TK_OK);
    ck_assert_uint_eq(got, n);
    ck_assert(memcmp(back, bytes, n) == 0);
}

static void begin(void)
{
    make_dir();
    fill_bytes(bytes, SIZE);
}

START_TEST(whole_frames)
{
    begin();
    static const size_t sizes[] = {0, 1, 1000, 256 << 10, (256 << 10) + 1, SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct job job = new_job();
        struct tk_file *f;
        size_t n = packers[_i].pack(packed, CAPACITY, bytes, sizes[i]);
        ck_assert_int_eq(open_packed(&f, &job, n), TK_OK);
        ck_assert_str_eq(tk_file_compression(f), packers[_i].name);
        ck_assert_uint_eq(tk_file_stored_size(f), n);
        ck_assert(!tk_file_cut(f));
        check_content(f, sizes[i]);
        tk_file_close(f);
    }
    remove_dir();
}
END_TEST

static size_t pack_in_frames(const struct packer *packer, const size_t *cuts, size_t n_cuts)
{
    size_t n = 0;
    for (size_t i = 0; i < n_cuts; i++) {
        size_t end = i + 1 < n_cuts ? cuts[i + 1] : SIZE;
        n += packer->pack(packed + n, CAPACITY - n, bytes + cuts[i], end - cuts[i]);
    }
    return n;
}

START_TEST(frames_follow_each_other)
{
    begin();
    static const size_t cuts[] = {0, 1, 1, 5000, 262144, 900000, 900001};
    struct job job = new_job();
    struct tk_file *f;
    size_t n = pack_in_frames(&packers[_i], cuts, 7);
    ck_assert_int_eq(open_packed(&f, &job, n), TK_OK);
    ck_assert(!tk_file_cut(f));
    check_content(f, SIZE);
    tk_file_close(f);
    remove_dir();
}
END_TEST

/*
 * Wherever the end is cut off: what comes out is a beginning of the content, and all of it when only the
 * checksum is missing. The first frame is whole in most cases, and a cut between frames is none.
 */
START_TEST(cut_frames_give_what_there_is)
{
    begin();
    enum { FIRST = 100000, BOTH = 900000, STEPS = 50 };
    size_t first = packers[_i].pack(packed, CAPACITY, bytes, FIRST);
    size_t n = first + packers[_i].pack(packed + first, CAPACITY - first, bytes + FIRST, BOTH - FIRST);
    for (size_t i = 0; i <= 3 * STEPS; i++) {
        size_t len = i < STEPS       ? 4 + i
                     : i < 2 * STEPS ? first - 10 + (i - STEPS)
                                     : n - 3 * STEPS + i; /* up to n */
        struct job job = new_job();
        struct tk_file *f;
        ck_assert_msg(open_packed(&f, &job, len) == TK_OK, "%s", job.err.text[0]);
        ck_assert_msg(tk_file_cut(f) == (len != first && len != n), "%zu of %zu bytes", len, n);
        ck_assert_uint_ge(tk_file_size(f), len + packers[_i].trailer >= n ? BOTH : len >= first ? FIRST : 0);
        ck_assert_uint_le(tk_file_size(f), len <= first ? FIRST : BOTH);
        check_content(f, (size_t)tk_file_size(f));
        tk_file_close(f);
    }
    remove_dir();
}
END_TEST

static void check_broken(const struct packer *packer, size_t n)
{
    struct job job = new_job();
    struct tk_file *f;
    ck_assert_int_eq(open_packed(&f, &job, n), TK_EIO);
    ck_assert_ptr_null(f);
    ck_assert_ptr_nonnull(strstr(job.err.text[0], "cannot decompress '"));
    ck_assert_ptr_nonnull(strstr(job.err.text[0], packer->name));
}

START_TEST(broken_data_is_refused)
{
    begin();
    size_t n = packers[_i].pack(packed, CAPACITY, bytes, SIZE);
    packed[packers[_i].flags] ^= 0xff;
    check_broken(&packers[_i], n);
    n = packers[_i].pack(packed, CAPACITY, bytes, SIZE);
    memset(packed + n, 'x', 100);
    check_broken(&packers[_i], n + 100);
    /* A changed byte in the middle is at least found by the checksum. */
    packed[n / 2] ^= 0x10;
    check_broken(&packers[_i], n);
    remove_dir();
}
END_TEST

/* 64 MB of zeros in a small file, against a limit: nothing of that size is made. */
START_TEST(limit_stops_bombs)
{
    begin();
    size_t capacity = ZEROS + ZEROS / 16;
    uint8_t *zeros = calloc(1, ZEROS), *out = malloc(capacity);
    ck_assert(zeros && out);
    size_t n = packers[_i].pack(out, capacity, zeros, ZEROS);
    ck_assert_uint_lt(n, ZEROS / 100);
    memcpy(packed, out, n);
    free(zeros);
    free(out);
    struct job job = new_job();
    struct tk_file *f;
    job.limits.unpacked_bytes = 1000000;
    ck_assert_int_eq(open_packed(&f, &job, n), TK_ELIMIT);
    ck_assert_ptr_null(f);
    ck_assert_ptr_nonnull(strstr(job.err.text[0], "'unpacked_bytes'"));
    job.limits.unpacked_bytes = ZEROS - 1;
    ck_assert_int_eq(open_packed(&f, &job, n), TK_ELIMIT);
    job.limits.unpacked_bytes = ZEROS;
    ck_assert_int_eq(open_packed(&f, &job, n), TK_OK);
    ck_assert_uint_eq(tk_file_size(f), ZEROS);
    tk_file_close(f);
    remove_dir();
}
END_TEST

/* Frames to skip come first; the real one behind them decides. */
START_TEST(skipped_frames)
{
    begin();
    if (packers[_i].pack != pack_gzip) {
        static const uint8_t skip[] = {0x53, 0x2a, 0x4d, 0x18, 5, 0, 0, 0, 1, 2, 3, 4, 5};
        memcpy(packed, skip, sizeof skip);
        memcpy(packed + sizeof skip, skip, sizeof skip);
        size_t n = 2 * sizeof skip;
        n += packers[_i].pack(packed + n, CAPACITY - n, bytes, 50000);
        memcpy(packed + n, skip, sizeof skip);
        n += sizeof skip;
        n += packers[_i].pack(packed + n, CAPACITY - n, bytes + 50000, SIZE - 50000);
        struct job job = new_job();
        struct tk_file *f;
        ck_assert_int_eq(open_packed(&f, &job, n), TK_OK);
        ck_assert_str_eq(tk_file_compression(f), packers[_i].name);
        ck_assert(!tk_file_cut(f));
        check_content(f, SIZE);
        tk_file_close(f);
    }
    remove_dir();
}
END_TEST

struct progress {
    int calls, stop_at;
    uint64_t done, total;
};

static int on_progress(void *ctx, uint64_t done, uint64_t total)
{
    struct progress *p = ctx;
    ck_assert_uint_gt(done, p->done);
    p->done = done;
    p->total = total;
    return ++p->calls == p->stop_at;
}

START_TEST(progress_is_reported_and_may_cancel)
{
    begin();
    size_t n = packers[_i].pack(packed, CAPACITY, bytes, SIZE);
    struct progress p = {0};
    struct job job = new_job();
    struct tk_file *f;
    job.opt.progress = on_progress;
    job.opt.progress_ctx = &p;
    ck_assert_int_eq(open_packed(&f, &job, n), TK_OK);
    tk_file_close(f);
    ck_assert_int_ge(p.calls, 3);
    ck_assert_uint_eq(p.done, n);
    ck_assert_uint_eq(p.total, n);
    p = (struct progress){.stop_at = 2};
    ck_assert_int_eq(open_packed(&f, &job, n), TK_ECANCELED);
    ck_assert_ptr_null(f);
    ck_assert_int_eq(p.calls, 2);
    remove_dir();
}
END_TEST

START_TEST(temporary_file_goes_where_reported)
{
    begin();
    size_t n = packers[_i].pack(packed, CAPACITY, bytes, SIZE);
    struct job job = new_job();
    struct tk_file *f;
    job.opt.spool_dir = dir;
    ck_assert_int_eq(open_packed(&f, &job, n), TK_OK);
    ck_assert_int_eq(count_files(), 1);
    tk_file_close(f);
    job.opt.spool_dir = in_dir("missing");
    ck_assert_int_eq(open_packed(&f, &job, n), TK_EIO);
    ck_assert_ptr_nonnull(strstr(job.err.text[0], "cannot make a temporary file in '"));
    ck_assert_ptr_nonnull(strstr(job.err.text[0], "missing': no such file or directory"));
    remove_dir();
}
END_TEST

/* Compressed data in a pipe, whose first read gives one byte only. */
START_TEST(compressed_pipe)
{
    begin();
    size_t n = packers[_i].pack(packed, CAPACITY, bytes, SIZE);
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    if (fork() == 0) {
        for (size_t at = 0; at < n;) {
            ssize_t k = write(fds[1], packed + at, at ? n - at : 1);
            if (k < 0)
                _exit(1);
            at += (size_t)k;
        }
        _exit(0);
    }
    close(fds[1]);
    ck_assert_int_ge(dup2(fds[0], STDIN_FILENO), 0);
    struct job job = new_job();
    struct tk_file *f;
    ck_assert_int_eq(tk_file_open(&f, "-", &job.opt, &job.limits, NULL, &job.err), TK_OK);
    ck_assert_str_eq(tk_file_compression(f), packers[_i].name);
    ck_assert_uint_eq(tk_file_stored_size(f), n);
    check_content(f, SIZE);
    tk_file_close(f);
    remove_dir();
}
END_TEST

static unsigned requested;

static int refuse_zeros(const uint8_t *head, size_t n, struct tk_err *err)
{
    requested++;
    ck_assert_uint_eq(n, TK_FILE_HEAD);
    return head[0] ? TK_OK : tk_err_set(err, TK_EFORMAT, "nothing but zeros");
}

/* A device without an end is left after the first bytes; so is a small file that becomes very large. */
START_TEST(what_is_of_no_use_is_not_unpacked)
{
    struct tk_file *f;
    struct job job = new_job();
    job.accept = refuse_zeros;
    requested = 0;
    if (_i == 0) {
        ck_assert_int_eq(tk_file_open(&f, "/dev/zero", &job.opt, &job.limits, job.accept, &job.err),
                         TK_EFORMAT);
        ck_assert_uint_eq(requested, 1);
    }
    make_dir();
    static uint8_t zeros[1 << 20];
    requested = 0;
    size_t n = packers[_i].pack(packed, sizeof packed, zeros, sizeof zeros);
    ck_assert_int_eq(open_packed(&f, &job, n), TK_EFORMAT);
    ck_assert_ptr_null(f);
    ck_assert_uint_eq(requested, 1);
    memset(zeros, 'a', sizeof zeros);
    n = packers[_i].pack(packed, sizeof packed, zeros, sizeof zeros);
    ck_assert_int_eq(open_packed(&f, &job, n), TK_OK);
    ck_assert_uint_eq(requested, 2);
    tk_file_close(f);
    remove_dir();
}
END_TEST

/* Without a limit half of what is free may be unpacked; with one as much as it says. */
START_TEST(half_of_the_disk_is_filled)
{
    begin();
    static const struct {
        uint64_t disk, limit;
        bool fits;
    } cases[] = {{2 * SIZE + 2, 0, true},
                 {2 * SIZE - 2, 0, false},
                 {2 * SIZE - 2, SIZE, true},
                 {8 * SIZE, SIZE - 1, false}};
    const size_t n = packers[_i].pack(packed, CAPACITY, bytes, SIZE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct job job = new_job();
        struct tk_file *f = NULL;
        if (cases[i].limit)
            job.limits.unpacked_bytes = cases[i].limit;
        small_disk = cases[i].disk;
        ck_assert_int_eq(open_packed(&f, &job, n), cases[i].fits ? TK_OK : TK_ELIMIT);
        if (cases[i].fits)
            check_content(f, SIZE);
        else
            ck_assert_ptr_nonnull(strstr(job.err.text[0], cases[i].limit
                                                              ? "it holds more than 1499999 bytes (limit"
                                                              : "half of the free space in '"));
        tk_file_close(f);
    }
    small_disk = 0;
    remove_dir();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        whole_frames,
        frames_follow_each_other,
        cut_frames_give_what_there_is,
        broken_data_is_refused,
        limit_stops_bombs,
        skipped_frames,
        progress_is_reported_and_may_cancel,
        temporary_file_goes_where_reported,
        compressed_pipe,
        what_is_of_no_use_is_not_unpacked,
        half_of_the_disk_is_filled,
    };
    return RUN_TESTS_EACH("spool", tests, N_PACKERS);
}
