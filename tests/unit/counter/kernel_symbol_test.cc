// SPDX-License-Identifier: GPL-2.0-only
#include "counter/kernel_symbol.h"

#include <gtest/gtest.h>

#include "sysfs_tree.h"

namespace xdpcost::counter {
namespace {

TEST(KernelSymbol, ReachesToTheNextOneByAddressNotByLine) {
  TemporaryTree tree;
  tree.file("proc/kallsyms",
            "ffffffff81eba0f0 t net_rx_action\n"
            "ffffffff81ebb000 T far\tmodule\n"
            "not a line\n"
            "ffffffff81eb9c50 t __napi_poll\n"
            "ffffffff81eba500 t next\t[veth]\n"
            "ffffffff81ebc000 t net_rx_action.cold\n");
  const auto symbol = find_kernel_symbol(tree.root(), "net_rx_action");
  ASSERT_TRUE(symbol) << symbol.error().what;
  EXPECT_EQ(symbol->start, 0xffffffff81eba0f0u);
  EXPECT_EQ(symbol->end, 0xffffffff81eba500u);
  EXPECT_TRUE(symbol->holds(0xffffffff81eba0f0u));
  EXPECT_FALSE(symbol->holds(0xffffffff81eba500u));
}

TEST(KernelSymbol, WhoseAddressIsHiddenOrMissingIsUnsupported) {
  TemporaryTree tree;
  tree.file("proc/kallsyms", "0000000000000000 t net_rx_action\n0000000000000000 t other\n");
  for (const char* name : {"net_rx_action", "absent"}) {
    const auto symbol = find_kernel_symbol(tree.root(), name);
    ASSERT_FALSE(symbol);
    EXPECT_EQ(symbol.error().kind, ErrorKind::unsupported);
  }
}

}  // namespace
}  // namespace xdpcost::counter
