# tfrecord/module.mk - the sources of libt2-tfrecord.a; the format is at the top of the Makefile.
LIB_tfrecord := \
	crc32c.c \
	crc32c_x86.c \
	example_build.c \
	example_lists.c \
	example_parse.c \
	example_values.c \
	looks_like.c \
	reader.c \
	shards.c \
	source.c \
	varint.c \
	varint_x86.c \
	wire.c \
	writer.c
LIB_tfrecord += fetch.c
