/*
 * base/str.h - strings: checked number parsing, splitting, joining, lists of strings.
 *
 * Everything is locale-free: parsing and printing numbers never depends on LC_NUMERIC.
 */
#ifndef T2_BASE_STR_H
#define T2_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The whole string must be one base-10 number in range (optional sign); false otherwise. */
bool t2_parse_i64(const char *s, int64_t *value);
bool t2_parse_u64(const char *s, uint64_t *value);
/* The whole string must be a finite decimal floating-point number. */
bool t2_parse_double(const char *s, double *value);
/* true/false/yes/no/1/0/t/f, any case. */
bool t2_parse_bool(const char *s, bool *value);
/* "512M", "4G", "1.5GiB", "1000": bytes; K/M/G/T are powers of 1024. */
bool t2_parse_size(const char *s, uint64_t *bytes);

bool t2_starts_with(const char *s, const char *prefix);
bool t2_ends_with(const char *s, const char *suffix);

/* printf into fresh memory (t2_free). */
char *t2_asprintf(const char *format, ...) T2_PRINTF(1, 2);

/* Growable list of owned strings; zero-initialise, t2_strs_release frees all. */
struct t2_strs {
    char **items;
    size_t n;
    size_t capacity;
};
void t2_strs_release(struct t2_strs *l);
void t2_strs_push(struct t2_strs *l, const char *s); /* copies */
void t2_strs_take(struct t2_strs *l, char *s);       /* takes ownership */
void t2_strs_printf(struct t2_strs *l, const char *format, ...) T2_PRINTF(2, 3);
/* Appends the parts: "" gives none, "a,,b" three. */
void t2_strs_split(struct t2_strs *l, const char *s, char separator);
void t2_strs_sort(struct t2_strs *l); /* by bytes */
bool t2_strs_contains(const struct t2_strs *l, const char *s);

/* Levenshtein distance in bytes, for "did you mean". */
size_t t2_edit_distance(const char *a, const char *b);
/* The nearest of n names to s, or NULL when none is near (distance > max(2, len/3)). */
const char *t2_nearest(const char *s, const char *const *names, size_t n);

/* Human units for progress lines and reports: "1.2 GB", "3 m 12 s"; kB, MB, GB are powers of 1000.
 * out_bytes >= 32; returns out. */
const char *t2_human_bytes(uint64_t bytes, char *out, size_t out_bytes);
const char *t2_human_seconds(double seconds, char *out, size_t out_bytes);

#endif
