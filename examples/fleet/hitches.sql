-- Frames that are late against those around them, without loading screens and start-up, by build and map.
SELECT r.commit, r.platform, r.map, count(*) AS frames, count(*) FILTER (WHERE f.class = 'hitch') AS hitches,
       max(f.dur) / 1e6 AS worst_ms
FROM frames f JOIN runs r USING (run) GROUP BY ALL ORDER BY hitches DESC;
