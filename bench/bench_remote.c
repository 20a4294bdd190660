/*
 * bench/bench_remote.c - objects brought to the cache, or a local folder sent to a bucket; one JSON
 * object with the bytes per second.
 *
 *   bench_remote get s3://bucket/prefix        all objects of the folder, into T2_CACHE
 *   bench_remote put FOLDER s3://bucket/prefix
 *
 * bench/bench_remote.py pairs it with other programs.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/progress.h"
#include "base/remote/remote_file.h"
#include "base/remote_hooks.h"

static enum t2_status get(const char *folder, uint64_t *bytes, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0}, paths = {NULL, 0, 0};
    enum t2_status st = t2_list_dir(folder, &names, err);

    for (size_t i = 0; st == T2_OK && i < names.n; i++)
        t2_strs_take(&paths, t2_path_join(folder, names.items[i]));
    t2_remote_prefetch(&paths);
    for (size_t i = 0; st == T2_OK && i < paths.n; i++) {
        struct stat s;
        int fd = -1, errnum;

        st = t2_open_input(paths.items[i], false, &fd, &s, err);
        errnum = st == T2_OK ? t2_remote_need(fd, 0, (uint64_t) s.st_size) : 0;
        if (errnum)
            st = t2_fail_errno(err, errnum, "'%s'", paths.items[i]);
        if (st == T2_OK)
            *bytes += (uint64_t) s.st_size;
        if (fd >= 0)
            (void) close(fd);
    }
    t2_strs_release(&names);
    t2_strs_release(&paths);
    return st;
}

static enum t2_status put(const char *from, const char *to, uint64_t *bytes, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = t2_list_dir(from, &names, err);

    t2_remote_unordered(true); /* a link to each is what becomes the object: no copy is made here */
    for (size_t i = 0; st == T2_OK && i < names.n; i++) {
        char *source = t2_path_join(from, names.items[i]);
        char *target = t2_path_join(to, names.items[i]);
        char *name = t2_asprintf("%s.out", source);
        struct stat s;

        if (stat(source, &s) != 0 || link(source, name) != 0)
            st = t2_fail_errno(err, errno, "'%s'", source);
        if (st == T2_OK)
            st = t2_rename(name, target, err);
        *bytes += (uint64_t) s.st_size;
        t2_free(name);
        t2_free(source);
        t2_free(target);
    }
    t2_remote_unordered(false);
    t2_strs_release(&names);
    return st;
}

int main(int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    uint64_t bytes = 0;
    double begin = t2_now_s();
    enum t2_status st = T2_OK;

    t2_remote_begin(true);
    if (argc == 3 && strcmp(argv[1], "get") == 0)
        st = get(argv[2], &bytes, &err);
    else if (argc == 4 && strcmp(argv[1], "put") == 0)
        st = put(argv[2], argv[3], &bytes, &err);
    else
        st = t2_fail(&err, T2_EUSAGE, "bench_remote get URL | put FOLDER URL");
    if (st == T2_OK)
        st = t2_remote_end(&err);
    if (st != T2_OK) {
        fprintf(stderr, "bench_remote: %s\n", err.message);
        return 1;
    }
    printf("{\"value\": %.1f, \"unit\": \"MB/s\", \"seconds\": %.3f}\n",
           (double) bytes / 1e6 / (t2_now_s() - begin), t2_now_s() - begin);
    return 0;
}
