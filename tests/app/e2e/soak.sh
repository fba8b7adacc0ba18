#!/bin/bash
# Two hundred short jobs, one after another in the window: soak.sh BUILD_FOLDER SCREENS_FOLDER
# Prints the memory of the process after each twenty jobs, its growth a job after the first twenty, threads and
# descriptors.
# Takes minutes: not part of the tests that run always.
set -euo pipefail
shopt -s extglob

build=$1
screens=$2
engine=()
jobs=200
batch=20
. "$(cd "$(dirname "$0")" && pwd)/driver.sh"

resident() { awk '/^VmRSS/ {print $2}' "/proc/$program/status"; }
threads() { awk '/^Threads/ {print $2}' "/proc/$program/status"; }
descriptors() { find "/proc/$program/fd" -mindepth 1 | wc -l; }

begin_display 1280x800
start 1280x800+0+0
wait_engine
enter paramSteps 4
keys ctrl+Return
wait_text statusStage Done 120
first_threads=$(threads)
first_descriptors=$(descriptors)
enter paramCount $batch
samples=$work/samples
# Between batches nothing runs: what is resident then is what the jobs have left behind.
for ((done_jobs = 1; done_jobs <= jobs; done_jobs += batch)); do
    keys ctrl+Return
    end=$((SECONDS + 300))
    until [ "$(count_films)" -ge $((done_jobs + batch)) ]; do
        [ $SECONDS -lt $end ] || fail "$(count_films) films of $((done_jobs + batch))"
        sleep 0.2
    done
    wait_text statusStage Done 20
    sleep 1
    echo "$(count_films) $(resident)" | tee -a "$samples"
done
shoot soak
echo "threads $first_threads, then $(threads); descriptors $first_descriptors, then $(descriptors)"
python3 - "$samples" <<'PY'
import sys
points = [tuple(map(float, line.split())) for line in open(sys.argv[1])]
n = len(points)
mx = sum(x for x, _ in points) / n
my = sum(y for _, y in points) / n
slope = sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)
print(f"growth {slope:.1f} KiB a job after the 20th, limit 50")
sys.exit(slope > 50)
PY
stop 0
