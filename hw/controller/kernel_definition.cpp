#include "hw/controller/kernel_definition.hpp"

#include <stdexcept>

#include "core/text.hpp"
#include "hw/controller/kernel.hpp"
#include "hw/controller/kernel_functions.hpp"

namespace forelap::hw::controller {
namespace {

/// Functions that the program's sources define; filled while the program and its libraries start.
struct Registry {
  std::mutex mutex;
  std::vector<FunctionText> functions;
};
Registry& registry() {
  static Registry& made = *new Registry();
  return made;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view without_parentheses(std::string_view text) {
  const std::string_view trimmed = core::trim(text);
  if (trimmed.size() < 2 || trimmed.front() != '(' || trimmed.back() != ')') {
    throw std::invalid_argument("\"" + std::string(text) + "\" is not a list in parentheses");
  }
  return trimmed.substr(1, trimmed.size() - 2);
}

/// The last word of a parameter: its name.
std::string last_word(std::string_view text) {
  const std::string_view trimmed = core::trim(text);
  std::size_t begin = trimmed.size();
  while (begin > 0 && is_word(trimmed[begin - 1])) --begin;
  if (begin == trimmed.size()) throw std::invalid_argument("\"" + std::string(text) + "\" names no parameter");
  return std::string(trimmed.substr(begin));
}

}  // namespace

KernelFunction::KernelFunction(const char* result, const char* name, const char* parameters, const char* body,
                               const char* file) {
  const std::lock_guard lock(registry().mutex);
  registry().functions.push_back({result, name, parameters, body, file});
}

std::vector<FunctionText> functions_called(const std::string& name) {
  const std::lock_guard lock(registry().mutex);
  std::vector<FunctionText> found;
  for (const FunctionText& function : registry().functions) {
    if (function.name == name) found.push_back(function);
  }
  return found;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > i && !(text[i] >= '0' && text[i] <= '9')) words.emplace_back(text.substr(i, end - i));
    i = end > i ? end : i + 1;
  }
  return words;
}

std::vector<std::string> parameter_names(const std::string& text) {
  const std::string_view list = without_parentheses(text);
  std::vector<std::string> names;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && (list[i] == '<' || list[i] == '(')) ++depth;
    if (i < list.size() && (list[i] == '>' || list[i] == ')')) --depth;
    if (i < list.size() && (list[i] != ',' || depth != 0)) continue;
    names.push_back(last_word(list.substr(begin, i - begin)));
    begin = i + 1;
  }
  return names;
}

std::shared_ptr<KernelDefinition> make_definition(const KernelText& text, std::vector<Parameter> parameters,
                                                  CpuFunction run_on_cpu) {
  auto definition = std::make_shared<KernelDefinition>();
  definition->name = text.name;
  definition->file = text.file;
  definition->origin = std::string(text.file) + ":" + std::to_string(text.line);
  definition->indices = parameter_names(text.indices);
  const std::vector<std::string> names = parameter_names(text.parameters);
  if (names.size() != parameters.size()) {
    throw std::invalid_argument("kernel " + definition->name + ": the names of its parameters cannot be read");
  }
  for (std::size_t i = 0; i < names.size(); ++i) parameters[i].name = names[i];
  definition->parameters = std::move(parameters);
  definition->body = text.body;
  definition->run_on_cpu = std::move(run_on_cpu);
  return definition;
}

}  // namespace forelap::hw::controller
