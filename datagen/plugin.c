/*
 * datagen/plugin.c - problems in a shared object.
 */
#include "datagen/plugin.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"

typedef enum t2_status register_function(struct t2_err *err);

static enum t2_status check_abi(const char *path, void *object, struct t2_err *err)
{
    const int *abi = dlsym(object, "dg_plugin_abi");

    if (!abi)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is not a plug-in of this program: it defines no dg_plugin_abi "
                       "(datagen/plugin.h)",
                       path);
    if (*abi != DG_PLUGIN_ABI)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' was compiled for another version of this program (interface %d, here "
                       "%d): compile it again",
                       path, *abi, DG_PLUGIN_ABI);
    return T2_OK;
}

enum t2_status dg_plugin_load(const char *path, struct t2_err *err)
{
    register_function *reg = NULL;
    void *symbol, *object;
    struct stat info;

    /* The loader would wait for the writer of a pipe. */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return t2_fail(err, T2_EFORMAT, "'%s' is not a regular file, so no plug-in", path);
    /* Lazy: functions that only t2t-trainer has are not called here. */
    object = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!object)
        return t2_fail(err, T2_EFORMAT, "'%s' cannot be loaded: %s", path, dlerror());
    if (!dlsym(object, "dg_plugin_abi") && dlsym(object, "mdl_plugin")) { /* models alone */
        t2_debug("plug-in '%s' has no problems", path);
        return T2_OK;
    }
    T2_TRY(check_abi(path, object, err));
    symbol = dlsym(object, "dg_plugin_register");
    if (!symbol)
        return t2_fail(err, T2_EFORMAT, "'%s' defines no dg_plugin_register (datagen/plugin.h)",
                       path);
    memcpy(&reg, &symbol, sizeof reg); /* C has no cast from an object to a function */
    if (reg(err) != T2_OK)
        return t2_wrap(err, "'%s'", path);
    t2_debug("loaded plug-in '%s'", path);
    return T2_OK;
}
