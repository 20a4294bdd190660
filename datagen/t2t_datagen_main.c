/*
 * datagen/t2t_datagen_main.c - t2t-datagen: from text to vocabulary and shuffled TFRecords.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/heaps.h"
#include "base/log.h"
#include "base/remote_path.h"
#include "base/run_tool.h"
#include "base/shown.h"
#include "base/text.h"
#include "datagen/datagen_flags.h"
#include "datagen/default_folders.h"
#include "datagen/official/official_problem.h"
#include "datagen/own/own_kinds.h"
#include "datagen/own/problem_own_speech.h"
#include "datagen/problem_files/problem_file.h"
#include "datagen/problem_registry.h"
#include "datagen/runs/forecast.h"
#include "datagen/runs/generate.h"
#include "datagen/runs/join_parts.h"
#include "datagen/runs/problem_describe.h"
#include "datagen/sets/check_set.h"
#include "datagen/sets/data_card.h"
#include "datagen/sets/preview_set.h"

static const char *const after_examples =
    "  t2t-datagen --problem=translate_ende_numbers --data_dir=data\n"
    "  t2t-datagen --name=my_corpus --train=a.en,a.de --dev=b.en,b.de \\\n"
    "      --vocab_size=8192 --data_dir=data\n";

/* JSON has escapes of its own. */
static void put_text(const struct t2_buf *text)
{
    if (dg_flags.json)
        (void) fwrite(t2_buf_cstr(text), 1, text->len_bytes, stdout);
    else
        t2_show_stdout(t2_buf_slice(text));
}

static bool is_own_text(void)
{
    const struct dg_own_text *o = &dg_flags.own_text;

    return o->files[DG_TRAIN][0] || o->files[DG_DEV][0] || o->files[DG_TEST][0] || o->name[0] ||
           o->vocab[0] || o->vocab_size || o->source_vocab_size || o->target_vocab_size ||
           o->source_vocab[0] || o->target_vocab[0];
}

static struct dg_generate settings(struct t2_pool *pool, char *data_dir, char *tmp_dir,
                                   const char *command)
{
    struct dg_generate g = {0};

    g.options.data_dir = data_dir;
    g.options.tmp_dir = tmp_dir;
    g.options.pool = pool;
    g.options.random_seed = (uint64_t) dg_flags.random_seed;
    g.options.max_cases = (uint64_t) dg_flags.max_cases;
    g.options.zero_based_labels = dg_flags.zero_based_labels;
    g.options.fetch = &dg_flags.fetch_options;
    g.n_shards[DG_TRAIN] =
        (int) (dg_flags.train_shards ? dg_flags.train_shards : dg_flags.num_shards);
    g.n_shards[DG_DEV] = (int) dg_flags.dev_shards;
    g.n_shards[DG_TEST] = (int) dg_flags.test_shards;
    g.overwrite = dg_flags.overwrite;
    g.ignore_space = dg_flags.ignore_space;
    g.shuffle_bytes = dg_flags.shuffle_memory;
    g.max_memory = g.options.max_memory = dg_flags.max_memory;
    g.options.invalid = (enum dg_invalid) dg_flag_choice(dg_invalid_policies, dg_flags.invalid);
    g.options.refusals = &dg_flags.refusals;
    g.shuffle = (enum dg_shuffle_kind) dg_flag_choice(dg_shuffles, dg_flags.shuffle);
    g.command = command;
    g.pool = pool;
    return g;
}

static void warn_of_default_dir(const struct dg_generate *g)
{
    if (dg_flags.data_dir[0] == '\0')
        t2_warn("no --data_dir: writing to '%s'", g->options.data_dir);
}

/* The share of this process: of --task, of the original's flags, or of mpirun. */
static enum t2_status choose_share(const struct dg_problem *p, struct dg_generate *g, bool *join,
                                   struct t2_err *err)
{
    int64_t first = dg_flags.task_id >= 0 ? dg_flags.task_id : dg_flags.task_id_start;
    int64_t end = dg_flags.task_id >= 0 ? dg_flags.task_id + 1 : dg_flags.task_id_end, n;
    struct t2_strs shards = {0};

