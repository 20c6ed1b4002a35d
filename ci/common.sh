# What the ci commands share; sourced, not run. Leaves the working directory at the project's root.
# shellcheck shell=bash

export LC_ALL=C.UTF-8
caller_dir=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command_name="ci/$(basename "$0")"

step() {
  printf '\n==== %s: %s\n' "$command_name" "$1"
}

fail() {
  printf '%s: %s\n' "$command_name" "$1" >&2
  exit 1
}

# build_preset PRESET [CMAKE ARGUMENTS ...]: configures and builds build/PRESET. Configuring is
# quiet unless it fails.
build_preset() {
  local preset=$1 log
  shift
  log=build/$preset/configure.log
  mkdir -p "build/$preset"
  cmake --preset "$preset" "$@" >"$log" 2>&1 ||
    { cat "$log" && fail "configuring failed; the log is $log"; }
  grep -A 100 'optional parts:' "$log" | grep '^--   ' || true
  cmake --build --preset "$preset" ||
    fail "the $preset build failed; repeat it with: cmake --build --preset $preset"
}
