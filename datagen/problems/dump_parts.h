/*
 * datagen/problems/dump_parts.h - a large text in parts of a few MiB, cut behind line ends, as
 * `split --line-bytes` cuts it; every so many-th part is held out.
 *
 * T2T unpacks Wikipedia's dump and splits it into files; those files are used when they are there
 * (<text>-part-00000 ...), else the unpacked text or the archive is read, and only the held-out
 * parts become files (<text>-dev-00000 ...).
 */
#ifndef DG_DUMP_PARTS_H
#define DG_DUMP_PARTS_H

#include "datagen/source/source_files.h"

struct dg_dump {
    const struct dg_source *source;
    const char *text; /* name of the unpacked text */
    size_t part_bytes;
    size_t dev_every; /* parts 0, n, 2 n ... are held out */
};

/* Finds out how many parts there are and puts the held-out ones aside, unless that was done. */
T2_MUST_CHECK enum t2_status dg_dump_prepare(const struct dg_dump *dump,
                                             const struct dg_options *options, struct t2_err *err);

/* How many files the text was split into before; 0: it was not. */
size_t dg_dump_split_files(const struct dg_dump *dump, const struct dg_options *options);

/* Tells the sizes of these files. */
void dg_dump_sizes(const struct dg_dump *dump, const struct dg_options *options,
                   struct dg_input_sizes *sizes);

/* The parts of TRAIN, or of DEV (after dg_dump_prepare). */
struct dg_dump_reader;
T2_MUST_CHECK enum t2_status dg_dump_open(const struct dg_dump *dump, bool dev,
                                          const struct dg_options *options,
                                          struct dg_dump_reader **r, struct t2_err *err);
void dg_dump_free(struct dg_dump_reader *r); /* NULL is allowed */
size_t dg_dump_n_dev(const struct dg_dump_reader *r);
/* The next part, replaced; T2_EOF behind the last. */
T2_MUST_CHECK enum t2_status dg_dump_next(struct dg_dump_reader *r, struct t2_buf *part,
                                          struct t2_err *err);
/* After T2_EOF: adds what was read to the list of a stream. */
void dg_dump_note(struct dg_dump_reader *r, struct dg_input_files *files);
const char *dg_dump_path(const struct dg_dump_reader *r); /* for messages */

#endif