    *join = false;
    if (dg_flags.task[0]) {
        T2_TRY(dg_task_parse(dg_flags.task, &g->share, err));
    } else if (first >= 0 || end >= 0) {
        dg_shard_paths(p, g, &shards);
        n = (int64_t) shards.n;
        t2_strs_release(&shards);
        if (first < 0 || end <= first || end > n)
            return t2_fail(err, T2_EUSAGE,
                           "--task_id: shards %" PRId64 " to %" PRId64 " of %" PRId64
                           ", counted from 0",
                           first, end - 1, n);
        g->share = (struct dg_task_share){(int) first, (int) end, (int) n};
    } else if (dg_task_of_mpirun(&g->share)) {
        *join = g->share.first == 0;
        t2_log_set_rank(g->share.first, g->share.n);
    }
    if (g->share.n && dg_flags.overwrite)
        return t2_fail(err, T2_EUSAGE,
                       "--overwrite: one task of many cannot know what the others have done; "
                       "remove the data set first");
    return T2_OK;
}

/* The sum over all problems of the command line. */
static struct dg_forecast forecast_of_all;
static size_t n_forecast;

static enum t2_status make_one(const struct dg_problem *p, const struct dg_generate *settings,
                               struct t2_err *err)
{
    struct dg_generate share = *settings, *g = &share;
    struct dg_report report = {0};
    struct t2_buf text = {0};
    enum t2_status st;
    bool join;

    T2_TRY(choose_share(p, g, &join, err));
    if (dg_flags.dry_run) {
        st = dg_describe_plan(p, g, dg_flags.json, &forecast_of_all, &text, err);
        n_forecast++;
    } else if (dg_flags.join) {
        st = dg_join_parts(p->name, g->options.data_dir, err);
    } else {
        st = dg_generate(p, g, &report, err);
        if (st == T2_OK && join)
            st = dg_join_when_made(p->name, g->options.data_dir, err);
        if (st == T2_OK && dg_flags.json && report.manifest) {
            struct t2_json json;
            t2_json_init(&json, &text, 0);
            dg_report_json(&report, &json);
            t2_buf_push(&text, '\n');
        }
    }
    put_text(&text);
    t2_buf_release(&text);
    dg_report_release(&report);
    return st;
}

/* wiki_revision* with its own flags. */
static enum t2_status make_revisions(const struct dg_problem *p, const struct dg_generate *settings,
                                     struct t2_err *err)
{
    struct dg_revision_spec spec = dg_flags.revisions;
    struct dg_generate g = *settings;
    struct dg_problem *sizes = NULL;
    enum t2_status st;

    if (g.options.max_cases)
        return t2_fail(err, T2_EUSAGE,
                       "--max_cases: '%s' has --wiki_revision_max_examples_per_shard", p->name);
    if (g.shuffle == DG_SHUFFLE_GLOBAL)
        return t2_fail(err, T2_EUSAGE, "--shuffle=global: the shards of '%s' are made one by one",
                       p->name);
    if (g.n_shards[DG_TRAIN])
        spec.num_train_shards = g.n_shards[DG_TRAIN];
    if (g.n_shards[DG_DEV])
        spec.num_dev_shards = g.n_shards[DG_DEV];
    g.n_shards[DG_TRAIN] = g.n_shards[DG_DEV] = 0;
    spec.max_unpacked = dg_flags.max_unpacked;
    T2_TRY(dg_revision_problem_new(p, &spec, &sizes, err));
    st = make_one(sizes, &g, err);
    dg_revision_problem_free(sizes);
    return st;
}

/* A mixture has no data of its own. */
static enum t2_status make_one_or_members(const struct dg_problem *p, const struct dg_generate *g,
                                          struct t2_err *err)
{
    const struct dg_problem *member;

    if (dg_is_revision_problem(p))
        return make_revisions(p, g, err);
    if (!p->members)
        return make_one(p, g, err);
    for (size_t i = 0; p->members[i]; i++) {
        member = dg_find(p->members[i]);
        if (!member)
            return t2_fail(err, T2_EUNSUPPORTED, "'%s': its member '%s' is not known", p->name,
                           p->members[i]);
        T2_TRY(make_one(member, g, err));
    }
    return T2_OK;
}

