# Every flag of the tools of training is read, passed over with a line, or refused: no flag is accepted in
# silence.  That a flag which is `read` has a reader is held by tests/lint/check_flag_readers.sh; a new flag
# must be written down here.
cat >table <<'END'
t2t-trainer read problem data_dir model hparams_set hparams batch_size random_seed order output_dir schedule train_steps
t2t-trainer read local_eval_frequency eval_steps eval_use_test_set resume allow_hparams_change keep_checkpoint_max
t2t-trainer read save_checkpoints_secs save_checkpoints_steps eval_timeout_mins experiment config_file params_override mode
t2t-trainer read decode_hparams decode_to_file generate_data text tmp_dir t2t_usr_dir job_dir gpu_automatic_mixed_precision
t2t-trainer read keep_checkpoint_every_n_hours keep_checkpoint_best eval_early_stopping_steps eval_early_stopping_metric eval_metrics
t2t-trainer read eval_early_stopping_metric_delta eval_early_stopping_metric_minimize eval_samples warm_start_from freeze
t2t-trainer read pause_at_step on_nan max_corrupt replay_step autotune hparams_range autotune_objective autotune_maximize autotune_max_trials
t2t-trainer read autotune_parallel_trials autotune_algorithm autotune_sampler autotune_min_steps autotune_reduction autotune_grid_points
t2t-trainer read autotune_seed autotune_trainer worker_gpu gradient_accumulation shard_optimizer exchange rank_timeout tensorboard summary_histograms
t2t-trainer read model_dir describe device host_threads precision max_memory remat log_step_count_steps json dry_run profile registry_help
t2t-decoder read output_dir checkpoint_path average_checkpoints data_dir problem model hparams_set hparams decode_from_file
t2t-decoder read ensemble eval_use_test_set decode_to_file decode_reference contact_sheet draw_images decode_interactive keep_timestamp decode_hparams random_seed
t2t-decoder read t2t_usr_dir max_memory device json score_file decode_shards worker_id
t2t-decoder read precision shortlist serve serve_name serve_body serve_instances serve_ids serve_queue serve_timeout
t2t-exporter read output_dir checkpoint_path average_checkpoints data_dir problem model hparams_set hparams format
t2t-exporter read t2t_usr_dir export_dir storage decode_hparams check device inspect
t2t-exporter refused as_text export_as_tfhub
t2t-avg-all read model_dir output_dir n min_steps wait_minutes
t2t-bleu read translation reference scorer width json bleu_variant translations_dir event_dir tag_suffix
t2t-bleu read min_steps wait_minutes report_zero metrics tokenize spm_model mecab_dictionary smooth_method
t2t-bleu read smooth_value lowercase lc effective_order num_refs sentence_level chrf_char_order chrf_word_order
t2t-bleu read chrf_beta chrf_lowercase chrf_whitespace chrf_eps_smoothing ter_normalized ter_no_punct
t2t-bleu read ter_asian_support ter_case_sensitive confidence confidence_n paired_bs paired_bs_n paired_ar
t2t-bleu read paired_ar_n format score_only short rouge_variant use_stemmer
t2t-bleu passed source=x
t2t-query-server read server servable_name problem data_dir inputs_once timeout_secs
END
# Those that Tensor2Tensor's trainer and decoder have in common (utils/flags.py, bin/t2t_trainer.py), for each of
# the two: a row of its own, or one of these.
# shellcheck disable=SC2034 # read by eval
passed="enable_graph_rewriter log_device_placement worker_gpu_memory_fraction=1 gpu_order=1 worker_job=x ps_job=x
    eval_throttle_seconds=9 iterations_per_loop=9 tpu_num_shards=9 tpu_job_name=x tpu_infeed_sleep_secs=9 cloud_tpu_name=x
    export_saved_model_api_version=2 use_guarantee_const_getter use_tpu_estimator xla_compile xla_jit_level=1
    optionally_use_dist_strat inter_op_parallelism_threads=1 intra_op_parallelism_threads=1 master=x std_server_protocol=x
    use_tpu sync master=x eval_run_autoregressive tmp_dir=x schedule=train train_steps=1 eval_steps=1 eval_timeout_mins=1 local_eval_frequency=1
    cloud_mlengine cloud_mlengine_master_type=x alsologtostderr v=1 log_dir=x keep_checkpoint_max=1 save_checkpoints_secs=1 log_step_count_steps=1 profile"
