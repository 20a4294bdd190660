# every point of fault_sweep_datagen.sh
FAULT_ALL=1
. "$T2_ROOT/tests/e2e/fault_sweep_datagen.sh"