/* Files that several problems share are counted several times. */
static void put_sum(const struct dg_generate *g)
{
    struct t2_buf text = {0};

    t2_buf_printf(&text, "all %zu, one after the other: ", n_forecast);
    dg_forecast_put(&forecast_of_all, g, &text);
    (void) printf("%s\n", t2_buf_cstr(&text));
    t2_buf_release(&text);
}

static void add_missing(const struct dg_problem *p, const struct dg_generate *g,
                        struct t2_strs *lines)
{
    if (!p->members) {
        dg_missing_offline(p, g, lines);
        return;
    }
    for (size_t i = 0; p->members[i]; i++) {
        const struct dg_problem *member = dg_find(p->members[i]);

        if (member)
            dg_missing_offline(member, g, lines);
    }
}

/* With --offline: all that is missing of all problems, before the first is made. */
static enum t2_status check_all_offline(const struct t2_strs *selected, const struct dg_generate *g,
                                        struct t2_err *err)
{
    struct t2_strs lines = {0};
    enum t2_status st = T2_OK;

    if (dg_flags.dry_run || dg_flags.join || selected->n < 2)
        return T2_OK; /* one says it itself */
    for (size_t i = 0; i < selected->n; i++)
        add_missing(dg_find(selected->items[i]), g, &lines);
    for (size_t i = 0; i < lines.n; i++)
        t2_log(T2_LOG_ERROR, "--offline: %s", lines.items[i]);
    if (lines.n > 0)
        st = t2_fail(err, T2_ENOTFOUND,
                     "--offline: the %zu files above are missing, nothing was made", lines.n);
    t2_strs_release(&lines);
    return st;
}

/* A dry run of several goes on behind one of which something is missing. */
static enum t2_status make_each(const struct t2_strs *selected, const struct dg_generate *g,
                                struct t2_err *err)
{
    size_t n_missing = 0;

    for (size_t i = 0; i < selected->n; i++) {
        enum t2_status st = make_one_or_members(dg_find(selected->items[i]), g, err);

        if (st == T2_ENOTFOUND && dg_flags.dry_run && selected->n > 1) {
            t2_log(T2_LOG_ERROR, "%s", err->message);
            *err = (struct t2_err) T2_ERR_INIT;
            n_missing++;
            continue;
        }
        T2_TRY(st);
    }
    if (n_missing > 0)
        return t2_fail(err, T2_ENOTFOUND, "of %zu of %zu problems something is missing, see above",
                       n_missing, selected->n);
    return T2_OK;
}

static enum t2_status make_selected(const struct t2_strs *selected, const struct dg_generate *g,
                                    struct t2_err *err)
{
    struct t2_buf list = {0};

    warn_of_default_dir(g);
    dg_list_grouped(selected, &list);
    t2_info("Generating problems:\n%.*s", (int) list.len_bytes - 1, t2_buf_cstr(&list));
    t2_buf_release(&list);
    T2_TRY(check_all_offline(selected, g, err));
    T2_TRY(make_each(selected, g, err));
    if (n_forecast > 1 && !dg_flags.json)
        put_sum(g);
    return T2_OK;
}

static void describe_selected(const struct t2_strs *selected, const struct dg_generate *g)
{
    struct t2_buf text = {0};
    struct t2_json json;

    for (size_t i = 0; i < selected->n; i++) {
        if (!dg_flags.json) {
            dg_problem_describe(dg_find(selected->items[i]), g, &text);
            continue;
        }
        t2_json_init(&json, &text, 0);
        dg_problem_describe_json(dg_find(selected->items[i]), g, &json);
        t2_buf_push(&text, '\n');
    }
    put_text(&text);
    t2_buf_release(&text);
}

/* The names that the original's error lists, with a line about each. */
static void list_all(void)
{
    struct t2_strs names = {0};
    struct t2_buf text = {0};

    dg_names(&names);
    dg_list_families(&names, &text);
    (void) fputs(t2_buf_cstr(&text), stderr);
    t2_buf_release(&text);
    t2_strs_release(&names);
}

