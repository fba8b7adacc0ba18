// The axes of a mesh, for the modules from here on: what a job may name is known to request.
#pragma once

#include "request/mesh_shape.h"
