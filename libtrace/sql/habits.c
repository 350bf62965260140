/*
 * What people are used to: the words of other databases.
 */
#include "sql/sql_in.h"

#include <stdio.h>
#include <string.h>

/* What people are used to elsewhere: in Perfetto's standard library, in DuckDB, in shells. where: 't' the
 * name of a table, 'f' of a function, 's' a word or sign of a statement that SQLite does not read. */
static const struct {
    char where;
    const char *word, *instead;
} habits[] = {
    {'t', "slice_self_dur", "exclusive times are in the column 'excl' of 'timers'"},
    {'t', "trace_bounds", "times begin with 0; 'coverage_summary' and 'capture' say what was recorded"},
    {'t', "metadata", "the table 'session' has what a recording says about itself"},
    {'t', "thread_or_process_slice", "scopes of threads are in 'thread_slice'"},
    {'t', "cpu", "the table 'cores' has a row for each core, 'cpu_use' how busy they were"},
    {'t', "cpu_track", "the table 'cores' has a row for each core"},
    {'t', "perf_sample", "the table 'sample_rows' has them one by one, 'samples' their sums"},
    {'t', "cpu_profile_stack_sample", "the table 'sample_rows' has them one by one, 'samples' their sums"},
    {'t', "stack_profile_frame", "the table 'callstacks' has the frames of callstacks"},
    {'t', "stack_profile_callsite", "the table 'callstacks' has the frames of callstacks"},
    {'t', "stack_profile_mapping", "the table 'modules' has them"},
    {'t', "heap_profile_allocation", "the tables 'allocations' and 'memory' have them"},
    {'t', "android_logs", "the table 'logs' has them"},
    {'t', "actual_frame_timeline_slice", "the tables 'frames' and 'android_frames' have them"},
    {'t', "expected_frame_timeline_slice", "the tables 'frames' and 'android_frames' have them"},
    {'t', "span_join", "join by span_overlap(), as 'man trace-query' has it"},
    {'t', "information_schema", "names are in pragma_table_list and pragma_table_info('TABLE')"},
    {'t', "duckdb_tables", "names are in pragma_table_list"},
    {'t', "duckdb_columns", "names are in pragma_table_info('TABLE')"},
    {'t', "generate_series",
     "write WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10)"},
    {'t', "range", "write WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 10)"},
    {'f', "generate_series",
     "write WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10)"},
    {'f', "trace_start", "times begin with 0, the begin of the capture"},
    {'f', "trace_end", "use max(\"end\") of 'frames', or the table 'coverage_summary'"},
    {'f', "trace_dur", "use max(\"end\") of 'frames', or the table 'coverage_summary'"},
    {'f', "approx_quantile", "use quantile_cont, which is exact"},
    {'f', "approx_count_distinct", "use count(DISTINCT ...)"},
    {'f', "any_value", "use min or max"},
    {'f', "first", "use arg_min(value, time)"},
    {'f', "last", "use arg_max(value, time)"},
    {'f', "list", "use json_group_array or group_concat"},
    {'f', "array_agg", "use json_group_array or group_concat"},
    {'f', "string_agg", "use group_concat(value, separator)"},
    {'f', "listagg", "use group_concat(value, separator)"},
    {'f', "histogram", "group by time_bucket(width, value)"},
    {'f', "if", "use iif(condition, then, else)"},
    {'f', "greatest", "use max(a, b)"},
    {'f', "least", "use min(a, b)"},
    {'f', "regexp_matches", "use GLOB or LIKE; there are no regular expressions"},
    {'f', "regexp_extract", "use substr and instr; there are no regular expressions"},
    {'f', "regexp", "use GLOB or LIKE; there are no regular expressions"},
    {'f', "contains", "use instr(text, part) > 0"},
    {'f', "starts_with", "use GLOB 'begin*'"},
    {'f', "ends_with", "use GLOB '*end'"},
    {'f', "len", "use length"},
    {'f', "strlen", "use length"},
    {'f', "str_split", "use substr and instr"},
    {'f', "unnest", "use json_each(array)"},
    {'f', "hash", "use text_hash"},
    {'f', "date_trunc", "use time_bucket(width, time)"},
    {'s', "describe", "the columns of a table: SELECT * FROM pragma_table_info('TABLE')"},
    {'s', "show", "the names of tables: SELECT name FROM pragma_table_list"},
    {'s', "summarize", "use 'trace-stats --list' for columns, and min, max, avg, quantile_cont for values"},
    {'s', "exclude", "name the columns that are wanted"},
    {'s', "except", "name the columns that are wanted"},
    {'s', "all", "name the columns to group by, or their numbers: GROUP BY 1, 2"},
    {'s', "qualify", "put the window function into a subquery, and a WHERE around it"},
    {'s', "ilike", "LIKE does not distinguish the case of ASCII letters"},
    {'s', "similar", "use GLOB or LIKE; there are no regular expressions"},
    {'s', "sample", "use ORDER BY random() LIMIT n"},
    {'s', "pivot", "use sum(...) FILTER (WHERE ...) for each column"},
    {'s', "asof", "join with a subquery: the last row before, by ORDER BY ... DESC LIMIT 1"},
    {'s', "copy", "write rows with the options -f and -o of trace-query"},
    {'s', "top", "use LIMIT"},
    {'s', "interval", "times are nanoseconds: time_from_ms(16)"},
    {'s', "left", "the left end of a text is substr(text, 1, n)"},
    {'s', "right", "the right end of a text is substr(text, -n)"},
    {'s', "from", "a statement begins with SELECT * FROM"},
    {'s', ".", "for the tables and columns see 'trace-stats --list'"},
    {'s', "\\", "for the tables and columns see 'trace-stats --list'"},
    {'s', ":", "write CAST(value AS TYPE)"},
    {'s', "/", "a quotient of whole numbers is one: 7 / 2 is 3"},
    {'s', "*", "a power is pow(a, b)"},
};

bool tk_sql_habits_put(char where, const char *word, size_t n, char *out, size_t capacity)
{
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (habits[i].where == where && strlen(habits[i].word) == n &&
            sqlite3_strnicmp(habits[i].word, word, (int)n) == 0) {
            snprintf(out, capacity, "; %s", habits[i].instead);
            return true;
        }
    return false;
}
