// SPDX-License-Identifier: GPL-2.0-only
// read_stream [--partial] < STREAM reads a stream to its end and says what was in it:
// "segments N visits N quads N complete yes". Status 1 and a message where it cannot be read.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "perfdata/reader.h"

namespace xdpcost::testing {
namespace {

class Counter final : public perfdata::Handler {
 public:
  Result<> begin(const perfdata::SegmentHeader&) override { return {}; }
  Result<> visit(const Cell&, Visit&& visit) override {
    for (const QuadSeries& series : visit.quads) quads += series.deltas.size();
    return {};
  }
  Result<> end(const perfdata::SegmentEnd&) override { return {}; }

  std::uint64_t quads = 0;
};

}  // namespace
}  // namespace xdpcost::testing

int main(int argc, char** argv) {
  const bool partial = argc == 2 && std::string_view(argv[1]) == "--partial";
  xdpcost::testing::Counter counter;
  const auto end = xdpcost::perfdata::read_stream(xdpcost::Fd(STDIN_FILENO), "stdin",
                                                  {.partial = partial}, counter);
  if (!end) {
    fmt::print(stderr, "read_stream: {}\n", end.error().what);
    if (!end.error().hint.empty()) fmt::print(stderr, "hint: {}\n", end.error().hint);
    return 1;
  }
  fmt::print("segments {} visits {} quads {} complete {}\n", end->segments, end->visits,
             counter.quads, end->complete ? "yes" : "no");
  return 0;
}
