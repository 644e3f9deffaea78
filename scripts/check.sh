#!/usr/bin/env bash
# What is slower than CI allows, to be run before an issue is closed: warnings as errors, a build with every optional
# part off, the thread sanitizer on the concurrent parts, formatting and clang-tidy. Prints a line a check and ends with
# 1 where one failed. `scripts/check.sh NAME...` runs the checks named: dev bare tsan format tidy.
set -uo pipefail
cd "$(dirname "$0")/.."

. scripts/packages.sh
install_packages "${build_packages[@]}" "${test_packages[@]}" clang-format-14 clang-tidy-14 || exit

checks=("$@")
[ ${#checks[@]} -gt 0 ] || checks=(format dev bare tsan tidy)
logs=build/check
mkdir -p "$logs"

check_dev() { scripts/test.sh dev; }
check_bare() { scripts/test.sh bare; }
# Only what has threads of its own; third-party libraries without instrumentation would report their own locks.
check_tsan() {
  cmake --preset tsan && cmake --build --preset tsan --target core_tests hw_tests hw_proxy_tests sim_tests &&
    for program in core_tests hw_tests hw_proxy_tests sim_tests; do
      TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp halt_on_error=1" "build/tsan/bin/$program" \
        --gtest_filter="-*opencl*:*OpenCL*" || return 1
    done
}
check_format() { git ls-files '*.cpp' '*.hpp' | xargs clang-format-14 --dry-run --Werror; }
check_tidy() {
  cmake --preset dev >/dev/null &&
    git ls-files '*.cpp' | grep -vE '^(tests|bench)/' | xargs -P "$(nproc)" -n 4 clang-tidy-14 -p build/dev --quiet \
      --warnings-as-errors='*'
}

failed=0
for name in "${checks[@]}"; do
  if "check_$name" >"$logs/$name.log" 2>&1; then
    echo "ok      $name"
  else
    echo "FAILED  $name (see $logs/$name.log)"
    failed=1
  fi
done
exit $failed
