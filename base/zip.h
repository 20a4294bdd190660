/*
 * base/zip.h - zip archives: stored and deflated members, zip64; no encryption, no splitting.
 *
 * Covers what NumPy's .npz files use.
 */
#ifndef T2_BASE_ZIP_H
#define T2_BASE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* ---- reading ---- */

struct t2_zip;

/* Maps the file and reads its directory.  T2_EFORMAT: cut short, damaged, no zip. */
T2_MUST_CHECK enum t2_status t2_zip_open(const char *path, struct t2_zip **z, struct t2_err *err);
void t2_zip_free(struct t2_zip *z);
size_t t2_zip_count(const struct t2_zip *z);
const char *t2_zip_name(const struct t2_zip *z, size_t i); /* may be any path; borrowed */
/*
 * The content of member i, CRC checked; borrowed until t2_zip_free.  A stored member is in the
 * mapping, a deflated one is inflated to a spool beside `beside`: memory does not grow with it.
 */
T2_MUST_CHECK enum t2_status t2_zip_content(struct t2_zip *z, size_t i, const char *beside,
                                            struct t2_slice *content, struct t2_err *err);

/* ---- writing ---- */

struct t2_out;

/* Members are stored, dated 1980-01-01; zero-initialise. */
struct t2_zip_writer {
    struct t2_buf directory;
    uint64_t n;
};

/* Writes the header of a member whose size and CRC are known; then its bytes go to out. */
void t2_zip_member(struct t2_zip_writer *w, struct t2_out *out, const char *name, uint64_t bytes,
                   uint32_t crc);
/* The directory, after the last member; releases w's memory. */
void t2_zip_end(struct t2_zip_writer *w, struct t2_out *out);

#endif
