# Writes a header that holds a text file as a C++ string:
#   cmake -D INPUT=file -D OUTPUT=header -D NAME=kConstant -P embed_text.cmake
cmake_minimum_required(VERSION 3.25)
file(READ ${INPUT} text)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"// Made from ${INPUT} by the build.
#pragma once

#include <string_view>

namespace tailgate {

inline constexpr std::string_view ${NAME} = R\"embedded(@text@)embedded\";

}  // namespace tailgate
" @ONLY)
