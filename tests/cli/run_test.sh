#!/usr/bin/env bash
# `palpate run` and `palpate scenes` as a user meets them. Usage: run_test.sh PROGRAM CASE
set -euo pipefail
program=$1 case_name=$2
scenes=$(cd -- "$(dirname -- "$0")/../../scenes" && pwd)
export PALPATE_SCENES=$scenes
work=$(mktemp -d -t 'palpate run XXXXXX')
servers=()
trap 'kill -KILL "${servers[@]}" 2>/dev/null || true; rm -rf -- "$work"' EXIT
cd -- "$work"

fail() { echo "FAILED: $*" >&2; cat "$work/out" "$work/err" >&2; exit 1; }
command_() { code=0; "$program" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?; }
expect_code() { [[ $code == "$1" ]] || fail "exit code $code, not $1"; }
expect_out() { grep -qE -- "$1" "$work/out" || fail "stdout lacks: $1"; }
expect_err() { grep -qE -- "$1" "$work/err" || fail "stderr lacks: $1"; }
# Starts `view` with these arguments, and waits until it has told its address; $server is its process. (What begins with its
# name and a brace on one line is a case: see tests/CMakeLists.txt.)
serve_()
{
  : >"$work/out"
  XDG_STATE_HOME=$work "$program" view "$@" >"$work/out" 2>"$work/err" &
  server=$!; servers+=("$server")
  for _ in {1..400}; do if grep -q token= "$work/out"; then return; fi; sleep 0.05; done
  fail "no address"
}
end_() { kill -TERM "$1"; code=0; wait "$1" || code=$?; expect_code 0; }
port_() { sed -nE 's|^http://.*:([0-9]+)/.*|\1|p' "$work/out"; }
hash_of() { sed -n 's/.*"state_hash": "\([^"]*\)".*/\1/p' "$1"; }

