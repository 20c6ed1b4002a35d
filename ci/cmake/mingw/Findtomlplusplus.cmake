include(FindPackageHandleStandardArgs)
include(header_package)
header_package(tomlplusplus toml++/toml.h tomlplusplus::tomlplusplus)
