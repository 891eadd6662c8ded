#pragma once

/// The version of Riffle. CMakeLists.txt reads these lines, too.
#define RIFFLE_VERSION_MAJOR 0
#define RIFFLE_VERSION_MINOR 1
#define RIFFLE_VERSION_PATCH 0
#define RIFFLE_VERSION_STRING "0.1.0"
