-- Percentiles of single calls over all machines, merged from the sketches of all runs: exact to 0.8 %.
WITH merged AS (SELECT timer, dur, sum(count) AS n FROM durations GROUP BY ALL),
     ranked AS (SELECT *, sum(n) OVER (PARTITION BY timer ORDER BY dur) AS up, sum(n) OVER (PARTITION BY timer) AS calls FROM merged)
SELECT timer, any_value(calls) AS calls,
       min(dur) FILTER (WHERE up >= 0.50 * calls) AS p50,
       min(dur) FILTER (WHERE up >= 0.95 * calls) AS p95,
       min(dur) FILTER (WHERE up >= 0.99 * calls) AS p99
FROM ranked GROUP BY timer ORDER BY calls DESC, timer;
