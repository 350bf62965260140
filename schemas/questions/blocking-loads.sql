-- loads that the game thread waited in, by timer, and the frame with the longest
SELECT timer, count, excl, max,
       (SELECT frame FROM scopes s WHERE s.timer = t.timer AND s.thread = t.thread ORDER BY s.dur DESC LIMIT 1) AS frame
  FROM timers t
 WHERE role = 'game' AND max >= 1000000
   AND (timer LIKE 'FlushAsyncLoading%' OR timer LIKE '%SyncLoad%' OR timer LIKE '%LoadSynchronous%'
        OR timer LIKE '%StaticLoad%' OR timer LIKE '%LoadPackage%' OR timer LIKE '%LoadObject%'
        OR timer LIKE '%LoadModule%' OR timer LIKE '%LoadMap%')
 ORDER BY max DESC LIMIT 10;
