# bench/module.mk - benchmarks are found: bench/bench_NAME.sh, .py or .c is `make bench-NAME`.
