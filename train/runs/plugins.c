/*
 * train/runs/plugins.c - --t2t_usr_dir: plug-ins.
 */
#include "train/runs/plugins.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "train/models/model_plugin.h"

enum t2_status tr_load_plugins(const char *dir, bool *any, struct t2_err *err)
{
    enum t2_status st;
    int n_loaded;
    char *path;

    *any = false;
    if (!dir || dir[0] == '\0')
        return T2_OK;
    path = t2_path_expand(dir);
    st = mdl_load_plugins(path, &n_loaded, err);
    t2_free(path);
    if (st != T2_OK)
        return t2_wrap(err, "--t2t_usr_dir");
    *any = n_loaded > 0;
    return T2_OK;
}

enum t2_status tr_need_plugins(const char *dir, struct t2_err *err)
{
    bool any;

    T2_TRY(tr_load_plugins(dir, &any, err));
    if (dir && dir[0] != '\0' && !any)
        t2_warn(
            "--t2t_usr_dir means nothing here and is passed over: it has no plug-in with models "
            "(.so); what the data are, --data_dir tells");
    return T2_OK;
}