lists_scenes() {
  command_ scenes; expect_code 0; expect_out '^beams +.'; expect_out '^spring-cubes-4 +.'; expect_out '^top +.'
  command_ scenes --json; expect_code 0; expect_out '"name": "pendulum"'
  command_ scenes --keys; expect_code 0; expect_out '`gravity`'
  PALPATE_SCENES=$work/none command_ scenes; expect_code 1; expect_err 'PALPATE_SCENES'
}
view_refuses_what_cannot_be() {
  command_ view nosuch; expect_code 1; expect_err 'nor a scene of this name'
  command_ view tori --port 70000; expect_code 2; expect_err '--port'
  command_ view tori --host 'no such machine'; expect_code 1; expect_err 'no machine of this name'
  printf 'x\n' >bad.palpate; command_ view bad.palpate; expect_code 1; expect_err 'bad.palpate: '
  printf 'x = [\n' >bad.toml; command_ view bad.toml; expect_code 1; expect_err 'bad.toml:'
  printf '[[body]]\nname = "a"\nkind = "rigid"\nmesh = { file = "none.obj" }\n' >lost.toml
  command_ view lost.toml; expect_code 1; expect_err 'none.obj'
  PALPATE_SCENES=$work/none command_ view; expect_code 1; expect_err 'PALPATE_SCENES'
}
view_prints_its_address_and_ends_when_told() {
  serve_ pendulum --port 0
  expect_out '^http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{32}$'
  end_ "$server"  # Ctrl-C is a test of the page: shells start what is in the background without it
  expect_err 'ended'
  ! grep -q warning "$work/err" || fail "it warns without a cause"
}
view_warns_where_others_can_look() {
  serve_ pendulum --port 0 --host 0.0.0.0
  expect_out '^http://[^/]+:[0-9]+/\?token=[0-9a-f]{32}$'
  expect_err 'warning: others on the network can reach this.*not encrypted'
  end_ "$server"
}
view_takes_the_next_free_port() {
  serve_ pendulum --port 0
  local first=$server taken; taken=$(port_)
  serve_ pendulum --port "$taken"
  local free; free=$(port_)
  expect_err "port $taken is taken; using $free\$"
  [[ $free -gt $taken ]] || fail "$free is not behind $taken"
  end_ "$server"
  end_ "$first"
}
view_opens_the_browser_with_the_address() {
  mkdir programs
  printf '#!/bin/sh\nprintf "%%s\\n" "$@" >asked.new; echo "$$" >browser; mv asked.new asked; exec sleep 60\n' >programs/xdg-open
  chmod +x programs/xdg-open
  PATH=$work/programs:$PATH serve_ pendulum --port 0 --open
  for _ in {1..400}; do if [[ -e asked ]]; then break; fi; sleep 0.05; done
  [[ -e asked ]] || fail "nothing was opened"
  servers+=("$(cat browser)")
  [[ $(cat asked) == "$(cat out)" ]] || fail "it opened $(cat asked)"
  # The browser lives on, and does not keep the port.
  local port; port=$(port_)
  end_ "$server"
  kill -0 "$(cat browser)" || fail "it ended with the server"
  serve_ pendulum --port "$port"
  ! grep -q taken "$work/err" || fail "the browser has the port"
  end_ "$server"
}
leaves_a_folder() {
  command_ run "$scenes/beams.toml" --steps 5 --export vtu --every 2; expect_code 0
  expect_out 'solve'; expect_err 'wrote results/beams/report.html'
  for file in summary.json timings.csv contacts.csv energies.csv scene.toml report.html frames.pvd; do
    [[ -s results/beams/$file ]] || fail "no $file"
  done
  for key in '"steps": 5' '"state_hash"' '"real_time_factor"' '"stages"' '"contacts"' '"energy"' '"p99"' '"worst"'; do
    grep -qF -- "$key" results/beams/summary.json || fail "the summary lacks $key"
  done
  [[ $(wc -l <results/beams/timings.csv) -ge 6 ]] || fail "timings.csv has too few lines"
  grep -q 'DataSet' results/beams/frames.pvd || fail "no frames"
  # Nothing is overwritten silently.
  command_ run beams --steps 1; expect_code 0; expect_err 'wrote results/beams-2/report.html'
  command_ run beams --steps 1 --out results/beams; expect_code 1; expect_err '--overwrite'
  command_ run beams --steps 1 --out results/beams --overwrite --picture beams.png; expect_code 0
  [[ $(head -c 4 beams.png | tail -c 3) == PNG ]] || fail "no picture"
  # The scene as run can be run.
  command_ run results/beams-2/scene.toml --steps 1 --out again --json -; expect_code 0
  [[ $(head -c 1 out) == '{' ]] || fail "stdout has more than the JSON"
}
gives_the_same_hash() {
  command_ run twist --steps 12 --threads 1 --out one; expect_code 0
  command_ run twist --steps 12 --threads 4 --out four; expect_code 0
  command_ run twist --steps 5 --out half --save state; expect_code 0
  command_ run twist --steps 7 --from state --out rest; expect_code 0
  [[ -n $(hash_of one/summary.json) ]] || fail "no hash"
  [[ $(hash_of one/summary.json) == "$(hash_of four/summary.json)" ]] || fail "threads change the hash"
  [[ $(hash_of one/summary.json) == "$(hash_of rest/summary.json)" ]] || fail "a stop on the way changes the hash"
  command_ run top --steps 1 --from state --out wrong; expect_code 1; expect_err 'is not the one in this world'
  printf 'x' | dd of=state bs=1 seek=100 conv=notrunc status=none
  command_ run twist --steps 1 --from state --out wrong; expect_code 1; expect_err 'damaged'
  command_ run twist --steps 1 --from nothing --out wrong; expect_code 1; expect_err 'nothing'
  [[ ! -e wrong ]] || fail "a refused run leaves a folder"
}
answers_bad_scenes() {
  command_ run baems; expect_code 1; expect_err "Did you mean 'beams'"
  mkdir -p some/folder
  command_ run some/folder; expect_code 1; expect_err 'this is a folder'
  command_ run no/such.toml; expect_code 1; expect_err 'there is no such file'
  command_ run beams --set run.stpe=1; expect_code 1; expect_err "Did you mean 'step'"
  command_ run beams --set run.step=-1; expect_code 1; expect_err 'above 0'
  command_ run beams --set body.fine.material.young=nan; expect_code 1; expect_err 'young'
  printf '[[body]]\nname = "a"\nkind = "soft"\nmesh = { file = "none.vtk" }\nmaterial = "muscle"\n' >x.toml
  command_ run x.toml; expect_code 1; expect_err 'x.toml:4.*none.vtk'
  printf 'a = [1,\n' >x.toml
  command_ run x.toml; expect_code 1; expect_err 'x.toml:'
  command_ run beams --steps many; expect_code 2; expect_err '--steps'
  command_ run beams --export obj; expect_code 2; expect_err '--export'
  command_ run; expect_code 2; expect_err 'SCENE'
  : >file
  command_ run beams --steps 1 --out file/x; expect_code 1; expect_err 'file'
  command_ run beams --steps 1 --json none/x.json; expect_code 1; expect_err 'none'
}
stops_on_interrupt_with_all_files() {
  set -m
  "$program" run beams --steps 1000000 --out x >"$work/out" 2>"$work/err" &
  local pid=$!
  until [[ -s x/scene.toml ]]; do sleep 0.05; kill -0 "$pid" || fail "it ended by itself"; done
  sleep 0.5
  kill -INT "$pid"
  code=0; wait "$pid" || code=$?
  expect_code 130; expect_err 'interrupted'
  grep -q '"interrupted": true' x/summary.json || fail "the summary does not say that it was interrupted"
  [[ -s x/report.html && -s x/timings.csv ]] || fail "files are missing"
}
survives_a_full_disk() {
  # A limit on the size of files stands in for it: the tables end early, the summary is there.
  code=0; (ulimit -f 40; "$program" run top --steps 4000 --out x) >"$work/out" 2>"$work/err" || code=$?
  grep -qE 'x/(timings|contacts|energies).csv' "$work/err" || fail "nobody says what could not be written"
  [[ -s x/summary.json ]] || fail "no summary"
}
records_and_replays() {
  command_ run twist --steps 12 --record t.palpate --every 3 --out x; expect_code 0; expect_err 'wrote t.palpate with 5 frames'
  command_ replay t.palpate; expect_code 0; expect_out 'scene +twist'; expect_out 'steps +12'; expect_out 'whole +yes'
  for threads in 1 2; do
    command_ replay t.palpate --verify --threads $threads; expect_code 0; expect_out '12 steps are the same'
  done
  # From the middle, and cut off.
  command_ run twist --steps 3 --out y --save state; expect_code 0
  command_ run twist --steps 4 --from state --record m.palpate --out z; expect_code 0
  command_ replay m.palpate --verify; expect_code 0; expect_out '4 steps are the same'
  head -c "$(($(wc -c <t.palpate) - 1000))" t.palpate >cut.palpate
  command_ replay cut.palpate; expect_code 0; expect_out 'cut off'
  command_ replay cut.palpate --verify; expect_code 0; expect_out 'steps are the same'
  # The mesh is another one when it is run again.
  printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n' >top.obj
  printf '[[body]]\nname = "top"\nkind = "rigid"\nangular_velocity = [1, 2, 3]\nmesh = { file = "top.obj" }\n' >top.toml
  command_ run top.toml --steps 5 --out w --record top.palpate; expect_code 0
  command_ replay top.palpate --verify; expect_code 0; expect_out '5 steps are the same'
  sed -i 's/^v 0 0 1$/v 0 0 2/' top.obj
  command_ replay top.palpate --verify; expect_code 1; expect_err "its body 'top' has another shape"
  printf 'x' | dd of=t.palpate bs=1 seek=3000 conv=notrunc status=none
  command_ replay t.palpate --verify; expect_code 1; expect_err 'damaged'
  command_ replay none.palpate; expect_code 1; expect_err 'none.palpate'
  command_ replay x/summary.json; expect_code 1; expect_err 'no recording'
  command_ run twist --steps 1 --record no/such.palpate --out v; expect_code 1; expect_err 'no/such.palpate'
  [[ ! -e v ]] || fail "a refused run leaves a folder"
}
exports_rings_closed() {
  printf '[[body]]\nname = "ring"\nkind = "string"\nclosed = true\nradius = 0.01\nmaterial = "muscle"\n%s\n' \
    'points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]' >ring.toml
  command_ run ring.toml --steps 1 --export vtu --out x; expect_code 0
  grep -q 'NumberOfPoints="3" NumberOfCells="3"' x/frames/ring-000000.vtu || fail "the ring is not closed"
}
goes_on_when_nobody_reads() {
  # Messages and tables into a pipe that is closed: all files are there, and the exit code tells of the tables.
  { code=0; "$program" run top --steps 5 --out x 2>&1 >out || code=$?; echo "$code" >code; } | true
  [[ $(cat code) == 0 && -s x/summary.json ]] || fail "a closed pipe for messages ended it: $(cat code)"
  { sleep 0.2; code=0; "$program" run top --steps 5 --out y 2>err || code=$?; echo "$code" >code; } | true
  [[ $(cat code) == 1 && -s y/report.html ]] || fail "a closed pipe for tables: $(cat code)"
  expect_err 'stdout.*cannot be written to'
  code=0; "$program" run top --steps 5 --out z >/dev/full 2>err || code=$?
  expect_code 1; expect_err 'stdout.*cannot be written to'; [[ -s z/summary.json ]] || fail "no summary"
}
studies_springs() {
  command_ study springs --quick --out s --json s.json; expect_code 0
  expect_out "Euler's error"; expect_err 'wrote s/index.html'
  grep -q '"order"' s.json || fail "no order"
  grep -q '</svg>' s/springs-4-error.svg || fail "no plot"
}
"$case_name"
