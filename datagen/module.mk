# datagen/module.mk - the sources of libt2-datagen.a; the format is at the top of the Makefile.
LIB_datagen := \
	encode_pass.c \
	existing_set.c \
	feature_list.c \
	feature_stats.c \
	generate.c \
	generate_report.c \
	made_from.c \
	manifest_read.c \
	manifest_write.c \
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
	sample_batch.c \
	scan_pass.c \
	shard_bins.c \
	shard_shuffle.c \
	source/archive.c \
	source/archive_extract.c \
	source/archive_kind.c \
	text_parts.c \
	text_stream.c
