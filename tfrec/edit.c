/*
 * tfrec/edit.c - opening a finished data set to change it, and closing it again.
 *
 * Every command that changes a data set goes through here:
 *
 *   rec_edit_open     finds the manifest, takes the lock, finishes a stopped edit (edit_journal.h),
 *                     checks the sizes of all shards
 *   (the command)     changes e->m in memory, stages new shards, adds moves to e->journal
 *   rec_edit_commit   stages the new manifest as the last move, commits the journal
 *
 * An edit is identified by SHA-256 over its command line and the contents of the files that it
 * reads. So the same command after a crash, or run twice by a script, is recognised: it is done
 * already and nothing is appended twice (--again forces it).
 */
#include "tfrec/edit.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/json.h"
#include "base/log.h"
#include "base/remote_path.h"
#include "base/version.h"

/* ---- which set ---- */

static enum t2_status manifest_in_dir(const char *dir, char **path, struct t2_err *err)
{
    struct t2_strs names = {NULL, 0, 0}, found = {NULL, 0, 0};
    enum t2_status st = t2_list_dir(dir, &names, err);

    for (size_t i = 0; i < names.n; i++) {
        if (t2_ends_with(names.items[i], TFR_MANIFEST_SUFFIX) && names.items[i][0] != '.')
            t2_strs_push(&found, names.items[i]);
    }
    if (st == T2_OK && found.n == 0)
        st =
            t2_fail(err, T2_EUSAGE,
                    "'%s' has no manifest, so it is no finished data set; `tfrec index --manifest` "
                    "makes one",
                    dir);
    else if (st == T2_OK && found.n > 1)
        st = t2_fail(err, T2_EUSAGE, "'%s' has %zu manifests; say which: '%s', '%s'%s", dir,
                     found.n, found.items[0], found.items[1], found.n > 2 ? ", ..." : "");
    else if (st == T2_OK)
        *path = t2_path_join(dir, found.items[0]);
    t2_strs_release(&found);
    t2_strs_release(&names);
    return st;
}

static enum t2_status find_manifest(const char *set, char **path, struct t2_err *err)
{
    char *expanded = t2_path_expand(set);
    struct t2_file_info at;
    enum t2_status st = t2_look_at(expanded, &at, err);

    if (st != T2_OK)
        *path = NULL;
    else if (at.kind == T2_FILE_DIR)
        st = manifest_in_dir(expanded, path, err);
    else if (!t2_exists(expanded))
        st = t2_fail(err, T2_ENOTFOUND, "'%s': no such file or folder", expanded);
    else if (!t2_ends_with(expanded, TFR_MANIFEST_SUFFIX))
        st = t2_fail(err, T2_EUSAGE,
                     "'%s' is no data set: give its manifest (x" TFR_MANIFEST_SUFFIX
                     ") or the folder that has it",
                     set);
    else
        *path = t2_strdup(expanded);
    t2_free(expanded);
    return st;
}

/* ---- the same edit again ---- */

/* The identity of an edit; "" when one of its inputs is a stream, whose bytes cannot be read twice.
 */
static enum t2_status identify(const struct rec_edit_options *o, char sha256[65],
                               struct t2_err *err)
{
    struct t2_sha256 *h = t2_sha256_new();
    enum t2_status st = T2_OK;
    bool known = true;

    t2_sha256_update(h, o->command, strlen(o->command) + 1);
    for (size_t i = 0; st == T2_OK && known && o->others && i < o->others->n; i++) {
        char hex[T2_SHA256_HEX];
        struct stat info;
        uint64_t bytes;
        known = strcmp(o->others->files[i].path, "-") != 0;
        if (known && t2_stat(o->others->files[i].path, &info) != 0) {
            st = t2_fail_errno(err, errno, "cannot look at '%s'", o->others->files[i].path);
            break;
        }
        known = known && S_ISREG(info.st_mode);
        if (!known)
            break;
        st = t2_sha256_file(o->others->files[i].path, hex, &bytes, err);
        t2_sha256_update(h, hex, strlen(hex));
    }
    sha256[0] = '\0';
    if (st == T2_OK && known)
        t2_sha256_peek(h, sha256);
    t2_sha256_free(h);
    return st;
}

