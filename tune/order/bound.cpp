#include "tune/order/bound.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace forelap::tune::order {
namespace {

constexpr std::size_t kLanes = 3;     // htod, kernel, dtoh
constexpr std::size_t kUnknowns = 6;  // prices of their work, of head, of tail, of idle kernels
constexpr std::size_t kHead = 3, kTail = 4, kIdle = 5;
constexpr unsigned kHtodBit = 1, kKernelBit = 2, kDtohBit = 4;
constexpr double kTolerance = 1e-9;

using Prices = std::array<double, kUnknowns>;

/// What a tick of `active` lanes at work, with `busy` ones in fixed parts, is worth at some prices: at most 1.
struct State {
  unsigned active = 0;
  unsigned busy = 0;
  Prices value{};  ///< of a unit of each price
};

bool together(const sim::fast::OrderDevice& device, unsigned lanes) {
  return device.two_engines || (lanes & (kHtodBit | kDtohBit)) != (kHtodBit | kDtohBit);
}

State state_of(const sim::fast::LaneRates& rates, unsigned active, unsigned busy) {
  State state{active, busy, {}};
  for (std::size_t i = 0; i < kLanes; ++i) {
    if ((active >> i & 1U) != 0) state.value[i] = rates[active][i];
  }
  state.value[kHead] = ((active | busy) & kDtohBit) == 0 ? 1 : 0;
  state.value[kTail] = ((active | busy) & kHtodBit) == 0 ? 1 : 0;
  state.value[kIdle] = ((active | busy) & kKernelBit) == 0 ? 1 : 0;
  return state;
}

double worth(const State& state, const Prices& prices) {
  double sum = 0;
  for (std::size_t i = 0; i < kUnknowns; ++i) sum += state.value[i] * prices[i];
  return sum;
}

/// Solves rows * x = right by elimination with partial pivoting; false where the rows are dependent.
bool solve(std::array<Prices, kUnknowns> rows, Prices right, Prices& x) {
  for (std::size_t c = 0; c < kUnknowns; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < kUnknowns; ++r) {
      if (std::abs(rows[r][c]) > std::abs(rows[pivot][c])) pivot = r;
    }
    if (std::abs(rows[pivot][c]) < kTolerance) return false;
    std::swap(rows[c], rows[pivot]);
    std::swap(right[c], right[pivot]);
    for (std::size_t r = 0; r < kUnknowns; ++r) {
      if (r == c) continue;
      const double factor = rows[r][c] / rows[c][c];
      for (std::size_t k = c; k < kUnknowns; ++k) rows[r][k] -= factor * rows[c][k];
      right[r] -= factor * right[c];
    }
  }
  for (std::size_t i = 0; i < kUnknowns; ++i) x[i] = right[i] / rows[i][i];
  return true;
}

/// The polytope of prices at which no state is worth more than the tick that it takes.
class Polytope {
 public:
  explicit Polytope(const sim::fast::OrderDevice& device) {
    const auto rates = sim::fast::lane_rates(device);
    for (unsigned active = 0; active < 8; ++active) {
      for (unsigned busy = 0; busy < 8; ++busy) {
        if ((active & busy) != 0 || !together(device, active | busy)) continue;
        (busy == 0 ? states_ : with_fixed_).push_back(state_of(rates, active, busy));
      }
    }
  }

  /// Every vertex that is worth more than the others for some remainder.
  [[nodiscard]] std::vector<BoundTable::Vertex> vertices() const {
    std::vector<BoundTable::Vertex> found;
    std::array<std::size_t, kUnknowns> chosen{};
    choose(0, 0, chosen, found);
    return undominated(found);
  }

 private:
  /// Tight constraints: states first, then prices of zero.
  void choose(std::size_t depth, std::size_t from, std::array<std::size_t, kUnknowns>& chosen,
              std::vector<BoundTable::Vertex>& found) const {
    if (depth == kUnknowns) {
      add_vertex(chosen, found);
      return;
    }
    for (std::size_t i = from; i < states_.size() + kUnknowns; ++i) {
      chosen[depth] = i;
      choose(depth + 1, i + 1, chosen, found);
    }
  }

