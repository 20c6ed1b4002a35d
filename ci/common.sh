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

# For the commands whose exit code is a verdict's (ci/GATE.md): 2 and 4 of it.
# shellcheck disable=SC2034
readonly exit_usage=2 exit_invalid=4

# refuse TEXT: ends with the caller's usage text, for what is wrong with the command line.
refuse() {
  usage >&2
  printf '%s: %s\n' "$command_name" "$1" >&2
  exit "$exit_usage"
}

# in_caller_dir PATH: the path as meant from the folder that the command was called in.
in_caller_dir() {
  (cd "$caller_dir" && realpath -m -- "$1")
}

# commit_of REVISION: the full hash of the commit that a git revision names.
commit_of() {
  git rev-parse --verify --quiet "$1^{commit}" || {
    printf "%s: git knows no commit '%s'; fetch it, or name another\n" "$command_name" "$1" >&2
    return 1
  }
}

# Builds of single revisions, to hold them against each other: build/gate/HASH/source is the work
# tree, build/gate/HASH/build what was made of it. Paths of equal length, so that they differ in
# nothing but the revision.
program_of() {
  printf '%s/build/gate/%s/build/tailgate' "$PWD" "$1"
}

# build_revision HASH: builds it unless that was done before.
build_revision() {
  local folder=build/gate/$1
  if [ -x "$(program_of "$1")" ] && [ -e "$folder/complete" ]; then
    touch "$folder/complete"
    printf 'built before: %s\n' "$folder"
    return
  fi
  if [ -d "$folder" ]; then git worktree remove --force "$folder/source" 2>/dev/null || true; fi
  rm -rf "$folder"
  git worktree prune
  mkdir -p "$folder"
  git worktree add --quiet --detach "$folder/source" "$1"
  cmake -S "$folder/source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_TESTING=OFF >"$folder/configure.log" 2>&1 ||
    { cat "$folder/configure.log" && fail "configuring $1 failed; see $folder/configure.log"; }
  cmake --build "$folder/build" --target tailgate >"$folder/build.log" 2>&1 ||
    { tail -n 30 "$folder/build.log" && fail "building $1 failed; see $folder/build.log"; }
  touch "$folder/complete"
}

# Keeps the builds of single revisions that were used last.
drop_old_builds() {
  local folder kept=6
  find build/gate -mindepth 2 -maxdepth 2 -name complete -printf '%T@ %h\n' | sort -rn |
    tail -n +"$((kept + 1))" | cut -d' ' -f2- |
    while read -r folder; do
      git worktree remove --force "$folder/source" || true
      rm -rf "$folder"
    done
}

# sink_available PROGRAM SINK: whether this machine has what the sink needs.
sink_available() {
  "$1" sinks "$2" --json 2>/dev/null | grep -c '"available": true' >/dev/null
}

# file_word TEXT: the text as part of a file name.
file_word() {
  printf '%s' "$1" | tr -c 'A-Za-z0-9@.+_-' '_'
}

# duet_of BASE HEAD SCENARIO SINK SETTINGS POLICY FILE: runs a duet of two built revisions until the
# gate can decide. Fails, with the program's exit code, only where there is no duet to judge.
duet_of() {
  local setting set_options=() status=0
  for setting in $5; do set_options+=(--set "$setting"); done
  "$(program_of "$2")" duet "$4" --program-a "$(program_of "$1")" --program-b "$(program_of "$2")" \
    --label-a "${1:0:10}" --label-b "${2:0:10}" --scenario "$3" "${set_options[@]}" --gate \
    --policy "$6" --seed "$(date +%s)" --out "$7" </dev/null || status=$?
  # The verdict's exit codes; of all duets together it is given at the end.
  case "$status" in
    0 | 1 | 3 | 4) ;;
    *) return "$status" ;;
  esac
}
