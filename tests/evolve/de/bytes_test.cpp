#include "evolve/de/bytes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace {

using namespace forelap::evolve::de;
using forelap::core::Error;

ByteWriter sample() {
  ByteWriter out;
  out.word(0x0102030405060708U);
  out.number(-0.0);
  out.numbers(std::vector<double>{1.5, std::numeric_limits<double>::infinity()});
  out.words(std::vector<std::uint64_t>{});
  return out;
}

TEST(Bytes, WhatIsWrittenIsReadBackBitByBit) {
  const ByteWriter out = sample();
  ByteReader in(out.bytes());
  EXPECT_EQ(in.word(), 0x0102030405060708U);
  EXPECT_TRUE(std::signbit(in.number()));
  EXPECT_EQ(in.numbers(), (std::vector<double>{1.5, std::numeric_limits<double>::infinity()}));
  EXPECT_TRUE(in.words().empty());
  EXPECT_NO_THROW(in.expect_end());
  EXPECT_EQ(out.bytes().front(), std::byte{8}) << "little-endian on every machine";
}

TEST(Bytes, EveryTruncationIsAnError) {
  const Bytes whole = sample().sealed("sample", 5);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(ByteReader(std::span(whole).first(size), "sample", 5), Error) << size;
  }
  EXPECT_NO_THROW(ByteReader(whole, "sample", 5));
}

TEST(Bytes, EveryFlippedBitIsAnError) {
  const Bytes whole = sample().sealed("sample", 5);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Bytes damaged = whole;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_THROW(ByteReader(damaged, "sample", 5), Error) << bit;
  }
}

TEST(Bytes, AnotherKindOrIdentityIsRefused) {
  const Bytes whole = sample().sealed("sample", 5);
  EXPECT_THROW(ByteReader(whole, "another", 5), Error);
  EXPECT_THROW(ByteReader(whole, "sample", 6), Error);
}

TEST(Bytes, ALengthBeyondTheBytesIsAnErrorAndTakesNoMemory) {
  ByteWriter out;
  out.word(std::numeric_limits<std::uint64_t>::max());
  ByteReader in(out.bytes());
  EXPECT_THROW(in.numbers(), Error);
  EXPECT_THROW(ByteReader(std::span<const std::byte>()).word(), Error);
}

TEST(Bytes, UnreadBytesAreAnError) {
  const ByteWriter out = sample();
  ByteReader in(out.bytes());
  in.word();
  EXPECT_THROW(in.expect_end(), Error);
}

}  // namespace
