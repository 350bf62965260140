/* Windows: the same bytes with a map and without, files that shrink, other SIGBUS. */
#include "files.h"
#include "io/file.h"
#include "os/file.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { SIZE = 9 << 20, SHRUNK = 5000000 };

static uint8_t *bytes;

static struct tk_file *open_big(const char *name)
{
    struct tk_limits limits = tk_limits_default();
    struct tk_file *f;
    make_dir();
    bytes = malloc(SIZE);
    ck_assert_ptr_nonnull(bytes);
    fill_bytes(bytes, SIZE - 1);
    bytes[SIZE - 1] = 0;
    put_file(in_dir(name), bytes, SIZE - 1);
    ck_assert_int_eq(tk_file_open(&f, in_dir(name), NULL, &limits, NULL, NULL), TK_OK);
    ck_assert_uint_eq(tk_file_size(f), SIZE - 1);
    return f;
}

static void close_big(struct tk_file *f)
{
    tk_file_close(f);
    free(bytes);
    remove_dir();
}

static struct tk_window *open_window(const struct tk_file *f, bool map)
{
    struct tk_window *w;
    ck_assert_int_eq(tk_window_open(&w, f, map, NULL), TK_OK);
    ck_assert(!map || w->view);
    return w;
}

static void check_at(struct tk_window *w, uint64_t offset, size_t n)
{
    uint64_t size = SIZE - 1;
    size_t want = offset >= size ? 0 : n < size - offset ? n : (size_t)(size - offset), got = 99;
    const uint8_t *p = tk_window_at(w, offset, n, &got, NULL);
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_eq(got, want);
    ck_assert(want == 0 || memcmp(p, bytes + offset, want) == 0);
}

/* _i is 1 with a map */
START_TEST(walks_see_the_file)
{
    struct tk_file *f = open_big("a");
    struct tk_window *w = open_window(f, _i);
    check_at(w, 0, 0);
    for (uint64_t at = 0; at < SIZE + 20000; at += 1 + at % 7919)
        check_at(w, at, 6);
    for (uint64_t at = SIZE - 2; at > 6000; at -= 1 + at % 5003)
        check_at(w, at, at % 3 ? 16 : TK_WINDOW_MOST);
    ck_assert(!tk_window_shrank(w));
    tk_window_close(w);
    tk_window_close(NULL);
    close_big(f);
}
END_TEST

START_TEST(borders_are_crossed)
{
    struct tk_file *f = open_big("a");
    struct tk_window *w = open_window(f, _i);
    static const uint64_t borders[] = {0,       4096, 65536, 256 << 10, TK_WINDOW_VIEW, 2 * TK_WINDOW_VIEW,
                                       SIZE - 1};
    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++) {
        for (uint64_t d = 0; d < 40; d++) {
            if (borders[i] + d >= 20) {
                check_at(w, borders[i] + d - 20, 17);
                check_at(w, borders[i] + d - 20, TK_WINDOW_MOST);
            }
        }
    }
    check_at(w, UINT64_MAX, 16);
    check_at(w, UINT64_MAX - 5, TK_WINDOW_MOST);
    check_at(w, 10, 1);
    tk_window_close(w);
    close_big(f);
}
END_TEST

/* What is in sight is given without moving, so a view must not be moved by a request that reaches the end. */
START_TEST(end_does_not_move_the_window)
{
    struct tk_file *f = open_big("a");
    struct tk_window *w = open_window(f, _i);
    check_at(w, SIZE - 100000, 6);
    uint64_t start = w->start;
    for (uint64_t at = SIZE - 99000; at < SIZE; at += 500)
        check_at(w, at, TK_WINDOW_MOST);
    ck_assert_uint_eq(w->start, start);
    tk_window_close(w);
    close_big(f);
}
END_TEST

/* Zeros where the file was cut, what is left elsewhere, and the process lives. */
static void check_shrunk(struct tk_window *w)
{
    for (uint64_t at = 0; at + 6 < SIZE; at += 4001) {
        size_t got;
        const uint8_t *p = tk_window_at(w, at, 6, &got, NULL);
        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq(got, at + 6 < SIZE - 1 ? 6 : SIZE - 1 - at);
        for (size_t i = 0; i < got; i++)
            ck_assert_uint_eq(p[i], at + i < SHRUNK ? bytes[at + i] : 0);
    }
}

START_TEST(shrunk_file_reads_as_zeros)
{
    struct tk_file *f = open_big("a");
    struct tk_window *w = open_window(f, _i);
    check_at(w, 0, 6);
    ck_assert_int_eq(truncate(in_dir("a"), SHRUNK), 0);
    check_shrunk(w);
    ck_assert(tk_window_shrank(w));
    tk_window_close(w);
    /* And behind the back of a window that has the place in sight. */
    put_file(in_dir("a"), bytes, SIZE - 1);
    w = open_window(f, _i);
    check_at(w, SHRUNK + 5000, 6);
    ck_assert(!tk_window_shrank(w));
    ck_assert_int_eq(truncate(in_dir("a"), SHRUNK), 0);
    size_t got;
    const uint8_t *p = tk_window_at(w, SHRUNK + 20000, 6, &got, NULL);
    ck_assert_uint_eq(got, 6);
    ck_assert(_i == 0 || (p[0] == 0 && p[5] == 0));
    ck_assert(tk_window_shrank(w));
    tk_window_close(w);
    close_big(f);
}
END_TEST

