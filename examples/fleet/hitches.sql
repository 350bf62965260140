-- Frames that took more than twice the median of their run, by build and map.
WITH usual AS (SELECT *, median(dur) OVER (PARTITION BY run) AS typical FROM frames)
SELECT r.commit, r.platform, r.map, count(*) AS frames, count(*) FILTER (WHERE u.dur > 2 * u.typical) AS hitches,
       max(u.dur) / 1e6 AS worst_ms
FROM usual u JOIN runs r USING (run) GROUP BY ALL ORDER BY hitches DESC;
