-- The greatest changes of the newest seven days against the seven before, of at least 0.02 ms a frame. They are
-- candidates: trace-diff and trace-trend decide whether a change is more than noise.
WITH dated AS (SELECT run, platform, map, frames, CAST(date AS TIMESTAMP) AS ran FROM runs WHERE frames > 0),
     newest AS (SELECT max(ran) AS ran FROM dated),
     weeks AS (SELECT t.timer, t.class, d.platform, d.map,
                      median(t.excl / d.frames) FILTER (WHERE d.ran > n.ran - INTERVAL 7 DAY) AS now_ns,
                      median(t.excl / d.frames) FILTER (WHERE d.ran <= n.ran - INTERVAL 7 DAY) AS before_ns,
                      count(*) FILTER (WHERE d.ran > n.ran - INTERVAL 7 DAY) AS runs
               FROM timers t JOIN dated d USING (run) CROSS JOIN newest n
               WHERE d.ran > n.ran - INTERVAL 14 DAY GROUP BY ALL)
SELECT *, now_ns / before_ns - 1 AS change FROM weeks
WHERE abs(now_ns - before_ns) > 20000 ORDER BY now_ns - before_ns DESC LIMIT 20;
