# mk/tools.mk - everything that is neither building nor testing.

.PHONY: help config lint format analyze bench compdb install man demo demo-multi30k demo-tatoeba demo-images clean distclean

help:
	@echo 'make                 build the tools; also linked as bin/<tool>'
	@echo 'make config          which libraries were found, and how to get the others'
	@echo 'make check           the tests (T=word: those whose path contains word, and build only these)'
	@echo 'make check-all       slow ones too;  check-data: those that read T2_DATA (../shared/data)'
	@echo 'make check-mpi       several processes under mpirun -n 2'
	@echo 'make check-asan      with address and undefined-behaviour sanitizer, in build/asan'
	@echo 'make check-tsan      what makes threads, with thread sanitizer, in build/tsan'
	@echo 'make check-generic   what has CPU variants, with the plain C ones (T2_CPU=generic)'
	@echo 'make check-avx2      these and the memory of runs, as on a processor without AVX-512'
	@echo 'make lint            format, includes, names, banned calls, documentation, clang-tidy, shellcheck'
	@echo 'make format          clang-format, in place'
	@echo 'make fuzz TARGET=x TIME=60   libFuzzer with clang'
	@echo 'make bench           all benchmarks;  bench-NAME: bench/bench_NAME.* [PEERS=DIR]'
	@echo 'make demo            data, training, translation, BLEU, in minutes;  demo-multi30k, demo-tatoeba: in an hour'
	@echo 'make demo-images     pictures of shapes, training, classes of new pictures, in four minutes'
	@echo 'make coverage        lcov report;  analyze: cppcheck and gcc -fanalyzer, to read'
	@echo 'make compdb          compile_commands.json, with bear'
	@echo 'make lib-shared      libtfrecord.so alone; also part of make and of make install'
	@echo 'make install         to PREFIX (/usr/local), under DESTDIR;  man: pages from --help, in build/man'
	@echo 'make clean           removes build/ and bin/'
	@echo
	@echo 'Knobs: CC=clang  DEVELOPER=1 (-Werror)  SAN=address,undefined|thread  ARCH=native  V=1'
	@echo '       OPENBLAS=no ONEDNN=no WEBP=no CURL=no (leave a library out)  JOBS=N  T2_DATA=DIR'

config:
	@mkdir -p build
	@CC='$(CC)' sh mk/probe.sh >$(PROBED).tmp && mv $(PROBED).tmp $(PROBED)
	@echo 'compiler   $(shell $(CC) --version 2>/dev/null | head -n 1)'
	@sed -n 's/^CPU_VARIANTS := /variants   /p' $(PROBED)
	@echo 'flags      $(OPT)$(if $(SAN_FLAGS), $(SAN_FLAGS))'
	@echo 'libraries'
	@sh mk/probe.sh --report $(PROBED)

lint: all
	$(Q)BUILD=$(B) CC='$(CC)' JOBS=$(JOBS) LINT_CFLAGS='-std=c11 $(ALL_CPPFLAGS) -pthread' LINT_WARN='$(WARN)' tests/lint/run.sh $(T)

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

man: all
	$(Q)rm -rf build/man; mkdir -p build/man; for t in $(TOOLS); do \
		$(B)/bin/$$t --help | sh mk/man.sh $$t $(VERSION) >build/man/$$t.1 || exit 1; \
		for c in $$($(B)/bin/$$t --help | sed -n '/^usage: [^ ]* COMMAND/,/^every command/s/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p'); do \
			$(B)/bin/$$t $$c --help | sh mk/man.sh $$t-$$c $(VERSION) >build/man/$$t-$$c.1 || exit 1; done; done

install: all man
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/share/man/man1' '$(DESTDIR)$(PREFIX)/share/doc/t2t.c'
	install -m 755 $(TOOL_PATHS) '$(DESTDIR)$(PREFIX)/bin'
	install -m 644 build/man/*.1 '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 644 README.md LICENSE CHANGELOG.md $(wildcard docs/*.md) '$(DESTDIR)$(PREFIX)/share/doc/t2t.c'

demo: all
	$(Q)PATH="$(CURDIR)/$(B)/bin:$$PATH" sh scripts/demo_numbers.sh
demo-multi30k: all
	$(Q)PATH="$(CURDIR)/$(B)/bin:$$PATH" T2_DATA='$(T2_DATA)' sh scripts/demo_multi30k.sh
demo-tatoeba: all
	$(Q)PATH="$(CURDIR)/$(B)/bin:$$PATH" T2_DATA='$(T2_DATA)' sh scripts/demo_tatoeba.sh

# Shapes that our own program draws: pictures, records, training, classes of new pictures.
demo-images: all
	$(Q)$(MAKE) --no-print-directory $(B)/scripts/draw_shapes
	$(Q)PATH="$(CURDIR)/$(B)/bin:$(CURDIR)/$(B)/scripts:$$PATH" sh scripts/demo_images.sh

clean distclean:
	rm -rf build bin compile_commands.json
