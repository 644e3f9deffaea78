#pragma once
// Cooperative co-evolution of groups of variables (CCSaNSDE) over logical ranks (P-CCSaNSDE), with a pool a group where
// several ranks share one (P-HSaNSDE). Source: Kang, Qian, Gan 2021, 10.3778/j.issn.1673-9418.2006059.
//
// A manager holds the populations, the groups and the context: the best known whole vector. In a round it orders every
// rank to optimise groups for some generations, the other variables held at the context; from the replies it makes the
// next context. What a rank does is a function of its order alone, and what the manager makes of the replies does not
// depend on when they came, so any transport, or none, gives the same bits.
//
// Ranks here are those that optimise. Up to as many ranks as groups: the groups are dealt evenly, and the result is the
// same for any number of ranks. Beyond: rank r has group r mod groups, and what becomes of the work of several ranks on
// one group is the setting's Sharing (of equals the first one wins).

#include <cstdint>
#include <span>
#include <vector>

#include "evolve/de/box.hpp"
#include "evolve/de/bytes.hpp"
#include "evolve/de/grouping.hpp"
#include "evolve/de/objective.hpp"
#include "evolve/de/sansde.hpp"

namespace forelap::evolve::de {

/// What several ranks of one group make of it.
enum class Sharing : std::uint8_t {
  best_rank,  ///< P-CCSaNSDE: all start from the same population, the manager keeps that of the best rank
  pool,       ///< P-HSaNSDE: each holds a part of a population that grows with the ranks, and reads all of it
  elite,      ///< the other reading of P-HSaNSDE: all start from the same population, the manager keeps for every
              ///< individual the best that any rank made of it (and what the best rank has learnt)
};

struct CoevolutionSettings {
  std::size_t population = 64;     ///< individuals of a group (with a pool: of each rank of a group), 5 or more
  std::uint64_t generations = 50;  ///< between two exchanges (MaxGen), 1 or more
  std::size_t ranks = 1;
  Sharing sharing = Sharing::best_rank;
  bool keep_adaptation = true;  ///< what SaNSDE has learnt outlives the round; else every round starts from 0.5
  std::uint64_t seed = 0;
};

/// One group to be optimised.
struct GroupTask {
  std::size_t group = 0;
  std::size_t replica = 0;      ///< 0, 1, ... among the ranks of this group
  SansdeState state;            ///< its fitness is that of an older context
  std::vector<double> foreign;  ///< pool: the individuals of the group's other ranks
};

/// What a rank is asked to do in a round.
struct RoundOrder {
  std::size_t rank = 0;
  std::uint64_t round = 0;
  std::uint64_t generations = 0;
  bool pool = false;
  double context_value = 0.0;
  std::vector<double> context;
  std::vector<GroupTask> tasks;
};

struct GroupResult {
  std::size_t group = 0;
  std::size_t replica = 0;
  SansdeState state;  ///< its counters are those of this round alone
};

struct RoundReply {
  std::size_t rank = 0;
  std::uint64_t round = 0;
  std::vector<GroupResult> results;
};

/// What a rank does: for each task, evaluates the population anew at the context and optimises it. The pool's donors
/// are the individuals of all ranks of the group, the others' as they were when the round began, and the context's part
/// leads while it is better than all of one's own. Throws what the objective throws.
RoundReply carry_out(RoundOrder order, const Box& box, const Groups& groups, Objective& objective);

/// Orders and replies as messages.
void write(ByteWriter& out, const RoundOrder& order);
void write(ByteWriter& out, const RoundReply& reply);
RoundOrder read_order(ByteReader& in);
RoundReply read_reply(ByteReader& in);

/// How the budget of evaluations becomes rounds.
enum class Budget {
  rounds,    ///< as many rounds as one rank could do with it, however many ranks there are
  per_rank,  ///< as many rounds as each rank can do with it
};
/// Rounds (at least 1) that `evaluations` pay for: a group and round costs population (generations + 1).
std::uint64_t rounds_for(std::uint64_t evaluations, Budget budget, const CoevolutionSettings& settings,
                         std::size_t groups);

/// The manager. Not thread safe.
class Coevolution {
 public:
  /// Evaluates a random population of whole vectors; its best one is the first context. Throws bad input for settings,
  /// bounds or groups that cannot be, and for a function without finite values.
  Coevolution(CoevolutionSettings settings, Box box, Groups groups, Objective& objective);

  /// What `rank` (below settings().ranks) does in this round.
  [[nodiscard]] RoundOrder order(std::size_t rank) const;
  /// Ends the round with the replies of all ranks, in any order. The new context is the better of: the best part of
  /// every group put together, and the old context with the single best part; kept only if not worse than the old one
  /// (two evaluations). Throws bad input, and changes nothing, if a reply is missing, twice there, of another round or
  /// shape.
  void merge(std::vector<RoundReply> replies, Objective& objective);
  /// One round of all ranks, one after the other, in this thread.
  void round(Objective& objective);
  /// One round of CCSaNSDE as it was before it was parallel: each group sees the context that the group before left
  /// behind. For one rank without pool.
  void serial_round(Objective& objective);

  [[nodiscard]] const std::vector<double>& best() const { return context_; }
  [[nodiscard]] double best_value() const { return context_value_; }
  /// The value of all groups' best parts put together in the last round, accepted or not.
  [[nodiscard]] double merged_value() const { return merged_value_; }
  [[nodiscard]] std::uint64_t rounds() const { return round_; }
  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }
  [[nodiscard]] std::uint64_t rejected() const { return rejected_; }
  [[nodiscard]] const CoevolutionSettings& settings() const { return settings_; }
  [[nodiscard]] const Groups& groups() const { return groups_; }
  [[nodiscard]] const Box& box() const { return box_; }
  /// The settings().population best individuals of a group's pool, by their last known fitness.
  [[nodiscard]] SansdeState elite(std::size_t group) const;

  /// Everything, between two rounds. restore() goes on from it and needs the same settings, box and groups: it throws
  /// bad input for the state of another scenario or damaged bytes.
  [[nodiscard]] Bytes save() const;
  static Coevolution restore(CoevolutionSettings settings, Box box, Groups groups, std::span<const std::byte> bytes);

 private:
  Coevolution(CoevolutionSettings settings, Box box, Groups groups);
  [[nodiscard]] std::size_t replicas_of(std::size_t group) const;
  [[nodiscard]] GroupTask task(std::size_t group, std::size_t replica) const;
  void split(const SansdeState& whole);
  void keep(GroupResult&& result);
  [[nodiscard]] bool pooled() const { return settings_.sharing == Sharing::pool; }
  void next_context(Objective& objective);
  [[nodiscard]] std::uint64_t identity() const;

  CoevolutionSettings settings_;
  Box box_;
  Groups groups_;
  std::vector<Box> boxes_;                        // of the groups
  std::vector<std::vector<SansdeState>> states_;  // [group][part of the pool, else one]
  std::vector<double> context_;
  double context_value_ = 0.0;
  double merged_value_ = 0.0;
  std::uint64_t round_ = 0, evaluations_ = 0, rejected_ = 0;
};

}  // namespace forelap::evolve::de
