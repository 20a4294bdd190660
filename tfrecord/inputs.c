/*
 * tfrecord/inputs.c - from INPUT arguments to files.
 *
 *   -                    standard input, once
 *   FILE                 a record file
 *   X.manifest.json      its shards, with their splits, counts and sizes
 *   FOLDER               the sets whose manifests are there; without one all files that begin
 *                        with a record's header (length and its CRC)
 *   base@N, base@*       the shards base-?????-of-NNNNN, all of which must be there
 *   GLOB                 the files that match, sorted
 */
#include "tfrecord/inputs.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/io.h"
#include "base/match_files.h"
#include "tfrecord/framing.h"
#include "tfrecord/manifest.h"
#include "tfrecord/shards.h"
#include "tfrecord/source.h"

enum { NAMES_SHOWN = 5 };

void tfr_inputs_release(struct tfr_inputs *in)
{
    for (size_t i = 0; i < in->n; i++) {
        t2_free(in->files[i].path);
        t2_free(in->files[i].split);
        t2_free(in->files[i].manifest);
    }
    t2_free(in->files);
    *in = (struct tfr_inputs){NULL, 0, 0};
}

/* "train" of "x-train-00000-of-00010", "mnist-train.tfrecord-00000-of-00001", "train.tfrecord"; ""
 * when the name does not say.  The last such word counts. */
static char *split_of_name(const char *path)
{
    static const char *const known[] = {"train", "dev", "test", "validation", "eval"};
    static const char between[] = "-_.";
    const char *at = t2_path_base(path);
    const char *split = "";

    while (*at) {
        size_t n = strcspn(at, between);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            if (strlen(known[i]) == n && strncmp(at, known[i], n) == 0)
                split = known[i];
        }
        at += n;
        at += strspn(at, between);
    }
    return t2_strdup(split);
}

/* Takes path and split. */
static enum t2_status add_file(struct tfr_inputs *in, char *path, char *split,
                               struct tfr_input_file **added, struct t2_err *err)
{
    struct stat info;
    struct tfr_input_file *f;

    in->files = t2_realloc(in->files, in->n + 1, sizeof *in->files);
    f = &in->files[in->n++];
    *f = (struct tfr_input_file){.path = path, .split = split, .n_records = TFR_UNKNOWN_COUNT};
    if (added)
        *added = f;
    if (strcmp(path, "-") == 0)
        return T2_OK;
    if (t2_stat(path, &info) == 0)
        f->bytes = S_ISREG(info.st_mode) ? (uint64_t) info.st_size : 0;
    else if (errno != ENOENT &&
             errno != ENOTDIR) /* missing files are reported where they are opened */
        return t2_fail_errno(err, errno, "cannot look at '%s'", path);
    in->bytes += f->bytes;
    return T2_OK;
}

static enum t2_status add_path(struct tfr_inputs *in, const char *path, struct t2_err *err)
{
    return add_file(in, t2_strdup(path), split_of_name(path), NULL, err);
}

/* ---- manifests ---- */

static enum t2_status add_manifest(struct tfr_inputs *in, const char *path, struct t2_err *err)
{
    struct tfr_manifest *m = NULL;
    enum t2_status st = T2_OK;
    char *dir;

    T2_TRY(tfr_manifest_load(path, &m, err));
    dir = t2_path_dir(path);
    for (size_t s = 0; s < m->n_splits; s++) {
        for (size_t i = 0; st == T2_OK && i < m->splits[s].n_shards; i++) {
            const struct tfr_manifest_shard *shard = &m->splits[s].shards[i];
            struct tfr_input_file *f;
            st =
                add_file(in, t2_path_join(dir, shard->file), t2_strdup(m->splits[s].name), &f, err);
            f->manifest = t2_strdup(path);
            f->n_records = shard->n_records;
            f->manifest_bytes = shard->bytes;
        }
    }
    t2_free(dir);
    tfr_manifest_free(m);
    return st;
}

/* ---- folders ---- */

/* Whether a regular file begins like a record file, compressed or not, or is an empty one with the
 * name of a shard.  Pipes are not touched: reading would consume their bytes. */
static enum t2_status begins_like_records(const char *path, bool *yes, struct t2_err *err)
{
    struct t2_err problem = T2_ERR_INIT;
    struct tfr_source s;
    struct stat info;
    enum t2_status st;

