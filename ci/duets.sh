# What ci/gate and ci/nightly share: they build two revisions in the same way and run them in duet.
# Sourced after common.sh by commands whose exit code is that of a verdict (ci/GATE.md).
# shellcheck shell=bash

# shellcheck disable=SC2034
readonly exit_fail=1 exit_usage=2 exit_inconclusive=3 exit_invalid=4 exit_interrupted=130
readonly exit_timed_out=124

# The folder of the built programs: HASH/source is the work tree, HASH/build its build. The paths of
# both sides have the same length, so that the builds differ only in the revision.
builds=build/gate

# Exit code 1 means the verdict fail, nothing else. When a tool that failed ends the command with 1
# (set -e), there is no verdict: the exit code becomes that of invalid.
has_verdict=no
trap 'code=$?; if [ "$code" -eq 1 ] && [ "$has_verdict" = no ]; then exit "$exit_invalid"; fi' EXIT

# say TEXT: prints a line about the duets.
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

# commit_of REVISION: the full hash of the revision's commit.
commit_of() {
  git rev-parse --verify --quiet --end-of-options "$1^{commit}" || {
    printf "%s: git knows no commit '%s'; fetch it, or name another\n" "$command_name" \
      "$(printable "$1")" >&2
    return 1
  }
}

# time_text SECONDS: "12 s", "1 min 40 s", "2 h 05 min", as tailgate writes a wait.
time_text() {
  if [ "$1" -lt 60 ]; then
    printf '%d s' "$1"
  elif [ "$1" -lt 3600 ]; then
    printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
  else
    printf '%d h %02d min' $(($1 / 3600)) $(($1 % 3600 / 60))
  fi
}

# Only one command measures at a time. The lock is on file descriptor 9. A program that may outlive
# the command must not inherit it, so such programs are started with 9>&-.
take_lock() {
  mkdir -p "$builds"
  exec 9>>"$builds/lock"
  flock -n 9 ||
    invalid "another ci/gate or ci/nightly is running (it holds $builds/lock); wait until it ends"
}

program_of() {
  printf '%s/%s/%s/build/tailgate' "$PWD" "$builds" "$1"
}

# What a build depends on besides its revision. When this has changed, the build is made again.
build_recipe() {
  printf '%s\n' "${CXX:-c++}: $("${CXX:-c++}" --version 2>&1 | head -n 1)" \
    "flags: Release ${CXXFLAGS:-} ${LDFLAGS:-}"
}

# build_revision HASH NAME: builds the revision unless it is built already. The recipe is written
# last, so a build without it is not complete.
build_revision() {
  local folder=$builds/$1 recipe
  local -a launcher=()
  recipe=$(build_recipe)
  if [ -x "$(program_of "$1")" ] && [ "$(cat "$folder/complete" 2>/dev/null)" = "$recipe" ]; then
    touch "$folder/complete"
    say "$2 was built before: $folder"
    return
  fi
  drop_build "$folder"
  git worktree prune
  mkdir -p "$folder"
  git worktree add --quiet --detach "$folder/source" "$1" >"$folder/checkout.log" 2>&1 ||
    { cat "$folder/checkout.log" && invalid "git could not check out $2 ($1)"; }
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    # ccache then sees the same file names for both sides, and reuses what the other side compiled.
    export CCACHE_BASEDIR=$PWD/$folder CCACHE_NOHASHDIR=1
  fi
  cmake -S "$folder/source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_TESTING=OFF "${launcher[@]}" >"$folder/configure.log" 2>&1 9>&- ||
    { tail -n 30 "$folder/configure.log" &&
      invalid "configuring $2 ($1) failed; the log is $folder/configure.log"; }
  cmake --build "$folder/build" --target tailgate >"$folder/build.log" 2>&1 9>&- ||
    { tail -n 30 "$folder/build.log" &&
      invalid "building $2 ($1) failed; the log is $folder/build.log"; }
  printf '%s\n' "$recipe" >"$folder/complete.new"
  mv "$folder/complete.new" "$folder/complete"
}

drop_build() {
  [ -d "$1" ] || return 0
  # Removed first, so that an interrupted removal leaves no build that counts as complete.
  rm -f "$1/complete"
  git worktree remove --force "$1/source" 2>/dev/null || true
  rm -rf "$1"
}

