# Installs the libraries and modules of a build into a folder of its own, builds EXAMPLE against them by
# find_package, moves the folder, and runs the example: an installed package finds its parts wherever it lies.
function(run_or_fail)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  message(STATUS "${output}")
endfunction()

file(REMOVE_RECURSE "${WORK}")
foreach(component libraries modules)
  run_or_fail("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix" --component ${component})
endforeach()
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
run_or_fail("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
            "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${flags}" "-DCMAKE_BUILD_TYPE=${CONFIG}"
            -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run_or_fail("${CMAKE_COMMAND}" --build "${WORK}/build")
file(RENAME "${WORK}/prefix" "${WORK}/moved")
file(GLOB libraries "${WORK}/moved/lib*/libforelap_${EXAMPLE}.so" "${WORK}/moved/lib/*/libforelap_${EXAMPLE}.so")
list(GET libraries 0 library)
get_filename_component(folder "${library}" DIRECTORY)
set(ENV{LD_LIBRARY_PATH} "${folder}")
run_or_fail("${WORK}/build/${EXAMPLE}_example" cpu)
file(GLOB opencl "${folder}/forelap/forelap_opencl.so")
if(opencl)
  # 3: no OpenCL device here. Anything else must work, and the module must have been found.
  execute_process(COMMAND "${WORK}/build/${EXAMPLE}_example" opencl RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0 AND (NOT result EQUAL 3 OR output MATCHES "has no forelap_opencl.so"))
    message(FATAL_ERROR "the example on OpenCL ended with ${result}:\n${output}")
  endif()
  message(STATUS "${output}")
endif()