static bool was_last(const struct rec_edit *e)
{
    const struct t2_json_value *history = t2_json_get(t2_json_root(e->m->doc), "history");
    const struct t2_json_value *last =
        t2_json_size(history) > 0 ? t2_json_item(history, t2_json_size(history) - 1) : NULL;
    const char *sha256 = t2_json_as_string(t2_json_get(last, "edit_sha256"), "");

    return e->edit_sha256[0] != '\0' && strcmp(sha256, e->edit_sha256) == 0;
}

/* ---- opening ---- */

static enum t2_status check_files(struct rec_edit *e, struct t2_err *err)
{
    for (size_t i = 0; i < e->files.n; i++) {
        const struct tfr_manifest_shard *s = rec_edit_shard(e, i);
        uint64_t bytes = 0;
        if (strcmp(s->file, t2_path_base(e->path)) == 0)
            return t2_fail(err, T2_EFORMAT, "'%s' names itself as a shard", e->path);
        T2_TRY(t2_file_size(e->files.files[i].path, &bytes, err));
        if (bytes != s->bytes)
            return t2_fail(err, T2_EFORMAT,
                           "'%s' has %" PRIu64 " bytes, but its manifest says %" PRIu64
                           ": put the right file back before the set is edited",
                           e->files.files[i].path, bytes, s->bytes);
    }
    return T2_OK;
}

static void list_files(struct rec_edit *e)
{
    struct tfr_inputs *in = &e->files;

    for (size_t s = 0; s < e->m->n_splits; s++)
        in->n += e->m->splits[s].n_shards;
    in->files = t2_alloc(in->n, sizeof *in->files);
    e->first = t2_alloc(in->n, sizeof *e->first);
    for (size_t i = 0, s = 0, k = 0; i < in->n; i++, k++) {
        const struct tfr_manifest_split *split = &e->m->splits[s];
        while (k == split->n_shards) {
            split = &e->m->splits[++s];
            k = 0;
        }
        in->files[i] = (struct tfr_input_file){.path = t2_path_join(e->dir, split->shards[k].file),
                                               .split = t2_strdup(split->name),
                                               .manifest = t2_strdup(e->path),
                                               .n_records = split->shards[k].n_records,
                                               .bytes = split->shards[k].bytes};
        in->bytes += split->shards[k].bytes;
        e->first[i] = e->n_records;
        e->n_records += split->shards[k].n_records;
    }
}

struct tfr_manifest_shard *rec_edit_shard(const struct rec_edit *e, size_t i)
{
    for (size_t s = 0; s < e->m->n_splits; s++) {
        if (i < e->m->splits[s].n_shards)
            return &e->m->splits[s].shards[i];
        i -= e->m->splits[s].n_shards;
    }
    T2_ASSERT(!"a shard of the set");
    return NULL;
}

/* Lock, then whatever a stopped edit has left.  *done: that was this edit. */
static enum t2_status take_over(struct rec_edit *e, bool again, bool *done, struct t2_err *err)
{
    struct rec_journal finished = {0};
    enum t2_status st;

    if (t2_refuse_remote(e->dir, err) != T2_OK) /* files are renamed one by one, by a journal */
        return t2_wrap(err, "editing a data set");
    T2_TRY(t2_lock_take(e->dir, e->name, "editing or making this data set", &e->lock, err));
    st = rec_journal_recover(e->path, &finished, err);
    if (st == T2_OK && finished.command) {
        t2_info("Finished an edit that had been stopped: %s", finished.command);
        *done = !again && strcmp(finished.command, e->command) == 0 &&
                strcmp(finished.edit_sha256, e->edit_sha256) == 0;
    }
    rec_journal_release(&finished);
    return st;
}

