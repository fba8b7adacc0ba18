# Imported targets reelmesh::torch (ATen, c10) made by hand: the wheel's own package file stops
# where no CUDA toolkit is, although the CPU libraries need none. cmake/cuda.cmake adds the CUDA half.

set(REELMESH_LIBTORCH "" CACHE PATH "LibTorch folder with include/ and lib/; empty: the cache of tools/fetch_libtorch")
if(DEFINED ENV{REELMESH_CACHE})
    set(torch_cache "$ENV{REELMESH_CACHE}")
elseif(DEFINED ENV{XDG_CACHE_HOME})
    set(torch_cache "$ENV{XDG_CACHE_HOME}/reelmesh")
else()
    set(torch_cache "$ENV{HOME}/.cache/reelmesh")
endif()
if(REELMESH_LIBTORCH)
    set(torch_root "${REELMESH_LIBTORCH}")
else()
    set(torch_root "${torch_cache}/libtorch-2.11.0-cpu")
endif()
if(NOT EXISTS "${torch_root}/lib/libtorch_cpu.so")
    message(FATAL_ERROR "LibTorch is not in ${torch_root}: run tools/fetch_libtorch, or set REELMESH_LIBTORCH")
endif()
message(STATUS "LibTorch: ${torch_root}")

foreach(name c10 torch_cpu)
    add_library(${name} SHARED IMPORTED)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${torch_root}/lib/lib${name}.so")
endforeach()
# The OpenMP run time that LibTorch loads: rank threads set their thread count in it.
add_library(torch_gomp SHARED IMPORTED)
set_target_properties(torch_gomp PROPERTIES IMPORTED_LOCATION "${torch_root}/lib/libgomp.so.1")

add_library(reelmesh_torch INTERFACE)
add_library(reelmesh::torch ALIAS reelmesh_torch)
target_include_directories(reelmesh_torch SYSTEM INTERFACE
    "${torch_root}/include" "${torch_root}/include/torch/csrc/api/include")
target_link_libraries(reelmesh_torch INTERFACE torch_cpu c10 torch_gomp)
# libtorch_cpu's own dependencies lie beside it, its RPATH names the wheel's folders.
target_link_options(reelmesh_torch INTERFACE "LINKER:-rpath-link,${torch_root}/lib"
    "LINKER:--disable-new-dtags" "LINKER:-rpath,${torch_root}/lib")
