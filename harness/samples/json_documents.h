// JSON that another program printed: one document or several, perhaps between other lines.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tailgate {

// The limits of one document: what nests deeper or has more values is refused.
inline constexpr int kMaxDocumentDepth = 32;
inline constexpr std::size_t kMaxDocumentValues = 2'000'000;

// Parses the objects in a text, each of which begins as the first character of a line, and visits
// one after the other; lines between them are skipped. Throws Error, beginning with `origin`, for
// one that is not JSON within the limits, or cut off.
void visit_documents(std::string_view text, const std::string& origin,
                     const std::function<void(const nlohmann::json& document)>& visit);

// A member of an object; null or empty where `object` is none, lacks it or has another type there.
const nlohmann::json* member(const nlohmann::json& object, const char* name);
std::optional<double> number_member(const nlohmann::json& object, const char* name);
std::string text_member(const nlohmann::json& object, const char* name);

// The elements of a member that is a list; none where it is not.
const nlohmann::json& list_member(const nlohmann::json& object, const char* name);

}  // namespace tailgate