# shellcheck disable=SC2034
refused="flagfile=x hparams_range=x eval_early_stopping_metric=x eval_early_stopping_metric_delta=1
    eval_early_stopping_steps=9 noeval_early_stopping_metric_minimize keep_checkpoint_every_n_hours=1 warm_start_from=x
    worker_gpu=2 worker_replicas=2 worker_id=1 ps_gpu=1 ps_replicas=1 tfdbg dbgprofile export_saved_model generate_data
    gpu_automatic_mixed_precision autotune_objective=x
    noautotune_maximize autotune_max_trials=1 autotune_parallel_trials=2 job_dir=x decode_hparams=x decode_from_file=x
    decode_to_file=x decode_reference=x registry_help gin_param=x gin_location_prefix=x
    wiki_revision_data_prefix=x wiki_revision_num_train_shards=9 wiki_revision_num_dev_shards=9 wiki_revision_vocab_file=x
    wiki_revision_max_examples_per_shard=9 wiki_revision_max_page_size_exp=9 wiki_revision_max_equal_to_diff_ratio=9
    wiki_revision_revision_skip_factor=9 wiki_revision_percent_identical_examples=9 nowiki_revision_introduce_errors
    timit_paths=x parsing_path=x disable_ffmpeg"

fail() {
    echo "$*" >&2
    exit 1
}
names() { # of flags, without values and negations
    printf '%s\n' "$@" | sed -e 's/=.*//' -e 's/^no\(eval_early\|autotune\|wiki_revision\)/\1/'
}
rows() { # of a tool's --help
    "$1" --help | sed -e '/^every tool/,$d' | sed -n -e 's/^  --\[no\]\([a-z][a-z0-9_]*\).*/\1/p' \
        -e 's/^  --*\([a-z][a-z0-9_]*\).*/\1/p' | sort
}
is_passed() { # tool, flag
    "$1" --translation=x --reference=x "--$2" >log 2>&1 </dev/null || "$1" "--$2" >>log 2>&1 </dev/null || :
    grep -q -- "--$(names "$2") means nothing here and is passed over" log || fail "$1 --$2: is passed over in silence: $(cat log)"
}
is_refused() { # tool, flag
    code=0
    "$1" "--$2" >log 2>&1 </dev/null || code=$?
    [ "$code" = 1 ] || fail "$1 --$2: exit code $code, of what is not supported it is 1: $(cat log)"
    grep -q -- "--$(names "$2")\|--translations_dir, --event_dir" log || fail "$1 --$2: the message does not name it: $(cat log)"
}

for tool in t2t-trainer t2t-decoder t2t-exporter t2t-avg-all t2t-bleu t2t-query-server; do
    sed -n "s/^$tool [a-z]* //p" table | tr ' ' '\n' | sed 's/=.*//' | sort >told
    rows "$tool" | diff told - >difference || fail "$tool: the table of this test and --help differ: $(cat difference)"
done
grep -v ' read ' table >others
while read -r tool role flags; do
    for flag in $flags; do
        "is_$role" "$tool" "$flag"
    done
done <others
for tool in t2t-trainer t2t-decoder; do
    rows "$tool" >own
    [ $tool = t2t-trainer ] || printf 'worker_gpu\ndecode_in_memory\n' >>own # see below
    for role in passed refused; do
        eval "flags=\$$role"
        for flag in $flags; do
            grep -qx "$(names "$flag")" own || "is_$role" "$tool" "$flag"
        done
    done
done

# What the decoder says otherwise than the trainer.
for flag in worker_gpu=1 decode_in_memory disable_grappler_optimizations; do
    is_passed t2t-decoder "$flag"
done
is_passed t2t-query-server t2t_usr_dir=x
is_refused t2t-query-server cloud_mlengine_model_name=x
is_refused t2t-query-server cloud_mlengine_model_version=x

# A flag that the way taken does not read is refused, or named.
for flag in decode_to_file=x decode_reference=x keep_timestamp json contact_sheet=x; do
    code=0
    t2t-decoder --decode_interactive --output_dir=none "--$flag" >log 2>&1 </dev/null || code=$?
    [ "$code" = 2 ] || fail "t2t-decoder --decode_interactive --$flag: exit code $code: $(cat log)"
    grep -q -- "--${flag%%=*} is for" log || fail "t2t-decoder --decode_interactive --$flag: $(cat log)"
done
