#!/bin/bash
# The window ends at random instants of load, step, decode and export, by a signal or by its user: endings.sh
# BUILD_FOLDER SCREENS_FOLDER [TRIES]
# Each time it has to be gone within 5 s, with code 0 or 130, and leave no half file under a final name. Takes
# minutes: not part of the tests that run always.
set -euo pipefail
shopt -s extglob

build=$1
screens=$2
tries=${3:-30}
engine=()
. "$(cd "$(dirname "$0")" && pwd)/driver.sh"
RANDOM=74

# ended LIMIT_MS: waits for the program; its code is in $code, the time in $took.
ended() {
    local begin
    begin=$(date +%s%N)
    code=0
    while kill -0 "$program" 2>/dev/null && [ $((($(date +%s%N) - begin) / 1000000)) -lt "$1" ]; do sleep 0.02; done
    took=$((($(date +%s%N) - begin) / 1000000))
    ! kill -0 "$program" 2>/dev/null || fail "still there after $took ms"
    wait "$program" || code=$?
    program=
}

begin_display 1280x800
for n in $(seq "$tries"); do
    start 1280x800+0+0
    instant=$((RANDOM % 5000))
    way=$((n % 3))
    keys ctrl+Return
    sleep "$((instant / 1000)).$(printf %03d $((instant % 1000)))"
    stage=$(text statusStage)
    [[ "$stage" != Done ]] || keys ctrl+e Tab Return
    case $way in
    0) kill -TERM "$program" ;;
    1) kill -INT "$program" ;;
    2)
        keys ctrl+q
        for _ in $(seq 20); do
            [ -z "$(field noticeAction1 rect)" ] || break
            kill -0 "$program" 2>/dev/null || break
            sleep 0.05
        done
        ! kill -0 "$program" 2>/dev/null || [[ "$(text noticeText)" != *quitting* ]] || click noticeAction1
        ;;
    esac
    ended 5000
    [ $code -eq 0 ] || [ $code -eq 130 ] || fail "try $n: code $code after '$stage', way $way"
    while read -r film; do
        [ "$(frames_of "$film")" = 17 ] || fail "try $n: $film is not whole"
    done < <(find "$films" -name '*.mp4' 2>/dev/null)
    echo "try $n: '$stage' at $instant ms, way $way: code $code in $took ms"
    rm -rf "$films"
done
