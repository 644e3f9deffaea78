#include "evolve/gp/grammar.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "evolve/gp/grammar_check.hpp"

namespace forelap::evolve::gp {
namespace {

constexpr std::size_t kMaxFindings = 20;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

/// "<name>" at `at` of the line; its name, and `at` behind it.
std::optional<std::string> read_name(std::string_view line, std::size_t& at) {
  if (at + 1 >= line.size() || line[at] != '<' || !is_letter(line[at + 1])) return std::nullopt;
  std::size_t end = at + 1;
  while (end < line.size() && is_name_part(line[end])) ++end;
  if (end == line.size() || line[end] != '>') return std::nullopt;
  std::string name(line.substr(at + 1, end - at - 1));
  at = end + 1;
  return name;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Grammar read(std::vector<Finding>& findings) {
    findings_ = &findings;
    for (const std::string& line : core::split(text_, '\n')) {
      ++line_;
      if (findings.size() >= kMaxFindings) break;
      read_line(line);
    }
    close_rule();
    if (grammar_.rules.empty() && findings.empty()) {
      fault(0, "the grammar is empty; it needs rules of the form <start> ::= text | <other>");
    }
    if (findings.empty()) order_by_definition();
    if (findings.empty()) set_start();
    if (findings.empty()) check_rules(grammar_, first_use_, findings);
    return std::move(grammar_);
  }

 private:
  void fault(int line, std::string message) { findings_->push_back({line, std::move(message)}); }

  void read_line(std::string_view line) {
    std::size_t at = 0;
    while (at < line.size() && is_space(line[at])) ++at;
    if (at == line.size() || line[at] == '#') return;
    std::size_t behind = at;
    const std::optional<std::string> name = read_name(line, behind);
    while (name && behind < line.size() && is_space(line[behind])) ++behind;
    if (name && line.substr(behind, 3) == "::=") {
      open_rule(*name);
      at = behind + 3;
    } else if (!rule_) {
      return fault(line_, "text before the first rule; a rule begins with <name> ::=");
    }
    space_ = true;
    while (at < line.size()) {
      if (!read_symbol(line, at)) return;
    }
  }

  /// One symbol, separator or white space; false after a fault, when the rest of the line is not looked at.
  bool read_symbol(std::string_view line, std::size_t& at) {
    const char c = line[at];
    if (is_space(c)) {
      space_ = true;
      ++at;
      return true;
    }
    if (c == '|') {
      close_alternative();
      ++at;
      return true;
    }
    if (c == '"') return read_quoted(line, at);
    if (c == '<') return read_non_terminal(line, at);
    return read_plain(line, at);
  }

  bool read_non_terminal(std::string_view line, std::size_t& at) {
    const std::optional<std::string> name = read_name(line, at);
    if (!name) {
      fault(line_, "'<' does not begin a non-terminal like <name>; write \"<\" in quotes if it is text");
      return false;
    }
    const std::optional<std::uint32_t> rule = rule_index(*name);
    if (!rule) return false;
    put_space();
    current_.symbols.push_back({*rule, {}});
    current_.rules.push_back(*rule);
    return true;
  }

  bool read_plain(std::string_view line, std::size_t& at) {
    std::size_t end = at;
    while (end < line.size() && !is_space(line[end]) && std::string_view("|\"<").find(line[end]) == line.npos) {
      const char c = line[end];
      if (c < 0x20 || c > 0x7e) return unfit(line.substr(end, 1));
      if (c == '>') {
        fault(line_, "'>' without a non-terminal before it; write \">\" in quotes if it is text");
        return false;
      }
      ++end;
    }
    const std::string_view text = line.substr(at, end - at);
    if (text.find("::=") != text.npos) {
      fault(line_, "'::=' inside a rule; a rule begins on a line of its own with <name> ::=");
      return false;
    }
    put_text(text);
    at = end;
    return true;
  }

  bool read_quoted(std::string_view line, std::size_t& at) {
    std::string text;
    std::size_t end = at + 1;
    for (; end < line.size() && line[end] != '"'; ++end) {
      char c = line[end];
      if (c == '\\') {
        ++end;
        c = end < line.size() ? line[end] : '\0';
        if (c == 'n' || c == 't') {
          text += c == 'n' ? '\n' : '\t';
          continue;
        }
        if (c != '"' && c != '\\') {
          fault(line_, "unknown escape in quotes; known are \\\" \\\\ \\n \\t");
          return false;
        }
      }
      if ((c < 0x20 && c != '\t') || c > 0x7e) return unfit(line.substr(end, 1));
      text += c;
    }
    if (end >= line.size()) {
      fault(line_, "a quoted text has no closing quote on its line");
      return false;
    }
    put_text(text);
    written_ = true;
    at = end + 1;
    return true;
  }

  bool unfit(std::string_view byte) {
    fault(line_, "the byte '" + core::printable(byte) + "' is not printable ASCII");
    return false;
  }

  void put_space() {
    if (space_ && !(current_.symbols.empty() && !written_)) append(" ");
    space_ = false;
  }
  void put_text(std::string_view text) {
    put_space();
    append(text);
  }
  /// Neighbouring terminals are one.
  void append(std::string_view text) {
    if (text.empty()) return;
    if (current_.symbols.empty() || !current_.symbols.back().is_terminal()) current_.symbols.push_back({});
    current_.symbols.back().text += text;
  }

  void open_rule(const std::string& name) {
    close_rule();
    const std::optional<std::uint32_t> index = rule_index(name);
    if (!index) return;
    Rule& rule = grammar_.rules[*index];
    if (rule.line != 0) {
      fault(line_, "<" + name + "> is defined again; it was defined in line " + std::to_string(rule.line) +
                       ", put all alternatives there");
    } else {
      rule.line = line_;
    }
    rule_ = *index;
  }

  void close_rule() {
    if (rule_) close_alternative();
    rule_.reset();
  }

  void close_alternative() {
    Rule& rule = grammar_.rules[*rule_];
    if (current_.symbols.empty() && !written_) {
      fault(line_of_empty(), "alternative " + std::to_string(rule.alternatives.size() + 1) + " of <" + rule.name +
                                 "> is empty; write \"\" if it shall derive nothing");
    }
    rule.alternatives.push_back(std::move(current_));
    current_ = {};
    written_ = false;
    space_ = false;
  }
  /// An alternative without text is named with the line of its rule.
  [[nodiscard]] int line_of_empty() const { return grammar_.rules[*rule_].line; }

  std::optional<std::uint32_t> rule_index(const std::string& name) {
    const auto found = index_.find(name);
    if (found != index_.end()) return found->second;
    if (grammar_.rules.size() == kMaxRules) {
      fault(line_, "more than " + std::to_string(kMaxRules) + " non-terminals");
      return std::nullopt;
    }
    const auto index = static_cast<std::uint32_t>(grammar_.rules.size());
    index_.emplace(name, index);
    grammar_.rules.push_back({name, 0, {}, 0});
    first_use_.push_back(line_);
    return index;
  }

  /// Rules were numbered as they were first named; from here on as they were defined, undefined ones first.
  void order_by_definition() {
    std::vector<std::uint32_t> order(grammar_.rules.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return grammar_.rules[a].line < grammar_.rules[b].line;
    });
    std::vector<std::uint32_t> place(order.size());
    std::vector<Rule> rules;
    std::vector<int> first_use;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      rules.push_back(std::move(grammar_.rules[order[i]]));
      first_use.push_back(first_use_[order[i]]);
    }
    for (Rule& rule : rules) {
      for (Alternative& alternative : rule.alternatives) {
        for (std::uint32_t& child : alternative.rules) child = place[child];
        for (Symbol& symbol : alternative.symbols) {
          if (!symbol.is_terminal()) symbol.rule = place[symbol.rule];
        }
      }
    }
    for (auto& [name, index] : index_) index = place[index];
    grammar_.rules = std::move(rules);
    first_use_ = std::move(first_use);
  }

