/*
 * UTC: a date and time of day. See utc.h.
 */
#include "pages/utc.h"

#include <inttypes.h>
#include <stdio.h>

#define DAY          INT64_C(86400)
#define LAST         253402300799.0 /* the last second of 9999 */
#define DAYS_OF_ERA  146097         /* 400 years */
#define DAYS_TO_1970 719468         /* from 1 March of the year 0 */

/* Years begin in March, so that the day that not all have is the last one (days from civil, inverted). */
bool tk_utc(char text[TK_UTC_TEXT], double seconds)
{
    if (!(seconds >= 0 && seconds <= LAST))
        return false;
    const int64_t s = (int64_t)seconds, day = s / DAY + DAYS_TO_1970, of_day = s % DAY;
    const int64_t era = day / DAYS_OF_ERA, of_era = day % DAYS_OF_ERA;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    snprintf(text, TK_UTC_TEXT, "%04d-%02d-%02d %02d:%02d:%02d UTC", (int)(year + era * 400 + (month >= 10)),
             (int)(month < 10 ? month + 3 : month - 9), (int)(of_year - (153 * month + 2) / 5 + 1),
             (int)(of_day / 3600), (int)(of_day / 60 % 60), (int)(of_day % 60));
    return true;
}
