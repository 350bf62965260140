-- threads by the time inside their scopes
SELECT thread, "group", scopes, busy, round(100.0 * busy / nullif((SELECT max(dur) FROM capture), 0), 1) AS percent
  FROM threads WHERE busy > 0 ORDER BY busy DESC;
