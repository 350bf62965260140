-- Which machines are slow: each run against the median of its build, platform and map, over all timers at once.
WITH by_run AS (SELECT run, r.machine, t.timer,
                       t.excl / r.frames / nullif(median(t.excl / r.frames) OVER (PARTITION BY r.commit, r.platform, r.map, t.class, t.timer), 0) AS ratio
                FROM timers t JOIN runs r USING (run) WHERE r.frames > 0)
SELECT machine, median(ratio) AS factor, count(DISTINCT run) AS runs FROM by_run GROUP BY machine ORDER BY factor DESC;
