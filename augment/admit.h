/*
 * augment/admit.h - may a file become a training image, and as which bytes?
 *
 * The verdicts are TensorFlow's: what its decode_image refuses is refused, what it accepts with
 * warnings is kept, and the warning is reported.
 */
#ifndef AUG_ADMIT_H
#define AUG_ADMIT_H

#include "augment/codec.h"
#include "base/buf.h"

enum aug_verdict {
    AUG_KEEP,     /* the file's own bytes */
    AUG_REENCODE, /* a JPEG made of its pixels: aug_reencode */
    AUG_REFUSE,
    AUG_IGNORE /* no image by content, and not called one */
};

enum aug_reencode {
    AUG_REENCODE_NEVER,
    AUG_REENCODE_ODD, /* what is no JPEG, CMYK, YCCK, arithmetic coded; what has to be turned */
    AUG_REENCODE_ALWAYS
};

struct aug_admit_policy {
    bool apply_exif; /* images with an orientation are turned upright, and so made anew */
    enum aug_reencode reencode;
    bool header_only;        /* not decoded: damage behind the header is not seen */
    uint64_t max_components; /* 0: TensorFlow's 2^29 */
    uint64_t max_memory;     /* of one image: T2_ENOMEM beyond; 0: any */
};

struct aug_admission {
    enum aug_verdict verdict;
    enum aug_kind kind;
    struct aug_info info; /* zeros when the header was refused */
    bool misnamed;        /* called .jpg, and is a PNG */
    bool turned;          /* the orientation is applied */
    struct aug_notes notes;
    char why[256]; /* of anything but a plain keep; one line */
};

/* "fail", "skip", "quarantine" are the tool's; these are here: "never", "odd", "always". */
bool aug_parse_reencode(const char *name, enum aug_reencode *reencode);
const char *aug_verdict_name(
    enum aug_verdict verdict); /* "keep", "re-encode", "refuse", "ignore" */
/* By the end of the name; AUG_UNKNOWN when it is no image's. */
enum aug_kind aug_kind_of_name(const char *path);

/*
 * What is wrong with the file is a refusal.  Fails only where nothing can be said about it:
 * T2_ENOMEM, T2_EINTERRUPTED.  scratch is used for the pixels; any thread, each with its own.
 */
T2_MUST_CHECK enum t2_status aug_admit(const char *path, const uint8_t *file, size_t len_bytes,
                                       const struct aug_admit_policy *policy,
                                       struct aug_image *scratch, struct aug_admission *a,
                                       struct t2_err *err);

/*
 * Appends the JPEG that takes the place of a file whose verdict is AUG_REENCODE: grey or RGB,
 * quality 100, 4:2:0, as imagenet_to_gcs.py makes them.
 */
T2_MUST_CHECK enum t2_status aug_reencode(const uint8_t *file, size_t len_bytes,
                                          const struct aug_admit_policy *policy,
                                          struct aug_image *scratch, struct t2_buf *out,
                                          struct t2_err *err);

#endif
