#pragma once
// For programs that link forelap::controller: #include <forelap/controller.hpp>

#include "api/controller.hpp"
