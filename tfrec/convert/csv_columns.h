/*
 * tfrec/convert/csv_columns.h - columns of CSV and TSV files: names and types, given or discovered.
 */
#ifndef REC_CSV_COLUMNS_H
#define REC_CSV_COLUMNS_H

#include "tfrec/convert/formats.h"

enum rec_csv_type { REC_CSV_UNKNOWN, REC_CSV_INT64, REC_CSV_FLOAT, REC_CSV_BYTES, REC_CSV_BASE64 };

struct rec_csv_column {
    char *name;
    enum rec_csv_type type;
    bool is_list;
};

/* Zero-initialise, release. */
struct rec_csv_columns {
    struct rec_csv_column *items;
    size_t n, capacity;
    struct t2_map *numbers; /* name -> number of the first column of that name; NULL: no column */
    bool ready;             /* found and checked */
};
void rec_csv_columns_release(struct rec_csv_columns *c);

struct rec_csv_column *rec_csv_column_add(struct rec_csv_columns *c, struct t2_slice name);
struct rec_csv_column *rec_csv_column_find(const struct rec_csv_columns *c, const char *name);
/* "a,b" -> columns of unknown type; two of the same name are T2_EUSAGE. */
T2_MUST_CHECK enum t2_status rec_csv_parse_columns(const char *text, struct rec_csv_columns *c,
                                                   struct t2_err *err);
/* "a:int64,b:float[],c:bytes,d:base64" into c; a name that c lacks is T2_EUSAGE. */
T2_MUST_CHECK enum t2_status rec_csv_parse_types(const char *text, const struct rec_csv_columns *c,
                                                 struct t2_err *err);
char rec_csv_separator(const char *format);               /* of "csv" and "tsv" */
char rec_csv_list_separator(const struct rec_convert *c); /* ' ' when none is given */
T2_MUST_CHECK enum t2_status rec_csv_check_flags(const struct rec_convert *c, struct t2_err *err);

/* A value without blanks around it.  int64: no '+', no leading zeros (007 is text); float: decimal,
 * nan, inf, within float's range. */
bool rec_csv_int64(struct t2_slice cell, int64_t *value);
bool rec_csv_float(struct t2_slice cell, float *value);
/* The shortest text that is a float and reads back the same. */
void rec_csv_put_float(struct t2_buf *out, float value);

/* csv_in.c, csv_out.c */
enum t2_status rec_csv_open(const struct rec_convert *c, const char *path, struct rec_reader **out,
                            struct t2_err *err);
enum t2_status rec_csv_create(const struct rec_convert *c, struct rec_writer **out,
                              struct t2_err *err);

#endif
