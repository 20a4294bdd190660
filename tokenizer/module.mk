# tokenizer/module.mk - the sources of libt2-tokenizer.a; the format is at the top of the Makefile.
LIB_tokenizer := \
	unicode.c
