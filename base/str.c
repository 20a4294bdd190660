/*
 * base/str.c - strings: checked number parsing, splitting, lists of strings, human units.
 */
#include "base/str.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits from *s while they fit in 64 bits; false when there is none or they overflow. */
static bool read_digits(const char **s, uint64_t *value)
{
    const char *at = *s;
    uint64_t v = 0;

    if (!is_digit(*at))
        return false;
    for (; is_digit(*at); at++) {
        if (__builtin_mul_overflow(v, (uint64_t) 10, &v) ||
            __builtin_add_overflow(v, (uint64_t) (*at - '0'), &v))
            return false;
    }
    *s = at;
    *value = v;
    return true;
}

bool t2_parse_u64(const char *s, uint64_t *value)
{
    uint64_t v;

    if (*s == '+')
        s++;
    if (!read_digits(&s, &v) || *s != '\0')
        return false;
    *value = v;
    return true;
}

bool t2_parse_i64(const char *s, int64_t *value)
{
    bool negative = *s == '-';
    uint64_t magnitude;

    if (*s == '-' || *s == '+')
        s++;
    if (!read_digits(&s, &magnitude) || *s != '\0')
        return false;
    if (negative) {
        if (magnitude > (uint64_t) INT64_MAX + 1)
            return false;
        *value = magnitude == 0 ? 0 : -(int64_t) (magnitude - 1) - 1; /* INT64_MIN fits */
    } else {
        if (magnitude > INT64_MAX)
            return false;
        *value = (int64_t) magnitude;
    }
    return true;
}

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t) 0);
}

bool t2_parse_double(const char *s, double *value)
{
    const char *at = s + (*s == '-' || *s == '+');
    char *end;
    double v;

    /* strtod also takes leading white space, "inf", "nan" and hexadecimal numbers. */
    if (!(is_digit(*at) || (*at == '.' && is_digit(at[1]))))
        return false;
    if (*at == '0' && (at[1] == 'x' || at[1] == 'X'))
        return false;
    pthread_once(&c_locale_once, make_c_locale);
    v = c_locale ? strtod_l(s, &end, c_locale) : strtod(s, &end);
    if (*end != '\0' || !isfinite(v))
        return false;
    *value = v;
    return true;
}

bool t2_parse_bool(const char *s, bool *value)
{
    static const char *const yes[] = {"true", "yes", "1", "t"};
    static const char *const no[] = {"false", "no", "0", "f"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcasecmp(s, yes[i]) == 0) {
            *value = true;
            return true;
        }
        if (strcasecmp(s, no[i]) == 0) {
            *value = false;
            return true;
        }
    }
    return false;
}

/* "", "B", "K", "KB", "KiB" ... in any case -> the power of two; false when it is no unit. */
static bool read_unit(const char *s, unsigned *shift)
{
    static const char units[] = "kmgt";
    const char *unit = *s ? strchr(units, *s | 0x20) : NULL;

    *shift = 0;
    if (unit) {
        *shift = 10 * (unsigned) (unit - units + 1);
        s++;
    }
    return *s == '\0' || strcasecmp(s, "b") == 0 || (unit && strcasecmp(s, "ib") == 0);
}

bool t2_parse_size(const char *s, uint64_t *bytes)
{
    uint64_t whole, total;
    double fraction = 0, scale = 0.1;
    bool has_fraction = false;
    unsigned shift;

    if (!read_digits(&s, &whole))
        return false;
    if (*s == '.') {
        has_fraction = true;
        if (!is_digit(s[1]))
            return false;
        for (++s; is_digit(*s); s++, scale /= 10)
            fraction += scale * (*s - '0');
    }
    while (*s == ' ')
        s++;
    if (!read_unit(s, &shift) || (has_fraction && shift == 0))
        return false;
    if (whole > UINT64_MAX >> shift)
        return false;
    total = whole << shift;
    if (__builtin_add_overflow(total, (uint64_t) (fraction * (double) (UINT64_C(1) << shift) + 0.5),
                               &total))
        return false;
    *bytes = total;
    return true;
}

bool t2_starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool t2_ends_with(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);

    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

static T2_PRINTF(1, 0) char *format_string(const char *format, va_list args)
{
    va_list again;
    char *s;
    int n;

    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    T2_ASSERT(n >= 0);
    s = t2_alloc((size_t) n + 1, 1);
    vsnprintf(s, (size_t) n + 1, format, again);
    va_end(again);
    return s;
}

