#!/usr/bin/env bash
# From a fresh Debian 12 to the main job: installs what is missing, builds the program in release, calibrates the first
# usable device (a CUDA GPU, else an OpenCL GPU, else an OpenCL CPU device such as PoCL's), and validates the synthetic
# benchmark BK50 in all its 24 orders: predicted against measured.
#
#   scripts/quickstart.sh            results go to results/quickstart
#   FORELAP_RESULTS=DIR scripts/quickstart.sh
set -euo pipefail
cd "$(dirname "$0")/.."
results=${FORELAP_RESULTS:-results/quickstart}

. scripts/packages.sh
install_packages "${build_packages[@]}"

echo "Building; build/quickstart.log tells how far it is (a few minutes on two cores) ..."
mkdir -p build "$results"
cmake --preset program >build/quickstart.log 2>&1 || { cat build/quickstart.log >&2; exit 3; }
cmake --build --preset program >>build/quickstart.log 2>&1 || { tail -50 build/quickstart.log >&2; exit 3; }
forelap=build/program/bin/forelap

"$forelap" devices
"$forelap" calibrate --device auto -o "$results/machine.yaml" --samples "$results/samples.csv"
status=0
"$forelap" validate bk50 -m "$results/machine.yaml" --json "$results/bk50.json" --csv "$results/bk50.csv" \
  --trace "$results/bk50-trace.json" || status=$?
echo
echo "Machine profile  $results/machine.yaml"
echo "Results          $results/bk50.json, $results/bk50.csv"
echo "Timelines        $results/bk50-trace.json (open it at https://ui.perfetto.dev)"
# 1 says that the mean error is above the scenario's tolerance: a finding about this machine, not a failure of the start.
[ "$status" -le 1 ] || exit "$status"
