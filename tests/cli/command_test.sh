#!/usr/bin/env bash
# The command as a user meets it: help, version, mistakes, benchmarks. Usage: command_test.sh PROGRAM CASE
set -euo pipefail
program=$1 case_name=$2
work=$(mktemp -d -t 'palpate cli XXXXXX')
trap 'rm -rf -- "$work"' EXIT

fail() { echo "FAILED: $*" >&2; cat "$work/out" "$work/err" >&2; exit 1; }
command_() { code=0; "$program" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?; }
expect_code() { [[ $code == "$1" ]] || fail "exit code $code, not $1"; }
expect_out() { grep -qE -- "$1" "$work/out" || fail "stdout lacks: $1"; }
expect_err() { grep -qE -- "$1" "$work/err" || fail "stderr lacks: $1"; }
quick=(bench base --quick --case 'hash of 1M')

helps() {
  command_ --help; expect_code 0; expect_out 'bench'; expect_out 'Exit codes'
  command_ bench --help; expect_code 0; expect_out '--json'; expect_out 'geometry'
}
tells_its_version() {
  command_ --version; expect_code 0
  expect_out '^palpate [0-9]+\.[0-9]+\.[0-9]+ \(.*commit'; expect_out '^built for +[a-z]'; expect_out '^kernels +[A-Z]'
}
answers_bad_command_lines() {
  command_; expect_code 2; expect_err '--help'
  command_ wrong; expect_code 2; expect_err 'wrong'; expect_err 'bench'
  command_ benhc; expect_code 2; expect_err "Did you mean 'bench'"
  command_ --wrong; expect_code 2; expect_err "no option '--wrong'"
  command_ bench; expect_code 2; expect_err 'NAME'
  command_ bench wrong; expect_code 2; expect_err "no benchmark 'wrong'"; expect_err 'geometry'
  command_ bench base --threads 0; expect_code 2; expect_err '--threads'
  command_ bench base --threads many; expect_code 2; expect_err '--threads'
  command_ bench base --thread 1; expect_code 2; expect_err "Did you mean '--threads'"
}
answers_bad_input() {
  command_ "${quick[@]}" --json "$work/no folder/x.json"; expect_code 1; expect_err 'no folder/x.json: cannot be written'
  command_ bench base --case 'no such case'; expect_code 1; expect_err '--list'
}
writes_the_designs_json() {
  command_ "${quick[@]}" --json "$work/x.json" --plot "$work/x.svg"; expect_code 0
  expect_out 'StateHash +ours'; expect_out 'x reference'; expect_out 'built for'
  for key in '"benchmark": "base"' '"version"' '"machine"' '"built_for"' '"other_cores_free"' '"calibration_ms"' '"rows"' \
             '"case"' '"method"' '"threads"' '"median_ms"' '"spread"' '"ratio_reference"' '"ratio_peer": null' '"ratio_floor"'; do
    grep -qF -- "$key" "$work/x.json" || fail "the JSON lacks $key"
  done
  grep -q '</svg>' "$work/x.svg" || fail "no plot"
  command_ "${quick[@]}" --json -; expect_code 0
  [[ $(head -c 1 "$work/out") == '{' ]] || fail "stdout has more than the JSON"
}
stops_on_interrupt_with_what_it_has() {
  # Started through a subshell with job control, because a background job of a script ignores SIGINT.
  set -m
  "$program" bench base --quick --method RadixSort --method std::sort --json "$work/x.json" >"$work/out" 2>"$work/err" &
  local pid=$!
  until grep -q 'values, 32 bits' "$work/err"; do sleep 0.1; kill -0 "$pid" || fail "it ended by itself"; done
  kill -INT "$pid"
  code=0; wait "$pid" || code=$?
  expect_code 130; expect_out 'interrupted'; expect_out 'RadixSort'
  grep -q '"interrupted": true' "$work/x.json" || fail "the JSON does not say that it was interrupted"
}
says_when_stdout_is_full() {
  code=0; "$program" bench base --list >/dev/full 2>"$work/err" || code=$?
  : >"$work/out"
  expect_code 1; expect_err 'cannot be written'
  code=0; "$program" "${quick[@]}" --json - >/dev/full 2>"$work/err" || code=$?
  expect_code 1
}

"$case_name"
