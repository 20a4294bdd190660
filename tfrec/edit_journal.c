/*
 * tfrec/edit_journal.c - an edit of a data set happens whole or not at all.
 *
 * Every step can be repeated: after a rename the old name is absent and the new one present.
 *
 * The order of events, with the staging folder ".<name>.edit" and the journal ".<name>.edit.json":
 *
 *   1. new shards and the new manifest are written into the folder    set as before
 *   2. the journal is written (temporary file, fsync, rename)           the edit is decided
 *   3. its moves are done, the manifest last
 *   4. the folder is removed, then the journal                          set as wanted
 *
 * A stop before 2 leaves a folder without a journal, which the next edit removes. A stop after 2
 * leaves the journal, and rec_journal_recover() does 3 and 4 from the start. SHA-256 of the
 * manifest distinguishes the cases: `before` means moves are left to do, `after` means only 4 is,
 * anything else means the manifest was replaced by other means and the journal is void.
 *
 * The journal is JSON:
 *
 *   {"format": "t2t.c edit", "format_version": 1,
 *    "command": TEXT, "edit_sha256": HEX or "", "before": HEX, "after": HEX,
 *    "moves": [{"from": FILE, "to": FILE, "staged": BOOL, "optional": BOOL}, ...]}
 *
 * "to" is absent for a file that is removed. Names are plain file names, so that a data set can be
 * moved with its journal and a forged journal reaches no other folder.
 */
#include "tfrec/edit_journal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json_want.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "tfrecord/manifest.h"
#include "tfrecord/record_index.h"

enum { MAX_MOVES = 1000000 };

/* Tests stop an edit before its n-th step and look at what is left. */
static int stop_before, n_steps;

int rec_journal_stop_before(int n)
{
    int steps = n_steps;

    stop_before = n;
    n_steps = 0;
    return steps;
}

static enum t2_status step(struct t2_err *err)
{
    return ++n_steps == stop_before ? t2_fail(err, T2_EINTERRUPTED, "stopped by a test") : T2_OK;
}

void rec_journal_release(struct rec_journal *j)
{
    for (size_t i = 0; i < j->n_moves; i++) {
        t2_free(j->moves[i].from);
        t2_free(j->moves[i].to);
    }
    t2_free(j->moves);
    t2_free(j->command);
    *j = (struct rec_journal){0};
}

void rec_journal_add(struct rec_journal *j, const char *from, const char *to, bool staged,
                     bool optional)
{
    if ((j->n_moves & (j->n_moves - 1)) == 0) /* a power of two is full */
        j->moves = t2_realloc(j->moves, j->n_moves == 0 ? 1 : 2 * j->n_moves, sizeof *j->moves);
    j->moves[j->n_moves++] =
        (struct rec_move){t2_strdup(from), to ? t2_strdup(to) : NULL, staged, optional};
}

void rec_journal_drop_indexes(struct rec_journal *j, const char *file)
{
    char *binary = tfr_index_path(file), *dali = tfr_idx_path(file);

    rec_journal_add(j, binary, NULL, false, true);
    rec_journal_add(j, dali, NULL, false, true);
    t2_free(binary);
    t2_free(dali);
}

void rec_journal_move_indexes(struct rec_journal *j, const char *from, const char *to)
{
    char *binary = tfr_index_path(from), *dali = tfr_idx_path(from);
    char *new_binary = tfr_index_path(to), *new_dali = tfr_idx_path(to);

    rec_journal_add(j, binary, new_binary, false, true);
    rec_journal_add(j, dali, new_dali, false, true);
    t2_free(binary);
    t2_free(dali);
    t2_free(new_binary);
    t2_free(new_dali);
}

/* ---- the staging folder ---- */

char *rec_staging_dir(const char *manifest_path)
{
    char *journal = tfr_journal_path(manifest_path);
    char *dir = t2_strndup(journal, strlen(journal) - strlen(".json"));

    t2_free(journal);
    return dir;
}