    *yes = false;
    if (t2_stat(path, &info) != 0) /* a link to nothing is no file */
        return errno == ENOENT ? T2_OK : t2_fail_errno(err, errno, "cannot look at '%s'", path);
    if (!S_ISREG(info.st_mode))
        return T2_OK;
    *yes = info.st_size == 0 && strstr(t2_path_base(path), "-of-");
    if (info.st_size == 0)
        return T2_OK;
    st = tfr_source_open(path, &s, &problem);
    if (st == T2_OK) {
        st = tfr_source_fill(&s, TFR_HEADER_BYTES, &problem);
        *yes = st == T2_OK && tfr_source_available(&s) >= TFR_HEADER_BYTES &&
               tfr_header_ok(s.base + s.pos);
        tfr_source_close(&s);
    }
    /* Packed bytes that are damaged are no records; a file that cannot be read may be. */
    if (st != T2_EIO)
        return T2_OK;
    *err = problem;
    return st;
}

static bool is_left_out(const char *name)
{
    return name[0] == '.' || t2_ends_with(name, ".incomplete") || strstr(name, "-unshuffled-");
}

static enum t2_status add_folder(struct tfr_inputs *in, const char *dir, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    size_t n_before = in->n;
    bool has_manifest = false;
    enum t2_status st;

    T2_TRY(t2_list_dir(dir, &names, err));
    st = T2_OK;
    for (size_t i = 0; st == T2_OK && i < names.n; i++) {
        if (!t2_ends_with(names.items[i], TFR_MANIFEST_SUFFIX) || names.items[i][0] == '.')
            continue;
        char *path = t2_path_join(dir, names.items[i]);
        st = add_manifest(in, path, err);
        has_manifest = true;
        t2_free(path);
    }
    for (size_t i = 0; st == T2_OK && !has_manifest && i < names.n; i++) {
        char *path = t2_path_join(dir, names.items[i]);
        bool is_one = false;
        if (!is_left_out(names.items[i]))
            st = begins_like_records(path, &is_one, err);
        if (st == T2_OK && is_one)
            st = add_path(in, path, err);
        t2_free(path);
    }
    if (st == T2_OK && in->n == n_before)
        st = t2_fail(err, T2_ENOTFOUND,
                     "'%s': no record files among the %zu entries of this folder", dir, names.n);
    t2_strs_release(&names);
    return st;
}

/* ---- names that stand for several files ---- */

static void show_names(struct t2_buf *b, const struct t2_strs *names)
{
    for (size_t i = 0; i < names->n && i < NAMES_SHOWN; i++)
        t2_buf_printf(b, "%s'%s'", i == 0 ? "" : ", ", names->items[i]);
    if (names->n > NAMES_SHOWN)
        t2_buf_printf(b, " and %zu more", names->n - NAMES_SHOWN);
}

/* Nothing matches arg: a message with the names that its folder has instead. */
static enum t2_status fail_nothing(const char *arg, const char *what, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0};
    struct t2_buf list = {NULL, 0, 0};
    struct t2_err quiet = T2_ERR_INIT;
    char *dir = t2_path_dir(arg);
    const char *nearest;
    enum t2_status st;

    if (t2_list_dir(dir, &names, &quiet) != T2_OK) {
        st = t2_fail(err, T2_ENOTFOUND, "'%s': %s; there is no folder '%s'", arg, what, dir);
    } else if (names.n == 0) {
        st = t2_fail(err, T2_ENOTFOUND, "'%s': %s; the folder '%s' is empty", arg, what, dir);
    } else {
        nearest = t2_nearest(t2_path_base(arg), (const char *const *) names.items, names.n);
        show_names(&list, &names);
        if (nearest)
            st = t2_fail(err, T2_ENOTFOUND, "'%s': %s; did you mean '%s'?", arg, what, nearest);
        else
            st = t2_fail(err, T2_ENOTFOUND, "'%s': %s; the folder has %s", arg, what,
                         t2_buf_cstr(&list));
    }
    t2_buf_release(&list);
    t2_strs_release(&names);
    t2_free(dir);
    return st;
}

/* "base@100" or "base@*". */
static enum t2_status add_sharded(struct tfr_inputs *in, const char *arg, const char *at,
                                  struct t2_err *err)
{
    struct t2_strs paths = {NULL, 0, 0};
    char *base = t2_strndup(arg, (size_t) (at - arg));
    char *dir = t2_path_dir(base);
    int64_t wanted = 0;
    enum t2_status st = tfr_find_shards(dir, t2_path_base(base), NULL, &paths, err);

