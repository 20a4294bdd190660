/*
 * tfrec/convert/webdataset.h - tar files of samples: members with the same key, one a field.
 *
 * "dir/0001.inputs.npy" has key "dir/0001" and field "inputs.npy": the cut is at the first dot of
 * the base name.  Fields whose last part is cls, class, ... are whole numbers in text; lists of
 * numbers are .npy arrays; other fields are bytes.
 */
#ifndef REC_WEBDATASET_H
#define REC_WEBDATASET_H

#include "tfrec/convert/formats.h"

#define REC_KEY_FEATURE "__key__"

/* Does webdataset take such a field as a whole number in text? */
bool rec_is_number_field(const char *field);

/* webdataset_in.c, webdataset_out.c */
enum t2_status rec_webdataset_open(const struct rec_convert *c, const char *path,
                                   struct rec_reader **out, struct t2_err *err);
enum t2_status rec_webdataset_create(const struct rec_convert *c, struct rec_writer **out,
                                     struct t2_err *err);

#endif
