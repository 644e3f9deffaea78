#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test: release, then with the address and undefined behaviour
# sanitizers. `scripts/test.sh PRESET...` runs the presets named instead.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/packages.sh
install_packages "${build_packages[@]}" "${test_packages[@]}"

presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(release asan)
jobs=$(nproc)
# Third-party libraries keep memory until the process ends; ours must not. Leaks are looked for in our own frames.
export LSAN_OPTIONS="suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp"
for preset in "${presets[@]}"; do
  echo "== $preset: configure and build =="
  cmake --preset "$preset"
  cmake --build --preset "$preset" -j "$jobs"
  echo "== $preset: test =="
  ctest --preset "$preset" -j "$jobs"
done
