/*
 * datagen/images/image_flags.h - the flags that say which images become records and as which bytes,
 * of all tools.
 */
#ifndef DG_IMAGE_FLAGS_H
#define DG_IMAGE_FLAGS_H

#include "base/err.h"
#include "datagen/images/image_record.h"
#include "datagen/images/refused_image.h"

struct dg_image_flags {
    const char *on_error, *quarantine_dir, *exif, *reencode;
    bool decode_all;
};

#define DG_IMAGE_FLAGS_INIT                                                                        \
    {                                                                                              \
        .on_error = "fail", .quarantine_dir = "", .exif = "ignore", .reencode = ""                 \
    }

/* ROW(role, name, type, value, argument, help) for each; also_reencode: text behind that flag's. */
#define DG_IMAGE_ROWS(ROW, role, flags, also_reencode)                                             \
    ROW(role, "on_error", STRING, &(flags).on_error, "WHAT",                                       \
        "For files that cannot be decoded: fail (exit code 1), skip (they are counted and "        \
        "reported), or quarantine: besides, a copy goes to --quarantine_dir.")                     \
    ROW(role, "quarantine_dir", STRING, &(flags).quarantine_dir, "DIR", "See --on_error.")         \
    ROW(role, "decode_all", BOOL, &(flags).decode_all, NULL,                                       \
        "Decode every image, so that all damage is found; else only those that are cut short "     \
        "or made anew, at the speed of the disk.")                                                 \
    ROW(role, "exif", STRING, &(flags).exif, "WHAT",                                               \
        "apply: turn images upright as their EXIF orientation says, which makes them anew; "       \
        "ignore: as TensorFlow does.")                                                             \
    ROW(role, "reencode", STRING, &(flags).reencode, "WHICH",                                      \
        "Make new JPEG bytes (quality 100) of: never any; odd ones, that is other kinds than "     \
        "JPEG, CMYK and arithmetic coding; always all.  Left out: never" also_reencode ".")

/*
 * What they say; reencode: where it is not given.  refusals borrows from f.  T2_EUSAGE for what is
 * not known or does not go together.
 */
T2_MUST_CHECK enum t2_status dg_image_flags_read(const struct dg_image_flags *f,
                                                 enum aug_reencode reencode,
                                                 struct dg_image_policy *policy,
                                                 struct dg_refusals *refusals, struct t2_err *err);

#endif