    if (st == T2_OK && strcmp(at, "@*") != 0 && t2_parse_i64(at + 1, &wanted) &&
        wanted != (int64_t) paths.n)
        st = t2_fail(err, T2_EFORMAT, "'%s': there are %zu shards, not %" PRId64, arg, paths.n,
                     wanted);
    for (size_t i = 0; st == T2_OK && i < paths.n; i++) /* "x", not "./x", as it was given */
        st = add_path(in, strchr(base, '/') ? paths.items[i] : t2_path_base(paths.items[i]), err);
    t2_strs_release(&paths);
    t2_free(dir);
    t2_free(base);
    return st;
}

/* The '@' of a sharded name; NULL: it is none. */
static const char *shards_at(const char *arg)
{
    const char *at = strrchr(arg, '@');
    int64_t n;

    if (!at || at == arg || strchr(at, '/'))
        return NULL;
    return strcmp(at, "@*") == 0 || (t2_parse_i64(at + 1, &n) && n > 0) ? at : NULL;
}

/* "x-?????-of-00100" and "x-*-of-00100": the same as "x@100", so that a missing shard is
 * noticed. */
static char *sharded_name_of_glob(const char *arg)
{
    static const char *const marks[] = {"-????"
                                        "?-of-",
                                        "-*-of-"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *p = strstr(arg, marks[i]);
        const char *total = p ? p + strlen(marks[i]) : NULL;
        size_t n_digits = total ? strspn(total, "0123456789") : 0;
        if (n_digits < 5 || total[n_digits] != '\0')
            continue;
        int64_t n;
        char *stem = t2_strndup(arg, (size_t) (p - arg));
        char *name = NULL;
        if (!strpbrk(stem, "*?[") && t2_parse_i64(total, &n))
            name = t2_asprintf("%s@%" PRId64, stem, n);
        t2_free(stem);
        return name;
    }
    return NULL;
}

static enum t2_status add_glob(struct tfr_inputs *in, const char *arg, struct t2_err *err)
{
    char *sharded = sharded_name_of_glob(arg);
    struct t2_strs paths = {NULL, 0, 0};
    enum t2_status st;

    if (sharded) {
        st = add_sharded(in, sharded, strrchr(sharded, '@'), err);
        t2_free(sharded);
        return st;
    }
    st = t2_match_files(arg, &paths, err);
    for (size_t i = 0; st == T2_OK && i < paths.n; i++)
        st = add_path(in, paths.items[i], err);
    if (st == T2_OK && paths.n == 0)
        st = fail_nothing(arg, "no file matches", err);
    t2_strs_release(&paths);
    return st;
}

static enum t2_status add_argument(struct tfr_inputs *in, const char *arg, struct t2_err *err)
{
    struct t2_file_info at;

    if (strcmp(arg, "-") == 0) {
        for (size_t i = 0; i < in->n; i++) {
            if (strcmp(in->files[i].path, "-") == 0)
                return t2_fail(err, T2_EUSAGE, "the standard input can be read only once");
        }
        return add_file(in, t2_strdup("-"), t2_strdup(""), NULL, err);
    }
    if (arg[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "an INPUT is empty");
    T2_TRY(t2_look_at(arg, &at, err));
    if (at.kind == T2_FILE_DIR)
        return add_folder(in, arg, err);
    if (at.kind != T2_FILE_ABSENT)
        return t2_ends_with(arg, TFR_MANIFEST_SUFFIX) ? add_manifest(in, arg, err)
                                                      : add_path(in, arg, err);
    if (shards_at(arg))
        return add_sharded(in, arg, shards_at(arg), err);
    if (strpbrk(arg, "*?["))
        return add_glob(in, arg, err);
    return fail_nothing(arg, "no such file", err);
}

enum t2_status tfr_inputs_find(const struct t2_strs *args, struct tfr_inputs *in,
                               struct t2_err *err)
{
    *in = (struct tfr_inputs){NULL, 0, 0};
    if (args->n == 0)
        return t2_fail(err, T2_EUSAGE,
                       "no INPUT: give files, a glob, base@100, a folder, a manifest, or -");
    for (size_t i = 0; i < args->n; i++) {
        char *arg = t2_path_expand(args->items[i]);
        enum t2_status st = add_argument(in, arg, err);
        t2_free(arg);
        T2_TRY(st);
    }
    return T2_OK;
}
