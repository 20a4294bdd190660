/*
 * datagen/images/image_flags.c - which images become records and as which bytes.
 */
#include "datagen/images/image_flags.h"

#include <string.h>

enum t2_status dg_image_flags_read(const struct dg_image_flags *f, enum aug_reencode reencode,
                                   struct dg_image_policy *policy, struct dg_refusals *refusals,
                                   struct t2_err *err)
{
    struct aug_admit_policy *admit = &policy->admit;

    if (!dg_parse_on_error(f->on_error, &refusals->on_error))
        return t2_fail(err, T2_EUSAGE, "--on_error='%s': known are fail, skip, quarantine",
                       f->on_error);
    if ((refusals->on_error == DG_ON_ERROR_QUARANTINE) != (f->quarantine_dir[0] != 0))
        return t2_fail(err, T2_EUSAGE, "--on_error=quarantine and --quarantine_dir go together");
    if (strcmp(f->exif, "apply") != 0 && strcmp(f->exif, "ignore") != 0)
        return t2_fail(err, T2_EUSAGE, "--exif='%s': known are apply, ignore", f->exif);
    admit->reencode = reencode;
    if (f->reencode[0] && !aug_parse_reencode(f->reencode, &admit->reencode))
        return t2_fail(err, T2_EUSAGE, "--reencode='%s': known are never, odd, always",
                       f->reencode);
    admit->apply_exif = strcmp(f->exif, "apply") == 0;
    if (admit->apply_exif && admit->reencode == AUG_REENCODE_NEVER)
        return t2_fail(err, T2_EUSAGE,
                       "--exif=apply makes turned images anew: give --reencode=odd, too");
    policy->decode_all = f->decode_all;
    refusals->quarantine_dir = f->quarantine_dir;
    return T2_OK;
}
