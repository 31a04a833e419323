"""The part of a header that all kernels share."""

from __future__ import annotations

SUPPORT = r"""#include <stddef.h>
#include <stdint.h>

#include <cuda.h>

#ifndef CROQ_EXPORT_SUPPORT
#define CROQ_EXPORT_SUPPORT

static inline int64_t croq_floordiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t croq_ceildiv(int64_t a, int64_t b) {
  return -croq_floordiv(-a, b);
}

static inline int64_t croq_mod(int64_t a, int64_t b) {
  return a - b * croq_floordiv(a, b);
}

/* A TMA descriptor. Extents and strides in elements, outermost dim first; the last dim
   has stride 1. A tensor without elements is described as one element at `address`. */
static inline CUresult croq_tensor_map(CUtensorMap *map, CUtensorMapDataType type,
                                       int64_t element_bytes, uint32_t rank,
                                       CUdeviceptr address, const int64_t *shape,
                                       const int64_t *strides, const uint32_t *box,
                                       CUtensorMapSwizzle swizzle) {
  cuuint64_t extents[5], pitches[5] = {16, 16, 16, 16, 16};
  cuuint32_t boxes[5], steps[5] = {1, 1, 1, 1, 1};
  const int64_t most = ((int64_t)1 << 40) - 16;
  int64_t inside = 0;
  uint32_t dim, empty = 0;
  for (dim = 0; dim < rank; ++dim) empty |= shape[dim] == 0;
  for (dim = 0; dim < rank; ++dim) {
    const uint32_t outer = rank - 1 - dim;
    const int64_t extent = empty ? 1 : shape[outer];
    extents[dim] = (cuuint64_t)extent;
    boxes[dim] = box[outer];
    if (dim == 0) {
      inside = extent * element_bytes;
      continue;
    }
    /* The stride of a dim of one element is free: it gets a legal one. */
    int64_t pitch = strides[outer] * element_bytes;
    if (extent == 1) pitch = croq_ceildiv(inside, 16) * 16;
    if (extent == 1 && pitch > most) pitch = most;
    pitches[dim - 1] = (cuuint64_t)pitch;
    if (pitch * extent > inside) inside = pitch * extent;
  }
  return cuTensorMapEncodeTiled(map, type, rank, (void *)(uintptr_t)address, extents,
                                pitches, boxes, steps,
                                CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

#endif /* CROQ_EXPORT_SUPPORT */
"""
"""C11 and C++11: descriptors lie at multiples of 64 bytes, which C99 cannot say."""
