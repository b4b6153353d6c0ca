// SPDX-License-Identifier: GPL-2.0-only
// One line on a terminal that says what a measurement is doing.
#pragma once

#include <chrono>
#include <string>

#include "measure/experiment.h"
#include "measure/plan.h"

namespace xdpcost::cmd {

// Draws on standard error, and only when that is a terminal; at most a few times a second. What is
// left of the line is wiped by clear() or the destructor.
class Progress final : public measure::Observer {
 public:
  explicit Progress(std::string command);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() override;

  // Set-up: "macvlan devices", 128 of 4094.
  void setting_up(const std::string& what, std::uint32_t done, std::uint32_t total);
  // What rounds are about from now on.
  void measuring(const measure::Plan& plan, const measure::ExperimentOptions& options);
  void round_done(std::uint32_t round, double elapsed_s,
                  std::span<const measure::CellProgress> cells) override;
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(const std::string& text);
  [[nodiscard]] bool due();

  std::string command_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point last_;
  const measure::Plan* plan_ = nullptr;
  measure::ExperimentOptions options_;
};

}  // namespace xdpcost::cmd
