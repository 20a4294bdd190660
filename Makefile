# Makefile - everything starts here: `make help`.
#
# How a folder says what it holds: <folder>/module.mk, names relative to the folder.
#
#   LIB_base          := err.c buf.c          sources of the folder's library; no *_main.c, those are found
#   CPU_KERNELS_train := device/cpu/gemm.c    compiled once per CPU variant, with DEV_CPU_VARIANT defined to
#                                             generic, avx2 or avx512 (elsewhere than x86-64: generic only)
#   TEXTS_datagen     := problems/pairs.yaml  texts that are part of the library, as <prefix>_text_<stem> (mk/text.sh)
#   CFLAGS_train/ops/softmax.c := -O2         rarely: flags for one file, by its path from the root
#
# <folder>/foo_bar_main.c becomes the tool foo-bar (tfrec_main.c: tfrec).  tests/unit/<folder>/test_x.c,
# tests/ops/test_x.c, tests/oracle/test_x.c are one cmocka program each, tests/fuzz/fuzz_x.c one fuzz target;
# they are found, not listed.
#
# Macros, to be asked for with #ifdef: T2_HAVE_OPENBLAS, T2_HAVE_ONEDNN, T2_HAVE_WEBP, T2_HAVE_ISAL, T2_HAVE_EDIT, T2_HAVE_MICROHTTPD and T2_HAVE_CURL when the libraries are there; T2_HAVE_CPU_generic, T2_HAVE_CPU_avx2, T2_HAVE_CPU_avx512 for the variants compiled;
# in a kernel file the compiler's own __AVX2__, __AVX512F__ tell the variant.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
SHELL := /bin/sh

ifeq ($(origin CC),default)
CC := gcc
endif
AR ?= ar
PREFIX ?= /usr/local
DESTDIR ?=
LIBDIR ?= lib
T2_DATA ?= ../shared/data
JOBS ?= $(shell nproc 2>/dev/null || echo 1)

# What `make` alone builds; the rest of this file is in mk/ by subject.
FOLDERS := base tfrecord tokenizer augment audio tfrec vocab datagen train
.DEFAULT_GOAL := all

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n' $(1) $(2)
endif

include mk/config.mk
include mk/build.mk
include mk/shared.mk
include mk/test.mk
include mk/tools.mk
