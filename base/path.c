/*
 * base/path.c - putting paths together and taking them apart.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

static char *home_folder(void)
{
    const char *home = getenv("HOME");
    struct passwd entry, *found = NULL;
    char text[4096];

    if (home && *home)
        return t2_strdup(home);
    if (getpwuid_r(getuid(), &entry, text, sizeof text, &found) == 0 && found)
        return t2_strdup(found->pw_dir);
    return t2_strdup("/");
}

char *t2_path_expand(const char *path)
{
    char *home, *expanded;

    /* "~name" is left alone, as a file may be called so. */
    if (path[0] != '~' || (path[1] != '\0' && path[1] != '/'))
        return t2_strdup(path);
    home = home_folder();
    expanded = t2_asprintf("%s%s", home, path + 1);
    t2_free(home);
    return expanded;
}

char *t2_path_join(const char *dir, const char *name)
{
    char *folder = t2_path_expand(dir);
    size_t n = strlen(folder);
    char *joined;

    if (n == 0) {
        t2_free(folder);
        return t2_strdup(name);
    }
    while (n > 0 && folder[n - 1] == '/')
        n--;
    while (*name == '/')
        name++;
    joined = t2_asprintf("%.*s/%s", (int) n, folder, name);
    t2_free(folder);
    return joined;
}

const char *t2_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* dirname(3) without its static buffer: "a//b" is in "a", "/b" in "/", "b" in ".". */
char *t2_path_dir(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return t2_strdup(".");
    while (slash > path && slash[-1] == '/')
        slash--;
    return slash == path ? t2_strdup("/") : t2_strndup(path, (size_t) (slash - path));
}
