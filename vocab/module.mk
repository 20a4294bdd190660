# vocab/module.mk - the sources of libt2-vocab.a; the format is at the top of the Makefile.
LIB_vocab := \
	cmd_build.c \
	cmd_convert.c \
	cmd_count.c \
	cmd_decode.c \
	cmd_diff.c \
	cmd_encode.c \
	cmd_lookup.c \
	cmd_show.c \
	cmd_stats.c \
	cmd_verify.c \
	corpus.c \
	entry_text.c \
	length_histogram.c \
	vocab_commands.c \
	word_counts.c
