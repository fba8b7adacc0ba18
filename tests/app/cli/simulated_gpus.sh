#!/bin/bash
# The command line on a machine with two GPUs, which are simulated: they are found, tested and used without being
# named, a clip of theirs is the CPU's. Usage: simulated_gpus.sh BUILD_FOLDER
set -u
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# The engine looks for its CUDA part beside itself.
cp "$build/lib/libreelmesh_engine.so" "$build/simulated_gpus/lib/libreelmesh_cuda.so" "$work"
export LD_LIBRARY_PATH=$work:$build/driver_stub

expect() { # name, found, pattern
    if [[ $2 == $3 ]]; then
        echo "ok: $1"
    else
        echo "FAILED: $1: found \"$2\", needed \"$3\""
        failures=$((failures + 1))
    fi
}
cli() { timeout 120 "$build/bin/reelmesh-cli" "$@"; }
# of FILE PATH: a value of a JSON file.
of() {
    python3 -c 'import functools, json, sys
value = functools.reduce(lambda v, key: v[int(key) if key.isdigit() else key], sys.argv[2].split("."), json.load(open(sys.argv[1])))
print(*value) if isinstance(value, list) else print(value)' "$@"
}
generate() { # file, flags
    cli generate --prompt "a red ball" --seed 5 --size 64x64 --frames 5 --steps 3 --quiet --json -o "$work/$1.mp4" \
        "${@:2}" >"$work/$1.json"
}

cli info --json >"$work/info.json"
expect "both GPUs are there" "$(of "$work/info.json" devices.1.id) $(of "$work/info.json" devices.2.id)" "cuda:0 cuda:1"
expect "there is no reason for no GPU" "$(of "$work/info.json" no_gpu_reason)" ""
cli plan --json >"$work/plan.json"
expect "a plan is for GPUs" "$(of "$work/plan.json" plans.0.devices)" "cuda:*"
generate first --mesh cfg2 && generate second --mesh cfg2
generate any --ranks 2
expect "a job uses both" "$(of "$work/any.json" jobs.0.devices)" "cuda:0 cuda:1"
expect "the same command gives the same bytes" "$(cmp "$work/first.mp4" "$work/second.mp4" && echo same)" "same"
generate processor --device cpu
expect "a job that names the processor gets it" "$(of "$work/processor.json" jobs.0.devices)" "cpu"
cli parity --mesh ulysses2 --against cpu --prompt "a red ball" --seed 5 --size 64x64 --frames 5 --steps 3 --json \
    >"$work/parity.json"
expect "Ulysses on two GPUs makes the CPU's clip" "$? $(of "$work/parity.json" within)" "0 True"
generate three --ranks 3 2>/dev/null
expect "three ranks are more than two GPUs" "$?" 3
REELMESH_SIMULATED_FAULT=wrong cli info --json >"$work/info.json"
expect "a GPU that computes wrongly is left out" \
    "$(of "$work/info.json" devices.1.id) $(of "$work/info.json" gpu_notices)" "cuda:0 cuda:1 * computes *; it is left out."
exit $((failures > 0))
