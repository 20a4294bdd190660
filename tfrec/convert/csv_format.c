/*
 * tfrec/convert/csv_format.c - the formats csv and tsv, which differ by their separator.
 */
#include "tfrec/convert/csv_columns.h"

const struct rec_format rec_format_csv = {"csv", rec_csv_open, NULL, rec_csv_create};
const struct rec_format rec_format_tsv = {"tsv", rec_csv_open, NULL, rec_csv_create};