static bool is_kind(const char *problem)
{
    const struct dg_own_kind *kind;
    struct t2_err none = T2_ERR_INIT;

    return dg_own_kind_find(problem, &kind, &none) == T2_OK;
}

static enum t2_status make_own_text(const struct dg_generate *g, struct t2_err *err)
{
    struct dg_own_text own = dg_flags.own_text;
    const char *problem = dg_flags.problem;
    struct dg_problem *p = NULL;
    enum t2_status st;

    if (is_kind(problem)) { /* --problem=text2class is what T2T's users look for */
        own.kind = own.kind[0] ? own.kind : problem;
        problem = "";
    }
    if (own.name[0] == '\0')
        own.name = problem;
    else if (problem[0] && strcmp(problem, own.name) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "--problem='%s' and --name='%s': text of your own is one data set", problem,
                       own.name);
    own.max_memory = g->max_memory;
    own.held_out =
        (struct dg_held_out){dg_flags.own_images.dev_percent, dg_flags.own_images.test_percent};
    T2_TRY(dg_own_text_new(&own, &p, err));
    warn_of_default_dir(g);
    if (!p->n_shards[DG_DEV])
        t2_warn("no --dev: the trainer will have nothing to evaluate on");
    st = make_one(p, g, err);
    dg_own_text_free(p);
    return st;
}

/* Folders, or lists: a table without training text is one. */
static bool is_own_images(void)
{
    const struct dg_own_text *o = &dg_flags.own_text;

    return dg_flags.own_images.image_dir[0] || strcmp(o->kind, "image2class") == 0 ||
           strcmp(dg_flags.problem, "image2class") == 0 ||
           (o->csv[0] && !o->files[DG_TRAIN][0] && !dg_flags_are_official());
}

static enum t2_status make_own_images(const struct dg_generate *g, struct t2_err *err)
{
    const struct dg_own_text *o = &dg_flags.own_text;
    struct dg_own_images own = dg_flags.own_images;
    const char *problem = strcmp(dg_flags.problem, "image2class") == 0 ? "" : dg_flags.problem;
    struct dg_problem *p = NULL;
    enum t2_status st;

    own.name = o->name[0] ? o->name : problem;
    own.classes = o->classes;
    own.lists[DG_TRAIN] = o->csv[0] ? o->csv : o->files[DG_TRAIN];
    own.lists[DG_DEV] = o->files[DG_DEV];
    own.lists[DG_TEST] = o->files[DG_TEST];
    if (o->csv[0] && o->files[DG_TRAIN][0])
        return t2_fail(err, T2_EUSAGE,
                       "--csv=FILE is the list of all images, --train that of the "
                       "training images: give one of them");
    if (problem[0] && strcmp(problem, own.name) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "--problem='%s' and --name='%s': images of your own are one data set",
                       problem, own.name);
    T2_TRY(dg_own_images_new(&own, &p, err));
    warn_of_default_dir(g);
    if (!p->n_shards[DG_DEV])
        t2_warn("no images for dev (--dev_percent): the trainer will have nothing to evaluate "
                "on");
    st = make_one(p, g, err);
    dg_own_images_free(p);
    return st;
}

static bool is_own_speech(void)
{
    return strcmp(dg_flags.own_text.kind, "speech") == 0;
}

static enum t2_status make_own_speech(const struct dg_generate *g, struct t2_err *err)
{
    const struct dg_own_text *o = &dg_flags.own_text;
    const struct dg_own_speech own = {.name = o->name[0] ? o->name : dg_flags.problem,
                                      .from = {o->files[DG_TRAIN], o->files[DG_DEV],
                                               o->files[DG_TEST]}};
    struct dg_problem *p = NULL;
    enum t2_status st;

    T2_TRY(dg_own_speech_new(&own, &p, err));
    warn_of_default_dir(g);
    if (!p->n_shards[DG_DEV])
        t2_warn("no --dev: the trainer will have nothing to evaluate on");
    st = make_one(p, g, err);
    dg_own_speech_free(p);
    return st;
}

