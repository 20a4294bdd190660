transformer_main --help
