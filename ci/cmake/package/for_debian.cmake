# Runs in cpack, before it packs the folder that it installed into: Debian wants texts compressed,
# and zsh there reads completions of packages from a folder of its own.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(GLOB_RECURSE texts ${share}/man/*.1 ${share}/doc/*/changelog)
execute_process(COMMAND gzip -9n ${texts} COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
