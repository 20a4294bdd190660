/*
 * base/remote_path.c - which paths name another machine.
 */
#include "base/remote_path.h"

#include <string.h>
#include <strings.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Length of the scheme in front of "://"; 0: there is none. */
static size_t scheme_length(const char *path)
{
    size_t n = 0;

    if (!is_letter(path[0]))
        return 0;
    while (is_letter(path[n]) || (path[n] >= '0' && path[n] <= '9') || path[n] == '+' ||
           path[n] == '-' || path[n] == '.')
        n++;
    return strncmp(path + n, "://", 3) == 0 ? n : 0;
}

static bool scheme_is(const char *path, size_t n, const char *name)
{
    return strlen(name) == n && strncasecmp(path, name, n) == 0;
}

static const char *copier(const char *path, size_t n)
{
    static const char *const tools[][2] = {
        {"gs", "gsutil cp -r"}, {"s3", "aws s3 cp --recursive"},
        {"http", "curl -O"},    {"https", "curl -O"},
        {"ftp", "curl -O"},     {"hdfs", "hdfs dfs -get or -put"},
    };

    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (scheme_is(path, n, tools[i][0]))
            return tools[i][1];
    }
    return NULL;
}

enum t2_scheme t2_path_scheme(const char *path)
{
    size_t n = scheme_length(path);

    if (n == 0)
        return T2_SCHEME_NONE;
    if (scheme_is(path, n, "gs"))
        return T2_SCHEME_GS;
    if (scheme_is(path, n, "s3"))
        return T2_SCHEME_S3;
    return scheme_is(path, n, "https") || scheme_is(path, n, "http") ? T2_SCHEME_HTTP
                                                                     : T2_SCHEME_OTHER;
}

bool t2_is_remote(const char *path)
{
    enum t2_scheme scheme = t2_path_scheme(path);

    return scheme != T2_SCHEME_NONE && scheme != T2_SCHEME_OTHER;
}

enum t2_status t2_check_scheme(const char *path, struct t2_err *err)
{
    size_t n = scheme_length(path);
    const char *local = path + n + 3, *tool;

    if (t2_path_scheme(path) != T2_SCHEME_OTHER)
        return T2_OK;
    if (scheme_is(path, n, "file")) {
        if (strncasecmp(local, "localhost/", 10) == 0)
            local += 9;
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': a path is wanted, not a URL; write '%s'", path,
                       local);
    }
    tool = copier(path, n);
    return t2_fail(err, T2_EUNSUPPORTED,
                   "'%s': of remote paths only gs://, s3:// and https:// are understood; use a "
                   "local folder and copy from or to there%s%s",
                   path, tool ? " with " : "", tool ? tool : "");
}

enum t2_status t2_refuse_remote(const char *path, struct t2_err *err)
{
    T2_TRY(t2_check_scheme(path, err));
    if (!t2_is_remote(path))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "'%s': only a local path will do here; copy from or to there with %s", path,
                   copier(path, scheme_length(path)));
}

typedef enum t2_status (*check_fn)(const char *path, struct t2_err *err);

static enum t2_status check_list(const char *paths, check_fn check, struct t2_err *err)
{
    for (const char *at = paths;; at++) {
        T2_TRY(check(at, err));
        at += strcspn(at, ",;=");
        if (*at == '\0')
            return T2_OK;
    }
}

enum t2_status t2_check_schemes(const char *paths, struct t2_err *err)
{
    return check_list(paths, t2_check_scheme, err);
}

enum t2_status t2_refuse_remote_list(const char *paths, struct t2_err *err)
{
    return check_list(paths, t2_refuse_remote, err);
}
