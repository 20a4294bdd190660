/*
 * datagen/default_folders.c - the folders that nobody named.
 */
#include "datagen/default_folders.h"

#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

const char dg_shared_tmp_dir[] = "/tmp/t2t_datagen";

char *dg_default_tmp_dir(void)
{
    if (t2_is_private_dir(dg_shared_tmp_dir))
        return t2_strdup(dg_shared_tmp_dir);
    return t2_asprintf("%s-%lu", dg_shared_tmp_dir, (unsigned long) geteuid());
}

enum t2_status dg_claim_default_dir(const char *path, const char *flag, struct t2_err *err)
{
    if (t2_make_private_dir(path, err) == T2_OK)
        return T2_OK;
    return t2_wrap(err, "the default folder of --%s cannot be used, give --%s=DIR", flag, flag);
}

void dg_leave_default_dir(const char *path)
{
    (void) rmdir(path);
}
