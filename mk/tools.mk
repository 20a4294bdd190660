# mk/tools.mk - everything that is neither building nor testing.

.PHONY: help config lint format analyze bench compdb completion deb install uninstall flags man demo demo-multi30k demo-tatoeba demo-images demo-generate demo-speech demo-by-heart demo-summaries clean distclean

help:
	@echo 'make                 build the tools; also linked as bin/<tool>'
	@echo 'make config          which libraries were found, and how to get the others'
	@echo 'make check           the tests (T=word: those whose path contains word, and build only these)'
	@echo 'make check-all       slow ones too;  check-data: those that read T2_DATA (../shared/data)'
	@echo 'make check-mpi       several processes under mpirun -n 2'
	@echo 'make check-asan      with address and undefined-behaviour sanitizer, in build/asan'
	@echo 'make check-tsan      what makes threads, with thread sanitizer, in build/tsan'
	@echo 'make check-cuda      the device cuda without a GPU: its kernels as C++ on an emulated one, in build/cuda-host'
	@echo 'make check-gpu       the device cuda on a GPU: kernels, models, recordings; more: scripts/gpu.sh'
	@echo 'make check-nvcc      what nvcc makes of them for all targets, run on a machine that may be without a GPU, in build/nvcc'
	@echo 'make check-generic   what has CPU variants, with the plain C ones (T2_CPU=generic)'
	@echo 'make check-arm64     built for aarch64 with Debian'"'"'s cross compiler, run by qemu-user, in build/aarch64-linux-gnu'
	@echo 'make check-avx2      these and the memory of runs, as on a processor without AVX-512'
	@echo 'make lint            format, includes, names, banned calls, documentation, clang-tidy, shellcheck'
	@echo 'make format          clang-format, in place'
	@echo 'make fuzz TARGET=x TIME=60   libFuzzer with clang;  make fixtures: writes the files of fixtures/ again'
	@echo 'make bench           all benchmarks;  bench-NAME: bench/bench_NAME.* [PEERS=DIR]'
	@echo 'make demo            data, training, translation, BLEU, in minutes;  demo-multi30k, demo-tatoeba: in an hour'
	@echo 'make demo-images     images of shapes, training, classes of new images, in four minutes'
	@echo 'make demo-generate   small images that the program draws, training, images of its own making'
	@echo 'make demo-summaries  stories, training, summaries of new ones with ROUGE; STORIES=DIR of your own'
	@echo 'make demo-speech     sentences that espeak-ng speaks, training, words of new ones; in ten minutes'
	@echo 'make demo-by-heart   four utterances learned without an error, in minutes; SPEECH=TABLE of your own'
	@echo 'make coverage        lcov report;  analyze: cppcheck and gcc -fanalyzer, to read'
	@echo 'make compdb          compile_commands.json, with bear'
	@echo 'make lib-shared      libtfrecord.so and libt2t_translate.so alone; also part of make and of make install'
	@echo 'make install         to PREFIX (/usr/local), under DESTDIR; PYTHON=no without the Python module'
	@echo 'make uninstall       removes what make install put there (same PREFIX and DESTDIR)'
	@echo 'make deb             packages for Debian, in build/deb'
	@echo 'make flags           docs/flags.md from the flag tables'
	@echo 'make man             pages from --help, in build/man;  completion: for bash, zsh, fish, in build/completion'
	@echo 'make clean           removes build/ and bin/'
	@echo
	@echo 'Knobs: CC=clang  DEVELOPER=1 (-Werror)  SAN=address,undefined|thread  ARCH=native  V=1'
	@echo '       CROSS=aarch64-linux-gnu- (for another processor: docs/install.md)  SYSROOT=DIR  EMULATOR=COMMAND'
	@echo '       STATIC=1 (build/static: programs that need libc and libm only)  LIBDIR=lib  PYTHON=python3|no'
	@echo '       CUDA=yes|no|host (mk/cuda.mk)  BARE=1 (without what is missing: mk/bare.mk)'
	@echo '       OPENBLAS=no ONEDNN=no WEBP=no CURL=no (leave a library out)  JOBS=N  T2_DATA=DIR'

config:
	@mkdir -p build
	@CC='$(CC)' PROBE_STATIC='$(STATIC)' sh mk/probe.sh >$(PROBED).tmp && mv $(PROBED).tmp $(PROBED)
	@echo 'compiler   $(or $(shell $(CC) --version 2>/dev/null | head -n 1),$(CC): not found)'
	@sed -n 's/^CPU_VARIANTS := /variants   /p' $(PROBED)
	@echo 'flags      $(OPT)$(if $(SAN_FLAGS), $(SAN_FLAGS))'
	@echo 'libraries'
	@sh mk/probe.sh --report $(PROBED)

