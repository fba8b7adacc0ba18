# Whether the CUDA part of the engine (libreelmesh_cuda.so) is built, and the imported targets that it links.
# Sets REELMESH_CUDA_PART. The rest of the engine never links or includes CUDA: it opens the part at run time.

set(REELMESH_CUDA AUTO CACHE STRING "CUDA part: ON, OFF, or AUTO: where the toolkit and LibTorch's CUDA libraries are")
set_property(CACHE REELMESH_CUDA PROPERTY STRINGS AUTO ON OFF)

# LibTorch's headers follow NCCL's version (which members a class has): it must be the one that it was built with.
set(nccl_needed 2.28)

# What is missing for the CUDA part, as the end of a sentence; empty: nothing.
function(find_cuda_part missing)
    find_package(CUDAToolkit 13 QUIET)
    if(NOT CUDAToolkit_FOUND)
        set(${missing} "no CUDA 13 toolkit was found" PARENT_SCOPE)
        return()
    endif()
    find_path(nccl_include nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_CACHE)
    if(NOT nccl_include)
        set(${missing} "nccl.h was not found beside the CUDA toolkit; install NCCL ${nccl_needed}" PARENT_SCOPE)
        return()
    endif()
    file(STRINGS ${nccl_include}/nccl.h versions REGEX "^#define NCCL_(MAJOR|MINOR) ")
    string(REGEX REPLACE "^[^0-9]*([0-9]+)[^0-9]*([0-9]+).*$" "\\1.\\2" nccl_version "${versions}")
    if(NOT nccl_version STREQUAL nccl_needed)
        set(${missing} "NCCL is ${nccl_version}, LibTorch needs ${nccl_needed}" PARENT_SCOPE)
        return()
    endif()
    # An installed torch has all libraries in one folder; the cache keeps the CUDA ones apart.
    find_path(torch_cuda_libraries libtorch_cuda.so
        HINTS ${torch_root}/lib ${torch_cache}/libtorch-2.11.0-cuda/lib NO_DEFAULT_PATH NO_CACHE)
    if(NOT torch_cuda_libraries)
        set(${missing} "LibTorch's CUDA libraries are not in the cache; run tools/fetch_libtorch --cuda and configure again" PARENT_SCOPE)
        return()
    endif()

    foreach(name c10_cuda torch_cuda)
        add_library(${name} SHARED IMPORTED GLOBAL)
        set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${torch_cuda_libraries}/lib${name}.so)
    endforeach()
    add_library(reelmesh_torch_cuda INTERFACE)
    add_library(reelmesh::torch_cuda ALIAS reelmesh_torch_cuda)
    target_include_directories(reelmesh_torch_cuda SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS} ${nccl_include})
    target_compile_definitions(reelmesh_torch_cuda INTERFACE USE_C10D_NCCL USE_DISTRIBUTED)
    # Every library that LibTorch's CUDA half needs in turn is found when it is loaded, not here.
    target_link_options(reelmesh_torch_cuda INTERFACE LINKER:--allow-shlib-undefined
        "LINKER:-rpath-link,${torch_cuda_libraries}" "LINKER:-rpath-link,${CUDAToolkit_LIBRARY_DIR}"
        LINKER:--disable-new-dtags "LINKER:-rpath,${torch_cuda_libraries}"
        "LINKER:-rpath,${CUDAToolkit_LIBRARY_DIR}")
    target_link_libraries(reelmesh_torch_cuda INTERFACE reelmesh::torch torch_cuda c10_cuda)
    message(STATUS "CUDA: toolkit ${CUDAToolkit_VERSION}, NCCL ${nccl_version}, LibTorch's CUDA libraries: "
        "${torch_cuda_libraries}")
    set(${missing} "" PARENT_SCOPE)
endfunction()

set(REELMESH_CUDA_PART OFF)
if(REELMESH_CUDA STREQUAL "OFF")
    message(STATUS "CPU build: REELMESH_CUDA is OFF")
elseif(REELMESH_CUDA STREQUAL "AUTO" AND (REELMESH_SANITIZE OR REELMESH_FUZZ))
    message(STATUS "CPU build: CUDA's address space does not go with sanitizers")
else()
    find_cuda_part(cuda_missing)
    if(NOT cuda_missing)
        set(REELMESH_CUDA_PART ON)
    elseif(REELMESH_CUDA STREQUAL "ON")
        message(FATAL_ERROR "REELMESH_CUDA is ON, but ${cuda_missing}")
    else()
        message(STATUS "CPU build: ${cuda_missing}")
    endif()
endif()
