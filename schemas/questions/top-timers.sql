-- the timers with the most exclusive time
SELECT timer, count, excl, incl, mean, max FROM timers ORDER BY excl DESC LIMIT 20;
