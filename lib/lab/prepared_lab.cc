// SPDX-License-Identifier: GPL-2.0-only
#include "lab/prepared_lab.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "base/text.h"

namespace xdpcost::lab {
namespace {

constexpr std::size_t kMaxNamedChanges = 3;

// The directory that plays the root of the machine, by the path of a journal in it.
std::string root_of(const std::string& path) {
  const std::string inside = journal_folder("") + "/";
  const std::size_t at = path.rfind(inside);
  return at == std::string::npos ? "" : path.substr(0, at);
}

// Whether it is "ROOT/run/xdpcost/setup/NAME", and nothing that leads elsewhere.
bool is_path_of_journal(const std::string& name) {
  const std::size_t last = name.rfind('/');
  if (last == std::string::npos || name.front() != '/') return false;
  if (name.find("/../") != std::string::npos) return false;
  return name.substr(0, last).ends_with(journal_folder("")) &&
         check_lab_name(std::string_view(name).substr(last + 1)).has_value();
}

}  // namespace

Result<PreparedLab> PreparedLab::open(const std::string& name) {
  const bool is_path = is_path_of_journal(name);
  if (!is_path) CHECK(check_lab_name(name));
  const std::string path = is_path ? name : journal_path("", name);
  auto journal = Journal::open(path);
  if (!journal && journal.error().err == ENOENT) {
    return fail(ErrorKind::usage, fmt::format("there is no lab '{}'", name),
                "make it with 'xdpcost setup --name'");
  }
  if (!journal) return tl::unexpected(std::move(journal).error());
  TRY(JournalContent content, journal->read());
  TRY(const std::string boot_id, read_boot_id(root_of(path)));
  if (!content.begun || !content.damage.empty()) {
    return fail(ErrorKind::bad_data, fmt::format("the journal '{}' is damaged", path));
  }
  if (content.header.boot_id != boot_id) {
    return fail(ErrorKind::usage, fmt::format("lab '{}' is of an earlier boot", name),
                "make it anew with 'xdpcost setup --name'");
  }
  return PreparedLab(std::move(*journal), std::move(content));
}

const NamedNetns* PreparedLab::find(std::uint32_t population, LinkKind kind) const {
  for (const NamedNetns& netns : content_.netns) {
    if (netns.population == population && netns.kind == kind) return &netns;
  }
  return nullptr;
}

Check PreparedLab::check_kept() const {
  std::vector<std::string> changed;
  for (const Change& change : content_.changes) {
    const auto now = read_setting(change.setting);
    if (now && content_.is_set_to(change, *now)) continue;
    changed.push_back(fmt::format("{} is {}", to_text(change.setting), now ? *now : "gone"));
  }
  const char* const effect = "the machine was another one in a part of the run";
  if (!changed.empty())
    return {"setup.kept", Verdict::fail, first_names(changed, kMaxNamedChanges), effect};
  return {"setup.kept", Verdict::pass,
          fmt::format("{} settings are as they were set", content_.changes.size()), effect};
}

}  // namespace xdpcost::lab
