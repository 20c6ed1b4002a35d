include(FindPackageHandleStandardArgs)
include(header_package)
header_package(nlohmann_json nlohmann/json.hpp nlohmann_json::nlohmann_json)
