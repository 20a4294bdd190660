# base/module.mk - the sources of libt2-base.a; the format is at the top of the Makefile.
# version.c alone gets T2_VERSION, T2_GIT_DESCRIBE, T2_COMPILER and T2_BUILD_CONFIG as strings.
LIB_base := \
	alloc.c \
	buf.c \
	cpu.c \
	err.c \
	hash.c \
	log.c \
	map.c \
	mt19937.c \
	rng.c \
	sha256.c \
	signals.c \
	str.c
