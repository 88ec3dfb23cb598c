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

makes_checks_and_describes_a_mesh() {
  command_ mesh make torus --triangles 25600 -o "$work/t.ply"; expect_code 0; expect_err '25,600 triangles'
  command_ mesh check "$work/t.ply"; expect_code 0; expect_out 'good$'
  command_ mesh info "$work/t.ply"; expect_code 0; expect_out '^triangles +25,600'; expect_out 'closed, manifold'; expect_out 'genus 1'
  command_ mesh info --json "$work/t.ply"; expect_code 0; expect_out '"triangles": 25600'; expect_out '"closed": true'
  command_ mesh check --json "$work/t.ply"; expect_code 0; expect_out '"errors": 0'
  command_ mesh make --help; expect_code 0; expect_out 'solid-sphere'; expect_out 'knot'
  command_ mesh make torus --help; expect_code 0; expect_out '--minor .*0.04'
  command_ mesh make icosphere --triangles 100 -o "$work/i.ply"; expect_code 0; expect_err 'an icosphere cannot have 100 elements; the nearest it can have is 80'
}
converts_between_formats_and_units() {
  command_ mesh make beam -o "$work/beam.msh"; expect_code 0; expect_err '216 vertices, 460 tetrahedra'
  command_ mesh convert "$work/beam.msh" "$work/beam.vtu" --unit mm; expect_code 0
  command_ mesh info "$work/beam.vtu" --json; expect_out '"tetrahedra": 460'; expect_out '5.75[0-9]*e-05'
  command_ mesh convert "$work/beam.vtu" "$work/beam.stl"; expect_code 1; expect_err 'tetrahedra'; expect_err 'surface'
  for ending in obj ply stl off glb; do
    command_ mesh convert "$work/beam.vtu" "$work/beam.$ending" --surface; expect_code 0
  done
  command_ mesh convert "$work/beam.obj" "$work/x.vtk"; expect_code 2; expect_err 'writes .obj'
  command_ mesh convert "$work/beam.obj" "$work/no folder/x.ply"; expect_code 1; expect_err 'such a folder'
  command_ mesh convert "$work/beam.obj" "$work/x.ply" --unit parsec; expect_code 2; expect_err 'not a unit'
  command_ mesh convert "$work/beam.obj" "$work/x.ply" --scale nan; expect_code 2; expect_err 'not a positive number'
  command_ mesh convert "$work/beam.obj" "$work/x.ply" --from wrong; expect_code 2; expect_err 'not a format'
  [[ ! -e $work/x.ply ]] || fail "a refused conversion left a file"
}
refuses_bad_meshes() {
  command_ mesh check "$work/none.ply"; expect_code 1; expect_err 'none.ply: cannot open'
  command_ mesh info "$work"; expect_code 1; expect_err 'this is a folder'
  printf 'v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n' >"$work/nan.obj"
  command_ mesh info "$work/nan.obj"; expect_code 1; expect_err "nan.obj:3:5: 'nan'"
  printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n' >"$work/index.obj"
  command_ mesh info "$work/index.obj"; expect_code 1; expect_err 'index.obj:4'
  : >"$work/empty.ply"; command_ mesh info "$work/empty.ply"; expect_code 1; expect_err 'empty.ply'
  command_ mesh info "$work/mesh.xyz"; expect_code 1; expect_err 'format.*--from'
  command_ mesh chek x; expect_code 2; expect_err "Did you mean 'check'"
  command_ mesh make tours -o x.ply; expect_code 2; expect_err "Did you mean 'torus'"
  command_ mesh make torus; expect_code 2; expect_err 'output'
  command_ mesh make torus --minor 0.2 -o "$work/x.ply"; expect_code 2; expect_err 'cross itself'
  command_ mesh make torus --trianlges 9 -o "$work/x.ply"; expect_code 2; expect_err "Did you mean '--triangles'"
  command_ mesh; expect_code 2; expect_err 'info, check, make'
}
finds_and_mends_faults() {
  # Two triangles that face opposite ways, a doubled vertex, an unused one; open, so the border is noted.
  printf 'v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 .1 0\nv .1 .1 0\nv 1 1 1\nf 1 2 3\nf 2 4 5\n' >"$work/bad.obj"
  command_ mesh check "$work/bad.obj"; expect_code 0; expect_out 'duplicate vertex'; expect_out 'unused vertex'
  command_ mesh check --strict "$work/bad.obj"; expect_code 1
  command_ mesh repair "$work/bad.obj" "$work/good.obj"; expect_code 0; expect_out 'merged 1 vert'; expect_out 'turned 1 triangle'
  command_ mesh check --strict "$work/good.obj"; expect_code 0; expect_out 'note +4 +open border'
  command_ mesh repair "$work/good.obj" "$work/same.obj"; expect_code 0; expect_out 'nothing to repair'
  command_ mesh repair --json "$work/bad.obj" "$work/good.obj"; expect_code 0; expect_out '"done": \['
}
fills_surfaces_or_says_how_to() {
  command_ mesh make icosphere --frequency 6 -o "$work/ball.ply"; expect_code 0
  command_ mesh make plane -o "$work/plane.ply"; expect_code 0
  command_ mesh tetrahedralize "$work/plane.ply" "$work/x.vtu"; expect_code 1; expect_err 'open border'
  command_ mesh tetrahedralize "$work/ball.ply" "$work/x.vtu" --size 1e-12; expect_code 1; expect_err 'larger --size'
  # Without gmsh: the one line to install it.
  PATH= command_ mesh tetrahedralize "$work/ball.ply" "$work/x.vtu"; expect_code 1; expect_err 'apt-get install gmsh'
  if command -v gmsh >/dev/null; then
    command_ mesh tetrahedralize "$work/ball.ply" "$work/ball.vtu"; expect_code 0; expect_err 'tetrahedra'
    command_ mesh check "$work/ball.vtu"; expect_code 0
    command_ mesh info --json "$work/ball.vtu"; expect_out '"triangles": 720'
    # Ended while gmsh runs: neither it nor the folder it works in stays.
    command_ mesh make torus --triangles 25600 -o "$work/large.ply"
    mkdir "$work/tmp"
    TMPDIR=$work/tmp "$program" mesh tetrahedralize "$work/large.ply" "$work/x.vtu" --size 0.002 >"$work/out" 2>"$work/err" &
    local pid=$!
    until compgen -G "$work/tmp/palpate-*/log" >/dev/null; do sleep 0.05; done
    kill -TERM "$pid"; code=0; wait "$pid" || code=$?
    expect_code 1; expect_err 'interrupted'
    [[ -z $(ls "$work/tmp") && ! -e $work/x.vtu ]] || fail "something was left behind"
  fi
}
survives_odd_places_and_names() {
  command_ mesh make torus --triangles 400 -o "$work/t.obj"; expect_code 0
  { printf '\xef\xbb\xbf'; cat "$work/t.obj"; } >"$work/bom.obj"  # as some editors save text
  command_ mesh info --json "$work/bom.obj"; expect_code 0; expect_out '"vertices": 200'
  cp "$work/t.obj" "$work/$(printf 'bad\xffname').obj"
  command_ mesh check --json "$work/$(printf 'bad\xffname').obj"; expect_code 0; expect_out '"errors": 0'
  code=0; "$program" mesh info "$work/none.obj" 2>/dev/full || code=$?; expect_code 1
  code=0; "$program" mesh convert "$work/t.obj" "$work/t.ply" 2>/dev/full || code=$?; expect_code 0
  command_ mesh picture "$work/t.obj" -o "$work/t.png" --azimuth nan; expect_code 2; expect_err "'nan' is not a number"
  command_ mesh check "$work/t.obj" --slivers-below nan; expect_code 2
  command_ mesh repair "$work/t.obj" "$work/x.obj" --merge-within 10; expect_code 1; expect_err 'nothing is left'
  command_ mesh check --scale 1e110 "$work/t.obj"; expect_code 0
  ! grep -q 'inside out' "$work/out" || fail "a huge mesh is not inside out"
  printf '# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n12\n' >"$work/hex.vtk"
  command_ mesh info "$work/hex.vtk"; expect_code 1; expect_err 'hexahedra'
  command_ mesh tetrahedralize "$work/t.obj" "$work/t.stl"; expect_code 2; expect_err 'vtu or .msh'
}
draws_pictures() {
  command_ mesh make knot -o "$work/k.ply"
  command_ mesh picture "$work/k.ply" -o "$work/k.png" --width 200 --height 100; expect_code 0
  [[ $(head -c 4 "$work/k.png" | tail -c 3) == PNG ]] || fail "not a PNG file"
  command_ mesh picture "$work/k.ply" -o "$work/k.jpg"; expect_code 2; expect_err 'PNG'
}
names_every_shape_in_good_english() {
  local shape option article
  command_ mesh make --help
  for shape in $(sed -n '/^Subcommands/,$s/^  \([a-z-]*\) .*/\1/p' "$work/out"); do
    option=--triangles article=a
    case $shape in [aeiou]*) article=an ;; esac
    case $shape in solid-* | beam | blob) option=--tets ;; esac
    command_ mesh make "$shape" "$option" 1 -o "$work/$shape.msh"; expect_code 0
    expect_err "palpate: $article $shape cannot have 1 element;"
  done
  [[ -e $work/icosphere.msh && -e $work/blob.msh ]] || fail "not every shape was tried"
}
answers_bad_numbers() {
  local -a make=(mesh make torus -o "$work/x.ply")
  command_ "${make[@]}" --major nan; expect_code 2; expect_err "--major: 'nan' is not a number"
  command_ "${make[@]}" --major -1; expect_code 2; expect_err 'major is -1'
  for wrong in 2.5 -3 nan many 1e99 ''; do
    command_ "${make[@]}" --around "$wrong"; expect_code 2; expect_err "--around: '$wrong' is not a whole number"
    command_ "${make[@]}" --triangles "$wrong"; expect_code 2; expect_err "--triangles: '$wrong' is not a whole number"
  done
  command_ "${make[@]}" --around 2; expect_code 2; expect_err 'from 3 on'
  command_ "${make[@]}" --around 4294967294; expect_code 2; expect_err 'Subdivide less'
  [[ ! -e $work/x.ply ]] || fail "a refused shape left a file"
  command_ "${make[@]}" --triangles 1e4; expect_code 0; expect_err '10,000 triangles'
  for wrong in 0 1 nan; do
    command_ mesh repair "$work/x.ply" "$work/y.ply" --slivers --wanted-quality "$wrong"; expect_code 2; expect_err "'$wrong' is not a number above 0 and below 1"
  done
  command_ mesh repair --help; expect_out 'wanted-quality.*above 0, below 1'
}
refuses_options_that_would_do_nothing() {
  command_ mesh make torus -o "$work/t.ply"; expect_code 0
  local ending option
  # Every ending with the options it has not.
  while read -r ending options; do
    for option in $options; do
      command_ mesh convert "$work/t.ply" "$work/x.$ending" "$option"; expect_code 2; expect_err "x.$ending: its format, .*, has no $option\\."
    done
  done <<'TABLE'
obj --ascii --float --big-endian --uncompressed
off --ascii --float --big-endian --uncompressed
glb --ascii --float --big-endian --uncompressed
ply --uncompressed
stl --float --big-endian --uncompressed
vtu --big-endian
msh --float --big-endian --uncompressed
TABLE
  [[ -z $(compgen -G "$work/x.*") ]] || fail "something was written"
  for ending in ply stl vtu msh; do command_ mesh convert "$work/t.ply" "$work/x.$ending" --ascii; expect_code 0; done
  command_ mesh convert "$work/t.ply" "$work/x.ply" --float --big-endian; expect_code 0
  command_ mesh convert "$work/t.ply" "$work/x.vtu" --float --uncompressed; expect_code 0
  command_ mesh convert "$work/t.ply" "$work/x.ply" --ascii --big-endian; expect_code 2; expect_err 'order of bytes'
  command_ mesh repair "$work/t.ply" "$work/x.ply" --wanted-quality 0.2; expect_code 2; expect_err 'requires --slivers'
  command_ mesh repair "$work/t.ply" "$work/x.ply" --no-merge --merge-within 1; expect_code 2; expect_err 'excludes'
  command_ mesh make beam -o "$work/b.stl"; expect_code 2; expect_err '--surface'
}
looks_at_the_target_first() {
  command_ mesh make torus -o "$work/t.ply"; expect_code 0
  mkdir "$work/folder" "$work/folder.ply"
  for target in "$work/folder" "$work/folder.ply"; do
    command_ mesh convert "$work/t.ply" "$target"; expect_code 1; expect_err 'this is a folder, not a file'
  done
  command_ mesh picture "$work/t.ply" -o "$work/folder"; expect_code 1; expect_err 'this is a folder, not a file'
  command_ mesh make torus -o "$work/x.xyz"; expect_code 2; expect_err 'writes .obj'
  command_ mesh make torus -o ''; expect_code 2; expect_err "file ''"
  # The input is not even opened when the target is wrong.
  command_ mesh convert "$work/none.ply" "$work/none/x.ply"; expect_code 1; expect_err 'such a folder'
  command_ mesh tetrahedralize "$work/none.ply" "$work/none/x.vtu"; expect_code 1; expect_err 'such a folder'
}
shows_names_without_obeying_them() {
  local name=$'a\e[31m\nb\x7f'
  command_ mesh make torus -o "$work/$name.ply"; expect_code 0
  expect_err 'a\\x1b\[31m\\nb\\x7f.ply: 2,560'
  for part in info check; do
    command_ mesh $part "$work/$name.ply"; expect_code 0; expect_out 'a\\x1b\[31m\\nb\\x7f.ply'
  done
  command_ mesh info "$work/$name.none.ply"; expect_code 1; expect_err 'a\\x1b\[31m\\nb'
  command_ mesh $'in\efo'; expect_code 2; expect_err "'in\\\\x1bfo'"
  command_ mesh info x $'--\e'; expect_code 2; expect_err "'--\\\\x1b'"
  ! grep -q $'\e' "$work/out" "$work/err" || fail "an escape was printed"
  command_ mesh make torus -o "$work/größe ✓.ply"; expect_code 0; expect_err 'größe ✓.ply'
  command_ mesh info -x.ply; expect_code 2; expect_err "no option '-x.ply'.*'./-x.ply'"
  : >"$work/empty.stl"; command_ mesh info "$work/empty.stl"; expect_code 1; expect_err 'the file is empty'
}
stops_at_a_limit_of_file_size() {
  code=0; (ulimit -f 64; exec "$program" mesh make torus --triangles 100000 -o "$work/x.ply") >"$work/out" 2>"$work/err" || code=$?
  expect_code 1; expect_err 'x.ply: cannot write it: File too large'
  [[ -z $(compgen -G "$work/x.ply*") ]] || fail "half a file was left"
}
says_where_it_cannot_work() {
  command -v gmsh >/dev/null || { echo "gmsh is not installed: nothing to try"; return 0; }
  command_ mesh make icosphere -o "$work/ball.ply"
  TMPDIR=$work/none command_ mesh tetrahedralize "$work/ball.ply" "$work/x.vtu"; expect_code 1
  expect_err "TMPDIR '.*none': cannot make a folder.*Set TMPDIR"
}
shows_progress_on_a_terminal_only() {
  if ! script -qec true /dev/null >/dev/null 2>&1; then echo "there is no program 'script': nothing to try"; return 0; fi
  local line count
  printf -v line '%q ' "$program" mesh repair "$work/t.ply" "$work/x.msh" --ascii
  for count in 2000000 8000000; do  # the second for machines that do the first within a second
    command_ mesh make torus --triangles "$count" -o "$work/t.ply"; expect_code 0
    ! grep -q $'\e' "$work/err" || fail "a bar without a terminal"
    code=0; script -qec "$line" /dev/null >"$work/out" 2>"$work/err" </dev/null || code=$?
    expect_code 0
    ! grep -q 'repairing' "$work/out" || ! grep -q 'writing' "$work/out" || break
  done
  expect_out 'repairing .*t.ply \([0-9]+ s\)'; expect_out 'writing .*x.msh \([0-9]+ s\)'
}
studies_soft_bodies() {
  command_ study --help; expect_code 0; expect_out 'soft .*Boukadida'
  command_ study soft --help; expect_code 0; expect_out '--quick'; expect_out '--out'; expect_out 'PALPATE_DATA'
  command_ study sotf; expect_code 2; expect_err "Did you mean 'soft'"
  command_ study; expect_code 2; expect_err 'give a command: .*soft'
  command_ study soft --threads 0; expect_code 2; expect_err '--threads'
  : >"$work/file"
  command_ study soft --quick --out "$work/file/x"; expect_code 1; expect_err 'cannot make this folder.*--out'
  command_ study soft --quick --out "$work/y" --json "$work/none/x.json"; expect_code 1; expect_err 'such a folder'
  command_ study soft --quick --out "$work/x" --json "$work/x.json"; expect_code 0
  expect_out 'Jacobi converges slowly'; expect_out 'quasi_newton'; expect_err "wrote .*x/index.html"
  grep -q '"verdict"' "$work/x.json" || fail "no verdicts in the JSON"
  grep -q '</svg>' "$work/x/soft-contraction.svg" || fail "no plot"
}
a_study_stops_on_interrupt_with_what_it_has() {
  set -m
  # All of it takes minutes; --quick may be through before it is interrupted.
  "$program" study soft --out "$work/x" --json - >"$work/out" 2>"$work/err" &
  local pid=$!
  until [[ -d $work/x ]]; do sleep 0.05; done
  sleep 0.3
  kill -INT "$pid"
  code=0; wait "$pid" || code=$?
  expect_code 130; expect_out '"interrupted": true'; expect_err 'interrupted'
}
"$case_name"
