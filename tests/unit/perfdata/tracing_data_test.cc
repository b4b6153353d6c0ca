// SPDX-License-Identifier: GPL-2.0-only
// Events and their fields, found by name in text that may be hostile.
#include "perfdata/tracing_data.h"

#include "perfdata/records.h"
#include "stream_io.h"

namespace xdpcost::perfdata {
namespace {

ByteSpan as_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

EventPlan<RunLayout> run_plan(const testing::StreamShape& shape = {}) {
  return *plan_run_event(testing::make_header(shape).schema);
}

// The tracing data of one event whose format text is given.
std::string blob_of(const std::string& text) {
  EventFormat empty{"x", 1, {}, "\"\"", 8};
  std::string blob = make_tracing_data({&empty, 1});
  const std::string placeholder = format_text(empty);
  const std::size_t at = blob.find(placeholder);
  blob.replace(at, placeholder.size(), text);
  const std::uint64_t size = text.size();
  std::memcpy(blob.data() + at - 8, &size, 8);
  return blob;
}

std::string refusal_of(const std::string& text) {
  const auto data = TracingData::parse(as_bytes(blob_of(text)));
  return data ? "" : data.error().what;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(TracingData, LayoutsComeBackFromTheText) {
  const testing::StreamShape shape{.counters = 3};
  const EventPlan<RunLayout> run = run_plan(shape);
  const std::vector<EventFormat> formats = {run.format, plan_meta_event().format,
                                            plan_quads_event().format, plan_reduced_event().format};
  const auto data = TracingData::parse(as_bytes(make_tracing_data(formats)));
  ASSERT_TRUE(data) << data.error().what;
  const auto layout = resolve_run(data->find("run"), testing::make_header(shape).schema);
  ASSERT_TRUE(layout) << layout.error().what;
  EXPECT_EQ(layout->fields, run.layout.fields);
  EXPECT_EQ(layout->columns, run.layout.columns);
  EXPECT_EQ(layout->counters, run.layout.counters);
  EXPECT_EQ(layout->role, run.layout.role);
  EXPECT_EQ(layout->size, run.layout.size);
  const auto quads = resolve_quads(data->find("quads"));
  ASSERT_TRUE(quads);
  EXPECT_EQ(quads->deltas, plan_quads_event().layout.deltas);
  EXPECT_EQ(quads->capacity, kQuadsPerRecord);
  EXPECT_TRUE(resolve_reduced(data->find("reduced")));
  EXPECT_TRUE(resolve_meta(data->find("meta")));
}

TEST(TracingData, FieldThatNobodyAsksForIsIgnored) {
  const std::string text = replaced(format_text(run_plan().format), "\nprint fmt:",
                                    "\tfield:unsigned long future[4];\toffset:1000;\tsize:32;\t"
                                    "signed:0;\n\nprint fmt:");
  const auto data = TracingData::parse(as_bytes(blob_of(text)));
  ASSERT_TRUE(data) << data.error().what;
  const auto layout = resolve_run(data->find("run"), testing::make_header({}).schema);
  ASSERT_TRUE(layout) << layout.error().what;
  EXPECT_EQ(layout->size, run_plan().layout.size);
}

TEST(TracingData, MissingFieldIsRefused) {
  for (const std::string name : {"cell", "calls", "quad_records", "role", "pop", "place"}) {
    const std::string text = replaced(format_text(run_plan().format), " " + name, " not_" + name);
    const auto data = TracingData::parse(as_bytes(blob_of(text)));
    ASSERT_TRUE(data) << data.error().what;
    const auto layout = resolve_run(data->find("run"), testing::make_header({}).schema);
    ASSERT_FALSE(layout);
    EXPECT_EQ(layout.error().kind, ErrorKind::bad_data);
    EXPECT_EQ(layout.error().what, "field '" + name + "' of event xdpcost:run is missing");
  }
}

TEST(TracingData, FieldOfAnotherShapeIsRefused) {
  const std::string format = format_text(run_plan().format);
  const std::pair<const char*, const char*> changes[] = {
      {"u32 cell;\toffset:8;\tsize:4", "u32 cell;\toffset:8;\tsize:8"},
      {"u32 cell;\toffset:8;\tsize:4", "u32 cell;\toffset:59999;\tsize:4"},
      {"u32 cell;", "u32 cell[1];"},
      {"u32 cell;", "__data_loc u32[] cell;"},
      {"u32 cell;", "__rel_loc u32 cell;"},
      {"char role[12]", "__data_loc char[] role"},
  };
  for (const auto& [from, to] : changes) {
    const auto data = TracingData::parse(as_bytes(blob_of(replaced(format, from, to))));
    if (!data) continue;  // refused even earlier
    EXPECT_FALSE(resolve_run(data->find("run"), testing::make_header({}).schema)) << to;
  }
}

TEST(TracingData, FormatTextMustFollowItsGrammar) {
  const std::string format = format_text(run_plan().format);
  const std::pair<const char*, const char*> changes[] = {
      {"name: run", "name: "},
      {"name: run", "name: r n"},
      {"ID: 60001", "ID: 99999"},
      {"ID: 60001", "ID: -1"},
      {"ID: 60001\n", ""},
      {"format:", "formats:"},
      {"print fmt:", "print:"},
      {"offset:8", "offset:-8"},
      {"offset:8", "offset:4294967304"},
      {"size:4", "size:"},
      {"u32 cell", "u32 cell[0]"},
      {"u32 cell", "u32 cell[99999999999]"},
      {"u32 cell", "u32 cell[2"},
      {"u32 cell", "u32 (*cell)(int)"},
      {"u32 cell", "cell"},
      {"u32 cell", "u32 \"cell\""},
      {"u32 cell", "u32 u32 u32 u32 u32 cell"},
      {"u32 cell;", "u32 cell;;"},
      {"u32 cell", "u32 cell\1"},
  };
  for (const auto& [from, to] : changes)
    EXPECT_NE(refusal_of(replaced(format, from, to)), "") << from << " -> " << to;
  EXPECT_EQ(refusal_of(format), "");
  EXPECT_NE(refusal_of(replaced(format, "u32 cell", "u32 " + std::string(600, 'c'))), "");
}

// libtraceevent parses print formats by recursion; none reaches it.
TEST(TracingData, HostilePrintFormatIsNotLookedAt) {
  const std::string format = format_text(run_plan().format);
  const std::string head = format.substr(0, format.find("print fmt:"));
  EXPECT_EQ(refusal_of(head + "print fmt: \"%d\", " + std::string(200000, '(')), "");
  EXPECT_EQ(refusal_of(head + "print fmt: __print_symbolic({{{"), "");
}

TEST(TracingData, TooManyFieldsAndEventsAreRefused) {
  std::string format = format_text(run_plan().format);
  const std::string line = "\tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n";
  std::string many;
  for (int i = 0; i < 300; ++i) many += line;
  EXPECT_NE(refusal_of(replaced(format, "\nprint fmt:", many + "\nprint fmt:")), "");
  const std::vector<EventFormat> events(65, plan_meta_event().format);
  EXPECT_FALSE(TracingData::parse(as_bytes(make_tracing_data(events))));
}

TEST(TracingData, OtherSystemsArePassedOver) {
  std::string blob = make_tracing_data(std::vector<EventFormat>{run_plan().format});
  const std::string system = "xdpcost";
  blob.replace(blob.find(std::string(system + '\0')), system.size(), "foreign");
  const auto data = TracingData::parse(as_bytes(blob));
  ASSERT_TRUE(data);
  EXPECT_EQ(data->find("run"), nullptr);
}

TEST(TracingData, EveryCutIsRefused) {
  const std::string blob = make_tracing_data(std::vector<EventFormat>{run_plan().format});
  // The last 16 bytes are tables that a reader does not need, and up to 7 of padding.
  const std::size_t needed = blob.rfind("print fmt:");
  for (std::size_t at = 0; at < needed; ++at)
    ASSERT_FALSE(TracingData::parse(as_bytes(blob.substr(0, at)))) << at;
}

TEST(TracingData, OtherByteOrderIsRefused) {
  std::string blob = make_tracing_data(std::vector<EventFormat>{run_plan().format});
  blob[14] = static_cast<char>(blob[14] ^ 1);
  const auto data = TracingData::parse(as_bytes(blob));
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().what, "tracing data: of the other byte order");
}

}  // namespace
}  // namespace xdpcost::perfdata
