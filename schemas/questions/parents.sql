-- which timer runs inside which: pairs of a scope and the one around it, by time
SELECT p.timer AS outer_timer, s.timer AS inner_timer, count(*) AS count, duration(sum(s.dur)) AS time
  FROM scopes s JOIN scopes p ON p.scope_id = s.parent_id AND p.capture_id = s.capture_id
 GROUP BY 1, 2 ORDER BY sum(s.dur) DESC LIMIT 20;
