# datagen/module.mk - the sources of libt2-datagen.a; the format is at the top of the Makefile.
LIB_datagen := \
	bin_order.c \
	encode_pass.c \
	existing_set.c \
	feature_list.c \
	feature_stats.c \
	fetch/confirm_form.c \
	fetch/download.c \
	fetch/fetch_attempt.c \
	fetch/fetch_command.c \
	fetch/fetch_defaults.c \
	fetch/fetch_files.c \
	fetch/fetch_flags.c \
	fetch/fetch_meter.c \
	fetch/fetch_one.c \
	fetch/fetch_plan.c \
	fetch/file_kind.c \
	fetch/http_headers.c \
	fetch/part_file.c \
	fetch/part_finish.c \
	fetch/part_state.c \
	fetch/source_lookup.c \
	generate.c \
	generate_report.c \
	kept_text.c \
	made_from.c \
	manifest_read.c \
	manifest_write.c \
	memory_plan.c \
	number_words.c \
	numbers_grammar.c \
	numbers_lexicon.c \
	numbers_phrases.c \
	pack_records.c \
	problem_numbers.c \
	problem_own_text.c \
	problem_registry.c \
	problem_tmpdir.c \
	problem_view.c \
	problem_vocab.c \
	problems/algebra_inverse.c \
	problems/algorithmic_cases.c \
	problems/problem_algebra_inverse.c \
	problems/problem_algorithmic.c \
	problems/line_stream.c \
	problems/dump_parts.c \
	problems/fill_blanks.c \
	problems/problem_enwik8.c \
	problems/problem_wiki_dump.c \
	problems/problem_wiki_lm.c \
	problems/wiki_pages.c \
	problems/problem_lm1b.c \
	problems/problem_wikitext.c \
	problems/word_list.c \
	problems/problem_transduction.c \
	sample_batch.c \
	scan_pass.c \
	shard_bins.c \
	shard_shuffle.c \
	source/archive.c \
	source/archive_extract.c \
	source/archive_kind.c \
	source/file_set.c \
	source/filter_stream.c \
	source/ids_stream.c \
	source/label_stream.c \
	source/mix_stream.c \
	source/source_files.c \
	source/text_table.c \
	source/wrapped_stream.c \
	text_parts.c \
	text_stream.c \
	words_vocab.c

LIB_datagen += \
	official/find_file.c \
	official/official_problem.c \
	official/official_raw.c \
	official/official_sources.c \
	official/official_stream.c \
	official/official_text.c

LIB_datagen += \
	images/check_folder.c \
	images/list_tree.c
