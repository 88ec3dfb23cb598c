#!/usr/bin/env bash
# The front door, tried out in a small tree of its own: the real script, a tiny project, and stand-ins for apt, dpkg-query,
# id and sudo, so that machines with and without packages, root and network can be played.
# Usage: front_door_test.sh SOURCE_DIR CASE
set -euo pipefail
source_dir=$1 case_name=$2
work=$(mktemp -d -t 'palpate door XXXXXX')
trap 'chmod -R u+w -- "$work"; rm -rf -- "$work"' EXIT
tree="$work/a tree" stand_ins=$work/stand-ins apt_log=$work/apt.log output=$work/output
mkdir -p "$tree/src" "$stand_ins"
unset PALPATE_PRESET PALPATE_BUILD_DIR PALPATE_NO_INSTALL PALPATE_LINT_BASE
export HOME=$work

fail() { echo "FAILED: $*" >&2; [[ ! -f $output ]] || sed 's/^/  | /' "$output" >&2; exit 1; }
stand_in() { printf '#!/bin/bash\n%s\n' "$2" >"$stand_ins/$1"; chmod +x "$stand_ins/$1"; }
# door ARGUMENT...: runs the front door in the tree, keeps its output and exit code.
door() { code=0; (cd "$tree" && PATH="$stand_ins:$PATH" ./palpate "$@") >"$output" 2>&1 </dev/null || code=$?; }
expect_code() { [[ $code == "$1" ]] || fail "exit code $code, not $1"; }
expect() { grep -qE -- "$1" "$output" || fail "the output lacks: $1"; }
expect_not() { ! grep -qE -- "$1" "$output" || fail "the output should not have: $1"; }
expect_no_apt() { [[ ! -s $apt_log ]] || fail "apt was called: $(cat "$apt_log")"; }

