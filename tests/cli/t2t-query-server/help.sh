t2t-query-server --help