static enum t2_status remove_all(const char *dir, const struct t2_strs *names, struct t2_err *err)
{
    for (size_t i = 0; i < names->n; i++) {
        char *path = t2_path_join(dir, names->items[i]);
        enum t2_status st = t2_remove(path, err);
        t2_free(path);
        T2_TRY(st);
    }
    if (rmdir(dir) != 0 && errno != ENOENT)
        return t2_fail_errno(err, errno, "cannot remove '%s'", dir);
    return T2_OK;
}

enum t2_status rec_staging_clear(const char *manifest_path, struct t2_err *err)
{
    char *dir = rec_staging_dir(manifest_path);
    struct t2_strs names = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    st = t2_list_dir(dir, &names, err);
    if (st == T2_OK)
        st = remove_all(dir, &names, err);
    else if (st == T2_ENOTFOUND)
        st = T2_OK;
    t2_strs_release(&names);
    t2_free(dir);
    return st;
}

enum t2_status rec_staging_make(const char *manifest_path, struct t2_err *err)
{
    char *dir = rec_staging_dir(manifest_path);
    enum t2_status st = rec_staging_clear(manifest_path, err);

    if (st == T2_OK)
        st = t2_make_dirs(dir, err);
    t2_free(dir);
    return st;
}

/* ---- writing and reading the journal ---- */