cp "$source_dir/palpate" "$tree/palpate"
cat >"$tree/CMakePresets.json" <<'JSON'
{"version": 3, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release"}]}
JSON
cat >"$tree/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(tiny LANGUAGES CXX)
option(PALPATE_TESTS "Build the tests" OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
add_executable(palpate-command src/main.cpp)
set_target_properties(palpate-command PROPERTIES OUTPUT_NAME palpate RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
if(NOT PALPATE_TESTS)
  return()
endif()
enable_testing()
add_test(NAME tiny.passes COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME tiny.skips COMMAND ${CMAKE_COMMAND} -E cat "${PROJECT_SOURCE_DIR}/skip.txt")
add_test(NAME other.passes COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME long.passes COMMAND ${CMAKE_COMMAND} -E true)
set_tests_properties(tiny.passes tiny.skips PROPERTIES LABELS tiny)
set_tests_properties(tiny.skips PROPERTIES SKIP_REGULAR_EXPRESSION "SKIPPED")
set_tests_properties(long.passes PROPERTIES LABELS long)
CMAKE
printf 'tiny_test.cpp:3: Skipped\nthere is no data folder\n\n[  SKIPPED ] Tiny.skips\n' >"$tree/skip.txt"
cat >"$tree/src/main.cpp" <<'CPP'
#include <cstdio>
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("<%s>", argv[i]);
  std::printf("\n");
  return argc > 1 && argv[1][0] == '7' ? 7 : 0;
}
CPP
# Everything is there, unless a case says otherwise.
stand_in dpkg-query 'shift 2; for name in "$@"; do echo "installed $name"; done'
stand_in apt-get "printf '%s ' \"\$@\" >>'$apt_log'; echo >>'$apt_log'"
stand_in sudo 'exit 1'
without_library='shift 2; for name in "$@"; do [[ $name == libfmt-dev ]] || echo "installed $name"; done; exit 1'

passes_arguments_on() {
  door run 'a b' '*' ''
  expect_code 0; expect '<run><a b><\*><>'
  door 7
  expect_code 7
}
works_from_anywhere() {
  (cd / && PATH="$stand_ins:$PATH" "$tree/palpate" here) >"$output" 2>&1 || fail "from /"
  expect '<here>'
  ln -s "$tree/palpate" "$work/link"
  (cd "$work" && PATH="$stand_ins:$PATH" ./link there) >"$output" 2>&1 || fail "through a link"
  expect '<there>'
}
asks_apt_for_nothing_when_nothing_is_missing() {
  stand_in apt-get "echo called >>'$apt_log'; exit 1"
  door build; expect_code 0
  door x; expect_code 0
  expect_no_apt
}
installs_only_what_is_missing_as_root() {
  stand_in id 'echo 0'
  stand_in dpkg-query "$without_library"
  door build
  expect_code 0
  grep -q 'update' "$apt_log" || fail "apt's lists were not updated"
  grep -qE 'install .*--no-remove .*libfmt-dev $' "$apt_log" || fail "apt was asked for: $(cat "$apt_log")"
  ! grep -q 'libeigen3-dev' "$apt_log" || fail "apt was asked for something that is there"
}
prints_one_line_without_root() {
  stand_in id 'echo 1000'
  stand_in dpkg-query "$without_library"
  door build
  expect_code 1; expect_no_apt
  expect 'sudo sh -c "apt-get update && apt-get install .*libfmt-dev"'
  [[ $(grep -c apt-get "$output") == 1 ]] || fail "more than one line to run"
}
uses_sudo_where_it_works() {
  stand_in id 'echo 1000'
  stand_in dpkg-query "$without_library"
  stand_in sudo '[[ $1 == -n ]] && exit 0; exec "$@"'
  door build
  expect_code 0
  grep -q 'libfmt-dev' "$apt_log" || fail "sudo was not used"
}
says_what_apt_said_when_it_fails() {
  stand_in id 'echo 0'
  stand_in dpkg-query "$without_library"
  stand_in apt-get 'echo "E: no route to the mirror" >&2; exit 100'
  door build
  expect_code 1; expect 'no route to the mirror'; expect 'apt-get install'
}
shows_the_compilers_words() {
  echo 'int main() { return undeclared_thing; }' >"$tree/src/main.cpp"
  door build
  expect_code 1; expect "error: .undeclared_thing. was not declared"
  expect_not 'CMakeFiles/palpate-command.dir/src/main.cpp.o -c'
  (( $(wc -l <"$output") < 20 )) || fail "a wall of log"
  echo 'int main() {}' >"$tree/src/main.cpp"
  door build
  expect_code 0
}
shows_cmakes_words() {
  sed -i 's/^if(NOT PALPATE_TESTS)/message(FATAL_ERROR "this project wants a pony")\n&/' "$tree/CMakeLists.txt"
  door build
  expect_code 1; expect 'this project wants a pony'
}
second_call_waits() {
  sed -i '1i add_custom_target(slow ALL COMMAND sleep 2)' "$tree/CMakeLists.txt"
  sed -i '1i cmake_minimum_required(VERSION 3.22)' "$tree/CMakeLists.txt"
  sed -i 's/^if(NOT PALPATE_TESTS)/add_dependencies(palpate-command slow)\n&/' "$tree/CMakeLists.txt"
  (cd "$tree" && PATH="$stand_ins:$PATH" ./palpate first) >"$work/first" 2>&1 &
  local first=$!
  until [[ -e $tree/build/.build.lock ]]; do sleep 0.05; done
  sleep 0.3
  door second
  expect_code 0; expect 'waiting'; expect '<second>'
  wait "$first" || fail "the first call failed: $(cat "$work/first")"
  grep -q '<first>' "$work/first" || fail "the first call did not run"
}
survives_a_move() {
  door x; expect_code 0
  mv "$tree" "$work/another tree"; tree="$work/another tree"
  door moved; expect_code 0; expect '<moved>'
}
says_when_it_cannot_write() {
  export PALPATE_BUILD_DIR=/proc/palpate
  door build
  expect_code 1; expect 'PALPATE_BUILD_DIR'
}
answers_bad_command_lines() {
  door; expect_code 2; expect './palpate test'
  door test --wrong; expect_code 2; expect "unknown argument '--wrong'"
  door test --label; expect_code 2; expect 'needs a'
  door test --preset none; expect_code 2; expect "unknown preset 'none'"
  [[ ! -e $tree/build/release ]] || fail "something was built"
}
helps_without_building() {
  door --help
  expect_code 0; expect './palpate setup'; expect 'not built yet'
  [[ ! -e $tree/build ]] || fail "something was built"
}
cleans_only_its_own() {
  door x
  door clean; expect_code 0
  [[ ! -e $tree/build ]] || fail "build/ is still there"
  mkdir "$work/precious"; touch "$work/precious/thing"
  export PALPATE_BUILD_DIR=$work/precious
  door x; expect_code 0
  door clean; expect_code 0
  [[ -e $work/precious/thing && ! -e $work/precious/release ]] || fail "it removed a stranger's file, or left its own"
}
takes_a_relative_build_folder() {
  (cd "$work" && PATH="$stand_ins:$PATH" PALPATE_BUILD_DIR=elsewhere "$tree/palpate" here) >"$output" 2>&1 || fail "exit"
  expect '<here>'
  [[ -e $work/elsewhere/release ]] || fail "it was built somewhere else"
}
shows_cmakes_words_later_too() {
  door build; expect_code 0
  sed -i 's/^if(NOT PALPATE_TESTS)/message(FATAL_ERROR "this project wants a pony")\n&/' "$tree/CMakeLists.txt"
  door build; expect_code 1; expect 'this project wants a pony'
}
make_git_tree() {
  (cd "$tree" && git init -q && git add . && git -c user.name=t -c user.email=t@example.org commit -qm one) >/dev/null
  printf 'BasedOnStyle: Google\n' >"$tree/.clang-format"
  printf 'build/\n' >"$tree/.gitignore"
  printf "Checks: '-*,bugprone-infinite-loop'\nWarningsAsErrors: '*'\n" >"$tree/.clang-tidy"
}
configures_tests_only_when_they_are_asked_for() {
  make_git_tree
  door build; expect_code 0
  grep -qx 'PALPATE_TESTS:BOOL=OFF' "$tree/build/release/CMakeCache.txt" || fail "tests were configured"
  door test; expect_code 0; expect 'configuring'
  door test; expect_code 0; expect_not 'configuring'
  door build; expect_code 0; expect_not 'configuring'
}
tests_and_lists_what_was_skipped() {
  make_git_tree
  door test
  expect_code 0; expect '100% tests passed'; expect 'tiny.skips: there is no data folder'; expect '1 tests skipped'
  expect_not 'long.passes'
  door test --label tiny; expect_code 0; expect_not 'other.passes'
  door test --label nothing; expect_code 1
  printf 'int a;\n' >"$tree/zzz.cpp"; (cd "$tree" && git add zzz.cpp && rm zzz.cpp)
  door test; expect_code 0  # a file that git knows and that is gone is no matter of format
}
tests_fail_on_format_lint_and_failures() {
  make_git_tree
  echo 'add_test(NAME tiny.fails COMMAND ${CMAKE_COMMAND} -E false)' >>"$tree/CMakeLists.txt"
  door test; expect_code 1; expect 'tiny.fails'; expect 'tests failed in: release'
  printf 'int main( ) { }\n' >"$tree/src/main.cpp"
  door test; expect_code 1; expect 'run ./palpate format'
  door format; expect_code 0
  grep -qx 'int main() {}' "$tree/src/main.cpp" || fail "the file was not formatted"
  printf 'int main() {\n  int i = 0, j = 0;\n  while (i < 10) j++;\n}\n' >"$tree/src/main.cpp"
  door test; expect_code 1; expect 'bugprone-infinite-loop'
}

"$case_name"
