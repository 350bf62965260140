-- locks by the time that threads waited for them
SELECT lock, mode, count(*) AS waits, duration(sum(wait)) AS waited, duration(max(wait)) AS longest, count(DISTINCT thread_id) AS threads
  FROM lock_rows WHERE wait > 0 GROUP BY lock_id, mode ORDER BY sum(wait) DESC LIMIT 20;
