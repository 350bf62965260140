-- tasks that one thread launched and another ran: how many, how long they waited
SELECT l.thread AS launched_on, r.thread AS ran_on, count(*) AS tasks, duration(avg(t.started - t.launched)) AS mean_wait,
       duration(max(t.started - t.launched)) AS longest_wait
  FROM task_rows t LEFT JOIN threads l ON l.thread_id = t.launcher_id LEFT JOIN threads r ON r.thread_id = t.thread_id
 WHERE t.launched IS NOT NULL AND t.started IS NOT NULL AND t.launcher_id <> t.thread_id
 GROUP BY 1, 2 ORDER BY count(*) DESC LIMIT 20;