static enum t2_status open_set(struct rec_edit *e, const struct rec_edit_options *o, bool *done,
                               struct t2_err *err)
{
    T2_TRY(find_manifest(o->set, &e->path, err));
    e->dir = t2_path_dir(e->path);
    e->name = t2_strndup(t2_path_base(e->path),
                         strlen(t2_path_base(e->path)) - strlen(TFR_MANIFEST_SUFFIX));
    T2_TRY(identify(o, e->edit_sha256, err));
    if (!o->dry_run)
        T2_TRY(take_over(e, o->again, done, err));
    T2_TRY(tfr_manifest_load(e->path, &e->m, err));
    if (!*done && !o->again && was_last(e)) {
        t2_info("The last edit of '%s' was this one: nothing to do (--again does it once more)",
                e->path);
        *done = true;
    }
    list_files(e);
    return check_files(e, err);
}

enum t2_status rec_edit_open(const struct rec_edit_options *o, struct rec_edit **out,
                             struct t2_err *err)
{
    struct rec_edit *e = t2_alloc(1, sizeof *e);
    bool done = false;
    enum t2_status st;

    *out = NULL;
    e->lock.fd = -1;
    e->dry_run = o->dry_run;
    e->command = t2_strdup(o->command);
    st = open_set(e, o, &done, err);
    if (st == T2_OK && !done)
        *out = e;
    else
        rec_edit_free(e);
    return st;
}

void rec_edit_free(struct rec_edit *e)
{
    struct t2_err ignored = T2_ERR_INIT;

    if (!e)
        return;
    /* What an edit that was not decided has left; a decided one is finished by the next. */
    if (e->lock.fd >= 0) {
        char *journal = tfr_journal_path(e->path);
        if (!t2_exists(journal) && rec_staging_clear(e->path, &ignored) != T2_OK)
            t2_warn("%s", ignored.message);
        t2_free(journal);
    }
    t2_lock_give(&e->lock);
    rec_journal_release(&e->journal);
    tfr_manifest_free(e->m);
    tfr_inputs_release(&e->files);
    t2_free(e->first);
    t2_free(e->command);
    t2_free(e->name);
    t2_free(e->dir);
    t2_free(e->path);
    t2_free(e);
}

/* ---- closing ---- */

enum t2_status rec_edit_stage(struct rec_edit *e, const char *file, char **path, struct t2_err *err)
{
    char *dir = rec_staging_dir(e->path);
    enum t2_status st = T2_OK;

    T2_ASSERT(!e->dry_run);
    if (!e->is_staging)
        st = rec_staging_make(e->path, err);
    e->is_staging = st == T2_OK;
    if (st == T2_OK)
        *path = t2_path_join(dir, file);
    t2_free(dir);
    return st;
}

static enum t2_status stage_manifest(struct rec_edit *e, struct t2_err *err)
{
    const struct tfr_manifest_edit edit = {e->command, t2_version(), e->edit_sha256, e->n_records,
                                           tfr_manifest_records(e->m)};
    struct t2_buf text = {NULL, 0, 0};
    char *dir = rec_staging_dir(e->path);
    char *path = t2_path_join(dir, t2_path_base(e->path));
    enum t2_status st = tfr_manifest_text(e->m, NULL, NULL, &edit, &text, err);

    if (st == T2_OK)
        st = t2_make_dirs(dir, err);
    if (st == T2_OK)
        st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_sha256_of(text.data, text.len_bytes, e->journal.after);
    t2_buf_release(&text);
    t2_free(path);
    t2_free(dir);
    return st;
}

enum t2_status rec_edit_commit(struct rec_edit *e, struct t2_err *err)
{
    if (e->dry_run)
        return T2_OK;
    T2_TRY(stage_manifest(e, err));
    rec_journal_add(&e->journal, t2_path_base(e->path), t2_path_base(e->path), true, false);
    e->journal.command = t2_strdup(e->command);
    memcpy(e->journal.before, e->m->sha256, sizeof e->journal.before);
    memcpy(e->journal.edit_sha256, e->edit_sha256, sizeof e->journal.edit_sha256);
    return rec_journal_commit(e->path, &e->journal, err);
}