lint: all
	$(Q)BUILD=$(B) CC='$(CC)' JOBS=$(JOBS) LINT_CFLAGS='-std=c11 $(ALL_CPPFLAGS) -I$(CUDA_ON_HOST) -pthread' LINT_WARN='$(WARN)' tests/lint/run.sh $(T)

format:
	$(Q)sh tests/lint/sources.sh c | xargs -r clang-format-14 -i

analyze:
	$(Q)cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr -I. -D_GNU_SOURCE \
		-j $(JOBS) $(wildcard $(FOLDERS)) || true
	$(Q)sh tests/lint/sources.sh c | grep -v '^tests/' | grep '\.c$$' | \
		xargs -r -n 1 -P $(JOBS) gcc -std=c11 -D_GNU_SOURCE -I. $(FEATURES) -DDEV_CPU_VARIANT=generic \
		-O1 -fanalyzer -c -o /dev/null || true

# bench/bench_NAME.sh or .py, or the program bench/bench_NAME.c
BENCHES := $(sort $(patsubst bench/bench_%,%,$(basename $(wildcard bench/bench_*.sh bench/bench_*.py bench/bench_*.c))))
bench: $(BENCHES:%=bench-%)
bench-%: all
	$(Q)set -e; if [ -f bench/bench_$*.c ]; then $(MAKE) --no-print-directory $(B)/bench/bench_$*; fi; \
	PATH="$(CURDIR)/$(B)/bin:$$PATH"; export PATH; export PEERS='$(PEERS)' BUILD='$(B)' T2_DATA='$(T2_DATA)'; \
	if [ -f bench/bench_$*.sh ]; then sh bench/bench_$*.sh; \
	elif [ -f bench/bench_$*.py ]; then python3 bench/bench_$*.py; \
	elif [ -f bench/bench_$*.c ]; then $(B)/bench/bench_$*; \
	else echo 'no such benchmark; there are: $(BENCHES)' >&2; exit 2; fi

compdb:
	$(Q)bear --output compile_commands.json -- $(MAKE) -B all tests

# What --help says of every flag, as a document.
flags: $(TOOL_PATHS)
	$(Q)sh mk/flags.sh $(B)/bin >docs/flags.md

# Manual pages from --help, the shells' completion from the flag tables.
man completion: all
	$(Q)BUILD='$(B)' TOOLS='$(TOOLS)' VERSION='$(VERSION)' sh mk/pages.sh $@ build/$@

INSTALL_PARTS = $(Q)BUILD='$(B)' TOOLS='$(TOOLS)' PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' LIBDIR='$(LIBDIR)' VERSION='$(VERSION)' \
	CC='$(CC)' PYTHON='$(PYTHON)' PYTHONDIR='$(PYTHONDIR)' sh mk/install.sh
install: all man completion
	$(INSTALL_PARTS) tools tfrecord translate plugin python
uninstall:
	$(INSTALL_PARTS) --remove

# Packages for Debian, in build/deb.
deb: all man completion
	$(Q)BUILD='$(B)' TOOLS='$(TOOLS)' VERSION='$(VERSION)' CC='$(CC)' sh mk/deb.sh

demo: all
	$(Q)PATH="$(CURDIR)/$(B)/bin:$$PATH" sh scripts/demo_numbers.sh
demo-multi30k: all
	$(Q)PATH="$(CURDIR)/$(B)/bin:$$PATH" T2_DATA='$(T2_DATA)' sh scripts/demo_multi30k.sh
demo-summaries: all
	$(Q)PATH="$(CURDIR)/$(B)/bin:$$PATH" sh scripts/demo_summaries.sh
demo-speech: all
	$(Q)PATH="$(CURDIR)/$(B)/bin:$$PATH" sh scripts/demo_speech.sh
demo-by-heart: all
	$(Q)PATH="$(CURDIR)/$(B)/bin:$$PATH" T2_DATA='$(T2_DATA)' sh scripts/demo_by_heart.sh
demo-tatoeba: all
	$(Q)PATH="$(CURDIR)/$(B)/bin:$$PATH" T2_DATA='$(T2_DATA)' sh scripts/demo_tatoeba.sh

# Shapes that our own program draws: images, records, training, classes of new images.
demo-images: all
	$(Q)$(MAKE) --no-print-directory $(B)/scripts/draw_shapes
	$(Q)PATH="$(CURDIR)/$(B)/bin:$(CURDIR)/$(B)/scripts:$$PATH" sh scripts/demo_images.sh

# Small images that our own program draws, and a model that learns to make such.
demo-generate: all
	$(Q)$(MAKE) --no-print-directory $(B)/scripts/draw_emblems
	$(Q)PATH="$(CURDIR)/$(B)/bin:$(CURDIR)/$(B)/scripts:$$PATH" sh scripts/demo_generate.sh

clean distclean:
	rm -rf build bin compile_commands.json
