# datagen/module.mk - the sources of libt2-datagen.a; the format is at the top of the Makefile.
LIB_datagen := \
	text_parts.c \
	text_stream.c
