data_download --help
