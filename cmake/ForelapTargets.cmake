include(CheckIPOSupported)
check_ipo_supported(RESULT FORELAP_HAVE_IPO LANGUAGES CXX)

# One library a folder: forelap_library(NAME [HOT] SOURCES a.cpp ... [USES core models ...] [PRIVATE package ...])
# `USES` names other folders' libraries (public), PRIVATE names packages that no header of the folder shows. HOT: calls
# between the HOT libraries are inlined in release builds (link-time optimisation), which the engines' speed rests on.
function(forelap_library name)
  cmake_parse_arguments(ARG "HOT" "" "SOURCES;USES;PRIVATE" ${ARGN})
  add_library(forelap_${name} STATIC ${ARG_SOURCES})
  if(ARG_HOT AND FORELAP_HAVE_IPO)
    set_target_properties(forelap_${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION_RELEASE ON)
    # Programs that link it optimise in parallel, and say nothing of it.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_link_options(forelap_${name} INTERFACE $<$<CONFIG:Release>:-flto=auto>)
    endif()
  endif()
  target_link_libraries(forelap_${name} PUBLIC forelap_flags)
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(forelap_${name} PUBLIC forelap_${used})
  endforeach()
  target_link_libraries(forelap_${name} PRIVATE ${ARG_PRIVATE})
endfunction()

# A shared module with one maker function, loaded the first time it is needed.
function(forelap_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;PRIVATE" ${ARGN})
  add_library(forelap_${name} MODULE ${ARG_SOURCES})
  set_target_properties(forelap_${name} PROPERTIES PREFIX "" OUTPUT_NAME "forelap_${name}")
  target_link_libraries(forelap_${name} PRIVATE forelap_flags ${ARG_PRIVATE})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(forelap_${name} PRIVATE forelap_${used})
  endforeach()
  # A module uses its own copy of what it is made of, also where forelap::proxy has brought one into the process.
  target_link_options(forelap_${name} PRIVATE "LINKER:--exclude-libs,ALL")
  install(TARGETS forelap_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/forelap COMPONENT modules)
endfunction()

# One test program a folder: forelap_tests(FOLDER [PREFIX text] SOURCES ... USES ...). PREFIX tells the tests of a program
# from those of another that has the same ones. Tests find the tree by FORELAP_SOURCE_DIR.
function(forelap_tests folder)
  cmake_parse_arguments(ARG "" "PREFIX" "SOURCES;USES;PRIVATE" ${ARGN})
  set(prefix)
  add_executable(${folder}_tests ${ARG_SOURCES})
  target_link_libraries(${folder}_tests PRIVATE forelap_flags GTest::gtest_main GTest::gmock ${ARG_PRIVATE})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(${folder}_tests PRIVATE forelap_${used})
  endforeach()
  target_compile_definitions(${folder}_tests PRIVATE FORELAP_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             FORELAP_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if(ARG_PREFIX)
    set(prefix TEST_PREFIX "${ARG_PREFIX}")
  endif()
  gtest_discover_tests(${folder}_tests ${prefix} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300)
endfunction()
