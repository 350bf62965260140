/*
 * A server of which each request is a scope with its path and status: TRACEKIT_EMIT=server.utrace ./emit_server [N]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <tracekit_emit.h>

TKE_COUNTER(open_requests, "Open requests", TKE_PLAIN);
TKE_COUNTER(answer_bytes, "Answer bytes", TKE_MEMORY);

static void pause_us(long us)
{
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

static int look_up(int request)
{
    TKE_SCOPE("look up");
    pause_us(request % 40 == 7 ? 2000 : 50);
    return request % 25 == 24 ? 404 : 200;
}

static void answer(int status, int bytes)
{
    TKE_SCOPE_META("answer", "%d, %d bytes", "Status,Bytes", status, bytes);
    pause_us(20);
    tke_counter_set(&answer_bytes, bytes);
}

static void serve(int request)
{
    static const char *const paths[] = {"/", "/login", "/items", "/items/17"};
    const char *path = paths[request % 4];
    TKE_SCOPE_META("request", "GET %s", "Path", path);
    tke_counter_set(&open_requests, 1);
    const int status = look_up(request);
    if (status != 200)
        TKE_LOG("LogServer", TKE_WARNING, "request %d: %s answered with %d", request, path, status);
    answer(status, 100 + request);
    tke_counter_set(&open_requests, 0);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 200;
    tke_start(NULL); /* does nothing unless TRACEKIT_EMIT is set */
    tke_thread_name("Server", NULL, -1);
    for (int i = 0; i < n; i++)
        serve(i);
    printf("%d requests\n", n);
    return 0;
}
