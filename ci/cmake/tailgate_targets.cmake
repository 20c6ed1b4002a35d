# The kinds of target that the tree is made of. A folder's CMakeLists.txt calls only these.
#
#   tailgate_library(NAME [COLD] SOURCES ... [LIBS ...])
#       Static library tailgate_NAME. COLD: nothing in it runs while a load does, so that it is
#       compiled with -O1: large units take a fifth to a third less time than with -O2.
#   tailgate_test(NAME [SERIAL | STRESS] [WHOLE_TRIALS] SOURCES ... [LIBS ...])
#       Catch2 program, its cases registered in ctest. SERIAL: its cases load the machine or time
#       it, so no other test runs beside them (label "serial"). STRESS: likewise, with real daemons
#       that they overload, stop and kill (label "stress"); not run with the sanitizers.
#       WHOLE_TRIALS: its cases run whole trials of any sink; the program is also the trials'
#       provider and consumer process.
#       A case with the tag [long] takes seconds, for what depends on no operating system:
#       a build for another system, whose tests an emulator runs, leaves it out.
#   tailgate_pytest(NAME [SERIAL] [LONG] FILES ...)
#       Python tests, one ctest entry for all the files; none in a build for another system.
#       TAILGATE_BUILD names the build folder to them. SERIAL: as above. LONG: takes a minute or
#       more, so that ctest starts it before the others and no processor waits for it at the end.
#   tailgate_bench(NAME SOURCES ... [LIBS ...])
#       Google Benchmark program, smoke-run by ctest.
#   tailgate_fuzz(NAME SOURCES ... [LIBS ...] [CORPUS DIRS ...])
#       Fuzz target. In the preset fuzz a libFuzzer program, which ci/fuzz runs; in other builds
#       with tests a program that ctest runs for seconds: its corpus, and some changes of it.
#   tailgate_component(NAME FOUND WHAT)
#       A line of the summary that configuring ends with. FOUND: truthy; WHAT: what it adds or how
#       to get it.
#
# Three things keep the build short. The headers that most units include are compiled once
# (precompiled.h; precompiled_test.h for tests): units include what they use all the same, and
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without. Tests are compiled without optimisation in
# every build type; the libraries that they test, and benchmarks, as the build type says. The
# presets for whole builds compile sixteen files of a target as one (CMAKE_UNITY_BUILD), so what a
# file keeps in its unnamed namespace needs a name that no other file of the target uses there; dev
# compiles each file by itself, which is quicker after a change of one.
#
# SOURCES may hold patterns: *.cpp stands for every file of the folder but main.cpp, tests,
# benchmarks, fuzz targets and files of other operating systems; *_test.cpp stands for its tests.

# Source files of one operating system end in its name: clock_linux.cpp, clock_windows.cpp.
if(WIN32)
  set(TAILGATE_OS windows)
else()
  set(TAILGATE_OS linux)
endif()

add_library(tailgate_options INTERFACE)
target_include_directories(tailgate_options INTERFACE ${PROJECT_SOURCE_DIR})
if(MSVC)
  target_compile_options(tailgate_options INTERFACE /W4 /permissive- /utf-8)
