/*
 * base/remote/entry_name.c - names and times in listings.
 */
#include "base/remote/entry_name.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/str.h"

enum t2_status t2_entry_name(const char *key, const char *prefix, const char *origin, char **name,
                             struct t2_err *err)
{
    size_t n;

    *name = NULL;
    if (!t2_starts_with(key, prefix))
        return t2_fail(err, T2_EFORMAT, "'%s': the server lists a name that was not asked for",
                       origin);
    key += strlen(prefix);
    n = strcspn(key, "/");
    if (key[n] == '/' && key[n + 1] != '\0')
        return t2_fail(err, T2_EFORMAT, "'%s': the server lists what lies deeper than asked for",
                       origin);
    if (n == 0 || (n == 1 && key[0] == '.') || (n == 2 && key[0] == '.' && key[1] == '.'))
        return T2_OK;
    *name = t2_strndup(key, n);
    return T2_OK;
}

int64_t t2_iso_time(const char *text)
{
    struct tm t = {0};
    int year, month;

    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d", &year, &month, &t.tm_mday, &t.tm_hour, &t.tm_min,
               &t.tm_sec) != 6)
        return 0;
    t.tm_year = year - 1900;
    t.tm_mon = month - 1;
    if (year < 1970 || month < 1 || month > 12 || t.tm_mday < 1 || t.tm_mday > 31 ||
        t.tm_hour < 0 || t.tm_hour > 23 || t.tm_min < 0 || t.tm_min > 59 || t.tm_sec < 0 ||
        t.tm_sec > 60)
        return 0;
    return (int64_t) timegm(&t);
}
