// SPDX-License-Identifier: GPL-2.0-only
// Tracing one program alone: its main function is found, its subprograms are a part of it.
#include "bpf/program_trace.h"

#include "bpf/test_run.h"
#include "micro_bench.h"

namespace xdpcost::testing {
namespace {

class ProgramTraceTest : public MicroTest {
 protected:
  Result<bpf::MicroProgram> load(const char* call, bpf::LoopForm form) {
    bpf::MicroProgramSpec spec;
    spec.call = bpf::find_call(call);
    spec.base = bpf::find_base("none");
    spec.form = form;
    return bpf::MicroProgram::load(spec, sections_);
  }
  void TearDown() override {
    sections_ = {};
    MicroTest::TearDown();
  }
  bpf::SharedSections sections_;
};

// Both of the programs' names and of those that the kernel cuts off.
TEST_F(ProgramTraceTest, MainFunctionIsNamedByTheBtfOfTheProgram) {
  const auto program = load("check-mtu-self", bpf::LoopForm::test_run);
  ASSERT_TRUE(program) << program.error().what;
  EXPECT_EQ(bpf::main_function(program->measure_fd()).value_or("none"), "check_mtu_self");
  EXPECT_EQ(bpf::main_function(program->record_returns_fd()).value_or("none"), "record_returns");
}

// The callback of bpf_loop() is a subprogram.
TEST_F(ProgramTraceTest, SubprogramsAreAPartOfTheRunOfTheirProgram) {
  const auto able = bpf::probe_program_trace();
  XDPCOST_NEEDS("trace", able.has_value(), able.error().what);
  const auto form = bpf::probe_loop_form(bpf::LoopForm::bpf_loop);
  XDPCOST_NEEDS("bpf_loop", form.has_value(), form.error().what);
  const auto program = load("chain-128", bpf::LoopForm::bpf_loop);
  ASSERT_TRUE(program) << program.error().what;
  EXPECT_EQ(bpf::main_function(program->measure_fd()).value_or("none"), "chain_128");
  program->state()->blocks = 8;
  for (int times = 0; times < 2; ++times) {
    const auto trace = bpf::ProgramTrace::attach(program->measure_fd(), {});
    ASSERT_TRUE(trace) << trace.error().what;
    ASSERT_TRUE(bpf::test_run(program->measure_fd()));
    const auto seen = trace->totals();
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->runs, 1u);
    EXPECT_EQ(seen->unpaired, 0u);
    EXPECT_EQ(seen->recursion_misses, 0u);
    std::uint64_t blocks_ns = 0;
    for (int block = 0; block < 8; ++block) blocks_ns += sections_.block_ns()[block];
    EXPECT_GT(seen->ns, blocks_ns / 2);
  }
}

TEST_F(ProgramTraceTest, RefusalIsUnsupportedAndSaysWhy) {
  const auto able = bpf::probe_program_trace();
  if (able) GTEST_SKIP() << "this kernel traces XDP programs";
  EXPECT_EQ(able.error().kind, ErrorKind::unsupported);
  EXPECT_NE(able.error().what.find("fentry"), std::string::npos) << able.error().what;
}

}  // namespace
}  // namespace xdpcost::testing
