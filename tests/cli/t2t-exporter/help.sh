t2t-exporter --help
