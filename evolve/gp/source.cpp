#include "evolve/gp/source.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/error.hpp"
#include "evolve/gp/source_dialect.hpp"

namespace forelap::evolve::gp {
namespace {

/// Text with its lines counted.
class Writer {
 public:
  void put(std::string_view text) {
    text_ += text;
    lines_ += static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
  }
  [[nodiscard]] std::uint32_t line() const { return lines_ + 1; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::uint32_t lines_ = 0;
};

class Generator {
 public:
  Generator(const PreparedProblem& problem, std::span<const std::string> texts, const SourceOptions& options)
      : problem_(problem), texts_(texts), options_(options) {}

  Source make() {
    writer_.put(prelude_of(options_, used_code()));
    if (!problem_.problem.declarations.empty()) writer_.put(problem_.problem.declarations + "\n");
    const std::size_t part = options_.part == 0 ? texts_.size() : options_.part;
    for (std::size_t first = 0; first < texts_.size(); first += part) {
      kernel(first, std::min(part, texts_.size() - first));
    }
    source_.text = writer_.take();
    return std::move(source_);
  }

 private:
  /// Everything that may name a function.
  [[nodiscard]] std::string used_code() const {
    std::string used = problem_.problem.declarations + problem_.problem.before + problem_.problem.after;
    for (const Given& given : problem_.problem.givens) used += given.expression + ' ';
    for (const std::string& text : texts_) used += text + ' ';
    return used;
  }

  void kernel(std::size_t first, std::size_t count) {
    const bool switched = options_.layout == Layout::switched;
    const SourceKernel kernel{options_.prefix + std::to_string(source_.kernels.size()),
                              static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), switched};
    source_.kernels.push_back(kernel);
    writer_.put(kernel_head(options_.dialect, kernel.name, switched ? kernel.count : 0, problem_.cases.row_words));
    case_variables();
    switched ? switched_individuals(kernel) : individuals_in_sequence(kernel);
    writer_.put(kernel_tail(options_.dialect));
  }

  void case_variables() {
    const Problem& problem = problem_.problem;
    for (const Input& input : problem.inputs) {
      const std::string slot = std::to_string(problem_.scope.find(input.name)->slot);
      const std::string type = source_type(input.type);
      if (input.length > 0) {
        const std::string element = "GP_ROW const " + (input.type == Type::float32 ? "gp_float" : type) + "*";
        writer_.put(element + " " + input.name + " = (" + element + ")(gp_row + " + slot + ");\n");
      } else {
        const std::string word = "gp_row[" + slot + "]";
        const std::string value =
            input.type == Type::float32 ? "GP_FLOAT_OF_WORD(" + word + ")" : "(" + type + ")" + word;
        writer_.put("const " + type + " " + input.name + " = " + value + ";\n");
      }
    }
    for (const Given& given : problem.givens) {
      writer_.put("const " + source_type(given.type) + " " + given.name + " = " + given.expression + ";\n");
    }
  }

  void locals() {
    for (const Local& local : problem_.problem.locals) {
      writer_.put(source_type(local.type) + " " + local.name + " = 0;\n");
    }
  }

  void code(std::size_t individual) {
    const std::uint32_t first = writer_.line();
    writer_.put(code_of(problem_.problem, texts_[individual]) + "\n");
    source_.lines.push_back({first, writer_.line() - 1});
  }

  void store(const std::string& individual) {
    const std::string& result = problem_.problem.result;
    const std::string word =
        problem_.result_type == Type::float32 ? "GP_WORD_OF_FLOAT(" + result + ")" : "(unsigned int)" + result;
    writer_.put("results[(gp_wide)" + individual + " * cases + gp_case] = " + word + ";\n");
  }

  void individuals_in_sequence(const SourceKernel& kernel) {
    for (std::uint32_t i = 0; i < kernel.count; ++i) {
      writer_.put("{\n");
      locals();
      code(kernel.first + i);
      store(std::to_string(kernel.first + i) + "u");
      writer_.put("}\n");
    }
  }

  void switched_individuals(const SourceKernel& kernel) {
    locals();
    writer_.put("switch (gp_individual) {\n");
    for (std::uint32_t i = 0; i < kernel.count; ++i) {
      writer_.put("case " + std::to_string(i) + ": {\n");
      code(kernel.first + i);
      writer_.put("} break;\n");
    }
    writer_.put("}\n");
    store("(" + std::to_string(kernel.first) + "u + gp_individual)");
  }

  const PreparedProblem& problem_;
  std::span<const std::string> texts_;
  const SourceOptions& options_;
  Writer writer_;
  Source source_;
};

}  // namespace

std::optional<std::uint32_t> Source::individual_at(std::uint32_t line) const {
  const auto found = std::find_if(lines.begin(), lines.end(), [line](const SourceLines& range) {
    return line >= range.first && line <= range.last;
  });
  if (found == lines.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - lines.begin());
}

Source make_source(const PreparedProblem& problem, std::span<const std::string> texts, const SourceOptions& options) {
  if (texts.empty()) core::throw_bad_input("a source needs at least one individual");
  return Generator(problem, texts, options).make();
}

std::vector<IndividualRange> split_evenly(std::size_t count, std::size_t workers) {
  std::vector<IndividualRange> parts;
  const std::size_t number = std::min(count, std::max<std::size_t>(workers, 1));
  std::size_t first = 0;
  for (std::size_t i = 0; i < number; ++i) {
    const std::size_t size = count / number + (i < count % number ? 1 : 0);
    parts.push_back({first, size});
    first += size;
  }
  return parts;
}

}  // namespace forelap::evolve::gp
