# What a problem is made from and becomes, as text and as JSON; mixtures; names that are not made here.
describe() { t2t-datagen --describe --tmp_dir=tmp --data_dir=data "$@"; }
mkdir -p tmp/wikitext-103 data
describe --problem=languagemodel_ptb10k,wsj_parsing,parsing_icelandic16k
touch tmp/wsjTrain.trees data/vocab.lmptb.10000
echo '(TOP (NP (DT the) (NN cat)))' >tmp/wsjTrain.trees
describe --problem=wsj_parsing --json
describe --problem=languagemodel_lm1b_sentiment_imdb,image_mnist,translate_ende_wmt8k_packed
describe --problem=tiny_algo --json
