// What a run makes outside of its own folder: control groups, folders in places that the user
// chose, temporary files beside results. The run notes each in its own folder before it makes it.
// So the next run can remove what a killed run left, and nothing else.
#pragma once

#include <filesystem>

namespace tailgate {

// Notes that `made` is about to be made. Its name must begin with "tailgate-" or ".tailgate-".
// Throws Error if the note cannot be written.
void note_outside(const std::filesystem::path& run_folder, const std::filesystem::path& made);

// Removes what was noted in that folder and in its subfolders: files, and folders with their
// content; links themselves, not what they lead to. Ignores notes that are cut off or name anything
// but an absolute path with such a name. Returns whether nothing of it is left.
bool remove_noted(const std::filesystem::path& run_folder);

}  // namespace tailgate
