#!/bin/bash
# The real command line with the sample model: exit codes, what it prints where, and what it leaves behind.
# Usage: command_line.sh BUILD_DIR
set -u
program=$1/bin/reelmesh-cli
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

complain() {
    echo "FAILED: $1"
    sed 's/^/    /' err | tail -n 5
    failures=$((failures + 1))
}

# expect CODE WORDS ARGUMENTS...: the exit code, and words that stderr must have; with --json stdout must parse.
expect() {
    local code=$1 words=$2
    shift 2
    "$program" "$@" >out 2>err
    local found=$?
    [ $found -eq "$code" ] || complain "exit $found instead of $code: $*"
    [ -z "$words" ] || grep -q -- "$words" err || complain "stderr lacks '$words': $*"
    case " $* " in *" --json "*) python3 -m json.tool out >/dev/null || complain "stdout is no JSON: $*" ;; esac
}

field() { python3 -c "import json,sys; value=json.load(open('out'))$1; print(value)"; }

quick=(--size 32x32 --frames 5 --steps 2 --seed 7 --preview off)

# Commands that make nothing.
expect 0 "" --version
expect 0 "" generate --help
expect 0 "" info --json
expect 0 "" tokenize "a red ball" --json
[ "$(field "['limit']")" = 512 ] || complain "limit of tokens"
expect 0 "" generate --prompt "a red ball" --dry-run --json
[ "$(field "['jobs'][0]['job']['steps']")" = 16 ] || complain "default steps"
[ "$(field "['jobs'][0]['plan']['peak_bytes'] > 0")" = True ] || complain "planned memory"

# Bad arguments: the field, the value, the neighbours.
expect 2 "352, 368" generate --size 640x360
expect 2 "352, 368" generate --size 640x360 --json
expect 2 "77, 81" generate --frames 80
expect 2 "nearest: 1" generate --frames 0
expect 2 "nearest: 16" generate --size 0x0
expect 2 "16384" generate --size 1000000000x1000000000
expect 2 "guidance" generate --guidance nan
expect 2 "guidance" generate --guidance=-inf
expect 2 "guidance" generate --guidance 30.5
expect 2 "steps" generate --steps 1001
expect 2 "seed" generate --seed 18446744073709551616
expect 2 "fps" generate --fps 16,5
expect 2 "--steps" generate --stpes 4
expect 2 "generate" generat
expect 2 "single" generate --ranks 2 --guidance 1 --mesh cfg2
expect 2 "ulysses4" generate --ranks 4 --guidance 1 --mesh cfg2,ulysses2
expect 3 "4096 ranks" generate --ranks 4096
expect 2 "not in this build" generate --mesh pipe2
expect 2 "cannot read" generate --mesh cfg2,,
expect 2 "not valid UTF-8" generate --prompt $'kite \xff'
expect 2 "" generate --size 640x360 --frames 80 --steps 0
grep -q height err && grep -q frames err && grep -q steps err || complain "not every fault is named"

# Plans need neither weights nor the devices they are for.
machine=(--family wan2.1-t2v-14b --size 1280x720 --frames 81 --hardware 8xh100-nvlink)
expect 0 "" plan "${machine[@]}" --json
[ "$(field "['plans'][0]['mesh']")" = cfg2,ulysses4 ] || complain "best mesh of eight cards"
[ "$(field "['plans'][0]['bytes']['ulysses']")" = 23224320000 ] || complain "bytes of a step"
expect 0 "" plan --family flux.1-dev --hardware 4xh100-nvlink
expect 0 "" plan --json
[ "$(field "['plans'][0]['mesh']")" = single ] || complain "one rank on a processor"
expect 2 "13824 does not divide by 5" plan "${machine[@]}" --mesh tp5 --json
expect 2 "not in this build" plan "${machine[@]}" --mesh pipe2
expect 3 "at most 8" plan "${machine[@]}" --ranks 9
expect 2 "h200-nvlink" plan --family wan2.1-t2v-14b --hardware 8xh100
expect 2 "wan2.1-t2v-14b" plan --family wan3

# Job files.
python3 -c "import json; json.dump({'prompt': 'a' * 2000000}, open('long.reeljob', 'w'))"
expect 2 "1048576" generate --job long.reeljob
echo '{"height": 360, "width": 640}' >odd.reeljob
expect 2 "352, 368" generate --job odd.reeljob
echo '{"steps": "20"}' >type.reeljob
expect 2 "steps" generate --job type.reeljob
echo 'no job' >no.reeljob
expect 2 "no.reeljob" generate --job no.reeljob

# Files that are missing or something else.
expect 4 "nowhere" generate --model "$scratch/nowhere"
expect 4 "" inspect "$scratch/nowhere"
mkdir empty
expect 4 "" generate --model "$scratch/empty"
echo '<html>' >page.html
expect 4 "" inspect page.html
expect 4 "gone.reeljob" generate --job gone.reeljob

# More memory than any machine has.
expect 3 "" generate --size 16384x16384 --frames 1001

# A clip, its settings, the same clip again.
expect 0 "" generate --prompt "a red ball" "${quick[@]}" -o first.mp4 --json
[ "$(field "['jobs'][0]['state']")" = done ] || complain "state"
[ "$(field "['jobs'][0]['frames']")" = 5 ] || complain "frames"
[ "$(field "['jobs'][0]['seed']")" = 7 ] || complain "seed"
[ -s first.mp4 ] || complain "no clip"
expect 2 "first.mp4" generate --prompt "a red ball" "${quick[@]}" -o first.mp4
expect 0 "" inspect first.mp4 --json
[ "$(field "['job']['seed']")" = 7 ] || complain "embedded seed"
expect 0 "" generate --job first.mp4 -o second.mp4
cmp -s first.mp4 second.mp4 || complain "the same settings gave other bytes"
expect 0 "" generate --prompt "" "${quick[@]}" -o empty-prompt.mp4
expect 0 "" generate "${quick[@]}" --guidance 5 --ranks 2 -o pair.mp4 --json
[ "$(field "['jobs'][0]['mesh']")" = cfg2 ] || complain "mesh of two ranks"

# Folders that take nothing, even from root; a full disk for the result itself.
expect 3 "" generate "${quick[@]}" -o /proc/reelmesh-clip.mp4
"$program" info >/dev/full 2>err
[ $? -eq 1 ] || complain "a full standard output went unnoticed"

# Signals: the first ends in order and leaves no clip, none running is no failure.
for signal in INT TERM; do
    "$program" generate --size 256x256 --frames 81 --steps 1000 --seed 1 -o cut.mp4 --json >out 2>err &
    pid=$!
    for _ in $(seq 600); do
        grep -q '"event":"step"' err && break
        sleep 0.1
    done
    kill -$signal $pid
    wait $pid
    found=$?
    [ $found -eq 130 ] || complain "exit $found instead of 130 after $signal"
    [ "$(field "['jobs'][0]['state']")" = canceled ] || complain "state after $signal"
    [ ! -e cut.mp4 ] || complain "a clip was left after $signal"
done
leftovers=$(find . -name '.reelmesh-*')
[ -z "$leftovers" ] || complain "left behind: $leftovers"

[ $failures -eq 0 ] && echo "command line: all as expected"
exit $((failures > 0))
