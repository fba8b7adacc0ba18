#!/bin/bash
# Two hundred short jobs, one after another in the window: soak.sh BUILD_FOLDER SCREENS_FOLDER
# Prints the memory of the process as jobs end, its growth a job after the 20th, threads and descriptors.
# Takes minutes: not part of the tests that run always.
set -euo pipefail
shopt -s extglob

build=$1
screens=$2
engine=()
jobs=200
. "$(cd "$(dirname "$0")" && pwd)/driver.sh"

resident() { awk '/^VmRSS/ {print $2}' "/proc/$program/status"; }
threads() { awk '/^Threads/ {print $2}' "/proc/$program/status"; }
descriptors() { find "/proc/$program/fd" -mindepth 1 | wc -l; }
enter() {
    click "$1"
    keys ctrl+a
    typed "$2"
    keys Return
}

begin_display 1280x800
start 1280x800+0+0
wait_engine
enter paramSteps 4
keys ctrl+Return
wait_text statusStage Done 120
first_threads=$(threads)
first_descriptors=$(descriptors)
enter paramCount 100
sleep 1
for _ in 1 2; do
    keys ctrl+Return
    sleep 1
done
samples=$work/samples
end=$((SECONDS + 1500))
next=30
far=999999999
least=$far
while [ "$(count_films)" -le $jobs ] && [ $SECONDS -lt $end ]; do
    # A job's own peaks come and go: what stays is the least of ten jobs.
    done_jobs=$(count_films)
    now=$(resident)
    [ "$now" -ge "$least" ] || least=$now
    if [ "$done_jobs" -ge $next ]; then
        echo "$done_jobs $least" | tee -a "$samples"
        next=$((next + 10))
        least=$far
    fi
    sleep 0.2
done
sleep 2
shoot soak
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
echo "threads $first_threads, then $(threads); descriptors $first_descriptors, then $(descriptors)"
stop 0
