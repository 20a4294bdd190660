/*
 * tfrec/open_vocab.c - the vocabulary of --vocab as the ids of records mean it.
 */
#include "tfrec/open_vocab.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "tfrecord/manifest.h"

/* Does a side of the data set say that its ids are this file's, raised? */
static bool says_raised(const struct tfr_manifest *m, const char *sha256)
{
    static const char *const sides[] = {"inputs", "targets"};
    const struct t2_json_value *vocabs = t2_json_get(t2_json_root(m->doc), "vocabularies");

    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const struct t2_json_value *v = t2_json_get(vocabs, sides[i]);
        if (strcmp(t2_json_as_string(t2_json_get(v, "sha256"), ""), sha256) == 0 &&
            t2_json_as_i64(t2_json_get(v, "id_offset"), 0) > 0)
            return true;
    }
    return false;
}

/* A manifest that cannot be read counts as none here; code that needs it reports the failure. */
static bool folder_says_raised(const char *dir, const char *sha256)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_strs files = {NULL, 0, 0};
    bool raised = false;

    if (t2_list_dir(dir, &files, &ignored) != T2_OK)
        files.n = 0;
    for (size_t i = 0; i < files.n && !raised; i++) {
        struct tfr_manifest *m = NULL;
        char *path;
        if (!t2_ends_with(files.items[i], TFR_MANIFEST_SUFFIX))
            continue;
        path = t2_path_join(dir, files.items[i]);
        if (tfr_manifest_load(path, &m, &ignored) == T2_OK)
            raised = says_raised(m, sha256);
        tfr_manifest_free(m);
        t2_free(path);
    }
    t2_strs_release(&files);
    return raised;
}

static bool inputs_say_raised(const struct tfr_inputs *in, const char *sha256)
{
    char *last = NULL;
    bool raised = false;

    for (size_t i = 0; in && i < in->n && !raised; i++) {
        char *dir = t2_path_dir(in->files[i].path);
        if (!last || strcmp(last, dir) != 0) /* shards follow each other: look once */
            raised = folder_says_raised(dir, sha256);
        t2_free(last);
        last = dir;
    }
    t2_free(last);
    return raised;
}

enum t2_status rec_open_vocab(const char *path, const struct tfr_inputs *in, struct tok_encoder **e,
                              struct t2_err *err)
{
    char sha256[65];

    T2_TRY(tok_load(path, e, err));
    tok_sha256(*e, sha256);
    if (tok_is_data_set_file(*e, path) || inputs_say_raised(in, sha256))
        tok_shift(*e);
    return T2_OK;
}

void rec_vocab_ends(const struct tok_encoder *e, int64_t *pad, int64_t *eos)
{
    bool words = strcmp(tok_kind(e), "tokens") == 0;

    *pad = words ? TOK_PAD : tok_special(e).pad;
    *eos = words ? TOK_EOS : tok_special(e).eos;
}