char *t2_asprintf(const char *format, ...)
{
    va_list args;
    char *s;

    va_start(args, format);
    s = format_string(format, args);
    va_end(args);
    return s;
}

void t2_strs_release(struct t2_strs *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n; i++)
        t2_free(l->items[i]);
    t2_free(l->items);
    *l = (struct t2_strs){0};
}

void t2_strs_take(struct t2_strs *l, char *s)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? l->capacity * 2 : 8;
        l->items = t2_realloc(l->items, l->capacity, sizeof *l->items);
    }
    l->items[l->n++] = s;
}

void t2_strs_push(struct t2_strs *l, const char *s)
{
    t2_strs_take(l, t2_strdup(s));
}

void t2_strs_printf(struct t2_strs *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    t2_strs_take(l, format_string(format, args));
    va_end(args);
}

void t2_strs_split(struct t2_strs *l, const char *s, char separator)
{
    const char *end;

    if (*s == '\0')
        return;
    while ((end = strchr(s, separator)) && *end != '\0') {
        t2_strs_take(l, t2_strndup(s, (size_t) (end - s)));
        s = end + 1;
    }
    t2_strs_push(l, s);
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *) a, *(char *const *) b);
}

void t2_strs_sort(struct t2_strs *l)
{
    if (l->n > 1)
        qsort(l->items, l->n, sizeof *l->items, compare_strings);
}

bool t2_strs_contains(const struct t2_strs *l, const char *s)
{
    for (size_t i = 0; i < l->n; i++) {
        if (strcmp(l->items[i], s) == 0)
            return true;
    }
    return false;
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;

    return m < c ? m : c;
}

/*
 * Wagner and Fischer 1974 with one row: row[j] is the distance between the first i bytes of a and
 * the first j of b; `diagonal` keeps the value of row[j] from before it was overwritten.
 */
size_t t2_edit_distance(const char *a, const char *b)
{
    size_t n = strlen(b), distance;
    size_t *row = t2_alloc(n + 1, sizeof *row); /* distances from a's prefix to b's prefixes */

    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];

        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t replace = diagonal + (a[i] != b[j]);

            diagonal = row[j + 1];
            row[j + 1] = min3(replace, row[j] + 1, diagonal + 1);
        }
    }
    distance = row[n];
    t2_free(row);
    return distance;
}

const char *t2_nearest(const char *s, const char *const *names, size_t n)
{
    size_t limit = strlen(s) / 3, best = SIZE_MAX;
    const char *nearest = NULL;

    if (limit < 2)
        limit = 2;
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(s), other = strlen(names[i]), distance;

        if ((len > other ? len - other : other - len) > limit)
            continue; /* the difference in length is a lower bound of the distance */
        distance = t2_edit_distance(s, names[i]);
        if (distance <= limit && distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

const char *t2_human_bytes(uint64_t bytes, char *out, size_t out_bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double v = (double) bytes / 1000;
    size_t u = 0;

    T2_ASSERT(out_bytes >= 32);
    if (bytes < 1000) {
        snprintf(out, out_bytes, "%" PRIu64 " B", bytes);
        return out;
    }
    /* 999.95 would be printed as 1000.0 */
    while (v >= 999.95 && u + 1 < sizeof units / sizeof *units) {
        v /= 1000;
        u++;
    }
    snprintf(out, out_bytes, "%.1f %s", v, units[u]);
    return out;
}

const char *t2_human_seconds(double seconds, char *out, size_t out_bytes)
{
    uint64_t s;

    T2_ASSERT(out_bytes >= 32);
    if (!(seconds >= 0) || seconds > 1e15) {
        snprintf(out, out_bytes, "?");
        return out;
    }
    s = (uint64_t) (seconds + 0.5);
    if (seconds < 9.95)
        snprintf(out, out_bytes, "%.1f s", seconds);
    else if (s < 60)
        snprintf(out, out_bytes, "%" PRIu64 " s", s);
    else if (s < 3600)
        snprintf(out, out_bytes, "%" PRIu64 " m %" PRIu64 " s", s / 60, s % 60);
    else if (s < 86400)
        snprintf(out, out_bytes, "%" PRIu64 " h %" PRIu64 " m", s / 3600, s / 60 % 60);
    else
        snprintf(out, out_bytes, "%" PRIu64 " d %" PRIu64 " h", s / 86400, s / 3600 % 24);
    return out;
}