static enum t2_status save(const char *path, const struct rec_journal *j, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_json json;
    enum t2_status st;

    t2_json_init(&json, &text, 1);
    t2_json_object(&json);
    t2_json_kv_string(&json, "format", "t2t.c edit");
    t2_json_kv_i64(&json, "format_version", 1);
    t2_json_kv_string(&json, "command", j->command);
    t2_json_kv_string(&json, "edit_sha256", j->edit_sha256);
    t2_json_kv_string(&json, "before", j->before);
    t2_json_kv_string(&json, "after", j->after);
    t2_json_key(&json, "moves");
    t2_json_array(&json);
    for (size_t i = 0; i < j->n_moves; i++) {
        t2_json_object(&json);
        t2_json_kv_string(&json, "from", j->moves[i].from);
        if (j->moves[i].to)
            t2_json_kv_string(&json, "to", j->moves[i].to);
        t2_json_kv_bool(&json, "staged", j->moves[i].staged);
        t2_json_kv_bool(&json, "optional", j->moves[i].optional);
        t2_json_end_object(&json);
    }
    t2_json_end_array(&json);
    t2_json_end_object(&json);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

static void read_all(struct t2_json_want *w, const struct t2_json_value *root,
                     struct rec_journal *j)
{
    const struct t2_json_value *moves = t2_json_get(root, "moves");

    if (strcmp(t2_json_as_string(t2_json_get(root, "format"), ""), "t2t.c edit") != 0)
        t2_json_complain(w, "format", "\"t2t.c edit\"");
    else if (t2_json_as_i64(t2_json_get(root, "format_version"), 0) != 1)
        t2_json_complain(w, "format_version", "1, the only one this program knows");
    j->command = t2_json_want_string(w, root, "command");
    if (*t2_json_as_string(t2_json_get(root, "edit_sha256"), ""))
        t2_json_want_sha256(w, root, "edit_sha256", j->edit_sha256);
    t2_json_want_sha256(w, root, "before", j->before);
    t2_json_want_sha256(w, root, "after", j->after);
    if (t2_json_type(moves) != T2_JSON_ARRAY || t2_json_size(moves) > MAX_MOVES)
        t2_json_complain(w, "moves", "a list of renames");
    for (size_t i = 0; w->status == T2_OK && i < t2_json_size(moves); i++) {
        const struct t2_json_value *move = t2_json_item(moves, i);
        bool has_to = t2_json_get(move, "to") != NULL;
        char *from = t2_json_want_file(w, move, "from");
        char *to = has_to ? t2_json_want_file(w, move, "to") : NULL;
        rec_journal_add(j, from, to, t2_json_want_bool(w, move, "staged"),
                        t2_json_want_bool(w, move, "optional"));
        t2_free(from);
        t2_free(to);
    }
}

static enum t2_status load(const char *path, struct rec_journal *j, struct t2_err *err)
{
    struct t2_json_want w = {path, err, T2_OK};
    struct t2_json_doc *doc = NULL;

    T2_TRY(t2_json_load(path, &doc, err));
    read_all(&w, t2_json_root(doc), j);
    t2_json_free(doc);
    return w.status;
}

/* ---- doing it ---- */

/* `again`: an earlier run may have done the move; then "from" is absent and "to" exists. */
static enum t2_status do_move(const char *dir, const char *staging, const struct rec_move *m,
                              bool again, struct t2_err *err)
{
    char *from = t2_path_join(m->staged ? staging : dir, m->from);
    char *to = m->to ? t2_path_join(dir, m->to) : NULL;
    struct t2_file_info here = {.kind = T2_FILE_ABSENT}, there = here;
    enum t2_status st = T2_OK;

    if (to)
        st = t2_look_at(from, &here, err);
    if (to && st == T2_OK && here.kind == T2_FILE_ABSENT && again)
        st = t2_look_at(to, &there, err);
    if (st == T2_OK && !to)
        st = t2_remove(from, err);
    else if (st == T2_OK && here.kind != T2_FILE_ABSENT)
        st = t2_rename(from, to, err);
    else if (st == T2_OK && !m->optional && there.kind == T2_FILE_ABSENT)
        st = t2_fail(err, T2_ENOTFOUND, "'%s': no such file, and no '%s' either", from, to);
    t2_free(from);
    t2_free(to);
    return st;
}

static enum t2_status clean_up(const char *manifest_path, struct t2_err *err)
{
    char *journal = tfr_journal_path(manifest_path);
    enum t2_status st = step(err);

    /* The folder first: without a journal its files would be of an edit that was never decided. */
    if (st == T2_OK)
        st = rec_staging_clear(manifest_path, err);
    if (st == T2_OK)
        st = step(err);
    if (st == T2_OK)
        st = t2_remove(journal, err);
    t2_free(journal);
    return st;
}

static enum t2_status apply(const char *manifest_path, const struct rec_journal *j, bool again,
                            struct t2_err *err)
{
    char *dir = t2_path_dir(manifest_path);
    char *staging = rec_staging_dir(manifest_path);
    enum t2_status st = T2_OK;

    for (size_t i = 0; st == T2_OK && i < j->n_moves; i++) {
        st = step(err);
        if (st == T2_OK)
            st = do_move(dir, staging, &j->moves[i], again, err);
    }
    t2_free(staging);
    t2_free(dir);
    return st == T2_OK ? clean_up(manifest_path, err) : st;
}

enum t2_status rec_journal_commit(const char *manifest_path, const struct rec_journal *j,
                                  struct t2_err *err)
{
    char *path = tfr_journal_path(manifest_path);
    enum t2_status st = step(err);

    if (st == T2_OK)
        st = save(path, j, err);
    t2_free(path);
    T2_TRY(st);
    if (apply(manifest_path, j, false, err) != T2_OK)
        return t2_wrap(err, "the edit is decided but not finished; run the same command again");
    return T2_OK;
}

enum t2_status rec_journal_recover(const char *manifest_path, struct rec_journal *finished,
                                   struct t2_err *err)
{
    char *path = tfr_journal_path(manifest_path);
    char sha256[T2_SHA256_HEX];
    struct t2_file_info at;
    uint64_t bytes;
    enum t2_status st;

    *finished = (struct rec_journal){0};
    st = t2_look_at(path, &at, err);
    if (st == T2_OK && at.kind != T2_FILE_ABSENT)
        st = load(path, finished, err);
    t2_free(path);
    if (st == T2_OK && at.kind == T2_FILE_ABSENT)
        return rec_staging_clear(manifest_path, err);
    if (st != T2_OK)
        return t2_wrap(err, "the journal of a stopped edit cannot be read");
    T2_TRY(t2_sha256_file(manifest_path, sha256, &bytes, err));
    if (strcmp(sha256, finished->before) == 0)
        return apply(manifest_path, finished, true, err);
    if (strcmp(sha256, finished->after) == 0)
        return clean_up(manifest_path, err);
    t2_warn("'%s' was replaced after an edit of it (%s) had been stopped: the edit is forgotten",
            manifest_path, finished->command);
    rec_journal_release(finished);
    return clean_up(manifest_path, err);
}
