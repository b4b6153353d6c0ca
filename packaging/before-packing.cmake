# Run by cpack on the tree that it is about to pack: what differs from `cmake --install`.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
if(CPACK_INSTALLED_DIRECTORIES)
  # The source tarball.
  if(NOT EXISTS ${CPACK_XDPCOST_PAGES}/man1/xdpcost.1)
    message(FATAL_ERROR "the man pages are not built\nhint: build the target man first")
  endif()
  foreach(folder man1 man5)
    file(GLOB pages ${CPACK_XDPCOST_PAGES}/${folder}/*.[15])
    file(COPY ${pages} DESTINATION ${root}/man/built/${folder})
  endforeach()
  return()
endif()

# The places and forms that Debian's policy asks for (sections 12.1, 12.5, 12.7).
set(share ${root}/usr/share)
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_xdpcost ${share}/zsh/vendor-completions/_xdpcost)
file(REMOVE_RECURSE ${share}/zsh/site-functions)
file(RENAME ${share}/doc/xdpcost/LICENSE ${share}/doc/xdpcost/copyright)
file(RENAME ${share}/doc/xdpcost/CHANGELOG.md ${share}/doc/xdpcost/changelog)
file(GLOB texts ${share}/man/man*/*)
execute_process(COMMAND gzip -9n ${texts} ${share}/doc/xdpcost/changelog COMMAND_ERROR_IS_FATAL ANY)
