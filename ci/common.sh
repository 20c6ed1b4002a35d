# What the ci commands share; sourced, not run. Leaves the working directory at the project's root.
# shellcheck shell=bash

export LC_ALL=C.UTF-8
# Where ccache is the compiler launcher: it caches no unit that loads precompiled headers without.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
caller_dir=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command_name="ci/$(basename "$0")"

# printable TEXT: the text without what would control the terminal (harness/base/quoting.h says
# which characters do), whatever it quotes: a name of a sink, a revision. Each of them becomes '?';
# bytes that are not UTF-8 are dropped.
printable() {
  local bidirectional=$'[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]' text
  text=$(printf '%s' "$1" | iconv -c -f UTF-8 -t UTF-8 || true)
  text=${text//[[:cntrl:]]/?}
  printf '%s' "${text//$bidirectional/?}"
}

step() {
  printf '\n==== %s: %s\n' "$command_name" "$(printable "$1")"
}

fail() {
  printf '%s: %s\n' "$command_name" "$(printable "$1")" >&2
  exit 1
}

# install_packages COMMAND: what that command needs (ci/setup), unless the caller's --no-setup was
# given as setup=no.
install_packages() {
  [ "$setup" = yes ] || return 0
  step "installing packages"
  ci/setup "$1"
}

# build_preset PRESET [TARGET] [-- CMAKE ARGUMENTS ...]: configures build/PRESET and builds it, or
# the target alone. Configuring is quiet unless it fails.
build_preset() {
  local preset=$1 log
  local -a build=(cmake --build --preset "$1")
  shift
  if [ $# -gt 0 ] && [ "$1" != -- ]; then build+=(--target "$1") && shift; fi
  [ $# -eq 0 ] || shift
  log=build/$preset/configure.log
  mkdir -p "build/$preset"
  cmake --preset "$preset" "$@" >"$log" 2>&1 ||
    { cat "$log" && fail "configuring failed; the log is $log"; }
  grep -A 100 'optional parts:' "$log" | grep '^--   ' || true
  "${build[@]}" || fail "the $preset build failed; repeat it with: ${build[*]}"
}

closing_line() {
  grep -E '^[0-9]+% tests passed' "$1" || echo "ctest did not finish"
}

# run_tests PRESET [CTEST ARGUMENTS ...]: runs the tests of build/PRESET, one more at a time than
# there are processors, since many wait for a slow load. Those that failed run once more, alone:
# many measure this machine, which the other tests, other programs and a hypervisor disturb.
# build/PRESET/summary.log gets the lines for a summary; they name each repeated test. Returns 1 if
# a test failed again.
run_tests() {
  local preset=$1 parallel=$(($(nproc) + 1)) folder=build/$1
  shift
  step "testing $preset"
  local first=$folder/test.log again=$folder/test_again.log summary=$folder/summary.log
  rm -f "$again" "$summary"
  local passed=yes
  ctest --preset "$preset" --parallel "$parallel" "$@" </dev/null 2>&1 | tee "$first" || passed=no
  printf '%s\n    %s: log in %s\n' "$(closing_line "$first")" "$preset" "$first" >"$summary"
  [ "$passed" = no ] || return 0
  grep -qE '^[0-9]+% tests passed' "$first" || return 1
  step "testing once more what failed"
  passed=yes
  ctest --preset "$preset" --rerun-failed "$@" </dev/null 2>&1 | tee "$again" || passed=no
  {
    sed -n '/^The following tests FAILED/,$s/^[[:space:]]*[0-9]* - /    repeated alone: /p' "$first"
    printf '%s\n    repeated alone: log in %s\n' "$(closing_line "$again")" "$again"
  } >>"$summary"
  [ "$passed" = yes ] && grep -qE '^100% tests passed' "$again"
}
