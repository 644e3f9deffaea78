#!/usr/bin/env bash
# The speed figures, one JSON object a line: {figure, value, unit, spread, samples}. Value is the median, spread the
# difference between the 90th and the 10th percentile. Figures that compare are taken in one run, interleaved.
#
#   scripts/bench.sh [build folder]      default: build/bench, which it makes
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/packages.sh
install_packages "${build_packages[@]}" "${test_packages[@]}" >&2
build=${1:-build/bench}
if [ $# -eq 0 ]; then
  cmake -S . -B "$build" -G Ninja -DFORELAP_TESTS=OFF -DFORELAP_BENCH=ON >&2
  cmake --build "$build" >&2
fi

"$build/bin/fast_engine_bench" --benchmark_repetitions=5 --benchmark_format=json 2>/dev/null | python3 -c '
import json, sys, statistics
runs = {}
for b in json.load(sys.stdin)["benchmarks"]:
    if b["run_type"] != "iteration": continue
    entry = runs.setdefault(b["name"], {"unit": "ns a step", "values": []})
    entry["values"].append(b["s_per_step"] * 1e9)
    if "orders_per_s" in b:
        runs.setdefault(b["name"] + ", orders", {"unit": "orders a second", "values": []})["values"].append(b["orders_per_s"])
    if "bytes_per_step" in b:
        runs.setdefault(b["name"] + ", memory", {"unit": "bytes a step", "values": []})["values"].append(b["bytes_per_step"])
for name, run in runs.items():
    v = run["values"]
    tenths = statistics.quantiles(v, n=10, method="inclusive")
    print(json.dumps({"figure": name, "value": round(statistics.median(v), 2), "unit": run["unit"],
                      "spread": round(tenths[8] - tenths[0], 2), "samples": len(v)}))
'
[ ! -x "$build/bin/simgrid_bench" ] || "$build/bin/simgrid_bench"
"$build/bin/order_search_bench" validate/recorded/h200-cuda/machine.yaml
# The proxy on each device that is here; $FORELAP_PROFILE names a machine profile for its policies.
for device in cuda opencl cpu; do
  "$build/bin/proxy_bench" "$device" ${FORELAP_PROFILE:+"$FORELAP_PROFILE"} || echo "no proxy figures on $device" >&2
done
# Against native CUDA, where nvcc was there to build it and a GPU is there to run it.
for program in native_bench controller_bench; do
  [ ! -x "$build/bin/$program" ] || "$build/bin/$program" || echo "no figures of $program" >&2
done
# How much code the case studies take.
scripts/effort.py --json || echo "no figures of how much code the case studies take" >&2
python3 - "$build/bin/forelap" <<'PYTHON'
import json, statistics, subprocess, sys, time
program = sys.argv[1]
times = []
for _ in range(31):
    begin = time.perf_counter()
    subprocess.run([program, "predict", "bk50", "--quiet"], check=True)
    times.append((time.perf_counter() - begin) * 1e3)
tenths = statistics.quantiles(times[1:], n=10, method="inclusive")
print(json.dumps({"figure": "forelap predict bk50, whole process", "value": round(statistics.median(times[1:]), 2),
                  "unit": "ms", "spread": round(tenths[8] - tenths[0], 2), "samples": len(times) - 1}))
PYTHON
