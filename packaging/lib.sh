# Shared by packaging/run, packaging/test and .ci/run: install what is missing, configure, build.
# Sourced by bash with `set -euo pipefail`; needs ROOT, the folder of the checkout.

say() { printf '%s\n' "ridgeline: $*" >&2; }
die() {
  say "$*"
  exit 1
}

# Packages of the sets named, from packages.txt.
packages_of() {
  local set
  for set in "$@"; do
    sed -e 's/#.*//' "$ROOT/packaging/packages.txt" | awk -v set="$set" '$1 == set { print $2 }'
  done
}

# Those of the packages named that are not installed, one a line.
missing_of() {
  local have
  have=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    awk '$2 == "installed" { print $1 }' || true)
  comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$have" | sort -u)
}

# Installs the missing packages of the sets named; calls no package manager when none is missing.
install_missing() {
  command -v dpkg-query >/dev/null ||
    die "this script installs Debian packages and found no dpkg. Install what" \
      "packaging/packages.txt lists in your system's way, then run: cmake --preset release &&" \
      "cmake --build --preset release"
  local wanted missing
  mapfile -t wanted < <(packages_of "$@")
  mapfile -t missing < <(missing_of "${wanted[@]}")
  ((${#missing[@]})) || return 0

  local as_root=()
  if (($(id -u) != 0)); then
    command -v sudo >/dev/null ||
      die "missing packages: ${missing[*]}. Neither root nor sudo is at hand: ask an administrator" \
        "to run: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${#missing[@]} missing packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -q >&2 ||
    die "apt-get update failed (see above): check the network and /etc/apt/sources.list"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qy --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get install failed (see above)"
}

# How many compilers at once: one a core, but no more than one a 1.5 GB of free memory.
jobs_here() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo 2>/dev/null || echo 1)
  ((memory < 1)) && memory=1
  echo $((memory < cores ? memory : cores))
}

# Configures (only when never done, or when the presets changed) and builds a preset.
build_preset() {
  local preset=$1 folder=$ROOT/build/$1
  shift
  if [[ ! -f $folder/build.ninja || $ROOT/CMakePresets.json -nt $folder/build.ninja ]]; then
    say "configuring build/$preset"
    (cd "$ROOT" && cmake --preset "$preset" "$@" >"$ROOT/build/configure-$preset.log" 2>&1) || {
      cat "$ROOT/build/configure-$preset.log" >&2
      # A half-made folder would look configured the next time.
      rm -f "$folder/build.ninja"
      die "cmake could not configure (see above)"
    }
  fi
  # Ninja looks at every source: safe, and quick when there is nothing to do.
  cmake --build "$folder" -j "$(jobs_here)" >&2 || die "the build failed (see above)"
}
