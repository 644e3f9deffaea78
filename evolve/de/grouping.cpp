#include "evolve/de/grouping.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "core/error.hpp"
#include "evolve/de/random.hpp"

namespace forelap::evolve::de {

namespace {

void check_count(std::size_t dimension, std::size_t groups) {
  if (groups == 0) core::throw_bad_input("no group of variables: give at least one");
  if (groups > dimension) {
    core::throw_bad_input(std::to_string(groups) + " groups for " + std::to_string(dimension) +
                          " variables: give at most one group a variable");
  }
}

Groups cut(const Variables& order, std::size_t groups) {
  check_count(order.size(), groups);
  Groups result(groups);
  auto next = order.begin();
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t size = order.size() / groups + (g < order.size() % groups ? 1 : 0);
    const auto end = next + static_cast<std::ptrdiff_t>(size);
    result[g].assign(next, end);
    next = end;
  }
  return result;
}

Variables all_of(std::size_t dimension) {
  Variables order(dimension);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

}  // namespace

void check(const Groups& groups, std::size_t dimension) {
  std::vector<bool> seen(dimension, false);
  std::size_t count = 0;
  if (groups.empty()) check_count(dimension, 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].empty()) core::throw_bad_input("group " + std::to_string(g) + " holds no variable");
    for (const std::uint32_t i : groups[g]) {
      if (i >= dimension || seen[i]) {
        core::throw_bad_input("group " + std::to_string(g) + " names variable " + std::to_string(i) +
                              (i >= dimension ? ", which is not there" : ", which another place has already"));
      }
      seen[i] = true;
      ++count;
    }
  }
  if (count != dimension) {
    core::throw_bad_input("the groups hold " + std::to_string(count) + " of " + std::to_string(dimension) +
                          " variables: put each in one group");
  }
}

Groups group_in_order(std::size_t dimension, std::size_t groups) {
  return cut(all_of(dimension), groups);
}

Groups group_randomly(std::size_t dimension, std::size_t groups, std::uint64_t seed) {
  Random random(stream_key(seed, Purpose::grouping, {}));
  Variables order = all_of(dimension);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  Groups result = cut(order, groups);
  for (Variables& group : result) std::sort(group.begin(), group.end());
  return result;
}

Groups group_by_dependences(const Dependences& dependences, std::size_t groups) {
  std::size_t dimension = dependences.separable.size();
  for (const Variables& set : dependences.dependent) dimension += set.size();
  check_count(dimension, groups);
  Groups sets = dependences.dependent;
  std::stable_sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  Groups result(groups);
  const auto smallest = [&] {
    return std::min_element(result.begin(), result.end(),
                            [](const auto& a, const auto& b) { return a.size() < b.size(); });
  };
  for (const Variables& set : sets) {
    const auto group = smallest();
    group->insert(group->end(), set.begin(), set.end());
  }
  // How many separable variables each group takes; they are then dealt in order, so that neighbours stay together.
  std::vector<std::size_t> room(groups, 0);
  for (std::size_t k = 0; k < dependences.separable.size(); ++k) {
    std::size_t least = 0;
    for (std::size_t g = 1; g < groups; ++g) {
      if (result[g].size() + room[g] < result[least].size() + room[least]) least = g;
    }
    ++room[least];
  }
  auto next = dependences.separable.begin();
  for (std::size_t g = 0; g < groups; ++g) {
    const auto end = next + static_cast<std::ptrdiff_t>(room[g]);
    result[g].insert(result[g].end(), next, end);
    next = end;
  }
  std::erase_if(result, [](const Variables& group) { return group.empty(); });
  return result;
}

}  // namespace forelap::evolve::de
