# what the official Transformer's data_download was recorded making, made again: a table, all rows equal
# With sanitizers by name: it compares bytes; official_main.sh and official_threads.sh run the same code
T2_DATA=${T2_DATA:-$T2_ROOT/../shared/data}
[ -d "$T2_DATA/reference-runs" ] || { echo "no reference-runs in T2_DATA" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
PYTHONDONTWRITEBYTECODE=1 python3 "$T2_ROOT/tests/support/official_runs.py" "$(cd "$T2_DATA" && pwd)"