/* The file has its size again when requested, but what was read meanwhile were zeros. */
START_TEST(passing_loss_is_remembered)
{
    struct tk_file *f = open_big("a");
    struct tk_window *w = open_window(f, _i);
    ck_assert_int_eq(truncate(in_dir("a"), SHRUNK), 0);
    check_shrunk(w);
    ck_assert_int_eq(truncate(in_dir("a"), SIZE - 1), 0);
    ck_assert(tk_window_shrank(w));
    tk_window_close(w);
    close_big(f);
}
END_TEST

/* Cut inside its last page: no fault, but the flag all the same. */
START_TEST(few_missing_bytes_are_noticed)
{
    struct tk_file *f = open_big("a");
    struct tk_window *w = open_window(f, _i);
    check_at(w, SIZE - 20, 6);
    ck_assert_int_eq(truncate(in_dir("a"), SIZE - 3), 0);
    ck_assert(tk_window_shrank(w));
    tk_window_close(w);
    close_big(f);
}
END_TEST

START_TEST(read_errors_are_reported)
{
    struct tk_file *f = open_big("a");
    struct tk_window *w = open_window(f, false);
    check_at(w, 0, 6);
    /* The descriptor becomes one that cannot be read. */
    int fd = open(in_dir("a"), O_WRONLY);
    ck_assert_int_ge(dup2(fd, fd - 1), 0);
    struct tk_err err = {0};
    size_t got;
    ck_assert_ptr_null(tk_window_at(w, 5 << 20, 6, &got, &err));
    ck_assert_uint_eq(got, 0);
    ck_assert_int_eq(err.code, TK_EIO);
    ck_assert_str_eq(err.text[0], "cannot read at byte 5242880: bad file descriptor");
    tk_window_close(w);
    close(fd);
    close_big(f);
}
END_TEST

/* More windows than there are views: the others work without. */
START_TEST(views_may_run_out)
{
    enum { N = 100 };
    struct tk_file *f = open_big("a");
    static struct tk_window *w[N];
    int views = 0;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            ck_assert_int_eq(tk_window_open(&w[i], f, true, NULL), TK_OK);
            views += w[i]->view != NULL;
        }
        for (uint64_t i = 0; i < N; i++)
            check_at(w[i], i * 90001, 6);
        for (int i = 0; i < N; i++)
            tk_window_close(w[i]);
        ck_assert_int_eq(views, 64 * (round + 1));
    }
    close_big(f);
}
END_TEST

/* A file that is not mappable has no view; a window without one reads. */
START_TEST(unmappable_files_are_read)
{
    struct tk_file *f = open_big("a");
    struct tk_window *w = open_window(f, true);
    check_at(w, 0, 6);
    struct tk_os_file *folder;
    ck_assert_int_eq(tk_os_file_open_read(&folder, dir).error, TK_OS_OK);
    ck_assert_ptr_null(tk_os_map_open(folder, 4096));
    tk_os_file_close(folder);
    tk_os_map_close(w->view);
    w->view = NULL;
    w->have = 0;
    check_at(w, 5000000, 6);
    tk_window_close(w);
    close_big(f);
}
END_TEST

static volatile sig_atomic_t seen;
static sigjmp_buf back;

static void on_bus(int sig)
{
    seen += sig == SIGBUS;
    siglongjmp(back, 1);
}

/* A page behind the end of a file that is not ours. */
static void fault(void)
{
    int fd = open(in_dir("empty"), O_RDWR | O_CREAT, 0600);
    volatile uint8_t *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    uint8_t byte = p[0];
    (void)byte;
}

START_TEST(other_faults_go_where_they_went)
{
    struct sigaction before = {.sa_handler = on_bus}, now;
    ck_assert_int_eq(sigaction(SIGBUS, &before, NULL), 0);
    struct tk_file *f = open_big("a");
    struct tk_window *w = open_window(f, true), *w2 = open_window(f, true);
    if (sigsetjmp(back, 1) == 0)
        fault();
    ck_assert_int_eq(seen, 1);
    tk_window_close(w);
    check_at(w2, 0, 6);
    if (sigsetjmp(back, 1) == 0)
        fault();
    ck_assert_int_eq(seen, 2);
    tk_window_close(w2);
    ck_assert_int_eq(sigaction(SIGBUS, NULL, &now), 0);
    ck_assert(now.sa_handler == on_bus);
    close_big(f);
}
END_TEST

/* How a child that opens a window and does `what` ends: the signal, or 0. */
static int ends_by(const struct tk_file *f, void (*what)(void), void (*handler)(int))
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGBUS, handler);
        open_window(f, true);
        what();
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void send_bus(void)
{
    kill(getpid(), SIGBUS);
}

START_TEST(default_is_still_to_die)
{
    struct tk_file *f = open_big("a");
    ck_assert_int_eq(ends_by(f, fault, SIG_DFL), SIGBUS);
    ck_assert_int_eq(ends_by(f, fault, SIG_IGN), SIGBUS);
    ck_assert_int_eq(ends_by(f, send_bus, SIG_DFL), SIGBUS);
    ck_assert_int_eq(ends_by(f, send_bus, SIG_IGN), 0);
    close_big(f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        walks_see_the_file,           borders_are_crossed,
        end_does_not_move_the_window, shrunk_file_reads_as_zeros,
        passing_loss_is_remembered,   few_missing_bytes_are_noticed,
        read_errors_are_reported,     views_may_run_out,
        unmappable_files_are_read,    other_faults_go_where_they_went,
        default_is_still_to_die,
    };
    return RUN_TESTS_EACH("window", tests, 2);
}