static enum t2_status make_official(const struct dg_generate *g, struct t2_err *err)
{
    struct dg_official_spec spec = {.search = dg_flags.search,
                                    .name = is_own_text() ? dg_flags.own_text.name : NULL,
                                    .files = {dg_flags.own_text.files[DG_TRAIN],
                                              dg_flags.own_text.files[DG_DEV],
                                              dg_flags.own_text.files[DG_TEST]},
                                    .vocab_size = dg_flags.own_text.vocab_size,
                                    .budget = (uint64_t) dg_flags.file_byte_budget};
    struct dg_problem *p = NULL;
    enum t2_status st;

    T2_TRY(dg_official_new(&spec, &p, err));
    warn_of_default_dir(g);
    st = dg_flags.dry_run ? T2_OK : dg_official_folders(&g->options, err);
    if (st == T2_OK)
        st = make_one(p, g, err);
    dg_official_free(p);
    return st;
}

static enum t2_status make(const struct dg_generate *g, struct t2_err *err)
{
    struct t2_strs selected = {0};
    struct t2_buf list = {0};
    enum t2_status st;

    if (dg_flags_are_official())
        return make_official(g, err);
    if (is_own_speech() && !dg_flags.only_list)
        return make_own_speech(g, err);
    if (is_own_images() && !dg_flags.only_list)
        return make_own_images(g, err);
    if (is_own_text() && !dg_flags.only_list)
        return make_own_text(g, err);
    st = dg_select(dg_flags.only_list && !dg_flags.problem[0] ? "*" : dg_flags.problem,
                   dg_flags.exclude_problems, &selected, err);
    if (dg_flags.problem[0] == '\0' && !dg_flags.only_list)
        list_all();
    if (st == T2_OK && dg_flags.describe) {
        describe_selected(&selected, g);
    } else if (st == T2_OK && dg_flags.only_list) {
        dg_list_grouped(&selected, &list);
        put_text(&list);
        t2_buf_release(&list);
    } else if (st == T2_OK) {
        st = make_selected(&selected, g, err);
    }
    t2_strs_release(&selected);
    return st;
}

/* A page of images of one data set, which is made when it is not there. */
static enum t2_status preview(const struct dg_generate *g, struct t2_err *err)
{
    const char *name = dg_flags.problem[0] ? dg_flags.problem : dg_flags.own_text.name;
    const struct dg_sheet_spec spec = {.path = dg_flags.preview,
                                       .pipeline = dg_flags.preview_pipeline,
                                       .n_images = dg_flags.preview_images,
                                       .seed = g->options.random_seed};

    if (name[0] == '\0' || strpbrk(name, ",*"))
        return t2_fail(err, T2_EUSAGE, "--preview: which one --problem?");
    T2_TRY(dg_preview_check(name, err));
    T2_TRY(dg_sheet_check(&spec, err));
    if (!dg_preview_is_there(name, g->options.data_dir))
        T2_TRY(make(g, err));
    return dg_preview_set(name, g->options.data_dir, &spec, err);
}

/* The folder of downloads; *is_default: nobody named it, and dg_leave_default_dir follows. */
static enum t2_status open_tmp_dir(char **dir, bool *is_default, struct t2_err *err)
{
    const char *named = dg_flags.raw_dir[0] ? dg_flags.raw_dir : dg_flags.tmp_dir;

    *is_default = named == dg_shared_tmp_dir;
    *dir = *is_default ? dg_default_tmp_dir() : t2_path_expand(named);
    return *is_default && !dg_flags.dry_run ? dg_claim_default_dir(*dir, "tmp_dir", err) : T2_OK;
}

static enum t2_status fetch_only(const char *tmp_dir, struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st = dg_fetch_command(&dg_flags.fetch, tmp_dir, dg_flags.dry_run, &text, err);

    put_text(&text);
    t2_buf_release(&text);
    return st;
}

static enum t2_status load_usr_dir(struct t2_err *err)
{
    enum t2_status st = T2_OK;
    char *dir;

    if (dg_flags.t2t_usr_dir[0]) {
        dir = t2_path_expand(dg_flags.t2t_usr_dir);
        st = dg_usr_dir_register(dir, err);
        t2_free(dir);
    }
    return st;
}

