# Debian packages of forelap, and how to get them. Sourced by the other scripts.

# To build and run the program.
build_packages=(
  g++ cmake ninja-build pkg-config ccache
  libyaml-cpp-dev libcli11-dev nlohmann-json3-dev libeigen3-dev
  libhwloc-dev ocl-icd-opencl-dev opencl-headers pocl-opencl-icd
  libsimgrid-dev
)
# To build and run the tests as well.
test_packages=(libgtest-dev libgmock-dev libbenchmark-dev python3)

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
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >/dev/null
}
