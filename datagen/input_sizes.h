/*
 * datagen/input_sizes.h - what a data set is made from, as its sources tell it before anything is
 * read: lines for people (--dry_run), and sizes for the forecast.
 *
 * A size that nobody knows exactly is guessed: what is packed holds a typical multiple of its
 * bytes, a line has the mean length of the first ones of its file.
 */
#ifndef DG_INPUT_SIZES_H
#define DG_INPUT_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

struct dg_source_file;
struct dg_fetch_plan;
struct dg_options;

/* A file, or samples that a program makes. */
struct dg_input_size {
    char *path;            /* where it is or will be; NULL: no file */
    uint64_t left_bytes;   /* to be downloaded still */
    uint64_t text_bytes;   /* that will be read of it, unpacked */
    uint64_t tmp_bytes;    /* that working on it puts into tmp_dir besides */
    uint64_t sorted_bytes; /* of the text: sorted on disk before it is read (scratch_sort.h) */
    uint64_t n_lines;      /* texts in it: one side of a sample each */
    bool is_unknown;       /* its size is not known: the numbers are 0 */
};

/* Zero-initialise; dg_input_sizes_release. */
struct dg_input_sizes {
    struct t2_buf text; /* lines, indented by four */
    struct dg_input_size *files;
    size_t n, capacity;
    bool for_vocab; /* what is told now is read for a vocabulary only: text_bytes becomes
                       vocab_bytes */
    uint64_t vocab_bytes;
    bool for_sort;         /* what is told now is sorted first */
    struct t2_strs absent; /* what is to be downloaded: "'URL' is missing; put it at 'PATH'" */
    /* What is known of n_planned files (--dry_run asked for their sizes); borrowed. */
    const struct dg_source_file *const *planned;
    const struct dg_fetch_plan *plan;
    size_t n_planned;
};
void dg_input_sizes_release(struct dg_input_sizes *t);

/* How many bytes are in one of the file, by its name: 1 when it is not packed. */
double dg_unpack_factor(const char *path);

/* A file on disk that is read as text, packed or not, and written to tmp_dir `copies` times; each
 * path counts once, here and below. */
void dg_sizes_add_file(struct dg_input_sizes *t, const char *path, unsigned copies);
/* A folder of such files. */
void dg_sizes_add_folder(struct dg_input_sizes *t, const char *path);
/* n samples of about so many bytes, both sides together, that a program makes. */
void dg_sizes_add_cases(struct dg_input_sizes *t, uint64_t n, uint64_t bytes_each);
/* A source that is at path (NULL: to be downloaded to dir); its text is written to tmp_dir `copies`
 * times: unpacked, compiled, put aside. */
void dg_sizes_add_source(struct dg_input_sizes *t, const struct dg_source_file *f, const char *path,
                         const char *dir, unsigned copies);
/* The same by numbers: file_bytes 0: not known; left_bytes of them are not there. */
void dg_sizes_add(struct dg_input_sizes *t, const char *path, uint64_t file_bytes,
                  uint64_t left_bytes, double text_factor, unsigned copies);

#endif