static enum t2_status check(struct t2_pool *pool, struct t2_err *err)
{
    char *dir = t2_path_expand(dg_flags.check);
    struct t2_buf text = {0};
    size_t n_damaged = 0;
    enum t2_status st = dg_check_sets(dir, dg_flags.json, pool, &text, &n_damaged, err);

    put_text(&text);
    if (st == T2_OK && n_damaged)
        st = t2_fail(err, T2_EFORMAT, "%zu data set%s of '%s' %s not what the manifest says",
                     n_damaged, n_damaged == 1 ? "" : "s", dir, n_damaged == 1 ? "is" : "are");
    t2_buf_release(&text);
    t2_free(dir);
    return st;
}

static enum t2_status print_card(const char *data_dir, struct t2_pool *pool, struct t2_err *err)
{
    const char *name = dg_flags.problem[0] ? dg_flags.problem : dg_flags.own_text.name;
    struct t2_buf text = {0};
    enum t2_status st;

    if (name[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--info: which --problem?");
    st = dg_data_card(name, data_dir, dg_flags.json, pool, &text, err);
    put_text(&text);
    t2_buf_release(&text);
    return st;
}

static enum t2_status run_in(char *tmp, struct t2_err *err)
{
    int n_threads = t2_flags_num_threads();
    const char *data_dir = dg_flags.data_dir;
    struct dg_generate g;
    struct t2_pool *pool;
    char *data, *command;
    enum t2_status st;

    if (dg_flags.fetch.fetch[0])
        return fetch_only(tmp, err);
    if (dg_flags.max_memory > 0)
        t2_bound_heaps();
    T2_TRY(load_usr_dir(err));
    if (data_dir[0] == '\0') {
        data_dir = getenv("TMPDIR");
        data_dir = data_dir && *data_dir ? data_dir : "/tmp";
        if (t2_check_scheme(data_dir, err) != T2_OK)
            return t2_wrap(err, "TMPDIR, as --data_dir is not given");
    }
    data = t2_path_expand(data_dir);
    command = dg_manifest_command();
    pool = t2_pool_new(n_threads ? n_threads : (int) dg_flags.num_concurrent_processes);
    g = settings(pool, data, tmp, command);
    st = dg_flags.check[0]     ? check(pool, err)
         : dg_flags.info       ? print_card(data, pool, err)
         : dg_flags.preview[0] ? preview(&g, err)
                               : make(&g, err);
    t2_pool_free(pool);
    t2_free(command);
    t2_free(data);
    return st;
}

static enum t2_status run(struct t2_err *err)
{
    bool is_default = false;
    char *tmp = NULL;
    enum t2_status st = dg_flags_check(err);

    if (st == T2_OK)
        st = open_tmp_dir(&tmp, &is_default, err);
    if (st == T2_OK) {
        st = run_in(tmp, err);
        if (is_default)
            dg_leave_default_dir(tmp);
    }
    t2_free(tmp);
    return st;
}

static const struct t2_flag_values values[] = {
    {"problem", NULL, dg_names},
    {"kind",
     "text2text text2self text2class text2real text2labels table2real table2class table2labels "
     "speech",
     NULL},
    {"clean", "inputs targets", NULL},
    {"drop_duplicates", "pairs inputs targets none", NULL},
    {"on_error", "fail skip quarantine", NULL},
    {"exif", "apply ignore", NULL},
    {"reencode", "never odd always", NULL},
    {"layout", "t2t official", NULL},
    {"shuffle", "t2t global none", NULL},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    size_t n_flags;
    const struct t2_flag *table = dg_flag_table(&n_flags);
    const struct t2_tool tool = {
        .name = "t2t-datagen",
        .usage =
            "(--problem=NAMES | --name=NAME --train=FILES | --fetch=URLS) --data_dir=DIR [flags]",
        .summary = "Turns text into a subword vocabulary and sharded, shuffled TFRecords, as "
                   "Tensor2Tensor "
                   "does.",
        .examples = after_examples,
        .flags = table,
        .n_flags = n_flags,
        .local_flags = "t2t_usr_dir archive_dir", /* plug-ins are opened by the system */
        .values = values,
    };

    return t2_run_tool(&tool, argc, argv, run);
}
