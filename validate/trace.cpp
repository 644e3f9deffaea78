#include "validate/trace.hpp"

#include <nlohmann/json.hpp>

#include "core/number_text.hpp"
#include "validate/results.hpp"

namespace forelap::validate {
namespace {

constexpr std::uint32_t kMostSlices = 1000;
constexpr double kTicksPerMicrosecond = 1e6;

using Json = nlohmann::ordered_json;

double microseconds(double ticks) {
  return ticks / kTicksPerMicrosecond;
}

Json named(const char* what, std::size_t process, std::size_t thread, const std::string& name) {
  return Json{{"name", what}, {"ph", "M"}, {"pid", process}, {"tid", thread}, {"args", Json{{"name", name}}}};
}

std::string kind_of(const core::Step& step) {
  switch (step.kind) {
    case core::StepKind::copy:
      return step.direction == core::Direction::host_to_device ? "htod" : "dtoh";
    case core::StepKind::kernel:
      return "kernel";
    case core::StepKind::host_work:
      return "host work";
    case core::StepKind::send:
      return "send";
    case core::StepKind::receive:
      break;
  }
  return "receive";
}

Json details(const core::Plan& plan, const core::Step& step, std::size_t id) {
  Json args{{"step", id}};
  switch (step.kind) {
    case core::StepKind::copy:
    case core::StepKind::send:
    case core::StepKind::receive:
      args["bytes"] = step.amount;
      break;
    case core::StepKind::kernel:
      if (step.subject < plan.calls.size()) args["kernel"] = plan.kernels.at(index(plan.call_of(step).kernel));
      args["work"] = step.amount;
      args["items"] = step.items;
      break;
    case core::StepKind::host_work:
      if (step.subject < plan.host_work_names.size()) args["work"] = plan.host_work_names[step.subject];
      args["amount"] = step.amount;
      break;
  }
  return args;
}

void add_step(Json& events, const TraceProcess& process, std::size_t pid, const core::Interval& interval) {
  const std::size_t position = index(interval.step) - process.plan->first_id;
  const auto& step = process.plan->steps.at(position);
  const std::string kind = kind_of(step);
  const std::string label =
      position < process.labels.size() ? process.labels[position] : kind + " " + std::to_string(index(interval.step));
  Json args = details(*process.plan, step, index(interval.step));
  const bool expand = step.count > 1 && step.count <= kMostSlices;
  if (step.count > 1) args["repetitions"] = step.count;
  const std::uint32_t slices = expand ? step.count : 1;
  const auto length = static_cast<double>(interval.end - interval.begin) / slices;
  for (std::uint32_t i = 0; i < slices; ++i) {
    events.push_back(Json{{"name", label},
                          {"cat", kind},
                          {"ph", "X"},
                          {"pid", pid},
                          {"tid", index(interval.lane) + 1},
                          {"ts", microseconds(static_cast<double>(interval.begin) + i * length)},
                          {"dur", microseconds(length)},
                          {"args", args}});
  }
}

}  // namespace

std::string chrome_trace(std::span<const TraceProcess> processes) {
  Json events = Json::array();
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const auto& process = processes[p];
    events.push_back(named("process_name", p + 1, 0, process.name));
    for (std::size_t lane = 0; lane < process.plan->lanes.size(); ++lane) {
      events.push_back(named("thread_name", p + 1, lane + 1, process.plan->lanes[lane].name));
    }
    for (const auto& interval : process.timeline->intervals) add_step(events, process, p + 1, interval);
  }
  const Json document{{"traceEvents", std::move(events)},
                      {"displayTimeUnit", "ns"},
                      {"otherData", Json{{"forelap", forelap_version()}}}};
  // Names may come from anywhere: bytes that are no UTF-8 are replaced, not thrown over.
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace forelap::validate
