/*
 * augment/admit.c - decides whether a file becomes a training image, and with which bytes.
 *
 *   kind by content      can be decoded   verdict
 *   no image, nor by name      -          ignore
 *   any other                  no         refuse, with the decoder's reason
 *   image                      yes        keep or re-encode
 *
 * Re-encoded as JPEG: images that are turned upright (apply_exif); all of them with --reencode
 * always; odd ones with --reencode odd, that is another kind than JPEG, CMYK or YCCK, arithmetic
 * coding, which other decoders may not read.
 */
#include "augment/admit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "augment/jpeg.h"

/* ---- names ---- */

static const char *const reencode_names[] = {"never", "odd", "always"};

bool aug_parse_reencode(const char *name, enum aug_reencode *reencode)
{
    for (size_t i = 0; i < sizeof reencode_names / sizeof *reencode_names; i++)
        if (strcmp(name, reencode_names[i]) == 0) {
            *reencode = (enum aug_reencode) i;
            return true;
        }
    return false;
}

const char *aug_verdict_name(enum aug_verdict verdict)
{
    static const char *const names[] = {"keep", "re-encode", "refuse", "ignore"};

    return names[verdict];
}

enum aug_kind aug_kind_of_name(const char *path)
{
    static const struct {
        const char *end;
        enum aug_kind kind;
    } ends[] = {{".jpg", AUG_JPEG}, {".jpeg", AUG_JPEG}, {".jpe", AUG_JPEG}, {".jfif", AUG_JPEG},
                {".mpo", AUG_JPEG}, {".png", AUG_PNG},   {".gif", AUG_GIF},  {".bmp", AUG_BMP},
                {".dib", AUG_BMP},  {".webp", AUG_WEBP}};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        if (strcasecmp(dot, ends[i].end) == 0)
            return ends[i].kind;
    return AUG_UNKNOWN;
}

/* ---- reasons ---- */

/* Appends to a->why, "; " in between; what does not fit is cut. */
static void __attribute__((format(printf, 2, 3)))
say(struct aug_admission *a, const char *format, ...)
{
    size_t n = strlen(a->why);
    va_list args;

    if (n > 0 && n < sizeof a->why - 3)
        n += (size_t) snprintf(a->why + n, sizeof a->why - n, "; ");
    va_start(args, format);
    vsnprintf(a->why + n, sizeof a->why - n, format, args);
    va_end(args);
    for (char *p = a->why; *p; p++) /* messages of libraries */
        if ((unsigned char) *p < ' ')
            *p = ' ';
}

static void refuse(struct aug_admission *a, const char *message)
{
    a->verdict = AUG_REFUSE;
    a->why[0] = 0;
    say(a, "%s", message);
}

/* Appends what is odd about an image that this program can decode; true when other decoders may not
 * be able to. */
static bool say_odd(struct aug_admission *a, bool matters)
{
    bool cmyk = a->info.colour == AUG_CMYK || a->info.colour == AUG_YCCK;

    if (a->misnamed)
        say(a, "a %s under another kind's name", aug_kind_name(a->kind));
    else if (a->kind != AUG_JPEG && matters)
        say(a, "a %s", aug_kind_name(a->kind));
    if (cmyk)
        say(a, "%s", aug_colour_name(a->info.colour));
    if (a->info.arithmetic)
        say(a, "arithmetic coding");
    return a->kind != AUG_JPEG || cmyk || a->info.arithmetic;
}

static void decide(struct aug_admission *a, const struct aug_admit_policy *policy)
{
    bool odd = say_odd(a, policy->reencode == AUG_REENCODE_ODD);

    a->turned = policy->apply_exif && a->info.orientation > 1;
    if (a->turned)
        say(a, "turned upright from orientation %d", a->info.orientation);
    a->verdict = a->turned || policy->reencode == AUG_REENCODE_ALWAYS ||
                         (odd && policy->reencode == AUG_REENCODE_ODD)
                     ? AUG_REENCODE
                     : AUG_KEEP;
    if (a->notes.n_warnings > 0)
        say(a, "decoder: %s%s", a->notes.first, a->notes.n_warnings > 1 ? " ..." : "");
}

/* ---- admission ---- */

enum t2_status aug_admit(const char *path, const uint8_t *file, size_t len_bytes,
                         const struct aug_admit_policy *policy, struct aug_image *scratch,
                         struct aug_admission *a, struct t2_err *err)
{
    const struct aug_decode how = {.max_components = policy->max_components,
                                   .max_memory = policy->max_memory};
    enum aug_kind called = aug_kind_of_name(path);
    struct t2_err why = T2_ERR_INIT;
    enum t2_status st;

    *a = (struct aug_admission){.kind = aug_sniff(file, len_bytes)};
    if (!aug_kind_is_image(a->kind) && called == AUG_UNKNOWN) {
        a->verdict = AUG_IGNORE;
        return T2_OK;
    }
    a->misnamed = called != AUG_UNKNOWN && called != a->kind && a->kind < AUG_N_IMAGE_KINDS;
    st = aug_probe(file, len_bytes, &a->info, &why);
    if (st != T2_OK)
        a->info = (struct aug_info){.kind = AUG_UNKNOWN};
    else if (!policy->header_only)
        st = aug_decode(file, len_bytes, &how, scratch, &a->notes, &why);
    if (st == T2_OK) {
        decide(a, policy);
        return T2_OK;
    }
    refuse(a, why.message);
    return aug_is_refusal(st) ? T2_OK : t2_fail(err, st, "%s", why.message);
}

enum t2_status aug_reencode(const uint8_t *file, size_t len_bytes,
                            const struct aug_admit_policy *policy, struct aug_image *scratch,
                            struct t2_buf *out, struct t2_err *err)
{
    const struct aug_jpeg_settings settings = {.quality = 100};
    struct aug_decode how = {.apply_exif = policy->apply_exif,
                             .max_components = policy->max_components,
                             .max_memory = policy->max_memory};
    struct aug_info info;

    T2_TRY(aug_probe(file, len_bytes, &info, err));
    how.channels = info.components <= 2 ? 1 : 3;
    T2_TRY(aug_decode(file, len_bytes, &how, scratch, NULL, err));
    return aug_jpeg_encode(scratch, &settings, out, err);
}
