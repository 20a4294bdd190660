/*
 * datagen/images/refused_image.h - what becomes of an image that cannot be decoded: --on_error, of
 * all tools.
 */
#ifndef DG_REFUSED_IMAGE_H
#define DG_REFUSED_IMAGE_H

#include "augment/admit.h"
#include "base/buf.h"
#include "base/err.h"

enum dg_on_error { DG_ON_ERROR_FAIL, DG_ON_ERROR_SKIP, DG_ON_ERROR_QUARANTINE };
/* "fail", "skip", "quarantine". */
bool dg_parse_on_error(const char *name, enum dg_on_error *on_error);

/* Strings are borrowed. */
struct dg_refusals {
    enum dg_on_error on_error;
    const char *quarantine_dir; /* of DG_ON_ERROR_QUARANTINE: where copies go; else "" or NULL */
};

/*
 * One image: fails with "'<name>': <why>" (why may begin with the quoted name itself), or is left
 * out, with a copy of the file at <quarantine_dir>/<place>.  place: relative, NULL: there is
 * nothing to copy.  A copy that several processes make at once is one copy.
 */
T2_MUST_CHECK enum t2_status dg_image_refused(const struct dg_refusals *r, const char *name,
                                              const char *why, const char *place,
                                              struct t2_slice file, struct t2_err *err);
/* "'<name>': <why>", and once only when why says it. */
void dg_refusal_put(const char *name, const char *why, struct t2_buf *out);
/* <label>/<base name of path>, for a label that may be any text; owned by the caller. */
char *dg_quarantine_place(const char *label, const char *path);

/* Why, in the few words of a drop report (static text). */
const char *dg_refusal_reason(const struct aug_admission *a);

#endif
