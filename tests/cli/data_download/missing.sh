# What is missing is named, with its address.
data_download --data_dir=data --raw_dir=raw --offline || echo "exit code $?"
