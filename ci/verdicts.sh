# What ci/gate and ci/nightly share: they build the program and let it judge. Sourced after
# common.sh by commands whose exit code is that of a verdict (ci/GATE.md).
# shellcheck shell=bash

# shellcheck disable=SC2034
readonly exit_usage=2 exit_inconclusive=3 exit_invalid=4 exit_interrupted=130 exit_timed_out=124

# Exit code 1 means the verdict fail, nothing else. When a tool that failed ends the command with 1
# (set -e), there is no verdict: the exit code becomes that of invalid.
has_verdict=no
trap 'code=$?; if [ "$code" -eq 1 ] && [ "$has_verdict" = no ]; then exit "$exit_invalid"; fi' EXIT

# say TEXT: prints a line about what is measured.
say() {
  printf '%s: %s\n' "$command_name" "$(printable "$1")"
}

# invalid TEXT: ends the command without a verdict and says why.
invalid() {
  printf '%s: no verdict: %s\n' "$command_name" "$(printable "$1")" >&2
  exit "$exit_invalid"
}

# refuse TEXT: ends the command with its usage text and says what is wrong with the command line.
refuse() {
  usage >&2
  printf '%s: %s\n' "$command_name" "$(printable "$1")" >&2
  exit "$exit_usage"
}

# in_caller_dir PATH: the absolute path; a relative one starts at the caller's folder.
in_caller_dir() {
  (cd "$caller_dir" && realpath -m -- "$1")
}

# build_program: installs what is missing and builds build/release/tailgate, which the variable
# tailgate then names. Only one command measures at a time: the lock is on file descriptor 9. A
# program that may outlive the command must not inherit it, so programs are started with 9>&-.
build_program() {
  mkdir -p build
  exec 9>>build/measuring.lock
  flock -n 9 ||
    invalid "another ci/gate or ci/nightly is running (it holds build/measuring.lock); wait until \
it ends"
  install_packages bench || invalid "packages are missing; ci/setup says above which"
  step "building the program"
  build_preset release tailgate 9>&-
  tailgate=$PWD/build/release/tailgate
}