  void add_vertex(const std::array<std::size_t, kUnknowns>& chosen, std::vector<BoundTable::Vertex>& found) const {
    std::array<Prices, kUnknowns> rows{};
    Prices right{};
    for (std::size_t r = 0; r < kUnknowns; ++r) {
      if (chosen[r] < states_.size()) {
        rows[r] = states_[chosen[r]].value;
        right[r] = 1;
      } else {
        rows[r][chosen[r] - states_.size()] = 1;
      }
    }
    Prices prices{};
    if (!solve(rows, right, prices)) return;
    double most = 1;
    for (double& price : prices) {
      if (price < -kTolerance) return;
      price = std::max(0.0, price);
    }
    for (const State& state : states_) most = std::max(most, worth(state, prices));
    if (most > 1 + kTolerance) return;
    // Rounding must not lift a bound above the truth.
    for (double& price : prices) price /= most * (1 + 1e-13);
    found.push_back(with_fixed(prices));
  }

  /// Adds prices of fixed parts, as high as they may be: those of transfers first.
  [[nodiscard]] BoundTable::Vertex with_fixed(const Prices& prices) const {
    std::array<double, kLanes> fixed{};
    for (const std::size_t lane : {std::size_t{0}, std::size_t{2}, std::size_t{1}}) {
      double room = 1;
      for (const State& state : with_fixed_) {
        if ((state.busy >> lane & 1U) == 0) continue;
        double rest = 1 - worth(state, prices);
        for (std::size_t i = 0; i < kLanes; ++i) rest -= (state.busy >> i & 1U) != 0 ? fixed[i] : 0;
        room = std::min(room, rest);
      }
      fixed[lane] = std::max(0.0, room - 1e-13);
    }
    BoundTable::Vertex vertex;
    for (std::size_t i = 0; i < kLanes; ++i) {
      vertex.weight[i] = prices[i];
      vertex.weight[kLanes + i] = fixed[i];
    }
    vertex.weight[6] = prices[kHead];
    vertex.weight[7] = prices[kTail];
    vertex.weight[8] = prices[kIdle];
    return vertex;
  }

  static bool dominates(const BoundTable::Vertex& a, const BoundTable::Vertex& b) {
    for (std::size_t i = 0; i < a.weight.size(); ++i) {
      if (a.weight[i] < b.weight[i] - kTolerance) return false;
    }
    return true;
  }

  static std::vector<BoundTable::Vertex> undominated(const std::vector<BoundTable::Vertex>& all) {
    std::vector<BoundTable::Vertex> kept;
    for (const auto& vertex : all) {
      if (std::any_of(kept.begin(), kept.end(), [&](const auto& k) { return dominates(k, vertex); })) continue;
      std::erase_if(kept, [&](const auto& k) { return dominates(vertex, k); });
      kept.push_back(vertex);
    }
    return kept;
  }

  std::vector<State> states_;
  std::vector<State> with_fixed_;
};

}  // namespace

BoundTable::BoundTable(const sim::fast::OrderDevice& device) : vertices_(Polytope(device).vertices()) {}

double BoundTable::least(const Remaining& remaining) const {
  const auto& w = remaining.work;
  const auto& f = remaining.fixed;
  double least = 0;
  for (const Vertex& vertex : vertices_) {
    const auto& v = vertex.weight;
    const double value = (v[0] * w[0] + v[1] * w[1] + v[2] * w[2]) + (v[3] * f[0] + v[4] * f[1] + v[5] * f[2]) +
                         (v[6] * remaining.head + v[7] * remaining.tail + v[8] * remaining.kernel_idle);
    least = std::max(least, value);
  }
  return least;
}

}  // namespace forelap::tune::order
