-- the slowest game frames, with their distance from the median
SELECT frame, start, dur, round(1.0 * dur / (SELECT median(dur) FROM frames WHERE type_id = 0), 2) AS medians
  FROM frames WHERE type_id = 0 AND dur IS NOT NULL ORDER BY dur DESC LIMIT 20;
