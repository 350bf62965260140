-- Trend of a timer by build, platform and map: exclusive time a frame. Medians of runs, so that one bad run does not show.
SELECT r.commit, r.platform, r.map, count(*) AS runs, median(t.excl / r.frames) / 1e6 AS ms_a_frame
FROM timers t JOIN runs r USING (run)
WHERE t.timer = 'FEngineLoop::Tick' AND r.frames > 0
GROUP BY ALL ORDER BY r.platform, r.map, r.commit;
