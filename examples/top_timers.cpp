/*
 * Prints the timers that took the most time of their own.
 *
 * usage: top-timers-cpp CAPTURE [N]
 *
 * Shows: owners that free what they hold, causes as an exception, a query made by setters, cells by
 * accessors.
 */
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <tracekit.h>

namespace
{

template <auto Free> struct Freed {
    template <typename T> void operator()(T *p) const
    {
        Free(p);
    }
};
template <typename T, auto Free> using Owner = std::unique_ptr<T, Freed<Free>>;

using Error = Owner<tk_err, tk_err_free>;
using Trace = Owner<tk_trace, tk_close>;
using Query = Owner<tk_query, tk_query_free>;
using Result = Owner<tk_result, tk_result_free>;

/* Calls a function whose last argument takes causes, and throws the last of them. */
template <typename F, typename... A> void call(F function, A... arguments)
{
    const Error err(tk_err_new());
    const int status = function(arguments..., err.get());
    if (status < 0)
        throw std::runtime_error(tk_err_text(err.get(), status));
}

Trace open(const char *path)
{
    tk_trace *trace = nullptr;
    call(tk_open, &trace, path, nullptr);
    return Trace(trace);
}

Query query_of(const char *table, std::initializer_list<const char *> columns)
{
    tk_query *made = nullptr;
    call(tk_query_new, &made);
    Query query(made);
    call(tk_query_add, made, "tables", table);
    for (const char *column : columns)
        call(tk_query_add, made, "columns", column);
    return query;
}

std::string text(const tk_cell *cell)
{
    std::size_t n = 0;
    const char *p = tk_cell_bytes(cell, &n);
    return p ? std::string(p, n) : std::string();
}

void print_top(const char *path, std::size_t top)
{
    const Trace trace = open(path);
    const Query query = query_of("timers", {"timer", "count", "excl"});
    tk_result *made = nullptr;
    call(tk_result_query, &made, trace.get(), query.get());
    const Result result(made);
    call(tk_result_sort, made, 0, "excl", true);
    tk_result_top(made, 0, top);
    std::printf("%16s %10s  timer\n", "own ms", "calls");
    for (std::size_t row = 0; const tk_cell *timer = tk_result_cell(made, 0, row, 0); row++)
        std::printf("%16.6f %10llu  %s\n", tk_cell_real(tk_result_cell(made, 0, row, 2)) / 1e6,
                    static_cast<unsigned long long>(tk_cell_uint(tk_result_cell(made, 0, row, 1))),
                    text(timer).c_str());
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: top-timers-cpp CAPTURE [N]\n");
        return 2;
    }
    try {
        print_top(argv[1], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "top-timers-cpp: %s\n", failure.what());
        return 1;
    }
    return 0;
}
