// SPDX-License-Identifier: GPL-2.0-only
// What is counted of real frames beside the clock: the NAPI thread, net_rx_action, the program
// alone.
#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "bpf/program_trace.h"
#include "counter/softirq_meter.h"
#include "literal_bench.h"

namespace xdpcost::testing {
namespace {

using bpf::LoopForm;

TEST_F(LiteralTest, NapiThreadReceivesWhatAnotherCpuSends) {
  const CpuList cpus = online_cpus().value();
  const auto other =
      std::find_if(cpus.begin(), cpus.end(), [&](unsigned cpu) { return cpu != options_.cpu; });
  if (other == cpus.end()) GTEST_SKIP() << "one CPU only";
  options_.literal->send_cpu = *other;
  counter::EventContext context;
  context.cpu = options_.cpu;
  options_.literal->napi_events = {counter::parse_event("task-clock", context).value()};
  add("chain-128", LoopForm::literal);
  const measure::SetupWatch watch = {[](const std::string&, std::uint32_t, std::uint32_t) {},
                                     [] { return false; }};
  auto micro = measure::Micro::create(options_, watch);
  if (!micro && micro.error().kind == ErrorKind::unsupported) GTEST_SKIP() << micro.error().what;
  ASSERT_TRUE(micro) << micro.error().what;
  micro_ = std::move(*micro);
  const auto calibrated = micro_->calibrate(random_);
  ASSERT_TRUE(calibrated) << calibrated.error().what;
  EXPECT_GT(median_delta(0), 20);
  // The thread is on the CPU for as long as the program at least.
  EXPECT_GT(median_delta(0, 7, kFirstCounter), 10);
  const Visit seen = visit_with(0, 0, kFirstCounter);
  EXPECT_EQ(seen.modes[0].calls, seen.modes[1].calls);
  ASSERT_EQ(seen.modes[0].counters.size(), 1u);
  EXPECT_GT(seen.modes[0].counters[0], 20 * seen.modes[0].counter_calls);
  const MetaList shares = micro_->net_rx_shares();
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_NE(shares[0].second.find("task-clock of the NAPI thread"), std::string::npos);
}

TEST_F(LiteralTest, ShareOfTheCpusTimeInNetRxActionIsBetweenNoneAndAll) {
  add("chain-128", LoopForm::literal);
  create();
  for (int i = 0; i < 12; ++i) visit(0);
  const MetaList shares = micro_->net_rx_shares();
  if (shares.empty()) {
    const MetaList meta = micro_->meta();
    const auto why = std::find_if(meta.begin(), meta.end(), [](const auto& entry) {
      return entry.first == "missing.net_rx_share";
    });
    ASSERT_NE(why, meta.end());
    XDPCOST_NEEDS("tracing", false, why->second);
  }
  EXPECT_EQ(shares[0].first, "cell.0.net_rx_share");
  const auto fields = split(shares[0].second, '|');
  ASSERT_EQ(fields.size(), 3u);
  const double off = std::stod(std::string(fields[0]));
  const double on = std::stod(std::string(fields[1]));
  EXPECT_GT(off, 0.02);
  EXPECT_GT(on, off) << "long work in the program is a part of receiving";
  EXPECT_LT(on, 1);
}

// Both means on the same traffic, at the same time.
TEST_F(LiteralTest, SamplesSeeWhatTracepointsSee) {
  auto traced = counter::SoftirqMeter::by_tracepoints(options_.cpu);
  XDPCOST_NEEDS("tracing", traced.has_value(), traced.error().what);
  auto sampled = counter::SoftirqMeter::by_samples(options_.cpu);
  XDPCOST_NEEDS("tracing", sampled.has_value(), sampled.error().what);
  add("chain-128", LoopForm::literal);
  create();
  counter::TimeShare by_spans;
  counter::TimeShare by_samples;
  // Until there are enough samples to tell 20 % apart.
  for (int i = 0; i < 400 && by_samples.part < 400; ++i) {
    ASSERT_TRUE(traced->start());
    ASSERT_TRUE(sampled->start());
    const std::uint64_t start_ns = now_ns();
    visit(0);
    const std::uint64_t end_ns = now_ns();
    const auto of_spans = traced->stop();
    const auto of_samples = sampled->stop();
    ASSERT_TRUE(of_spans) << of_spans.error().what;
    ASSERT_TRUE(of_samples) << of_samples.error().what;
    if (!*of_spans || !*of_samples) continue;
    for (auto [meter, share] :
         {std::pair(&*traced, &by_spans), std::pair(&*sampled, &by_samples)}) {
      const counter::TimeShare seen = meter->within(start_ns, end_ns);
      share->part += seen.part;
      share->whole += seen.whole;
    }
  }
  ASSERT_GE(by_samples.part, 400) << "of " << by_samples.whole << " samples";
  EXPECT_NEAR(by_samples.share() / by_spans.share(), 1, 0.4);
}

TEST_F(LiteralTest, ProgramAloneIsCountedRunByRunWhereTheKernelTracesIt) {
  const auto able = bpf::probe_program_trace();
  XDPCOST_NEEDS("trace", able.has_value(), able.error().what);
  options_.literal->trace = true;
  options_.loads = 2;
  add("chain-128", LoopForm::literal);
  create();
  const measure::LiteralSources sources = measure::literal_sources(options_);
  const auto source = static_cast<std::uint16_t>(sources.trace + 1);
  for (std::uint32_t load = 0; load < 2; ++load)
    ASSERT_EQ(visit_with(0, load, source).modes[0].counters.size(), sources.end);
  EXPECT_GT(median_delta(0, 8, source), 20);
}

}  // namespace
}  // namespace xdpcost::testing
