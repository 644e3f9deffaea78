#pragma once
// State as bytes: little-endian words of 64 bits, vectors with their length before them. Used for checkpoints and for
// messages between ranks. A sealed text of bytes has a mark, an identity (a hash of the scenario it belongs to) and a
// check sum, so that one of another scenario or a damaged one is refused.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace forelap::evolve::de {

using Bytes = std::vector<std::byte>;

/// FNV-1a over `bytes`, going on from `hash`.
std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t hash = 0xCBF29CE484222325U);

class ByteWriter {
 public:
  void word(std::uint64_t value);
  void number(double value);
  void words(std::span<const std::uint64_t> values);
  void numbers(std::span<const double> values);
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  /// What was written between a header (mark, identity) and a check sum.
  [[nodiscard]] Bytes sealed(std::string_view kind, std::uint64_t identity) const;

 private:
  Bytes bytes_;
};

/// Reads what a ByteWriter wrote. Every read throws core::Error (bad input) when the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  /// Opens what sealed() made: throws bad input for another kind, a damaged text or another identity.
  ByteReader(std::span<const std::byte> bytes, std::string_view kind, std::uint64_t identity);
  std::uint64_t word();
  double number();
  std::vector<std::uint64_t> words();
  std::vector<double> numbers();
  /// Throws bad input unless all bytes were read.
  void expect_end() const;

 private:
  std::size_t length();

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace forelap::evolve::de
