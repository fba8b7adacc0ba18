#!/bin/bash
# The workstation as its users meet it: workstation.sh BUILD_FOLDER SCREENS_FOLDER [ENGINE_LIBRARY]
# One click in the untouched window makes a playing clip and a file; workspaces, themes and sizes are looked
# at; jobs are cut short, decoded early, run on other meshes; a killed window keeps its draft. Screenshots and
# maps go to SCREENS_FOLDER.
set -euo pipefail
shopt -s extglob

build=$1
screens=$2
engine=("${@:3}")
frames=17
here=$(cd "$(dirname "$0")" && pwd)
. "$here/driver.sh"

# looked_at NAME: a screenshot, and what can be asserted of it.
looked_at() {
    sleep 0.6
    shoot "$1"
    cp "$map" "$screens/$1.json"
    "$here/check_map.py" "$map" "$screens/$1.png" || fail "the window of $1 has faults"
}
generate() {
    keys ctrl+Return
    wait_text statusStage "!(Idle|Done|Cancelled|Failed)" 10
}
wait_done() { wait_text statusStage Done 300; }

begin_display 1920x1080

# G8, G1: the untouched window of a fresh profile.
start 1280x800+0+0
echo "start to typeable: $start_ms ms"
wait_engine
[[ "$(text noticeText)" == *"sample model is ready"* ]] || fail "no strip of the first run: $(text noticeText)"
[[ "$(text promptText)" == *fish* ]] || fail "the prompt is not filled: $(text promptText)"
# G10: the true reason, while all works on CPU ranks.
[[ "$(text barMesh)" == *"CPU rank"* ]] || fail "the mesh is not of CPU ranks: $(text barMesh)"
looked_at first_run
click actGenerate
wait_text statusStage "Denoise*" 120
looked_at preview
wait_done
film=$(newest_film)
[ -s "$film" ] || fail "no film in the output folder"
count=$(frames_of "$film")
[ "$count" = $frames ] || fail "$count frames in $film, expected $frames"
wait_text viewerFrame "*/0$frames*" 5
shown=$(text viewerFrame)
for _ in $(seq 40); do [ "$(text viewerFrame)" = "$shown" ] || break; sleep 0.1; done
[ "$(text viewerFrame)" != "$shown" ] || fail "the viewer stands still at $shown"
[[ "$(text noticeText)" == *"$film"* ]] || fail "the notice does not name $film: $(text noticeText)"
looked_at compose_dark_1280

# G32: every frame once, then the first again.
click viewerVideo
keys Home
wait_text viewerFrame "001/0$frames*" 5
for n in $(seq 2 $frames); do
    keys Right
    wait_text viewerFrame "$(printf %03d "$n")/0$frames*" 5
done
keys Right
wait_text viewerFrame "001/0$frames*" 5

# G4: workspaces by their keys.
keys alt+2
wait_item deviceMachineCores 10
looked_at observe_dark_1280
keys alt+3
sleep 0.5
looked_at review_dark_1280
keys alt+1
wait_item promptText 10

# G14, G24: what is illegal is said, offered, and not queued.
click paramFrames
keys ctrl+a
typed 80
keys ctrl+Return
sleep 1
[ "$(text statusStage)" = Done ] || fail "80 frames were queued"
looked_at illegal_frames
keys Return
sleep 0.5
[ "$(field paramFrames text)" = 81 ] || fail "Enter did not take the nearest: $(field paramFrames text)"
keys ctrl+a
typed 17
keys Return

# G48: cancel in a step; the next job's file is a clean one's.
films_before=$(count_films)
generate
wait_text statusStage "Denoise*" 120
click actStop
wait_text statusStage "@(Stopping…|Cancelled)" 5
wait_text statusStage Cancelled 10
[ "$(count_films)" = "$films_before" ] || fail "a cancelled job left a film"
generate
wait_done
again=$(newest_film)
[ "$again" != "$film" ] || fail "no second film"
cmp "$film" "$again" || fail "the film after a cancelled job differs from a clean run's"

# G26: another mesh for the next job, in the same window.
enter meshString single
wait_text barMesh "*1 CPU rank*" 10
generate
wait_done
[ "$(newest_film)" != "$again" ] || fail "no film of one rank"

# G49: what is there is decoded, and plays.
enter paramSteps 60
generate
wait_text statusStage "Denoise [2-9]*" 120
keys alt+j
wait_item menu/actStopDecode 5
click menu/actStopDecode
wait_done
partial=$(newest_film)
[[ "$partial" == *_partial* ]] || fail "the partial film is not named as such: $partial"
[ "$(frames_of "$partial")" = $frames ] || fail "the partial film does not decode"

# G20: a kill 1.5 s after an edit costs nothing.
click promptText
keys ctrl+End
typed " and a kite"
sleep 1.6
kill -KILL "$program"
wait "$program" 2>/dev/null || true
program=

# G2, G3: the large window, both themes; the draft is there. A layout of its own size.
rm "$work/config/layouts.json"
for theme in dark light; do
    start 1920x1080+0+0 --theme $theme
    wait_engine
    [[ "$(text promptText)" == *"and a kite"* ]] || fail "the draft is lost: $(text promptText)"
    generate
    wait_text statusStage "Denoise*" 120
    sleep 1
    looked_at compose_${theme}_1920
    keys alt+2
    sleep 1
    looked_at observe_${theme}_1920
    keys alt+3
    looked_at review_${theme}_1920
    keys alt+1
    keys ctrl+alt+Return
    wait_text statusStage Cancelled 10
    stop 0
done
start 1280x800+0+0 --theme light
wait_engine
looked_at compose_light_1280
keys alt+2
looked_at observe_light_1280
keys alt+3
looked_at review_light_1280
keys alt+1

# G3: the largest screens, at both scales. The layout is of this size.
stop 0
begin_display 3840x2160
for scale in 1 2; do
    rm -f "$work/config/layouts.json"
    QT_SCALE_FACTOR=$scale start "$((3840 / scale))x$((2160 / scale))+0+0" --theme dark
    wait_engine
    generate
    wait_text statusStage "Denoise*" 120
    looked_at compose_4k_$scale
    keys alt+2
    sleep 1
    looked_at observe_4k_$scale
    keys alt+1
    keys ctrl+alt+Return
    wait_text statusStage Cancelled 10
    stop 0
done
begin_display 1920x1080
start 1280x800+0+0

# A signal ends the program in time, by the gate.
generate
wait_text statusStage "Denoise*" 120
stop 130
grep '^summary' "$work/heartbeat.csv"
cp "$work/heartbeat.csv" "$screens/heartbeat.csv"
echo "workstation.sh: all passed"
