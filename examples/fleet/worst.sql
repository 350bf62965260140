-- Which capture is worth opening: the runs with the longest calls of a timer.
SELECT r.capture, r.commit, r.machine, t.max / 1e6 AS worst_ms
FROM timers t JOIN runs r USING (run) WHERE t.timer = 'FEngineLoop::Tick' ORDER BY t.max DESC LIMIT 10;
