#include <algorithm>
#include <utility>

#include "core/error.hpp"
#include "evolve/gp/bytecode.hpp"

namespace forelap::evolve::gp {
namespace {

constexpr std::uint32_t kNone = SyntaxNode::kNone;

class Emitter {
 public:
  explicit Emitter(const Syntax& syntax) : nodes_(syntax.nodes) {
    if (!syntax.ok()) core::throw_bad_input("outside the subset of C that can be interpreted, " + syntax.refusal);
  }

  void statement(std::uint32_t index) {
    const SyntaxNode& node = nodes_[index];
    switch (node.kind) {
      case NodeKind::operation:
        break;
      case NodeKind::assign:
        value(node.child[0]);
        put(Op::store, node.value);
        break;
      case NodeKind::if_else:
        return if_else(node);
      case NodeKind::loop:
        return loop(node);
      case NodeKind::block:
        for (std::uint32_t at = node.child[0]; at != kNone; at = nodes_[at].next) statement(at);
        break;
    }
  }

  void value(std::uint32_t index) {
    const SyntaxNode& node = nodes_[index];
    for (const std::uint32_t child : node.child) {
      if (child != kNone) value(child);
    }
    put(node.op, node.op == Op::element ? node.value | node.length << 16U : node.value);
  }

  void put(Op op, std::uint32_t operand) {
    program_.code.push_back({static_cast<std::uint32_t>(op), operand});
    const bool jumps = op == Op::jump || op == Op::jump_if_zero;
    if (jumps) program_.straight = false;
    depth_ -= operands_of(op);
    if (jumps || op == Op::store) return;
    ++program_.nodes;
    program_.stack = std::max(program_.stack, ++depth_);
  }

  Bytecode take() { return std::move(program_); }

 private:
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(program_.code.size()); }
  /// A jump whose target is not known yet.
  std::uint32_t open(Op op) {
    put(op, 0);
    return here() - 1;
  }
  void close(std::uint32_t jump) { program_.code[jump].operand = here(); }

  void if_else(const SyntaxNode& node) {
    value(node.child[0]);
    const std::uint32_t past_then = open(Op::jump_if_zero);
    statement(node.child[1]);
    if (node.child[2] == kNone) return close(past_then);
    const std::uint32_t past_else = open(Op::jump);
    close(past_then);
    statement(node.child[2]);
    close(past_else);
  }

  void loop(const SyntaxNode& node) {
    const std::uint32_t begin = here();
    const bool endless = node.child[0] == kNone;
    if (!endless) value(node.child[0]);
    const std::uint32_t out = endless ? 0 : open(Op::jump_if_zero);
    statement(node.child[1]);
    if (node.child[2] != kNone) statement(node.child[2]);
    put(Op::jump, begin);
    if (!endless) close(out);
  }

  const std::vector<SyntaxNode>& nodes_;
  Bytecode program_;
  std::uint32_t depth_ = 0;
};

}  // namespace

Bytecode emit(const Syntax& program) {
  Emitter emitter(program);
  emitter.statement(program.root);
  return emitter.take();
}

Bytecode emit_value(const Syntax& expression, std::uint32_t slot) {
  Emitter emitter(expression);
  emitter.value(expression.root);
  emitter.put(Op::store, slot);
  return emitter.take();
}

}  // namespace forelap::evolve::gp
