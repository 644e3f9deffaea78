// The kernels here and what scenarios say of them must fit together; neither folder may include the other.

#include <gtest/gtest.h>

#include <cstring>

#include "hw/kernels/library.hpp"
#include "hw/kernels/partition.hpp"
#include "scenarios/kernel_definition.hpp"
#include "scenarios/partition.hpp"

namespace forelap::hw::kernels {
namespace {

TEST(KernelDefinitions, NameTheKernelsOfTheLibraryInTheirOrderWithTheirParameters) {
  const auto definitions = scenarios::builtin_definitions();
  ASSERT_EQ(definitions.size(), builtin_kernels().size());
  for (std::size_t k = 0; k < definitions.size(); ++k) {
    const BuiltinKernel* kernel = find_builtin(definitions[k].name);
    ASSERT_NE(kernel, nullptr) << definitions[k].name;
    ASSERT_EQ(definitions[k].arguments.size(), kernel->parameters.size()) << kernel->name;
    for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
      using Type = scenarios::KernelArgument::Type;
      const Type type = definitions[k].arguments[i].type;
      EXPECT_EQ(static_cast<std::uint8_t>(type == Type::pass ? Type::int32 : type), kernel->parameters[i])
          << kernel->name << ", argument " << i;
    }
  }
}

TEST(KernelDefinitions, NameTheKernelsThatAreDividedWithTheirParametersAndRoles) {
  const auto definitions = scenarios::builtin_partition_kernels();
  ASSERT_EQ(definitions.size(), partition_kernels().size());
  for (const scenarios::PartitionKernel& definition : definitions) {
    const PartitionKernel* kernel = find_partition_kernel(definition.name);
    ASSERT_NE(kernel, nullptr) << definition.name;
    ASSERT_EQ(definition.arguments.size(), kernel->parameters.size()) << kernel->name;
    for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
      const scenarios::PartitionArgument& argument = definition.arguments[i];
      EXPECT_EQ(static_cast<std::uint8_t>(argument.type), kernel->parameters[i]) << kernel->name << ", argument " << i;
      if (kernel->uses[i] == Use::value) continue;
      const bool in = definition.tiles[argument.tile].role == scenarios::Role::in;
      EXPECT_EQ(in, kernel->uses[i] == Use::in) << kernel->name << ", argument " << i;
    }
  }
}

/// All passes of a launch on the calling thread.
void run_on_cpu(const BuiltinKernel& kernel, std::vector<std::byte>& buffer, const scenarios::Launch& launch) {
  std::vector<core::Argument> values = launch.arguments;
  std::vector<void*> arguments = {buffer.data()};
  for (std::size_t i = 1; i < values.size(); ++i) {
    arguments.push_back(std::visit([](auto& value) -> void* { return &value; }, values[i]));
  }
  for (std::uint32_t pass = 0; pass < launch.passes; ++pass) {
    if (launch.call.pass_argument >= 0) {
      std::get<std::int32_t>(values[static_cast<std::size_t>(launch.call.pass_argument)]) =
          static_cast<std::int32_t>(pass);
    }
    kernel.run_on_cpu(0, static_cast<std::size_t>(launch.call.global_size[0]), arguments);
  }
}

std::uint32_t word_at(const std::vector<std::byte>& buffer, std::size_t i) {
  std::uint32_t word = 0;
  std::memcpy(&word, buffer.data() + 4 * i, 4);
  return word;
}

/// Every word where both lie in the buffer, by the kernel's tolerance.
void expect_agreement(const BuiltinKernel& kernel, const std::vector<std::byte>& found,
                      const std::vector<std::byte>& expected) {
  for (std::size_t i = 0; i < found.size() / 4; ++i) {
    ASSERT_TRUE(agrees(kernel, word_at(found, i), word_at(expected, i))) << kernel.name << ", word " << i;
  }
}

TEST(KernelDefinitions, ALaunchOverABufferEqualsItsReferenceAndStaysInside) {
  for (const scenarios::KernelDefinition& definition : scenarios::builtin_definitions()) {
    const BuiltinKernel& kernel = *find_builtin(definition.name);
    for (const std::uint64_t bytes :
         {std::uint64_t{12}, std::uint64_t{1200}, std::uint64_t{4099}, std::uint64_t{50'000}}) {
      if (definition.name == "dct" && bytes < 768) continue;  // less than a block
      const auto launch = scenarios::make_launch(definition, core::BufferId{}, bytes, 3);
      // An allocation of exactly this size: the address sanitizer sees what goes beyond.
      std::vector<std::byte> buffer(bytes);
      kernel.fill(buffer, 1);
      std::vector<std::byte> expected = buffer;
      run_on_cpu(kernel, buffer, launch);
      kernel.reference(expected, launch.arguments);
      SCOPED_TRACE(std::to_string(bytes) + " bytes");
      expect_agreement(kernel, buffer, expected);
      if (kernel.tolerance == 0) {
        EXPECT_EQ(buffer, expected) << definition.name;
      }
      if (kernel.elementwise) continue;
      std::vector<std::byte> again = buffer;
      run_on_cpu(kernel, again, launch);
      EXPECT_EQ(again, buffer) << definition.name << " reads its result";
    }
  }
}

TEST(KernelDefinitions, SingleWordsOfTheResultAreThoseOfTheReferenceAndBeginWhereTheDefinitionSays) {
  for (const scenarios::KernelDefinition& definition : scenarios::builtin_definitions()) {
    const BuiltinKernel& kernel = *find_builtin(definition.name);
    ASSERT_EQ(kernel.word == nullptr, kernel.elementwise) << kernel.name;
    if (kernel.elementwise) continue;
    const std::uint64_t bytes = definition.name == "fast_walsh" ? 5'000 : 12 * 24 * 24;
    const auto launch = scenarios::make_launch(definition, core::BufferId{}, bytes, 2);
    std::vector<std::byte> input(bytes);
    kernel.fill(input, 3);
    std::vector<std::byte> expected = input;
    kernel.reference(expected, launch.arguments);
    std::size_t words = 0;
    for (std::size_t i = 0; i < bytes / 4; ++i) {
      std::uint32_t value = 0;
      if (!kernel.word(input, launch.arguments, i, value)) {
        EXPECT_TRUE(4 * i < launch.result || words > 0) << kernel.name << ", word " << i;
        continue;
      }
      ++words;
      EXPECT_GE(4 * i, launch.result) << kernel.name;
      ASSERT_TRUE(agrees(kernel, word_at(expected, i), value)) << kernel.name << ", word " << i;
    }
    EXPECT_GE(words, 512U) << kernel.name;
    EXPECT_GE(kernel.word_work(launch.arguments), 1);
  }
}

}  // namespace
}  // namespace forelap::hw::kernels
