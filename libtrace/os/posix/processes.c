/*
 * Other processes by /proc. Systems without it know of no other process.
 */
#include "os/posix/posix.h"

#include "os/posix/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 300, ENVIRONMENT = 256 << 10, DEPTH = 64, LISTENS = 0x0a, CONNECTED = 0x01 };

/* ---- one process ---- */

static pid_t parent_of(pid_t pid)
{
    char path[NAME], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[n] = '\0';
    const char *behind = strrchr(text, ')'); /* the name may hold anything */
    long parent = 0;
    return behind && sscanf(behind + 1, " %*c %ld", &parent) == 1 ? (pid_t)parent : 0;
}

static bool is_there(pid_t pid)
{
    return parent_of(pid) > 0 || pid == 1;
}

static bool is_below(pid_t pid, pid_t above)
{
    for (int i = 0; i < DEPTH && pid > 1; i++, pid = parent_of(pid))
        if (pid == above)
            return true;
    return false;
}

static bool holds_variable(const char *p, size_t n, const char *mark)
{
    const size_t length = strlen(mark) + 1;
    for (const char *end = p + n; p < end; p += strnlen(p, (size_t)(end - p)) + 1)
        if ((size_t)(end - p) >= length && memcmp(p, mark, length) == 0)
            return true;
    return false;
}

static bool has_variable(pid_t pid, const char *mark)
{
    char path[NAME], *text = mark ? malloc(ENVIRONMENT) : NULL;
    if (!text)
        return false;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(text, 1, ENVIRONMENT, file) : 0;
    if (file)
        fclose(file);
    const bool has = holds_variable(text, n, mark);
    free(text);
    return has;
}

enum tk_os_whose tk_processes_whose(pid_t process, pid_t above, const char *mark)
{
    if (is_below(process, above) || has_variable(process, mark))
        return TK_OS_OURS;
    return is_there(process) ? TK_OS_OTHERS : TK_OS_UNKNOWN;
}

/* ---- all processes ---- */

/* The next one of a listing of /proc; 0: there are no more. */
static pid_t next_process(DIR *all)
{
    const struct dirent *entry;
    while ((entry = readdir(all)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            return (pid_t)strtol(entry->d_name, NULL, 10);
    return 0;
}

unsigned tk_processes_signal(pid_t pid, const char *mark, int number)
{
    DIR *all = opendir("/proc");
    unsigned n = 0;
    if (!all || (pid && !is_there(pid) && !is_there(getpid()))) {
        if (all)
            closedir(all);
        return pid && kill(pid, number) == 0;
    }
    for (pid_t each; (each = next_process(all)) != 0;)
        if (each != getpid() && ((pid && is_below(each, pid)) || has_variable(each, mark)))
            n += kill(each, number) == 0;
    closedir(all);
    return n;
}

/* ---- ports ---- */

/* The number of the socket of a port in one of the tables of the system; 0: it has none. */
static unsigned long socket_in(const char *table, uint16_t port, unsigned state)
{
    char line[512];
    FILE *file = fopen(table, "re");
    unsigned long found = 0;
    while (file && !found && fgets(line, sizeof line, file)) {
        unsigned here = 0, now = 0;
        unsigned long number = 0;
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*s %*s %lu", &here, &now,
                   &number) == 3 &&
            here == port && now == state)
            found = number;
    }
    if (file)
        fclose(file);
    return found;
}

static bool has_socket(pid_t pid, const char *name)
{
    char path[NAME], link[64];
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *files = opendir(path);
    const struct dirent *entry;
    bool has = false;
    while (files && !has && (entry = readdir(files)) != NULL) {
        const ssize_t n = readlinkat(dirfd(files), entry->d_name, link, sizeof link - 1);
        link[n > 0 ? n : 0] = '\0';
        has = strcmp(link, name) == 0;
    }
    if (files)
        closedir(files);
    return has;
}

pid_t tk_processes_with_port(uint16_t port, bool listens)
{
    const unsigned state = listens ? LISTENS : CONNECTED;
    unsigned long number = socket_in("/proc/net/tcp6", port, state);
    char name[64];
    if (!number)
        number = socket_in("/proc/net/tcp", port, state);
    DIR *all = number ? opendir("/proc") : NULL;
    pid_t found = 0;
    snprintf(name, sizeof name, "socket:[%lu]", number);
    for (pid_t each; all && !found && (each = next_process(all)) != 0;)
        if (has_socket(each, name))
            found = each;
    if (all)
        closedir(all);
    return found;
}
