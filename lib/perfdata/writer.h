// SPDX-License-Identifier: GPL-2.0-only
// Writes a stream: perf.data in pipe mode to any descriptor, or in file mode to a regular file.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "model/stream.h"

namespace xdpcost::perfdata {

// Both modes hold the same records. A file has its features in front of them, and a header that
// describes it from the start: only the size of the data is missing until finish(), so that what a
// killed writer left can be read (Options::partial of the reader).
enum class Mode { pipe, file };

// One segment of a stream. Output is buffered and goes out in round_done(), finish(), or when the
// buffer is full; a writer that is destroyed without finish() writes what is buffered. A reader
// that went away is an Error with err == EPIPE, if the process ignores SIGPIPE.
class Writer final : public Sink {
 public:
  // Writes everything that precedes the first visit. In file mode `fd` must be an empty regular
  // file. Error: usage for a header that no stream can hold, system.
  static Result<Writer> create(Fd fd, Mode mode, const StreamHeader& header);

  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer() override;

  // Refuses (bad_data) what a reader would refuse: a cell that does not fit the schema or differs
  // from what was written before under its number, unequal or zero calls of the two modes.
  Result<> take(const Cell& cell, Visit&& visit) override;
  Result<> round_done() override;

  // Adds a word or a check after the start, for what is known only at the end. Keys are dotted
  // names of [a-z0-9_-]; `schema`, `machine`, `check`, `stream` and `end` are the stream's own,
  // alone or before a dot. A value has no zero byte and at most 1 MiB.
  Result<> add_meta(std::string_view key, std::string_view value);
  Result<> add_check(const Check& check);

  // Writes the final `meta end=VISITS`, in file mode also the table of features and the header, and
  // flushes. A stream without it reads as truncated.
  Result<> finish();

  // Time spent in write(2) so far: waiting for a slow reader, or for the disk.
  [[nodiscard]] std::uint64_t stalled_ns() const;

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace xdpcost::perfdata
