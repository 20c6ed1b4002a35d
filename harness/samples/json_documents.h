// JSON that another program printed: one document or several, perhaps between other lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailgate {

// The limits of one document: what nests deeper or has more values is refused.
inline constexpr int kMaxDocumentDepth = 32;
inline constexpr std::size_t kMaxDocumentValues = 4'000'000;

// The objects in a text, each of which begins as the first character of a line; lines between them
// are skipped. The last one may be cut off.
std::vector<std::string_view> json_objects(std::string_view text);

// Parses one of them. Throws Error, beginning with `origin`, unless it is JSON within the limits.
nlohmann::json parse_document(std::string_view text, const std::string& origin);

// A member of an object; null or empty where `object` is none, lacks it or has another type there.
const nlohmann::json* member(const nlohmann::json& object, const char* name);
std::optional<double> number_member(const nlohmann::json& object, const char* name);
std::string text_member(const nlohmann::json& object, const char* name);

// The elements of a member that is a list; none where it is not.
const nlohmann::json& list_member(const nlohmann::json& object, const char* name);

}  // namespace tailgate
