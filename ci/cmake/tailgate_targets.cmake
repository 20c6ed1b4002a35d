# The kinds of target that the tree is made of. A folder's CMakeLists.txt calls only these.
#
#   tailgate_library(NAME SOURCES ... [LIBS ...])
#       Static library tailgate_NAME.
#   tailgate_test(NAME [SERIAL | STRESS] [OWN_MAIN] SOURCES ... [LIBS ...])
#       Catch2 program, its cases registered in ctest. SERIAL: its cases load the machine or time
#       it, so no other test runs beside them (label "serial"). STRESS: likewise, with real daemons
#       that they overload, stop and kill (label "stress"); not run with the sanitizers.
#       OWN_MAIN: the sources hold the main function.
#   tailgate_pytest(NAME FILES ...)
#       Python tests, one ctest entry for all the files; none in a build for another system.
#   tailgate_bench(NAME SOURCES ... [LIBS ...])
#       Google Benchmark program, smoke-run by ctest.
#   tailgate_fuzz(NAME SOURCES ... [LIBS ...] [CORPUS DIR])
#       libFuzzer program (preset fuzz); its corpus replays in ctest where it is built.
#   tailgate_component(NAME FOUND WHAT)
#       A line of the summary that configuring ends with. FOUND: truthy; WHAT: what it adds or how
#       to get it.

# Source files of one operating system end in its name: clock_linux.cpp, clock_windows.cpp.
if(WIN32)
  set(TAILGATE_OS windows)
else()
  set(TAILGATE_OS linux)
endif()

add_library(tailgate_options INTERFACE)
target_include_directories(tailgate_options INTERFACE ${PROJECT_SOURCE_DIR})
if(MSVC)
  target_compile_options(tailgate_options INTERFACE /W4 /permissive- /utf-8
    $<$<BOOL:${TAILGATE_WERROR}>:/WX>)
else()
  # GCC 12 warns of overlapping copies inside of std::string where there are none (GCC bug 105651).
  target_compile_options(tailgate_options INTERFACE -Wall -Wextra -Wconversion
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<BOOL:${TAILGATE_WERROR}>:-Werror>)
endif()

# The python3 that has what plots and tests import; the first one on the PATH need not be it.
function(tailgate_python_has_modules result candidate)
  execute_process(COMMAND ${candidate} -c "import matplotlib, numpy, pytest, jsonschema"
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
find_program(TAILGATE_PYTHON NAMES python3 VALIDATOR tailgate_python_has_modules
  DOC "python3 with matplotlib, numpy, pytest and jsonschema")

# Tests in which other programs of this machine take part need a build for it.
if(BUILD_TESTING AND NOT CMAKE_CROSSCOMPILING)
  set(TAILGATE_NATIVE_TESTING ON)
endif()

if(BUILD_TESTING)
  if(NOT TAILGATE_PYTHON)
    message(FATAL_ERROR "no python3 on the PATH has matplotlib, numpy, pytest and jsonschema; "
      "run ci/setup")
  endif()
  find_package(Catch2 2.13 REQUIRED)
  include(Catch)
  find_package(benchmark REQUIRED)
  add_library(tailgate_catch_main OBJECT ${PROJECT_SOURCE_DIR}/ci/cmake/catch_main.cpp)
  target_link_libraries(tailgate_catch_main PUBLIC Catch2::Catch2)
endif()

function(tailgate_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(tailgate_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(tailgate_${name} PUBLIC tailgate_options ${ARG_LIBS})
endfunction()

function(tailgate_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "SERIAL;STRESS;OWN_MAIN" "" "SOURCES;LIBS" ${ARGN})
  set(main tailgate_catch_main)
  if(ARG_OWN_MAIN)
    set(main Catch2::Catch2)
  endif()
  add_executable(tailgate_${name}_test ${ARG_SOURCES})
  target_link_libraries(tailgate_${name}_test PRIVATE tailgate_options ${main} ${ARG_LIBS})
  set(properties TIMEOUT 120)
  if(CMAKE_CROSSCOMPILING)
    # An emulator's exit code may be zero after a crash, so the closing line is asked for instead.
    list(APPEND properties PASS_REGULAR_EXPRESSION "All tests passed|assertions: - none -")
  endif()
  if(ARG_STRESS)
    list(APPEND properties RUN_SERIAL ON LABELS stress)
  elseif(ARG_SERIAL)
    list(APPEND properties RUN_SERIAL ON LABELS serial)
  endif()
  # A case whose name ctest does not hand on as it is must not pass by matching none.
  catch_discover_tests(tailgate_${name}_test TEST_PREFIX "${name}: "
    EXTRA_ARGS --warn NoTests PROPERTIES ${properties})
endfunction()

function(tailgate_pytest name)
  if(NOT TAILGATE_NATIVE_TESTING)
    return()
  endif()
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  # No byte code and no cache: the source tree stays as it is.
  add_test(NAME "${name}: pytest"
    COMMAND ${TAILGATE_PYTHON} -B -m pytest -q -p no:cacheprovider ${files}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties("${name}: pytest" PROPERTIES TIMEOUT 300)
endfunction()

function(tailgate_bench name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(tailgate_${name}_bench ${ARG_SOURCES})
  target_link_libraries(tailgate_${name}_bench PRIVATE tailgate_options benchmark::benchmark_main
    ${ARG_LIBS})
  add_test(NAME "${name}: benchmark smoke run"
    COMMAND tailgate_${name}_bench --benchmark_min_time=0.001)
endfunction()

function(tailgate_fuzz name)
  if(NOT TAILGATE_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "CORPUS" "SOURCES;LIBS" ${ARGN})
  add_executable(tailgate_${name}_fuzz ${ARG_SOURCES})
  target_link_libraries(tailgate_${name}_fuzz PRIVATE tailgate_options ${ARG_LIBS})
  target_link_options(tailgate_${name}_fuzz PRIVATE -fsanitize=fuzzer)
  if(ARG_CORPUS)
    add_test(NAME "${name}: fuzz corpus" COMMAND tailgate_${name}_fuzz -runs=0 ${ARG_CORPUS})
  endif()
endfunction()

function(tailgate_component name found what)
  if(found)
    set(state "yes")
  else()
    set(state "no ")
  endif()
  set_property(GLOBAL APPEND PROPERTY TAILGATE_COMPONENTS "  ${state}  ${name}: ${what}")
endfunction()

function(tailgate_summary)
  get_property(rows GLOBAL PROPERTY TAILGATE_COMPONENTS)
  message(STATUS "tailgate ${PROJECT_VERSION}, build type '${CMAKE_BUILD_TYPE}'; optional parts:")
  foreach(row IN LISTS rows)
    message(STATUS "${row}")
  endforeach()
endfunction()