else()
  target_compile_options(tailgate_options INTERFACE -Wall -Wextra -Wconversion)
  # GCC 12 warns of copies inside of std::string that overlap or go beyond its end, where there are
  # none (GCC bugs 105329, 105651); the sanitizers find those that there are.
  foreach(false_alarm restrict array-bounds stringop-overflow stringop-overread)
    target_compile_options(tailgate_options INTERFACE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-${false_alarm}>)
  endforeach()
  # GCC warns when a class in a header has a member whose type is in an unnamed namespace. It takes
  # files that are compiled as one for headers, so there the warning is off; the preset dev warns.
  if(CMAKE_UNITY_BUILD)
    target_compile_options(tailgate_options INTERFACE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endif()

# tailgate_precompile(NAME HEADER [LIBS ...])
#     Target tailgate_NAME, which compiles ci/cmake/HEADER for the targets that reuse it.
function(tailgate_precompile name header)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  add_library(tailgate_${name} OBJECT ${PROJECT_SOURCE_DIR}/ci/cmake/precompiled.cpp)
  target_link_libraries(tailgate_${name} PRIVATE tailgate_options fmt::fmt ${ARG_LIBS})
  # In brackets the path is the same in every work tree, so that ccache finds what another compiled.
  target_precompile_headers(tailgate_${name} PRIVATE <ci/cmake/${header}>)
endfunction()

# tailgate_reuse(TARGET NAME)
#     TARGET's units load what tailgate_NAME compiled: they need its options and definitions.
function(tailgate_reuse target name)
  get_target_property(libs tailgate_${name} LINK_LIBRARIES)
  target_link_libraries(${target} PRIVATE ${libs})
  target_precompile_headers(${target} REUSE_FROM tailgate_${name})
endfunction()

tailgate_precompile(precompiled precompiled.h)

add_library(tailgate_cold_options INTERFACE)
if(NOT MSVC)
  target_compile_options(tailgate_cold_options INTERFACE $<$<NOT:$<CONFIG:Debug>>:-O1>)
endif()
tailgate_precompile(precompiled_cold precompiled.h LIBS tailgate_cold_options)

if(BUILD_TESTING)
  include(Catch)
  add_library(tailgate_test_options INTERFACE)
  if(NOT MSVC)
    target_compile_options(tailgate_test_options INTERFACE $<$<NOT:$<CONFIG:Debug>>:-O0>)
  endif()
  if(MINGW)
    # Eight test files together have more sections than the default format of object files allows.
    target_compile_options(tailgate_test_options INTERFACE -Wa,-mbig-obj)
  endif()
  tailgate_precompile(precompiled_test precompiled_test.h
    LIBS tailgate_test_options Catch2::Catch2)
  add_library(tailgate_catch_main OBJECT ${PROJECT_SOURCE_DIR}/ci/cmake/catch_main.cpp)
  target_link_libraries(tailgate_catch_main PUBLIC tailgate_test_options Catch2::Catch2)
endif()

# tailgate_find_sources(RESULT SOURCES ...)
#     The sources, with each pattern replaced by the files that it stands for.
function(tailgate_find_sources result)
  set(sources "")
  foreach(source IN LISTS ARGN)
    if(source MATCHES "[*]")
      file(GLOB found CONFIGURE_DEPENDS ${source})
      if(NOT source MATCHES "_test[.]cpp$")
        list(FILTER found EXCLUDE REGEX "/main[.]cpp$|_(test|bench|fuzz)[.]cpp$")
      endif()
      foreach(os linux windows)
        if(NOT os STREQUAL TAILGATE_OS)
          list(FILTER found EXCLUDE REGEX "_${os}[.]cpp$")
        endif()
      endforeach()
      list(APPEND sources ${found})
    else()
      list(APPEND sources ${source})
    endif()
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(tailgate_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;LIBS" ${ARGN})
  tailgate_find_sources(sources ${ARG_SOURCES})
  add_library(tailgate_${name} STATIC ${sources})
  target_link_libraries(tailgate_${name} PUBLIC tailgate_options ${ARG_LIBS})
  if(ARG_COLD)
    tailgate_reuse(tailgate_${name} precompiled_cold)
  else()
    tailgate_reuse(tailgate_${name} precompiled)
  endif()
endfunction()

function(tailgate_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "SERIAL;STRESS;WHOLE_TRIALS" "" "SOURCES;LIBS" ${ARGN})
  set(main tailgate_catch_main)
  if(ARG_WHOLE_TRIALS)
    set(main tailgate_role_main)
  endif()
  tailgate_find_sources(sources ${ARG_SOURCES})
  add_executable(tailgate_${name}_test ${sources})
  target_link_libraries(tailgate_${name}_test PRIVATE ${main} ${ARG_LIBS})
  tailgate_reuse(tailgate_${name}_test precompiled_test)
  set(properties TIMEOUT 120)
  if(CMAKE_CROSSCOMPILING)
    # An emulator's exit code may be zero after a crash, so the closing line is asked for instead.
    # A duet in it takes several times as long, and a program runs all of its cases.
    set(properties TIMEOUT 600
      PASS_REGULAR_EXPRESSION "All tests passed|assertions: - none -")
  endif()
  if(ARG_STRESS)
    list(APPEND properties RUN_SERIAL ON LABELS stress)
  elseif(ARG_SERIAL)
    list(APPEND properties RUN_SERIAL ON LABELS serial)
  endif()
  if(CMAKE_CROSSCOMPILING)
    # An emulator's start takes longer than most cases, so it runs all of a program's at once.
    add_test(NAME "${name}: all cases"
      COMMAND tailgate_${name}_test "~[long]~[.]" --warn NoTests)
    set_tests_properties("${name}: all cases" PROPERTIES ${properties})
    return()
  endif()
  # A case whose name ctest does not hand on as it is must not pass by matching none.
  catch_discover_tests(tailgate_${name}_test TEST_PREFIX "${name}: "
    EXTRA_ARGS --warn NoTests PROPERTIES ${properties})
endfunction()

function(tailgate_pytest name)
  if(NOT TAILGATE_NATIVE_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "SERIAL;LONG" "" "" ${ARGN})
  list(TRANSFORM ARG_UNPARSED_ARGUMENTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  # No byte code and no cache: the source tree stays as it is.
  add_test(NAME "${name}: pytest"
    COMMAND ${TAILGATE_PYTHON} -B -m pytest -q -p no:cacheprovider ${files}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # matplotlib stores its list of fonts in MPLCONFIGDIR instead of in the user's home.
  set(environment
    TAILGATE_BUILD=${PROJECT_BINARY_DIR} MPLCONFIGDIR=${PROJECT_BINARY_DIR}/matplotlib)
  set_tests_properties("${name}: pytest" PROPERTIES
    TIMEOUT 300 RUN_SERIAL ${ARG_SERIAL} ENVIRONMENT "${environment}")
  if(ARG_LONG)
    set_tests_properties("${name}: pytest" PROPERTIES TIMEOUT 900 COST 100)
  endif()
endfunction()

function(tailgate_bench name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(tailgate_${name}_bench ${ARG_SOURCES})
  target_link_libraries(tailgate_${name}_bench PRIVATE tailgate_options benchmark::benchmark_main
    ${ARG_LIBS})
  tailgate_reuse(tailgate_${name}_bench precompiled)
  add_test(NAME "${name}: benchmark smoke run"
    COMMAND tailgate_${name}_bench --benchmark_min_time=0.001)
endfunction()

if(BUILD_TESTING AND NOT TAILGATE_FUZZ)
  add_library(tailgate_fuzz_main OBJECT ${PROJECT_SOURCE_DIR}/ci/cmake/fuzz_main.cpp)
  target_link_libraries(tailgate_fuzz_main PUBLIC tailgate_options)
endif()

function(tailgate_fuzz name)
  if(NOT TAILGATE_FUZZ AND NOT TAILGATE_NATIVE_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;CORPUS" ${ARGN})
  set(target tailgate_${name}_fuzz)
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE tailgate_options ${ARG_LIBS})
  tailgate_reuse(${target} precompiled)
  if(TAILGATE_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    list(JOIN ARG_CORPUS "\t" corpus)
    set_property(GLOBAL APPEND_STRING PROPERTY TAILGATE_FUZZ_LIST
      "${name}\t$<TARGET_FILE:${target}>\t${corpus}\n")
    add_test(NAME "${name}: fuzz corpus" COMMAND ${target} -runs=0 ${ARG_CORPUS})
  else()
    target_link_libraries(${target} PRIVATE tailgate_fuzz_main)
    add_test(NAME "${name}: fuzz sample" COMMAND ${target} ${ARG_CORPUS})
    set_tests_properties("${name}: fuzz sample" PROPERTIES TIMEOUT 120)
  endif()
endfunction()

# tailgate_list_fuzz_targets()
#     Writes what ci/fuzz reads: a line for each target, with its name, program and corpora between
#     tabs.
function(tailgate_list_fuzz_targets)
  if(TAILGATE_FUZZ)
    get_property(list GLOBAL PROPERTY TAILGATE_FUZZ_LIST)
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/fuzz_targets.tsv CONTENT "${list}")
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
  tailgate_component(tests "${BUILD_TESTING}" "unit tests, benchmarks, pytest (ci/setup test)")
  get_property(rows GLOBAL PROPERTY TAILGATE_COMPONENTS)
  message(STATUS "tailgate ${PROJECT_VERSION}, build type '${CMAKE_BUILD_TYPE}'; optional parts:")
  foreach(row IN LISTS rows)
    message(STATUS "${row}")
  endforeach()
endfunction()
