// SPDX-License-Identifier: GPL-2.0-only
// The one file that includes Boost.Math, which is heavy on the compiler.
#include "stats/quantile.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "base/unknown.h"

namespace xdpcost::stats {

double t_quantile(double dof) {
  constexpr double kMostDof = 1e9;
  constexpr double kUpperTail = 0.975;
  if (!(dof > 0)) return kInfinity;
  namespace policies = boost::math::policies;
  // A failure inside Boost comes back as infinity or NaN instead of an exception.
  using Policy = policies::policy<
      policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
      policies::overflow_error<policies::ignore_error>,
      policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;
  const boost::math::students_t_distribution<double, Policy> distribution(std::min(dof, kMostDof));
  // In steps of 2^-32: the last digits are those of the machine's exp() and pow(), and a report is
  // the same on every machine.
  constexpr int kBits = 32;
  const double quantile = boost::math::quantile(distribution, kUpperTail);
  return std::ldexp(std::nearbyint(std::ldexp(quantile, kBits)), -kBits);
}

}  // namespace xdpcost::stats