  void set_start() {
    const auto found = index_.find("start");
    if (found != index_.end() && grammar_.rules[found->second].line != 0) {
      grammar_.start = found->second;
      return;
    }
    int first = 0;
    for (const Rule& rule : grammar_.rules) {
      if (rule.line != 0 && (first == 0 || rule.line < first)) first = rule.line;
    }
    fault(first, "no <start>: derivation begins at the rule of that name; add <start> ::= ...");
  }

  std::string_view text_;
  std::vector<Finding>* findings_ = nullptr;
  Grammar grammar_;
  std::map<std::string, std::uint32_t> index_;
  std::vector<int> first_use_;
  int line_ = 0;
  std::optional<std::uint32_t> rule_;
  Alternative current_;
  bool written_ = false;  ///< the alternative holds quotes, if only ""
  bool space_ = false;    ///< white space lies between the last symbol and the next
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

Grammar parse_grammar(std::string_view text, std::string_view name) {
  if (text.size() > kMaxGrammarBytes) {
    core::throw_bad_input(std::string(name) + ": " + std::to_string(text.size()) + " bytes; a grammar has at most " +
                          std::to_string(kMaxGrammarBytes));
  }
  std::vector<Finding> findings;
  Grammar grammar = Reader(text).read(findings);
  if (findings.empty()) return grammar;
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.line < b.line; });
  std::string message;
  for (const Finding& finding : findings) {
    message += (message.empty() ? "" : "\n") + std::string(name) + ":";
    if (finding.line > 0) message += std::to_string(finding.line) + ":";
    message += " " + finding.message;
  }
  core::throw_bad_input(message);
}

std::string to_text(const Grammar& grammar) {
  std::string out;
  for (const Rule& rule : grammar.rules) {
    out += "<" + rule.name + "> ::=";
    bool first = true;
    for (const Alternative& alternative : rule.alternatives) {
      out += first ? " " : " | ";
      first = false;
      if (alternative.symbols.empty()) out += "\"\"";
      for (const Symbol& symbol : alternative.symbols) {
        out += symbol.is_terminal() ? quoted(symbol.text) : "<" + grammar.rules[symbol.rule].name + ">";
      }
    }
    out += '\n';
  }
  return out;
}

}  // namespace forelap::evolve::gp
