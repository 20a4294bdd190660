/*
 * tfrec/convert/csv_columns.c - names and types of columns, values of cells.
 */
#include "tfrec/convert/csv_columns.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tfrec/row_json.h"

void rec_csv_columns_release(struct rec_csv_columns *c)
{
    for (size_t i = 0; i < c->n; i++)
        t2_free(c->items[i].name);
    t2_free(c->items);
    t2_map_free(c->numbers);
    *c = (struct rec_csv_columns){.items = NULL};
}

struct rec_csv_column *rec_csv_column_add(struct rec_csv_columns *c, struct t2_slice name)
{
    bool inserted;
    uint64_t *number;

    if (c->n == c->capacity) {
        c->capacity = 2 * c->capacity + 16;
        c->items = t2_realloc(c->items, c->capacity, sizeof *c->items);
    }
    if (!c->numbers)
        c->numbers = t2_map_new();
    number = t2_map_at(c->numbers, name.data, name.len_bytes, &inserted);
    if (inserted)
        *number = c->n;
    c->items[c->n] = (struct rec_csv_column){t2_strndup((const char *) name.data, name.len_bytes),
                                             REC_CSV_UNKNOWN, false};
    return &c->items[c->n++];
}

struct rec_csv_column *rec_csv_column_find(const struct rec_csv_columns *c, const char *name)
{
    const uint64_t *number = c->numbers ? t2_map_find(c->numbers, name, strlen(name)) : NULL;

    return number ? &c->items[*number] : NULL;
}

enum t2_status rec_csv_parse_columns(const char *text, struct rec_csv_columns *c,
                                     struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    t2_strs_split(&names, text, ',');
    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        if (!*names.items[i] || rec_csv_column_find(c, names.items[i]))
            st = t2_fail(err, T2_EUSAGE, "--columns: '%s' is %s", names.items[i],
                         *names.items[i] ? "there twice" : "no name");
        else
            (void) rec_csv_column_add(c, t2_slice_of(names.items[i]));
    }
    t2_strs_release(&names);
    return st;
}

/* "bytes[]" */
static bool parse_type(const char *text, enum rec_csv_type *type, bool *is_list)
{
    static const char *const names[] = {"", "int64", "float", "bytes", "base64"};
    size_t n = strlen(text);

    *is_list = n > 2 && strcmp(text + n - 2, "[]") == 0;
    if (*is_list)
        n -= 2;
    for (int i = REC_CSV_INT64; i <= REC_CSV_BASE64; i++) {
        if (strlen(names[i]) == n && memcmp(names[i], text, n) == 0) {
            *type = (enum rec_csv_type) i;
            return true;
        }
    }
    return false;
}

enum t2_status rec_csv_parse_types(const char *text, const struct rec_csv_columns *c,
                                   struct t2_err *err)
{
    struct t2_strs items = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    t2_strs_split(&items, text, ',');
    for (size_t i = 0; i < items.n && st == T2_OK; i++) {
        char *colon = strrchr(items.items[i], ':');
        struct rec_csv_column *column;
        if (colon)
            *colon = '\0';
        column = rec_csv_column_find(c, items.items[i]);
        if (!column)
            st = t2_fail(err, T2_EUSAGE, "--types: there is no column '%s'", items.items[i]);
        else if (!colon || !parse_type(colon + 1, &column->type, &column->is_list))
            st = t2_fail(err, T2_EUSAGE,
                         "--types: '%s:%s': a type is int64, float, bytes or base64, with [] "
                         "behind it for a list",
                         items.items[i], colon ? colon + 1 : "");
    }
    t2_strs_release(&items);
    return st;
}

char rec_csv_separator(const char *format)
{
    return strcmp(format, "tsv") == 0 ? '\t' : ',';
}

char rec_csv_list_separator(const struct rec_convert *c)
{
    return *c->list_separator ? *c->list_separator : ' ';
}

enum t2_status rec_csv_check_flags(const struct rec_convert *c, struct t2_err *err)
{
    if (strlen(c->list_separator) > 1 || strchr("\"\r\n", rec_csv_list_separator(c)))
        return t2_fail(err, T2_EUSAGE,
                       "--list_separator must be one character, no quote and no line break");
    return T2_OK;
}

/* A copy that ends with NUL, for the parsers; false when it is too long for a number. */
static bool as_text(struct t2_slice cell, char text[64])
{
    if (cell.len_bytes == 0 || cell.len_bytes >= 64 || memchr(cell.data, '\0', cell.len_bytes))
        return false;
    memcpy(text, cell.data, cell.len_bytes);
    text[cell.len_bytes] = '\0';
    return true;
}

bool rec_csv_int64(struct t2_slice cell, int64_t *value)
{
    const char *digits;
    char text[64];

    if (!as_text(cell, text))
        return false;
    digits = text + (*text == '-');
    if (*digits < '0' || *digits > '9' || (*digits == '0' && (digits[1] || digits > text)))
        return false;
    return t2_parse_i64(text, value);
}

bool rec_csv_float(struct t2_slice cell, float *value)
{
    char text[64];
    const char *p;
    double d;

    if (!as_text(cell, text))
        return false;
    p = text + (*text == '-');
    if (strcmp(p, "nan") == 0 || strcmp(p, "inf") == 0) {
        *value = *p == 'n' ? NAN : INFINITY;
        *value = p > text ? -*value : *value;
        return true;
    }
    if (*p == '0' && p[1] >= '0' && p[1] <= '9')
        return false;
    if (*p == '+' || *p == ' ' || !t2_parse_double(text, &d))
        return false;
    *value = (float) d;
    return isfinite(*value);
}

void rec_csv_put_float(struct t2_buf *out, float value)
{
    if (isfinite(value))
        rec_put_float(out, value, REC_DIGITS_SHORTEST);
    else
        t2_buf_puts(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}
