/*
 * train/models/model_plugin.c - models in shared objects.
 */
#include "train/models/model_plugin.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"

static enum t2_status check_abi(const char *path, const struct mdl_plugin *p, struct t2_err *err)
{
    static const size_t bytes[] = MDL_PLUGIN_BYTES;

    if (p->abi != MDL_PLUGIN_ABI)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' was compiled for another version of this program (interface %d, here "
                       "%d): compile it again",
                       path, p->abi, MDL_PLUGIN_ABI);
    if (memcmp(p->bytes, bytes, sizeof bytes) != 0)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' was compiled with headers of another build of this program (its "
                       "structures have other sizes): compile it again",
                       path);
    return T2_OK;
}

/* *had_models: false of an object with problems alone. */
static enum t2_status load(const char *path, bool *had_models, struct t2_err *err)
{
    const struct mdl_plugin *plugin;
    struct stat info;
    void *object;

    *had_models = false;
    /* The loader would wait for the writer of a pipe. */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return t2_fail(err, T2_EFORMAT, "'%s' is not a regular file, so no plug-in", path);
    /* Lazy: functions that only t2t-datagen has are not called here. */
    object = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!object)
        return t2_fail(err, T2_EFORMAT, "'%s' cannot be loaded: %s", path, dlerror());
    plugin = dlsym(object, "mdl_plugin");
    if (!plugin && dlsym(object, "dg_plugin_abi")) {
        (void) dlclose(object);
        return T2_OK;
    }
    if (!plugin)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is not a plug-in of this program: it defines neither mdl_plugin "
                       "(train/models/model_plugin.h) nor dg_plugin_abi (datagen/plugin.h)",
                       path);
    T2_TRY(check_abi(path, plugin, err));
    if (plugin->add(err) != T2_OK)
        return t2_wrap(err, "'%s'", path);
    t2_debug("loaded plug-in '%s'", path);
    *had_models = true;
    return T2_OK;
}

enum t2_status mdl_load_plugins(const char *dir, int *n_loaded, struct t2_err *err)
{
    enum t2_status st = T2_OK;
    struct t2_strs names = {0};

    *n_loaded = 0;
    if (!t2_is_dir(dir))
        return T2_OK;
    T2_TRY(t2_list_dir(dir, &names, err));
    t2_strs_sort(&names);
    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        char *path = t2_path_join(dir, names.items[i]);
        bool had_models = false;

        if (t2_ends_with(path, ".so"))
            st = load(path, &had_models, err);
        *n_loaded += had_models;
        t2_free(path);
    }
    t2_strs_release(&names);
    return st;
}
