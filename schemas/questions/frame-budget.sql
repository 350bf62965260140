-- how many game frames miss 16.67 ms and 33.33 ms, in each second
SELECT start / 1000000000 AS second, count(*) AS frames, sum(dur > 16666667) AS over_60_hz,
       sum(dur > 33333333) AS over_30_hz, duration(max(dur)) AS slowest
  FROM frames WHERE type_id = 0 GROUP BY 1 ORDER BY 1;
