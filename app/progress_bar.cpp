#include "app/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "app/table.hpp"
#include "app/terminal.hpp"
#include "core/number_text.hpp"

namespace forelap::app {
namespace {

constexpr auto kBetweenDrawings = std::chrono::milliseconds(100);
constexpr std::size_t kWidestBar = 30;
constexpr std::size_t kNarrowestBar = 5;

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::clamp(seconds + 0.5, 0.0, 359999.0));
  const auto two = [](std::uint64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  if (whole >= 3600) return std::to_string(whole / 3600) + ":" + two(whole / 60 % 60) + ":" + two(whole % 60);
  return std::to_string(whole / 60) + ":" + two(whole % 60);
}

void draw(std::string_view text) {
  // A terminal that cannot be drawn on is no reason to stop the work.
  [[maybe_unused]] const auto ignored = ::write(2, text.data(), text.size());
}

}  // namespace

std::string progress_line(const std::string& what, std::size_t done, std::size_t total, double seconds,
                          std::size_t columns) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string tail = " " + std::to_string(done);
  if (total > 0) tail += "/" + std::to_string(total);
  if (rate > 0) tail += "  " + core::significant(rate, 3) + "/s";
  if (total > done && rate > 0) tail += "  " + clock_text(static_cast<double>(total - done) / rate) + " left";
  std::string line = what;
  const std::size_t used = display_width(line) + tail.size() + 3;
  if (total > 0 && columns > used + kNarrowestBar) {
    const std::size_t length = std::min(kWidestBar, columns - used - 1);
    const std::size_t filled = std::min(length, done * length / total);
    line += " [" + std::string(filled, '=') + std::string(length - filled, ' ') + "]";
  }
  line += tail;
  return line.substr(0, columns > 0 ? columns - 1 : 0);
}

ProgressBar::ProgressBar(bool quiet) : shown_(!quiet && is_terminal(2)), started_(Clock::now()), last_(started_) {}

ProgressBar::~ProgressBar() {
  if (drawn_) draw("\r\033[K");
}

core::Progress ProgressBar::receiver() {
  if (!shown_) return {};
  return [this](const std::string& what, std::size_t done, std::size_t total) { update(what, done, total); };
}

void ProgressBar::update(const std::string& what, std::size_t done, std::size_t total) {
  const auto now = Clock::now();
  if (what != what_) {
    what_ = what;
    started_ = now;
  } else if (now - last_ < kBetweenDrawings) {
    return;
  }
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  draw("\r" + progress_line(what, done, total, seconds, terminal_columns(2)) + "\033[K");
}

}  // namespace forelap::app
