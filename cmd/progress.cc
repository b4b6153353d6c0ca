// SPDX-License-Identifier: GPL-2.0-only
#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace xdpcost::cmd {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(200);

std::size_t terminal_columns() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

// The columns of a cell as "check-mtu none may_goto 4094 8": the first few tell cells apart.
std::string name_of(const Cell& cell) {
  std::string name;
  for (const ColumnValue& value : cell.columns) {
    if (name.size() > 32) break;
    if (!name.empty()) name += ' ';
    if (const auto* word = std::get_if<std::string>(&value))
      name += *word;
    else
      name += fmt::format("{}", std::get<std::int64_t>(value));
  }
  return name;
}

}  // namespace

Progress::Progress(std::string command)
    : command_(std::move(command)), enabled_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

bool Progress::due() {
  const auto now = Clock::now();
  if (!enabled_ || now - last_ < kInterval) return false;
  last_ = now;
  return true;
}

void Progress::draw(const std::string& text) {
  const std::string line = fmt::format("xdpcost {}: {}", command_, text);
  fmt::print(stderr, "\r\033[K{}", line.substr(0, terminal_columns() - 1));
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::setting_up(const std::string& what, std::uint32_t done, std::uint32_t total) {
  if (due()) draw(fmt::format("{}: {} of {}", what, done, total));
}

void Progress::measuring(const measure::Plan& plan, const measure::ExperimentOptions& options) {
  plan_ = &plan;
  options_ = options;
}

void Progress::round_done(std::uint32_t round, double elapsed_s,
                          std::span<const measure::CellProgress> cells) {
  if (plan_ == nullptr || !due()) return;
  // The widest interval of those still measured is what the user waits for.
  const measure::CellProgress* widest = nullptr;
  std::size_t running = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!plan_->cells()[i].decides || cells[i].stopped != measure::StopReason::running) continue;
    ++running;
    if (widest == nullptr || cells[i].interval.half_width() > widest->interval.half_width())
      widest = &cells[i];
  }
  std::string text = fmt::format("round {}, {:.0f} of at least {:.0f} s", round, elapsed_s,
                                 options_.limits.span_s);
  if (widest != nullptr) {
    const std::size_t index = static_cast<std::size_t>(widest - cells.data());
    text += fmt::format(", {} to go", running);
    if (std::isfinite(widest->interval.half_width()) && widest->interval.half_width() > 0)
      text += fmt::format("; {}: {:.2f} +- {:.2f} ns", name_of(plan_->cells()[index].cell),
                          widest->interval.value, widest->interval.half_width());
  }
  draw(text);
}

}  // namespace xdpcost::cmd
