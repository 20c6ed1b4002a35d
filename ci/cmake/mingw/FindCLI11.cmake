include(FindPackageHandleStandardArgs)
include(header_package)
header_package(CLI11 CLI/CLI.hpp CLI11::CLI11)
