# vocab/module.mk - the sources of libt2-vocab.a; the format is at the top of the Makefile.
LIB_vocab := corpus.c entry_text.c word_counts.c vocab_commands.c
LIB_vocab += cmd_build.c cmd_count.c cmd_encode.c cmd_decode.c cmd_show.c cmd_lookup.c cmd_diff.c
LIB_vocab += length_histogram.c cmd_verify.c cmd_stats.c cmd_convert.c
