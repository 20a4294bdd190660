# every vocabulary that the originals recorded, built again by t2t-vocab: the same bytes, for threads, tasks
# and limits of memory; prints a table
T2_DATA=${T2_DATA:-$T2_ROOT/../shared/data}
[ -d "$T2_DATA/reference-runs" ] || { echo "no reference-runs in T2_DATA" >&2; exit 77; }
command -v python3 >/dev/null || { echo "no python3" >&2; exit 77; }
PYTHONDONTWRITEBYTECODE=1 python3 "$T2_ROOT/tests/support/vocab_runs.py" "$(cd "$T2_DATA" && pwd)"
