# A folder that is no dictionary.
/sbin/ldconfig -p | grep -q 'libmecab\.so\.2' || { echo "no libmecab2" >&2; exit 77; }
echo a >a
t2t-bleu --translation=a --reference=a --scorer=sacrebleu --tokenize=ja-mecab --mecab_dictionary=.
