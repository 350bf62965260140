-- the timers with the most own time
SELECT timer, count, excl, incl, mean, max FROM timers ORDER BY excl DESC LIMIT 20;
