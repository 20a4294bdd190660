# bench/scaling_model.py: bytes and seconds as docs/scaling.md derives them, of rates that are given.
model() { python3 "$T2_ROOT/bench/scaling_model.py" --rates=pair=2e9,message=1e-6,add=1e10 "$@"; }
row() { awk -v m="$2" -v r="$3" '$1 == m ":" { on = 1 } on && $1 == r { print $2, $3, $4, $5; exit }' "$1"; }

model >out
# 61,362,176 floats: 245.4 MB; of 2 ranks half goes out twice, at 1 GB/s each way
[ "$(row out transformer_base 1)" = '0.0 0.000 7.002 100.0%' ]
[ "$(row out transformer_base 2)" = '245.4 0.247 7.249 96.6%' ]
[ "$(row out transformer_base 1024 | cut -d ' ' -f 1)" = 490.4 ]
[ "$(row out resnet_50 4 | cut -d ' ' -f 1)" = 153.3 ]
# half the bytes; hidden but for the last of 15 buckets
model --dtype=bfloat16 >out
[ "$(row out transformer_base 2 | cut -d ' ' -f 1)" = 122.7 ]
model --overlap >out
[ "$(row out transformer_base 2 | cut -d ' ' -f 3)" = 7.018 ]
! model --rates=pair=1 2>log
grep -q 'wants pair' log
