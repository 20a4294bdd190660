/*
 * datagen/images/refused_image.c - images that cannot be decoded: fail, skip, quarantine.
 */
#include "datagen/images/refused_image.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"

bool dg_parse_on_error(const char *name, enum dg_on_error *on_error)
{
    static const char *const names[] = {"fail", "skip", "quarantine"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *on_error = (enum dg_on_error) i;
            return true;
        }
    return false;
}

void dg_refusal_put(const char *name, const char *why, struct t2_buf *out)
{
    if (t2_starts_with(why, "'") && strstr(why, name))
        t2_buf_puts(out, why);
    else
        t2_buf_printf(out, "'%s': %s", name, why);
}

char *dg_quarantine_place(const char *label, const char *path)
{
    char *folder = t2_strdup(label), *place;

    for (char *p = folder; *p; p++) /* labels of a CSV file may be anything */
        if (*p == '/' || (p == folder && *p == '.'))
            *p = '_';
    place = *folder ? t2_path_join(folder, t2_path_base(path)) : t2_strdup(t2_path_base(path));
    t2_free(folder);
    return place;
}

static enum t2_status quarantine(const char *path, struct t2_slice file, struct t2_err *err)
{
    char *dir = t2_path_dir(path);
    struct t2_err why = T2_ERR_INIT;
    uint64_t bytes;
    enum t2_status st = t2_make_dirs(dir, err);

    t2_free(dir);
    T2_TRY(st);
    st = t2_write_file(path, file.data, file.len_bytes, &why);
    if (st == T2_OK)
        return T2_OK;
    /* another task made the same copy meanwhile */
    if (t2_file_size(path, &bytes, err) == T2_OK && bytes == file.len_bytes)
        return T2_OK;
    *err = why;
    return st;
}

enum t2_status dg_image_refused(const struct dg_refusals *r, const char *name, const char *why,
                                const char *place, struct t2_slice file, struct t2_err *err)
{
    enum t2_status st;

    if (r->on_error == DG_ON_ERROR_FAIL) {
        struct t2_buf text = {NULL, 0, 0};
        dg_refusal_put(name, why, &text);
        st = t2_fail(err, T2_EFORMAT, "%s; --on_error=skip leaves such files out",
                     t2_buf_cstr(&text));
        t2_buf_release(&text);
    } else if (r->on_error == DG_ON_ERROR_QUARANTINE && place) {
        char *path = t2_path_join(r->quarantine_dir, place);
        st = quarantine(path, file, err);
        t2_free(path);
    } else {
        st = T2_OK;
    }
    return st;
}

const char *dg_refusal_reason(const struct aug_admission *a)
{
    if (a->verdict == AUG_IGNORE)
        return "no image";
    return aug_kind_is_image(a->kind) ? "damaged, or coded in a way that is not decoded"
                                      : aug_kind_explain(a->kind);
}