# drop_old_builds: removes incomplete builds, and all complete ones but those that were used last.
drop_old_builds() {
  local folder kept=6
  for folder in "$builds"/*/; do
    if [ -d "$folder" ] && [ ! -e "$folder/complete" ]; then drop_build "${folder%/}"; fi
  done
  find "$builds" -mindepth 2 -maxdepth 2 -name complete -printf '%T@ %h\n' | sort -rn |
    tail -n +"$((kept + 1))" | cut -d' ' -f2- |
    while read -r folder; do drop_build "$folder"; done
}

# check_sides BASE HEAD: ends the command unless HEAD's build can run both builds in duet.
# It uses option names that older builds of HEAD have, too.
check_sides() {
  local log=$builds/check.log trial=$builds/check.json
  rm -f "$trial"
  "$(program_of "$2")" policy >"$log" 2>&1 || {
    cat "$log"
    invalid "the build of $2 has no gate: it is older than the gate; name a later revision"
  }
  if "$(program_of "$2")" duet null --program-a "$(program_of "$1")" \
    --program-b "$(program_of "$2")" --set rate_hz=10000 --rounds 1 --slices 1 --warmup-slices 0 \
    --slice-ms 20 --quiet --out "$trial" >"$log" 2>&1 </dev/null 9>&-; then
    return
  fi
  cat "$log"
  say "the builds of $1 and $2 cannot be run in duet; the reason is above. If the first one is"
  say "older than duets, or than a change of their protocol, compare later revisions: BASE must"
  say "contain that change, too. 'tailgate compare' shows older results, without a verdict."
  invalid "the two builds cannot be run in duet"
}

# find_waived BASE HEAD POLICY: sets waive_options to the policy's waivers for commits that HEAD
# contains and BASE does not. Says why each of the other waivers is not used.
waive_options=()
find_waived() {
  local commit full
  waive_options=()
  for commit in $("$(program_of "$2")" policy "$3" --waived-commits); do
    if ! full=$(git rev-parse --verify --quiet "$commit^{commit}"); then
      say "waiver of $commit: not used, git knows no such commit; correct its hash in $3"
    elif git merge-base --is-ancestor "$full" "$1"; then
      say "waiver of $commit: not used, the base contains it already; remove it from $3"
    elif ! git merge-base --is-ancestor "$full" "$2"; then
      say "waiver of $commit: not used, the head does not contain it"
    else
      waive_options+=(--waive "$commit")
    fi
  done
}

# has_sink PROGRAM SINK: whether the sink is available in this build and on this machine.
has_sink() {
  "$1" sinks "$2" --json 2>/dev/null |
    python3 -c 'import json, sys; sys.exit(not json.load(sys.stdin)[0]["available"])' 2>/dev/null
}

# read_duet LINE: sets scenario and sink to a planned duet's, and settings to its list, still
# escaped.
# shellcheck disable=SC2034
read_duet() {
  IFS=$'\t' read -r scenario sink settings <<<"$1"
  printf -v scenario %b "$scenario"
  printf -v sink %b "$sink"
}

# plan_duets BASE HEAD POLICY OPTION: sets planned to the policy's duets, one line each (scenario,
# sink and settings, separated by tabs; escaped as tailgate policy prints them). Leaves out sinks
# that are not available.
planned=()
plan_duets() {
  local runs duet scenario sink settings
  runs=$("$(program_of "$2")" policy "$3" "$4") || exit "$exit_usage"
  [ -n "$runs" ] || refuse "the policy '$3' names no [[run]]"
  planned=()
  while IFS= read -r duet; do
    read_duet "$duet"
    if ! has_sink "$(program_of "$2")" "$sink"; then
      say "left out: $sink is not available here ('tailgate sinks' says why)"
    elif ! has_sink "$(program_of "$1")" "$sink"; then
      say "left out: the base has no sink $sink to compare with"
    else
      planned+=("$duet")
    fi
  done <<<"$runs"
  [ "${#planned[@]}" -gt 0 ] || invalid "none of the policy's sinks is available here"
}

# duet_file DIR SCENARIO SINK SETTINGS: the path of the duet's file. Each duet has its own: where a
# character is replaced, a checksum distinguishes what became equal.
duet_file() {
  local duet=$2@$3${4:++$4} name
  name=$(printf '%s' "$duet" | tr -c 'A-Za-z0-9@.+_-' '_')
  if [ "$name" != "$duet" ]; then name+=~$(printf '%s' "$duet" | cksum | cut -d' ' -f1); fi
  printf '%s/%s.json' "$1" "$name"
}

# duet_of BASE HEAD SCENARIO SINK SETTINGS POLICY SECONDS FILE: runs a duet until the gate can
# decide or the policy's time budget is used. SETTINGS are still escaped. After SECONDS it is
# stopped in any case. Writes FILE only when the duet ended by itself. Returns the exit code of the
# duet's verdict, or another one when there is no verdict.
duet_of() {
  local setting status=0
  local -a escaped=() set_options=()
  read -ra escaped <<<"$5"
  for setting in "${escaped[@]}"; do
    printf -v setting %b "$setting"
    set_options+=(--set "$setting")
  done
  rm -f "$8.part"
  timeout --foreground --signal=INT --kill-after=20 "$7" "$(program_of "$2")" duet "$4" \
    --program-a "$(program_of "$1")" --program-b "$(program_of "$2")" --label-a "${1:0:10}" \
    --label-b "${2:0:10}" --scenario "$3" "${set_options[@]}" --gate --policy "$6" \
    "${waive_options[@]}" --seed "$(date +%s)" --out "$8.part" </dev/null 9>&- || status=$?
  case "$status" in
    0 | "$exit_fail" | "$exit_inconclusive" | "$exit_invalid")
      # A duet without a round leaves no file.
      if [ -e "$8.part" ]; then mv "$8.part" "$8"; fi
      ;;
  esac
  return "$status"
}

# why_missing CODE: why a duet that ended with this exit code left no file.
why_missing() {
  if [ "$1" -eq "$exit_timed_out" ]; then
    printf 'the duet did not end in time and was stopped'
  else
    printf 'the duet ended with exit code %d and left nothing to judge' "$1"
  fi
}

# judge DIR OPTIONS: prints and writes the verdicts on the folder's duets; the folder may be empty.
judge() {
  local folder=$1
  local -a duets=()
  shift
  if compgen -G "$folder/*.json" >/dev/null; then duets=("$folder"); fi
  "$tailgate" gate "${duets[@]}" "$@"
}
