// SPDX-License-Identifier: GPL-2.0-only
// Writes a stream: perf.data in pipe mode to any descriptor, or in file mode to a regular file.
#pragma once

#include <memory>

#include "base/fd.h"
#include "base/result.h"
#include "model/stream.h"

namespace xdpcost::perfdata {

enum class Mode { pipe, file };

// One segment of a stream. Output is buffered and goes out in round_done(), finish(), or when the
// buffer is full. A reader that went away is an Error with err == EPIPE.
class Writer final : public Sink {
 public:
  // Writes everything that precedes the first visit. In file mode `fd` must be seekable and empty.
  static Result<Writer> create(Fd fd, Mode mode, const StreamHeader& header);

  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer() override;

  Result<> take(const Cell& cell, Visit&& visit) override;
  Result<> round_done() override;

  // Adds a meta record after the start, for what is known only at the end.
  Result<> add_meta(std::string_view key, std::string_view value);

  // Writes the final `meta end=<runs>`, in file mode also the features and the header, and flushes.
  // A stream without it reads as truncated.
  Result<> finish();

  // Time spent waiting for the reader so far.
  [[nodiscard]] std::uint64_t stalled_ns() const;

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace xdpcost::perfdata
