// The kernels here and what scenarios say of them must fit together; neither folder may include the other.

#include <gtest/gtest.h>

#include "hw/kernels/library.hpp"
#include "scenarios/kernel_definition.hpp"

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
      EXPECT_EQ(static_cast<std::uint8_t>(definitions[k].arguments[i].type), kernel->parameters[i])
          << kernel->name << ", argument " << i;
    }
  }
}

TEST(KernelDefinitions, ALaunchOverABufferEqualsItsReferenceAndStaysInside) {
  for (const scenarios::KernelDefinition& definition : scenarios::builtin_definitions()) {
    const BuiltinKernel& kernel = *find_builtin(definition.name);
    for (const std::uint64_t bytes : {std::uint64_t{12}, std::uint64_t{1200}, std::uint64_t{4099}}) {
      const auto launch = scenarios::make_launch(definition, core::BufferId{}, bytes, 3);
      // An allocation of exactly this size: the address sanitizer sees what goes beyond.
      std::vector<std::byte> buffer(bytes);
      kernel.fill(buffer, 1);
      std::vector<std::byte> expected = buffer;
      std::vector<core::Argument> values = launch.arguments;
      std::vector<void*> arguments = {buffer.data()};
      for (std::size_t i = 1; i < values.size(); ++i) {
        arguments.push_back(std::visit([](auto& value) -> void* { return &value; }, values[i]));
      }
      kernel.run_on_cpu(0, static_cast<std::size_t>(launch.call.global_size[0]), arguments);
      kernel.reference(expected, launch.arguments);
      EXPECT_EQ(buffer, expected) << definition.name << " over " << bytes << " bytes";
    }
  }
}

}  // namespace
}  // namespace forelap::hw::kernels
