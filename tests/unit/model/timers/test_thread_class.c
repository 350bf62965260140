/* Classes of threads, by hand: what is left of a name without what numbers it. */
#include "model/timers/thread_class.h"
#include "run.h"

#include <string.h>

static struct tk_intern names;

static struct tk_str str(const char *text)
{
    return (struct tk_str){text, (uint32_t)strlen(text), TK_ENC_UTF8};
}

static void is(const char *name, const char *group, const char *expected)
{
    const struct tk_str n = str(name), g = str(group ? group : "");
    const struct tk_str *found = tk_thread_class(&names, &n, group ? &g : NULL);
    ck_assert_ptr_nonnull(found);
    ck_assert_msg(found->n == strlen(expected) && memcmp(found->p, expected, found->n) == 0,
                  "'%s' is '%.*s' instead of '%s'", name, (int)found->n, found->p, expected);
}

START_TEST(numbers_at_the_end)
{
    is("Worker 12", NULL, "Worker");
    is("Worker12", NULL, "Worker");
    is("Worker#3", NULL, "Worker");
    is("Worker_07", NULL, "Worker");
    is("Pool-1", NULL, "Pool");
    is("Task: 9", NULL, "Task");
    is("Foreground Worker (12)", NULL, "Foreground Worker");
    is("Pool[3]", NULL, "Pool");
    is("Thread 0x7f12AB", NULL, "Thread");
    is("IO 2.15", NULL, "IO 2"); /* one number, not all */
}
END_TEST

START_TEST(names_without_numbers)
{
    is("GameThread", NULL, "GameThread");
    is("RenderThread 0", "Render", "RenderThread");
    is("Task (idle)", NULL, "Task (idle)");
    is("Task ()", NULL, "Task ()");
    is("Facade", NULL, "Facade"); /* hex digits, but no 0x */
    is("Worker -", NULL, "Worker -");
    is("2D Renderer", NULL, "2D Renderer");
    is("", NULL, "");
}
END_TEST

START_TEST(nothing_left)
{
    is("12", "Workers", "Workers");
    is("12", NULL, "12");
    is("12", "", "12");
    is("#5", "Workers", "Workers");
    is("0x1f", "Workers", "Workers");
    is("Worker 1", "Workers", "Worker"); /* the name counts as long as there is one */
}
END_TEST

static void release(void)
{
    tk_intern_release(&names);
}

static void nothing(void)
{
}

int main(void)
{
    const TTest *const tests[] = {numbers_at_the_end, names_without_numbers, nothing_left};
    return RUN_TESTS_AROUND("thread_class", tests, nothing, release);
}
