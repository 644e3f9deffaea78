#include "evolve/de/bytes.hpp"

#include <bit>

#include "core/error.hpp"

namespace forelap::evolve::de {

namespace {

std::uint64_t hash_of_text(std::string_view text) {
  return hash_of(std::as_bytes(std::span<const char>(text.data(), text.size())));
}

constexpr std::size_t kWord = 8;

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t hash) {
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3U;
  return hash;
}

void ByteWriter::word(std::uint64_t value) {
  for (std::size_t i = 0; i < kWord; ++i) bytes_.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xFFU));
}

void ByteWriter::number(double value) {
  word(std::bit_cast<std::uint64_t>(value));
}

void ByteWriter::words(std::span<const std::uint64_t> values) {
  word(values.size());
  for (const std::uint64_t value : values) word(value);
}

void ByteWriter::numbers(std::span<const double> values) {
  word(values.size());
  bytes_.reserve(bytes_.size() + values.size() * kWord);
  for (const double value : values) number(value);
}

Bytes ByteWriter::sealed(std::string_view kind, std::uint64_t identity) const {
  ByteWriter whole;
  whole.word(hash_of_text(kind));
  whole.word(identity);
  whole.bytes_.insert(whole.bytes_.end(), bytes_.begin(), bytes_.end());
  whole.word(hash_of(whole.bytes_));
  return whole.bytes_;
}

ByteReader::ByteReader(std::span<const std::byte> bytes, std::string_view kind, std::uint64_t identity)
    : bytes_(bytes) {
  const std::string name(kind);
  if (bytes.size() < 3 * kWord) {
    core::throw_bad_input("the saved " + name + " has " + std::to_string(bytes.size()) +
                          " bytes, fewer than its header needs: it was cut off; start anew");
  }
  if (word() != hash_of_text(kind)) core::throw_bad_input("the saved state is not that of a " + name);
  const std::uint64_t found = word();
  const std::span<const std::byte> rest = bytes.first(bytes.size() - kWord);
  ByteReader tail(bytes.last(kWord));
  if (tail.word() != hash_of(rest)) {
    core::throw_bad_input("the saved " + name + " is damaged: its check sum does not agree; start anew");
  }
  if (found != identity) {
    core::throw_bad_input("the saved " + name +
                          " belongs to another scenario (settings, bounds, groups or seed differ): go on with the "
                          "scenario it was saved from, or start anew");
  }
  bytes_ = rest;
}

std::uint64_t ByteReader::word() {
  if (bytes_.size() - at_ < kWord) {
    core::throw_bad_input("saved state ends after " + std::to_string(bytes_.size()) +
                          " bytes, in the middle of a value");
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kWord; ++i) value |= static_cast<std::uint64_t>(bytes_[at_ + i]) << (8 * i);
  at_ += kWord;
  return value;
}

double ByteReader::number() {
  return std::bit_cast<double>(word());
}

std::size_t ByteReader::length() {
  const std::uint64_t count = word();
  if (count > (bytes_.size() - at_) / kWord) {
    core::throw_bad_input("saved state names " + std::to_string(count) + " values, more than it holds");
  }
  return static_cast<std::size_t>(count);
}

std::vector<std::uint64_t> ByteReader::words() {
  std::vector<std::uint64_t> values(length());
  for (std::uint64_t& value : values) value = word();
  return values;
}

std::vector<double> ByteReader::numbers() {
  std::vector<double> values(length());
  for (double& value : values) value = number();
  return values;
}

void ByteReader::expect_end() const {
  if (at_ != bytes_.size()) {
    core::throw_bad_input("saved state has " + std::to_string(bytes_.size() - at_) + " bytes more than expected");
  }
}

}  // namespace forelap::evolve::de
