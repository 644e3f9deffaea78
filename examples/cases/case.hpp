#pragma once
// What the programs of the case studies share, so that a case's CUDA, OpenMP and forelap forms differ in how they use
// devices and in nothing else: the command line, the clock, and what is printed. Header only, standard library only.
//
//   PROGRAM [SIZE [REPETITIONS [DEVICES [WEIGHTS]]]]
//
// DEVICES, such as cuda:0,cpu:0-3, and WEIGHTS, such as 0.9,0.1, are for the forelap forms; the others use what their
// language gives them. A program ends with 0 where its result is right, 1 where it is wrong, 2 for a command line that
// it does not understand, 3 where it could not run.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace cases {

struct Options {
  std::int64_t size = 0;
  int repetitions = 3;
  std::vector<std::string> devices = {"cuda:0"};
  std::vector<double> weights = {};  ///< one a device; empty: left to the library
};

/// What the check of a result found.
struct Outcome {
  double checksum = 0;
  bool verified = false;
};

struct Misuse : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

inline std::int64_t parse_count(const std::string& text, std::int64_t largest) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < 1 || value > largest) {
    throw Misuse("'" + text + "' is no whole number from 1 to " + std::to_string(largest));
  }
  return value;
}

inline double parse_weight(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw Misuse("the weight '" + text + "' is no number");
  return value;
}

inline Options parse(const std::vector<std::string>& words, Options options) {
  if (words.size() > 4) throw Misuse("there are " + std::to_string(words.size()) + " words, 4 at most are expected");
  if (!words.empty()) options.size = parse_count(words[0], std::numeric_limits<std::int32_t>::max());
  if (words.size() > 1) options.repetitions = static_cast<int>(parse_count(words[1], 1000000));
  if (words.size() > 2) options.devices = split(words[2]);
  if (words.size() > 3) {
    for (const std::string& weight : split(words[3])) options.weights.push_back(parse_weight(weight));
  }
  return options;
}

/// The lowest time of `body`, in seconds, of so many runs.
template <class Body>
double lowest_seconds(int repetitions, const Body& body) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    body();
    lowest = std::min(lowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return lowest;
}

/// Prints what came out and returns the program's exit status.
inline int report(const char* program, const Options& options, double seconds, const Outcome& outcome) {
  std::printf("%s: size %lld, %d repetitions, time %.6f s, checksum %.10g, verified %s\n", program,
              static_cast<long long>(options.size), options.repetitions, seconds, outcome.checksum,
              outcome.verified ? "yes" : "no");
  return outcome.verified ? 0 : 1;
}

/// The body of main: reads the command line, runs `body` with it, and says what went wrong.
template <class Body>
int run(int argc, char** argv, const Options& defaults, const Body& body) {
  try {
    return body(parse({argv + std::min(argc, 1), argv + argc}, defaults));
  } catch (const Misuse& error) {
    std::fprintf(stderr, "%s: %s\nusage: %s [SIZE [REPETITIONS [DEVICES [WEIGHTS]]]]\n", argv[0], error.what(),
                 argv[0]);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 3;
  }
}

}  // namespace cases
