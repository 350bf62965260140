/*
 * Reads and writes points in time. See when.h.
 */
#include "base/text/when.h"

#include <stddef.h>
#include <string.h>

#define DAY  INT64_C(86400)
#define MOST INT64_C(253402300799) /* the last second of the year 9999 */

/* Days since 1970-01-01. Years are counted from March on, so that the leap day is the last one. */
static int64_t days_of(int64_t year, int month, int day)
{
    year -= month <= 2;
    const int64_t era = year / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* A number of exactly so many digits in a range; false: there is none. */
static bool take_digits(const char **p, int digits, int least, int most, int *out)
{
    *out = 0;
    for (int i = 0; i < digits; i++, (*p)++) {
        if (**p < '0' || **p > '9')
            return false;
        *out = *out * 10 + (**p - '0');
    }
    return *out >= least && *out <= most;
}

static bool take_sign(const char **p, char sign)
{
    const bool there = **p == sign;
    *p += there;
    return there;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static bool take_day(const char **p, int64_t *seconds)
{
    int year, month, day;
    if (!take_digits(p, 4, 1970, 9999, &year) || !take_sign(p, '-') || !take_digits(p, 2, 1, 12, &month) ||
        !take_sign(p, '-') || !take_digits(p, 2, 1, days_in(year, month), &day))
        return false;
    *seconds = days_of(year, month, day) * DAY;
    return true;
}

static bool take_clock(const char **p, int64_t *seconds)
{
    int hour, minute, second = 0, ignored;
    if (!take_digits(p, 2, 0, 23, &hour) || !take_sign(p, ':') || !take_digits(p, 2, 0, 59, &minute))
        return false;
    if (take_sign(p, ':') && !take_digits(p, 2, 0, 60, &second)) /* 60: a leap second */
        return false;
    const bool fraction = take_sign(p, '.');
    if (fraction && !take_digits(p, 1, 0, 9, &ignored))
        return false;
    while (fraction && **p >= '0' && **p <= '9')
        (*p)++;
    *seconds += hour * INT64_C(3600) + minute * INT64_C(60) + second;
    return true;
}

static bool take_zone(const char **p, int64_t *seconds)
{
    int hours, minutes = 0;
    if (**p == '\0' || take_sign(p, 'Z'))
        return true;
    const bool behind = take_sign(p, '-');
    if ((!behind && !take_sign(p, '+')) || !take_digits(p, 2, 0, 23, &hours))
        return false;
    if (**p && (take_sign(p, ':'), !take_digits(p, 2, 0, 59, &minutes)))
        return false;
    *seconds += (behind ? 1 : -1) * (hours * INT64_C(3600) + minutes * INT64_C(60));
    return true;
}

static bool read_count(const char *p, int64_t *seconds)
{
    *seconds = 0;
    if (!*p)
        return false;
    for (; *p >= '0' && *p <= '9' && *seconds <= MOST; p++)
        *seconds = *seconds * 10 + (*p - '0');
    return !*p && *seconds <= MOST;
}

bool tk_when_read(const char *text, int64_t *seconds)
{
    const char *p = text;
    if (read_count(text, seconds))
        return true;
    if (!take_day(&p, seconds))
        return false;
    if (*p &&
        ((!take_sign(&p, 'T') && !take_sign(&p, ' ')) || !take_clock(&p, seconds) || !take_zone(&p, seconds)))
        return false;
    return !*p && *seconds >= 0 && *seconds <= MOST;
}

static void put_digits(char *out, int digits, int64_t v)
{
    for (int i = digits; i-- > 0; v /= 10)
        out[i] = (char)('0' + v % 10);
}

void tk_when_put(char out[TK_WHEN_TEXT], int64_t seconds)
{
    seconds = seconds < 0 ? 0 : seconds > MOST ? MOST : seconds;
    const int64_t days = seconds / DAY, clock = seconds % DAY;
    int year = (int)(days / 366) + 1970, month = 1; /* never too late */
    while (days_of(year + 1, 1, 1) <= days)
        year++;
    while (month < 12 && days_of(year, month + 1, 1) <= days)
        month++;
    memcpy(out, "0000-00-00T00:00:00Z", TK_WHEN_TEXT);
    put_digits(out, 4, year);
    put_digits(out + 5, 2, month);
    put_digits(out + 8, 2, days - days_of(year, month, 1) + 1);
    put_digits(out + 11, 2, clock / 3600);
    put_digits(out + 14, 2, clock / 60 % 60);
    put_digits(out + 17, 2, clock % 60);
}
