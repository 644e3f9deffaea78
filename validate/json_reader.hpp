#pragma once
// A strict view of a JSON document for the readers of this folder: every key is asked for, and what is left over is an
// error.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace forelap::validate {

class JsonView;

/// A parsed document.
class JsonDocument {
 public:
  /// Duplicate keys, nesting beyond 64 levels and syntax errors are core::Error (bad_input) naming `file`.
  JsonDocument(std::string_view text, std::string file);
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  /// The whole of it; views refer to the document.
  [[nodiscard]] JsonView root() const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
  std::string file_;
};

/// A value and where it stands. All throw core::Error (bad_input) with "file: path: found, expected".
class JsonView {
 public:
  /// Whether the key is there and not null.
  [[nodiscard]] bool has(const std::string& key) const;
  /// The value of a key that must be there.
  [[nodiscard]] JsonView at(const std::string& key) const;
  /// The members of an array.
  [[nodiscard]] std::vector<JsonView> items() const;
  /// Refuses keys outside `known`, naming the nearest one; the value must be an object.
  void only(const std::vector<std::string>& known) const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] double number() const;   ///< finite
  [[nodiscard]] double seconds() const;  ///< 0 to 1e9
  [[nodiscard]] double amount() const;   ///< of no unit: 0 to 1e18
  [[nodiscard]] std::uint64_t whole() const;
  [[nodiscard]] std::uint32_t small() const;  ///< whole, below 2^32
  /// Whole, from `least` to `most`.
  [[nodiscard]] std::uint64_t within(std::uint64_t least, std::uint64_t most) const;
  [[nodiscard]] std::uint32_t small(std::uint32_t least, std::uint32_t most) const;
  /// Text that is one of these.
  [[nodiscard]] std::string one_of(const std::vector<std::string>& known) const;
  [[nodiscard]] std::int64_t integer() const;
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  friend class JsonDocument;
  JsonView(const void* value, std::string file, std::string path)
      : value_(value), file_(std::move(file)), path_(std::move(path)) {}

  const void* value_;  ///< the package's own type, which no header shows
  std::string file_;
  std::string path_;
};

}  // namespace forelap::validate
