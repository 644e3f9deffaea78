# Debian packages of forelap, and how to get them. Sourced by the other scripts.

# To build and run the program.
build_packages=(
  g++ cmake ninja-build pkg-config ccache
  libyaml-cpp-dev libcli11-dev nlohmann-json3-dev libeigen3-dev
  libhwloc-dev ocl-icd-opencl-dev opencl-headers pocl-opencl-icd
  libsimgrid-dev
  libopenblas0-pthread # loaded where it is here: matrix products on CPU cores
)
# To build and run the tests as well.
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev python3 python3-pygments pmccabe)

# install_packages NAME...: installs what is missing, as root or through sudo. Says what to do where neither serves.
install_packages() {
  local missing=() name
  if ! command -v apt-get >/dev/null; then
    echo "No apt-get here: the packages $* (or what this system calls them) must be there already." >&2
    return 0
  fi
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "Installing: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Install these packages as root and start again: ${missing[*]}" >&2
      return 3
    fi
    as_root=(sudo)
  fi
  # apt-get is talkative even where all is well; what it said is shown where it failed. A source of packages that does
  # not answer is no reason to stop: the installation tells whether it was needed.
  local log status=0
  log=$(mktemp)
  {
    "${as_root[@]}" apt-get update || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
  } >"$log" 2>&1 || status=3
  if [ $status -ne 0 ]; then
    cat "$log" >&2
    echo "apt-get could not install the packages; what it said is above. Put that right and start again." >&2
  fi
  rm -f "$log"
  return $status
}
