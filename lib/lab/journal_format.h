// SPDX-License-Identifier: GPL-2.0-only
// The journal of a setup as text: what was changed or made, so that it can be put back.
//
// One record a line, its fields separated by tabs, the last of them the CRC-32 of the rest of the
// line; a tab, a line end, a zero byte and a backslash in a field are \t, \n, \0 and \\.
//   xdpcost-setup  1  BOOT-ID  CPU  PID           the first line
//   set    PATH  MSR or -  BEFORE  AFTER          written before the setting is
//   shown  PATH  MSR or -  VALUE                  how it reads after that, if not as AFTER
//   netns  PATH  INODE  POPULATION  LINK-KIND     written before the namespace has its name
// A record counts when its line end is there. What a record announces happens only after the
// record is on the disk, so that a last line without its end announces something that never was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/link.h"
#include "lab/setting.h"

namespace xdpcost::lab {

struct JournalHeader {
  std::string boot_id;  // /proc/sys/kernel/random/boot_id
  unsigned cpu = 0;     // that is to be measured
  int pid = 0;          // of the process that wrote it

  bool operator==(const JournalHeader&) const = default;
};

// A network namespace with a name, filled with devices.
struct NamedNetns {
  std::string path;         // complete: "/run/netns/xdpcost-a-64"
  std::uint64_t inode = 0;  // of the namespace in nsfs
  std::uint32_t population = 0;
  LinkKind kind = LinkKind::vlan;

  bool operator==(const NamedNetns&) const = default;
};

struct JournalContent {
  // Whether there was a first line. Without one nothing was announced.
  bool begun = false;
  JournalHeader header;
  std::vector<Change> changes;  // in the order of writing
  std::vector<std::pair<Setting, std::string>> shown;
  std::vector<NamedNetns> netns;
  bool torn = false;         // the last line has no end
  bool torn_change = false;  // likewise, and it is that of a setting
  std::string damage;  // what is wrong with the first line that cannot be understood, else empty

  // Whether `value` is what a change left behind.
  [[nodiscard]] bool is_set_to(const Change& change, std::string_view value) const;

  bool operator==(const JournalContent&) const = default;
};

std::string header_line(const JournalHeader& header);
std::string change_line(const Change& change);
std::string shown_line(const Setting& setting, std::string_view value);
std::string netns_line(const NamedNetns& netns);

// Reads what can be read, whatever the text: lines behind a damaged one count, too.
JournalContent parse_journal(std::string_view text);

}  // namespace xdpcost::lab
