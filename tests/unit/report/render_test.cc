// SPDX-License-Identifier: GPL-2.0-only
// The whole of what is printed, as text, JSON, CSV and samples.
#include "report/render.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/csv.h"
#include "report/samples.h"
#include "report/text_table.h"
#include "streams.h"

namespace xdpcost::report {
namespace {

using testing::Feed;
using testing::MadeCell;
using testing::make_header;
using testing::null_cell;

using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Report two_cells_and_nulls() {
  StreamHeader header = make_header();
  header.checks = {{"cpu.boost", Verdict::warn, "on", "the clock may change"},
                   {"bpf.jited", Verdict::pass, "yes", ""}};
  header.meta.emplace_back("stand_in", "check-mtu standing in for bpf_xdp_egress_dev");
  MadeCell wide;
  wide.pop = 4094;
  wide.delta_ns = 61.5;
  return Feed()
      .segment(header, {MadeCell{}, wide, null_cell(Role::aa, 0, 0.001),
                        null_cell(Role::layout_null, 0.03, 0.001)})
      .report();
}

TEST(RenderText, IsOneLineEachThenATable) {
  TextOptions options;
  options.width = 90;
  EXPECT_EQ(render_text(two_cells_and_nulls(), options),
            R"(machine  host: Test CPU, 4 CPUs, measured CPU 3
kernel   6.12.0-test x86_64, clock tsc
tool     xdpcost 0.1.0: xdpcost micro --pop 64
run      micro: 144 visits, 12 loads, 36 rounds in 3.5 s, loop may_goto, seed 7
note     check-mtu standing in for bpf_xdp_egress_dev
check    WARN cpu.boost: see --checks

all rows: base none, form may_goto

call        pop      delta ns  floor ns  core_cycles_ref  flags
check-mtu    64  44.00 +-0.33     0.031      176.0 +-1.3  stand-in
check-mtu  4094  61.50 +-0.33     0.031      246.0 +-1.3  stand-in

call        pop  SD within  SD visits  SD loads  visits  loads  rounds
check-mtu    64          0          0      0.52      36     12      36
check-mtu  4094          0          0      0.52      36     12      36
)");
}

TEST(RenderText, NeedsOneBlockWhereThereIsRoom) {
  TextOptions options;
  options.width = 200;
  const std::string text = render_text(two_cells_and_nulls(), options);
  EXPECT_EQ(text.find("all rows:"), std::string::npos);
  EXPECT_NE(text.find("call       base  form       pop      delta ns"), std::string::npos);
  EXPECT_EQ(text.find("delta ns"), text.rfind("delta ns"));
}

TEST(RenderText, SaysOncePerNoteWhichRowsItMeans) {
  StreamHeader header = make_header();
  header.meta.emplace_back("quick", "a first look");
  MadeCell one_load;
  one_load.loads = 1;
  one_load.pop = 512;
  const std::string text = render_text(Feed().segment(header, {MadeCell{}, one_load}).report(), {});
  EXPECT_NE(text.find("\nquick: a first look\n"), std::string::npos);
  EXPECT_NE(text.find("\none-load: the interval lacks the spread between loads [check-mtu 512]\n"),
            std::string::npos);
}

TEST(RenderText, NumbersTheRunsOfAPipeline) {
  MadeCell other;
  other.pop = 128;
  const Report report = Feed()
                            .segment(make_header(), {null_cell(Role::aa, 0.01)})
                            .segment(make_header(), {MadeCell{}, other})
                            .report();
  const std::string text = render_text(report, {});
  EXPECT_NE(text.find("\nrun 1    micro: 36 visits"), std::string::npos);
  EXPECT_NE(text.find("\nrun 2    micro: 72 visits"), std::string::npos);
  EXPECT_EQ(text.find("machine"), text.rfind("machine"));
  EXPECT_NE(text.find("call       pop  run  role"), std::string::npos);
}

TEST(RenderText, UsesPlusMinusOfTheLocale) {
  TextOptions options;
  EXPECT_NE(render_text(two_cells_and_nulls(), options).find("44.00 +-"), std::string::npos);
  options.utf8 = true;
  const std::string text = render_text(two_cells_and_nulls(), options);
  EXPECT_NE(text.find("44.00 \u00b1"), std::string::npos);
  EXPECT_EQ(text.find("+-"), std::string::npos);
}

TEST(RenderText, KeepsToTheWidth) {
  for (std::size_t width : {60u, 80u, 100u, 140u}) {
    TextOptions options;
    options.width = width;
    options.utf8 = true;
    for (const std::string& line : lines_of(render_text(two_cells_and_nulls(), options)))
      EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(RenderText, ColoursOnlyWhenAsked) {
  TextOptions options;
  EXPECT_EQ(render_text(two_cells_and_nulls(), options).find('\033'), std::string::npos);
  options.colour = true;
  EXPECT_NE(render_text(two_cells_and_nulls(), options).find("\033[1m"), std::string::npos);
}

TEST(RenderText, SaysFailedInsteadOfANumber) {
  MadeCell cell;
  cell.unexpected_returns = 1;
  const std::string text = render_text(Feed().segment(make_header(), {cell}).report(), {});
  EXPECT_NE(text.find("FAILED: 36 of 36 visits got return values"), std::string::npos);
  EXPECT_EQ(text.find("44."), std::string::npos);
}

TEST(Renderers, ShowAnEventThatIsNotSupportedAsAColumn) {
  StreamHeader header = make_header();
  header.meta.emplace_back("missing.event.0", "cycles|this machine has no PMU");
  const Report report = Feed().segment(header, {MadeCell{}}).report();
  TextOptions options;
  options.width = 200;
  const std::string text = render_text(report, options);
  EXPECT_NE(text.find("note     cycles: NA (not supported): this machine has no PMU\n"),
            std::string::npos);
  EXPECT_NE(text.find("            cycles  "), std::string::npos) << text;
  EXPECT_NE(text.find("  NA (not supported)  "), std::string::npos) << text;
  const std::vector<std::string> lines = lines_of(render_csv(report));
  EXPECT_NE(lines.at(0).find(",core_cycles_ref_hi,cycles,cycles_lo,cycles_hi,level_ns,"),
            std::string::npos);
  EXPECT_NE(lines.at(1).find(",NA,NA,NA,"), std::string::npos);
  const Json json = Json::parse(render_json(report));
  EXPECT_TRUE(json["rows"][0]["counters"]["cycles"]["value"].is_null());
  EXPECT_EQ(json["rows"][0]["counters"]["cycles"]["missing"],
            "not supported: this machine has no PMU");
}

TEST(RenderText, PrintsAllChecksWhenAsked) {
  TextOptions options;
  options.checks = true;
  const std::string text = render_text(two_cells_and_nulls(), options);
  EXPECT_NE(text.find("bpf.jited"), std::string::npos);
  EXPECT_NE(text.find("data.returns"), std::string::npos);
  options.checks = false;
  EXPECT_EQ(render_text(two_cells_and_nulls(), options).find("bpf.jited"), std::string::npos);
}

// Words that a hostile stream may hold, in every place where words can be.
Report hostile_report() {
  const std::string evil = "\033[31mred\a\n\xff\u202e";
  StreamHeader header = make_header(evil);
  header.machine.cpu_model = header.machine.kernel_release = evil;
  header.machine.clock_source = header.tool_version = header.schema.workload = evil;
  header.command_line = evil + '\0' + evil;
  header.meta = {{"seed", evil},
                 {"stand_in", evil},
                 {"missing." + evil, evil},
                 {"note.x", evil},
                 {"quick", evil}};
  header.checks = {{evil, Verdict::fail, evil, evil}};
  header.schema.columns[3].name = evil;
  header.schema.counters = {{evil, "hw_evil"}};
  MadeCell cell;
  cell.call = cell.base = cell.form = evil;
  cell.counts = {1};
  MadeCell failing = cell;
  failing.unexpected_returns = 1;
  Feed feed;
  feed.dataset.set_source(evil);
  feed.segment(header, {cell, failing},
               Feed::complete_end({{"cell.0.stopped", evil}, {"cell.1.wrong_return", evil}}));
  return feed.report();
}

void expect_harmless(const std::string& text) {
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    EXPECT_TRUE(byte == '\n' || byte >= 0x20) << static_cast<int>(byte);
    EXPECT_NE(byte, 0xff);
  }
  EXPECT_EQ(text.find("\u202e"), std::string::npos);
}

TEST(Renderers, MakeUntrustedWordsHarmless) {
  const Report report = hostile_report();
  TextOptions options;
  expect_harmless(render_text(report, options));
  options.checks = true;
  expect_harmless(render_text(report, options));
  expect_harmless(render_csv(report));
  const Json json = Json::parse(render_json(report));
  EXPECT_EQ(json["segments"][0]["machine"]["hostname"], "\033[31mred\a\n\ufffd\u202e");
}

TEST(RenderJson, HoldsTheNumbers) {
  const Report report = two_cells_and_nulls();
  const Json json = Json::parse(render_json(report));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["failed"], false);
  EXPECT_EQ(json["partial"], false);
  ASSERT_EQ(json["rows"].size(), 4u);
  const Json& row = json["rows"][1];
  EXPECT_EQ(row["role"], "effect");
  EXPECT_EQ(row["kind"], "cell");
  EXPECT_EQ(row["columns"]["call"], "check-mtu");
  EXPECT_EQ(row["columns"]["pop"], 4094);
  EXPECT_EQ(row["delta"]["unit"], "ns");
  EXPECT_EQ(row["delta"]["value"].get<double>(), report.rows[1].delta.estimate->interval.value);
  EXPECT_EQ(row["delta"]["hi"].get<double>(), report.rows[1].delta.estimate->interval.hi);
  EXPECT_EQ(row["delta"]["floor"].get<double>(), *report.rows[1].delta.floor);
  EXPECT_EQ(row["delta"]["below_floor"], false);
  EXPECT_EQ(row["delta"]["visits"], 36);
  EXPECT_TRUE(row["share_of_base"].is_null());
  EXPECT_EQ(row["flags"][0]["flag"], "stand-in");
  EXPECT_EQ(json["rows"][3]["role"], "layout-null");
  EXPECT_EQ(json["segments"][0]["checks"][0]["verdict"], "WARN");
  EXPECT_EQ(json["segments"][0]["command_line"][2], "--pop");
  EXPECT_EQ(json["segments"][0]["meta"]["seed"], "7");
}

TEST(RenderJson, HasNullWhereANumberIsNotFinite) {
  MadeCell cell;
  cell.visits = 1;
  cell.reference = false;
  const Json json = Json::parse(render_json(Feed().segment(make_header(), {cell}).report()));
  const Json& row = json["rows"][0];
  EXPECT_NEAR(row["delta"]["value"].get<double>(), 44.5, 1e-9);
  EXPECT_TRUE(row["delta"]["hi"].is_null());
  EXPECT_TRUE(row["delta"]["half_width"].is_null());
  EXPECT_TRUE(row["delta"]["visit_sd"].is_null());
  EXPECT_TRUE(row["delta"]["floor"].is_null());
  EXPECT_TRUE(row["core_cycles_ref"]["value"].is_null());
  EXPECT_EQ(row["core_cycles_ref"]["missing"], "the reference chain was not run");
}

// A reader of RFC 4180 as simple as can be.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

TEST(RenderCsv, HasAHeaderAndALineARow) {
  const Report report = two_cells_and_nulls();
  const std::vector<std::string> lines = lines_of(render_csv(report));
  ASSERT_EQ(lines.size(), 5u);
  const std::vector<std::string> header = csv_fields(lines[0]);
  const auto column = [&](const std::string& name) {
    const auto found = std::find(header.begin(), header.end(), name);
    EXPECT_NE(found, header.end()) << name;
    return static_cast<std::size_t>(found - header.begin());
  };
  for (const std::string& line : lines) EXPECT_EQ(csv_fields(line).size(), header.size());
  const std::vector<std::string> row = csv_fields(lines[2]);
  EXPECT_EQ(row[column("pop")], "4094");
  EXPECT_EQ(std::stod(row[column("delta_ns")]), report.rows[1].delta.estimate->interval.value);
  EXPECT_EQ(std::stod(row[column("delta_ns_lo")]), report.rows[1].delta.estimate->interval.lo);
  EXPECT_EQ(row[column("below_floor")], "0");
  EXPECT_EQ(row[column("visits")], "36");
  EXPECT_EQ(row[column("flags")], "stand-in");
  EXPECT_EQ(csv_fields(lines[3])[column("role")], "aa");
  EXPECT_EQ(csv_fields(lines[3])[column("floor_ns")], "");
}

TEST(RenderCsv, PutsColumnsOfDifferentWorkloadsSideBySide) {
  StreamHeader other = make_header();
  other.schema.workload = "literal";
  other.schema.columns[3].name = "sender";
  MadeCell cell;
  const std::string text =
      render_csv(Feed().segment(make_header(), {cell}).segment(other, {cell}).report());
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find(",pop,sender,"), std::string::npos);
  EXPECT_NE(lines[1].find(",may_goto,64,,"), std::string::npos);
  EXPECT_NE(lines[2].find(",may_goto,,64,"), std::string::npos);
}

TEST(SeparatedLine, QuotesWhatRfc4180Says) {
  EXPECT_EQ(separated_line({"a", "b c", "d,e", "say \"x\"", "", "two\nlines"}, ','),
            "a,b c,\"d,e\",\"say \"\"x\"\"\",,\"two\nlines\"\n");
  EXPECT_EQ(separated_line({"a", "d,e"}, '\t'), "a\td,e\n");
}

std::string samples_of(char separator, const std::vector<StreamHeader>& headers) {
  std::string text;
  SamplePrinter printer(separator, [&](std::string_view lines) -> Result<> {
    text += lines;
    return {};
  });
  for (const StreamHeader& header : headers) {
    EXPECT_TRUE(printer.begin(header));
    for (std::uint32_t k = 0; k < 3; ++k) {
      MadeCell cell;
      cell.counts.assign(header.schema.counters.size(), 54);
      if (k == 2) cell.flags = kVisitSpoiled;
      Cell where{0, Role::effect, {cell.call, cell.base, cell.form, cell.pop}};
      EXPECT_TRUE(printer.visit(where, testing::make_visit(cell, 0, k)));
    }
    EXPECT_TRUE(printer.end(Feed::complete_end()));
  }
  return text;
}

TEST(Samples, AreALineAVisitUnderAHeader) {
  const std::vector<std::string> lines = lines_of(samples_of('\t', {make_header()}));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0],
            "segment\tcell\trole\tcall\tbase\tform\tpop\tload\tround\tvisit\tstart_ns\tend_ns\t"
            "calls\tquads\tdelta_ns\tse_ns\tlevel_off_ns\tlevel_on_ns\tns_per_core_cycle\t"
            "core_cycles_ref\tswitches\tinterrupts\tnmis\tsoftirqs\tsteal_ns\tsibling_busy_"
            "ns\tunexpected_returns\tflags");
  EXPECT_EQ(lines[3],
            "1\t0\teffect\tcheck-mtu\tnone\tmay_goto\t64\t2\t2\t2\t1200000000\t1205000000\t8000\t"
            "4\t44.5\t0\t2\t46.5\t0.25\t178\t0\t0\t0\t0\t0\t0\t0\tspoiled");
}

TEST(Samples, RepeatTheHeaderOnlyWhereTheColumnsChange) {
  StreamHeader with_counter = make_header();
  with_counter.schema.counters = {{"instructions", "hw_instructions"}};
  const std::string text = samples_of(',', {make_header(), make_header(), with_counter});
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 1 + 3 + 3 + 2 + 3u);
  EXPECT_EQ(lines[4].substr(0, 2), "2,");
  EXPECT_EQ(lines[7], "");
  EXPECT_NE(lines[8].find("instructions,instructions_se,instructions_off,instructions_on"),
            std::string::npos);
  EXPECT_NE(lines[9].find(",54,0,10,64,"), std::string::npos);
}

TEST(Samples, EndWithTheErrorOfTheWriter) {
  SamplePrinter printer(
      '\t', [](std::string_view) -> Result<> { return fail_errno(EPIPE, "cannot write"); });
  ASSERT_TRUE(printer.begin(make_header()));
  const Result<> end = printer.end(Feed::complete_end());
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().err, EPIPE);
}

}  // namespace
}  // namespace xdpcost::report
