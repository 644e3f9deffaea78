# Options and features. A feature is AUTO (on where its package is found), ON (missing is an error) or OFF.

option(FORELAP_TESTS "Build the tests" ON)
option(FORELAP_BENCH "Build the benchmarks" OFF)
option(FORELAP_WERROR "Treat warnings as errors" OFF)
set(FORELAP_SANITIZE "" CACHE STRING "Sanitizers, such as address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Programs and modules side by side in the build tree, as after installation.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/forelap")

add_library(forelap_flags INTERFACE)
target_include_directories(forelap_flags INTERFACE "${PROJECT_SOURCE_DIR}")
# -ffp-contract=off: the same plan and machine give the same timeline to the tick on every processor.
# -fno-semantic-interposition: position-independent code may inline its own functions (a third of the simulators' speed).
target_compile_options(forelap_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
                       -fno-semantic-interposition
                       $<$<BOOL:${FORELAP_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlapping copies in operator+ of std::string that are not there (GCC bug 105651).
  target_compile_options(forelap_flags INTERFACE -Wno-restrict)
endif()
if(FORELAP_SANITIZE)
  target_compile_options(forelap_flags INTERFACE -fsanitize=${FORELAP_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(forelap_flags INTERFACE -fsanitize=${FORELAP_SANITIZE})
endif()

find_program(FORELAP_CCACHE ccache)
if(FORELAP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${FORELAP_CCACHE}")
endif()

set(FORELAP_FEATURES "" CACHE INTERNAL "")

# forelap_feature(NAME "what it is" "package that brings it" FOUND_EXPRESSION...) declares FORELAP_<NAME> as AUTO/ON/OFF
# and sets FORELAP_HAVE_<NAME>. Call it after looking for the package; FOUND_EXPRESSION is what tells that it is there.
function(forelap_feature name summary package)
  set(FORELAP_${name} AUTO CACHE STRING "${summary}: AUTO, ON or OFF")
  set_property(CACHE FORELAP_${name} PROPERTY STRINGS AUTO ON OFF)
  set(have OFF)
  if(FORELAP_${name} STREQUAL "OFF")
    set(state "off (FORELAP_${name}=OFF)")
  elseif(${ARGN})
    set(have ON)
    set(state "on")
  elseif(FORELAP_${name} STREQUAL "AUTO")
    set(state "off: not found (${package})")
  else()
    message(FATAL_ERROR "FORELAP_${name}=ON, but ${summary} was not found. Install ${package}, or set "
                        "FORELAP_${name}=OFF.")
  endif()
  set(FORELAP_HAVE_${name} ${have} CACHE INTERNAL "")
  set(FORELAP_FEATURES "${FORELAP_FEATURES};${name}: ${state}" CACHE INTERNAL "")
endfunction()

function(forelap_print_features)
  foreach(feature IN LISTS FORELAP_FEATURES)
    if(feature)
      message(STATUS "forelap feature ${feature}")
    endif()
  endforeach()
endfunction()
