/* Locks between processes: who may have one, how long is waited, and that nothing is lost where files are
 * replaced under them. */
#include "io/files.h"
#include "os/clock.h"
#include "os/path.h"

#include <signal.h>
#include <sys/wait.h>

enum { PROCESSES = 8, TURNS = 40 };

static enum tk_os_error locked(struct tk_os_file **out, const char *name, enum tk_os_locking kind,
                               double seconds)
{
    return tk_os_path_lock(out, in_dir(name), kind, seconds).error;
}

/* A process that runs fn and then waits to be killed; returns when fn is done. */
static pid_t other_process(void (*fn)(void))
{
    int ends[2];
    char byte = 0;
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        fn();
        ck_assert_int_eq(write(ends[1], "x", 1), 1);
        for (;;)
            pause();
    }
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return pid;
}

static void end_process(pid_t pid)
{
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static void take_exclusive(void)
{
    struct tk_os_file *f;
    ck_assert_int_eq(locked(&f, "a", TK_OS_EXCLUSIVE, 0), TK_OS_OK);
}

static void take_shared(void)
{
    struct tk_os_file *f;
    ck_assert_int_eq(locked(&f, "a", TK_OS_SHARED, 0), TK_OS_OK);
}

START_TEST(one_has_it_or_several_share_it)
{
    struct tk_os_file *f, *g;
    put_file(in_dir("a"), "", 0);
    ck_assert_int_eq(locked(&f, "a", TK_OS_EXCLUSIVE, 0), TK_OS_OK);
    ck_assert_int_eq(locked(&g, "a", TK_OS_EXCLUSIVE, 0), TK_OS_BUSY); /* by handle, not by process */
    ck_assert_ptr_null(g);
    ck_assert_int_eq(locked(&g, "a", TK_OS_SHARED, 0), TK_OS_BUSY);
    tk_os_file_close(f);
    const pid_t pid = other_process(take_shared);
    ck_assert_int_eq(locked(&f, "a", TK_OS_EXCLUSIVE, 0), TK_OS_BUSY);
    ck_assert_int_eq(locked(&f, "a", TK_OS_SHARED, 0), TK_OS_OK);
    tk_os_file_close(f);
    end_process(pid);
    ck_assert_int_eq(locked(&f, "a", TK_OS_EXCLUSIVE, 0), TK_OS_OK);
    tk_os_file_close(f);
}
END_TEST

START_TEST(waiting_has_an_end)
{
    struct tk_os_file *f;
    put_file(in_dir("a"), "", 0);
    const pid_t pid = other_process(take_exclusive);
    const double begin = tk_os_seconds();
    ck_assert_int_eq(locked(&f, "a", TK_OS_EXCLUSIVE, 0.2), TK_OS_BUSY);
    const double took = tk_os_seconds() - begin;
    ck_assert(took >= 0.2 && took < 20);
    end_process(pid); /* however it ends */
    ck_assert_int_eq(locked(&f, "a", TK_OS_EXCLUSIVE, 20), TK_OS_OK);
    tk_os_file_close(f);
}
END_TEST

START_TEST(what_cannot_be_locked)
{
    struct tk_os_file *f;
    ck_assert_int_eq(locked(&f, "none", TK_OS_EXCLUSIVE, 0), TK_OS_NOT_FOUND);
    ck_assert_int_eq(mkfifo(in_dir("pipe"), 0600), 0);
    ck_assert_int_eq(locked(&f, "pipe", TK_OS_SHARED, 0), TK_OS_IO);
    ck_assert_int_eq(locked(&f, ".", TK_OS_SHARED, 0), TK_OS_IO);
    put_file(in_dir("a"), "", 0);
    ck_assert_int_eq(chmod(in_dir("a"), 0400), 0); /* it is replaced, not written to */
    ck_assert_int_eq(locked(&f, "a", TK_OS_EXCLUSIVE, 0), TK_OS_OK);
    tk_os_file_close(f);
}
END_TEST

/* ---- replacing a list under its lock ---- */

struct entry {
    int process, turn;
};

/* Puts the list and an entry more under the name. */
static enum tk_os_error replace(int process, int turn, bool is_new)
{
    struct entry list[PROCESSES * TURNS + 1];
    char made[64];
    struct tk_os_file *f;
    size_t n = is_new ? 0 : get_file(in_dir("list"), list, sizeof list);
    list[n / sizeof *list] = (struct entry){process, turn};
    snprintf(made, sizeof made, "made-%d", process);
    ck_assert_int_eq(tk_os_file_create(&f, in_dir(made)).error, TK_OS_OK);
    ck_assert_int_eq(tk_os_file_write(f, list, n + sizeof *list).error, TK_OS_OK);
    tk_os_file_close(f);
    if (!is_new)
        return tk_os_path_rename_over(in_dir(made), in_dir("list")).error;
    const enum tk_os_error error = tk_os_path_rename_new(in_dir(made), in_dir("list")).error;
    if (error)
        tk_os_path_remove(in_dir(made));
    return error;
}

static void add_entry(int process, int turn)
{
    enum tk_os_error error;
    do {
        struct tk_os_file *lock;
        const enum tk_os_error state = locked(&lock, "list", TK_OS_EXCLUSIVE, 60);
        ck_assert(state == TK_OS_OK || state == TK_OS_NOT_FOUND);
        error = replace(process, turn, state == TK_OS_NOT_FOUND);
        tk_os_file_close(lock);
    } while (error == TK_OS_EXISTS);
    ck_assert_int_eq(error, TK_OS_OK);
}

START_TEST(nothing_is_lost_where_files_are_replaced)
{
    static struct entry list[PROCESSES * TURNS + 1];
    int seen[PROCESSES][TURNS] = {0}, status;
    for (int p = 0; p < PROCESSES; p++)
        if (fork() == 0) {
            for (int t = 0; t < TURNS; t++)
                add_entry(p, t);
            _exit(0);
        }
    for (int p = 0; p < PROCESSES; p++) {
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_uint_eq(get_file(in_dir("list"), list, sizeof list), PROCESSES * TURNS * sizeof *list);
    for (int i = 0; i < PROCESSES * TURNS; i++)
        ck_assert_int_eq(seen[list[i].process][list[i].turn]++, 0);
    ck_assert_int_eq(count_files(), 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {one_has_it_or_several_share_it, waiting_has_an_end, what_cannot_be_locked,
                                  nothing_is_lost_where_files_are_replaced};
    return RUN_TESTS_AROUND("os-posix-lock", tests, make_dir, remove_dir);
}
