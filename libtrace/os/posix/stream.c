/*
 * Streams by their descriptors.
 */
#include "os/posix/posix.h"

#include "os/stream.h"

#include "os/program.h"

#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

/*
 * Shows addresses with the opener of the desktop.
 */

bool tk_os_show(const char *address)
{
#ifdef __APPLE__
    const char *const arguments[] = {"open", address, NULL};
#else
    const char *const arguments[] = {"xdg-open", address, NULL};
#endif
    struct tk_os_program *program;
    if (tk_os_program_start(&program, arguments).error)
        return false;
    tk_os_program_close(program);
    return true;
}

/*
 * Command lines are as they should be here.
 */

void tk_os_command_line(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
}

bool tk_os_shell_expands(void)
{
    return true;
}

bool tk_os_shows_utf8(void)
{
    return false;
}

const char *tk_os_program_name(const char *path, unsigned *n)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    *n = (unsigned)strlen(name);
    return name;
}

bool tk_os_stream_is_terminal(FILE *stream)
{
    return isatty(fileno(stream));
}

unsigned tk_os_stream_columns(FILE *stream)
{
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct tk_os_result tk_os_stream_flush(FILE *stream)
{
    const bool good = fflush(stream) == 0 && !ferror(stream);
    return good ? tk_os_result_of(TK_OS_OK) : tk_os_failure(errno ? errno : EIO);
}

/*
 * A child process behind a pipe.
 */

extern char **environ;

static struct {
    pid_t pid;   /* 0: none */
    bool errors; /* it has standard error, too */
} child;

/* With standard input from `in`, and signals as they usually are. 0 or what errno would be. */
static int spawn(const char *command, int in)
{
    char *const direct[] = {(char *)(uintptr_t)command, NULL};
    char *const shell[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)command,
                           NULL};
    const bool plain = strcspn(command, "|&;<>()$`\\\"' \t\n*?[#~=%") == strlen(command);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t usual;
    int rc = posix_spawn_file_actions_init(&files);
    if (rc)
        return rc;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigdefault(&attr, &usual);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
    rc = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    if (rc == 0)
        rc = posix_spawnp(&child.pid, plain ? command : "/bin/sh", &files, &attr, plain ? direct : shell,
                          environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

/* macOS cannot do both at once: who starts a program meanwhile hands the ends on. */
static bool open_pipe(int ends[2])
{
#ifdef __APPLE__
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
#else
    return pipe2(ends, O_CLOEXEC) == 0;
#endif
}

bool tk_os_child_start(const char *command, bool errors)
{
    int ends[2];
    fflush(stdout);
    if (!open_pipe(ends))
        return false;
    if (spawn(command, ends[0]) == 0) {
        child.errors = errors;
        dup2(ends[1], STDOUT_FILENO);
        if (errors)
            dup2(ends[1], STDERR_FILENO);
    } else {
        child.pid = 0;
    }
    close(ends[0]);
    close(ends[1]);
    return child.pid != 0;
}

void tk_os_child_wait(void)
{
    int status;
    fflush(stdout);
    fflush(stderr);
    close(STDOUT_FILENO);
    if (child.errors)
        close(STDERR_FILENO);
    while (child.pid && waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    child.pid = 0;
}

const char *tk_os_child_pager(void)
{
    return "less";
}
