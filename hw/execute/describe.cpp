#include "hw/execute/describe.hpp"

namespace forelap::hw::execute {
namespace {

std::string what_it_does(const core::Plan& plan, const core::Step& step) {
  switch (step.kind) {
    case core::StepKind::copy:
      return step.direction == core::Direction::host_to_device ? "copy host to device" : "copy device to host";
    case core::StepKind::kernel:
      return "kernel " + plan.kernels[core::index(plan.call_of(step).kernel)];
    case core::StepKind::host_work:
      return "host work " + plan.host_work_names[step.subject];
    case core::StepKind::send:
      return "send to rank " + std::to_string(step.subject);
    case core::StepKind::receive:
      return "receive from rank " + std::to_string(step.subject);
  }
  return "step";
}

}  // namespace

std::string describe_step(const core::Plan& plan, std::size_t i) {
  const core::Step& step = plan.steps[i];
  const std::size_t lane = core::index(step.lane);
  std::string name = lane < plan.lanes.size() ? plan.lanes[lane].name : std::string();
  if (name.empty()) name = std::to_string(lane);
  return "step " + std::to_string(plan.first_id + i) + " (" + what_it_does(plan, step) + " on lane " + name + ")";
}

core::Error named_error(const std::string& where) {
  try {
    throw;
  } catch (const core::Error& error) {
    return {error.kind(), where + ": " + error.what()};
  } catch (const std::exception& error) {
    return {core::ErrorKind::device_failed, where + ": " + error.what()};
  } catch (...) {
    return {core::ErrorKind::device_failed, where + ": an exception that is not a std::exception"};
  }
}

}  // namespace forelap::hw::execute
