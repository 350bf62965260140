-- over all hitches: which timers grew, in how many frames and by how much
SELECT timer, thread, count(*) AS frames, sum(growth) AS growth, max(growth) AS most
  FROM hitches WHERE timer IS NOT NULL GROUP BY timer, thread ORDER BY sum(growth) DESC LIMIT 20;
