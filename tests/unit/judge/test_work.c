/*
 * Which names wait, and the roles of threads. The names are those of programs and engines.
 */
#include "judge/work.h"
#include "run.h"

#include <string.h>

static bool waits(const char *name)
{
    return tk_work_name_waits(name, strlen(name));
}

START_TEST(names_that_wait)
{
    static const char *const names[] = {"WaitOnRHIThreadFence_Dispatch",
                                        "WaitForRHIThreadOcclusionReadback",
                                        "WaitAndProcessInterruptQueue",
                                        "ConcurrentWithSlateTickTasks_Wait",
                                        "WaitForDDC",
                                        "CPU Stall - Wait for event 3",
                                        "Wait render fence",
                                        "wait semaphores",
                                        "Wait for buffer map",
                                        "vkWaitForFences (SE)",
                                        "WaitDeviceIdle",
                                        "Acquire Image",
                                        "Acquire texture",
                                        "AcquireFrame",
                                        "SwapBuffers",
                                        "VSync rate limiting",
                                        "FrameRateLimiter",
                                        "GPUWait",
                                        "FRHICommandList::Present",
                                        "vkQueuePresentKHR",
                                        "UpdateTimeAndHandleMaxTickRate",
                                        "Present",
                                        "Idle",
                                        "FEngineLoop::Idle",
                                        "Sleep",
                                        "FPlatformProcess::Sleep",
                                        "WaitForGPU"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(waits(names[i]), "%s", names[i]);
}
END_TEST

START_TEST(names_that_do_not)
{
    static const char *const names[] = {"WaitingList::Update",
                                        "PresentManager::copyToSwapchainImpl",
                                        "Acquire Job",
                                        "SleepIslands",
                                        "Anim_Idle",
                                        "PutBodiesToSleep",
                                        "AwaitAll",
                                        "Waiter::Run",
                                        "Presentation",
                                        "LoadWaitScreen_LoadObject",
                                        "CompileShader Wait"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(!waits(names[i]), "%s", names[i]);
}
END_TEST

/* The user's lines come first; limiters are waits. */
START_TEST(lines)
{
    struct tk_work_list list = {.v = {0}};
    struct tk_err err = {0};
    ck_assert_int_eq(tk_work_list_parse(&list, "own WaitForGPU\nwait =stall\n", &err), TK_OK);
    ck_assert_int_eq(tk_work_of_name(&list, "WaitForGPU", 10), TK_WORK_OWN);
    ck_assert_int_eq(tk_work_of_name(&list, "GpuStall_2", 10), TK_WORK_WAIT);
    ck_assert_int_eq(tk_work_of_name(&list, "Stalled", 7), TK_WORK_KINDS);
    ck_assert_int_eq(tk_work_of_name(&list, "FrameRateLimiter", 16), TK_WORK_LIMITER);
    ck_assert(tk_work_waits(TK_WORK_LIMITER) && tk_work_waits(TK_WORK_WAIT) && !tk_work_waits(TK_WORK_OWN));
    tk_work_list_release(&list);
    list = (struct tk_work_list){.v = {0}};
    ck_assert_int_eq(tk_work_list_parse(&list, "wait =\n", &err), TK_EUSAGE);
    tk_work_list_release(&list);
}
END_TEST

START_TEST(roles)
{
    static const struct {
        const char *name;
        enum tk_role role;
    } cases[] = {{"GameThread", TK_ROLE_GAME},
                 {"Main thread", TK_ROLE_GAME},
                 {"RenderThread 1", TK_ROLE_RENDER},
                 {"RHIThread", TK_ROLE_RHI},
                 {"Worker 0", TK_ROLE_WORKER},
                 {"Foreground Worker #1", TK_ROLE_WORKER},
                 {"TaskGraphThreadHP 2", TK_ROLE_WORKER},
                 {"Audio", TK_ROLE_OTHER},
                 {"", TK_ROLE_OTHER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(tk_role_name(tk_role_of_name(cases[i].name, strlen(cases[i].name))),
                         tk_role_name(cases[i].role));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {names_that_wait, names_that_do_not, lines, roles};
    return RUN_TESTS("work", tests);
}
