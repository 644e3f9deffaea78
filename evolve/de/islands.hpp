#pragma once
// The island model over logical ranks (P-SaNSDE): every rank runs SaNSDE on a population of whole vectors of its own,
// and some individuals migrate from time to time. The baseline that co-evolution is compared with. The population stays
// with its rank; the manager only hands on who migrates, so what happens does not depend on when messages come.

#include <cstdint>
#include <span>
#include <vector>

#include "evolve/de/box.hpp"
#include "evolve/de/bytes.hpp"
#include "evolve/de/objective.hpp"
#include "evolve/de/sansde.hpp"

namespace forelap::evolve::de {

/// To whom an island sends: the next one of the ring, or the next one of a ring shuffled anew every round.
enum class Topology : std::uint8_t { ring, shuffled_ring };
enum class Emigrants : std::uint8_t { best, random };
enum class Replaced : std::uint8_t { worst, random };

struct Migration {
  std::uint64_t every = 50;  ///< generations, 1 or more
  std::size_t count = 1;     ///< individuals, 0 (none migrate) to population - 1
  Topology topology = Topology::ring;
  Emigrants emigrants = Emigrants::best;
  Replaced replaced = Replaced::worst;
  /// An immigrant takes a place only if it is better than who has it; else always, but never the place of the best.
  bool only_better = true;
};

struct IslandSettings {
  std::size_t islands = 1;
  std::size_t population = 64;  ///< of each island
  Migration migration;
  std::uint64_t seed = 0;
};

/// Throws bad input for settings that cannot be.
void check(const IslandSettings& settings);

/// What an island gets in a round.
struct IslandOrder {
  std::size_t rank = 0;
  std::uint64_t round = 0;
  std::vector<double> immigrants;  ///< individual by individual; none in the first round
  std::vector<double> fitness;     ///< theirs
};

/// What it sends back.
struct IslandReply {
  std::size_t rank = 0;
  std::uint64_t round = 0;
  std::vector<double> emigrants;
  std::vector<double> fitness;
  std::vector<double> best;
  double best_value = 0.0;
  std::uint64_t evaluations = 0;  ///< of the island, since it began
  std::uint64_t rejected = 0;
};

/// The population of island `rank` before the first round, evaluated. Throws bad input as replace_unusable().
SansdeState begin_island(const IslandSettings& settings, const Box& box, std::size_t rank, Objective& objective);

/// One round of an island: takes the immigrants in, optimises, chooses who leaves (copies; they also stay).
IslandReply carry_out(SansdeState& island, const IslandOrder& order, const IslandSettings& settings, const Box& box,
                      Objective& objective);

void write(ByteWriter& out, const IslandOrder& order);
void write(ByteWriter& out, const IslandReply& reply);
IslandOrder read_island_order(ByteReader& in);
IslandReply read_island_reply(ByteReader& in);

/// The manager of the islands. Not thread safe.
class Islands {
 public:
  Islands(IslandSettings settings, Box box);
  [[nodiscard]] IslandOrder order(std::size_t rank) const;
  /// Ends the round with the replies of all islands, in any order. Throws bad input, and changes nothing, if one is
  /// missing, twice there, of another round or shape.
  void merge(std::vector<IslandReply> replies);
  /// One round of all islands, one after the other, in this thread; begins them where `states` is empty.
  void round(std::vector<SansdeState>& states, Objective& objective);

  /// The best individual of any island so far; empty before the first round.
  [[nodiscard]] const std::vector<double>& best() const { return best_; }
  [[nodiscard]] double best_value() const { return best_value_; }
  [[nodiscard]] std::uint64_t rounds() const { return round_; }
  [[nodiscard]] std::uint64_t evaluations() const;
  [[nodiscard]] std::uint64_t rejected() const;
  [[nodiscard]] const IslandSettings& settings() const { return settings_; }

  /// Everything, between two rounds, with the islands' states gathered from their ranks.
  [[nodiscard]] Bytes save(std::span<const SansdeState> states) const;
  /// Goes on from save(): fills `states`. Throws bad input for the state of another scenario or damaged bytes.
  static Islands restore(IslandSettings settings, Box box, std::span<const std::byte> bytes,
                         std::vector<SansdeState>& states);

 private:
  [[nodiscard]] std::uint64_t identity() const;
  [[nodiscard]] std::vector<std::size_t> senders() const;

  IslandSettings settings_;
  Box box_;
  std::vector<IslandReply> last_;  // by rank; empty before the first round
  std::vector<double> best_;
  double best_value_ = std::numeric_limits<double>::infinity();
  std::uint64_t round_ = 0;
};

}  // namespace forelap::evolve::de
