# Compiler settings as one interface target, and the tools that make building quick.

add_library(reelmesh_options INTERFACE)
target_compile_options(reelmesh_options INTERFACE -Wall -Wextra -Wno-missing-field-initializers)

if(REELMESH_ASSERTIONS)
    target_compile_options(reelmesh_options INTERFACE -UNDEBUG)
endif()
if(REELMESH_SANITIZE)
    target_compile_options(reelmesh_options INTERFACE
        -fsanitize=${REELMESH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    target_link_options(reelmesh_options INTERFACE -fsanitize=${REELMESH_SANITIZE})
    target_compile_definitions(reelmesh_options INTERFACE REELMESH_SANITIZED=1)
endif()

if(REELMESH_FUZZ)
    target_compile_options(reelmesh_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(ccache_program ccache)
if(ccache_program)
    set(CMAKE_C_COMPILER_LAUNCHER ${ccache_program})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache_program})
endif()
find_program(mold_program mold)
if(mold_program)
    target_link_options(reelmesh_options INTERFACE -fuse-ld=mold)
endif()
