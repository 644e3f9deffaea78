#pragma once
// For programs that link forelap::proxy: #include <forelap/proxy.hpp>

#include "api/proxy.hpp"
