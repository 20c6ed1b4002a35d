# Runs in cpack, before it packs the folder that it installed into.
file(GLOB_RECURSE files
  ${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/*.1
  ${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/*/changelog)
execute_process(COMMAND gzip -9n ${files} COMMAND_ERROR_IS_FATAL ANY)
