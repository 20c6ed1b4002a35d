# Whether the tests are built: BUILD_TESTING is ON where this machine has what they need, unless it
# is given. Given as ON, configuring fails with what is missing. Also finds TAILGATE_PYTHON.

# TAILGATE_PYTHON: a python3 with what plots import, and better one with what tests import as well;
# the first one on the PATH need not be it.
function(tailgate_python_has_modules result candidate)
  execute_process(
    COMMAND ${candidate} -c "import importlib.util, sys
for name in sys.argv[1:]:
  if importlib.util.find_spec(name) is None: sys.exit(1)" ${modules}
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()
set(plot_modules matplotlib numpy)
set(test_modules ${plot_modules} pytest jsonschema)
foreach(modules IN ITEMS "${test_modules}" "${plot_modules}")
  find_program(TAILGATE_PYTHON NAMES python3 VALIDATOR tailgate_python_has_modules
    DOC "python3 with matplotlib and numpy, for tests with pytest and jsonschema too")
endforeach()

find_package(Catch2 2.13 QUIET)
find_package(benchmark QUIET)
set(missing)
if(NOT Catch2_FOUND)
  list(APPEND missing "Catch2 2")
endif()
if(NOT benchmark_FOUND)
  list(APPEND missing "Google Benchmark")
endif()
if(NOT CMAKE_CROSSCOMPILING)
  set(modules ${test_modules})
  set(python_has_them ${TAILGATE_PYTHON})
  tailgate_python_has_modules(python_has_them "${TAILGATE_PYTHON}")
  if(NOT python_has_them)
    list(APPEND missing "a python3 with pytest, jsonschema, matplotlib and numpy")
  endif()
endif()
list(JOIN missing ", " missing)

if(NOT DEFINED BUILD_TESTING)
  if(missing)
    set(BUILD_TESTING OFF)
  endif()
elseif(BUILD_TESTING AND missing)
  message(FATAL_ERROR "the tests need what is not here: ${missing}; run ci/setup test")
endif()
include(CTest)  # option BUILD_TESTING: ON by default

# Tests in which other programs of this machine take part need a build for it.
if(BUILD_TESTING AND NOT CMAKE_CROSSCOMPILING)
  set(TAILGATE_NATIVE_TESTING ON)
endif()
