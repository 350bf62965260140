-- the five most expensive timers of each of the slowest game frames
WITH slow AS (SELECT frame, dur FROM frames WHERE type_id = 0 ORDER BY dur DESC LIMIT 5),
     sums AS (SELECT frame, timer, count(*) AS count, sum(dur) AS time FROM scopes
               WHERE frame IS NOT NULL AND depth > 0 GROUP BY frame, timer),
     ranked AS (SELECT s.*, row_number() OVER (PARTITION BY s.frame ORDER BY s.time DESC, s.timer) AS rank
                  FROM sums s WHERE s.frame IN (SELECT frame FROM slow))
SELECT frame, rank, timer, count, duration(time) AS time FROM ranked WHERE rank <= 5 ORDER BY frame, rank;
