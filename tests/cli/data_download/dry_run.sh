# What is there, what would be unpacked, what would come from where.
mkdir -p raw/training archives
echo a >raw/training/europarl-v7.de-en.en
echo b >raw/training/europarl-v7.de-en.de
gzip </dev/null >raw/training-parallel-commoncrawl.tgz
gzip </dev/null >archives/dev.tgz
data_download --data_dir=data --raw_dir=raw --archive_dir=archives --noverify_downloads --offline --dry_run | sed 's/([^(]* free)/(... free)/; s/forecast: .*/forecast: .../'
[ ! -e data ]
t2t-datagen --layout=official --name=x --train=raw/training/europarl-v7.de-en.en,raw/training/europarl-v7.de-en.de --data_dir=data --dry_run |
    sed 's/([^(]* free)/(... free)/; s/forecast: .*/forecast: .../'
