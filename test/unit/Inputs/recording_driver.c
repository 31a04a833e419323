/* A CUDA driver that prints what it is asked, one line of words a call. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

/* How many bytes each parameter of the kernel has; 128 for a tensor map. */
extern const int parameter_bytes[];
extern const int parameter_count;

static int maps = 0;

static CUresult failing(const char *name) {
  const char *wanted = getenv("FAILS");
  return wanted != NULL && strcmp(wanted, name) == 0 ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image) {
  printf("load %.4s\n", (const char *)image);
  *module = (CUmodule)(uintptr_t)7;
  return failing("load");
}

CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  printf("unload %" PRIuPTR "\n", (uintptr_t)module);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  printf("function %" PRIuPTR " %s\n", (uintptr_t)module, name);
  *function = (CUfunction)(uintptr_t)9;
  return failing("function");
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                    int value) {
  printf("attribute %" PRIuPTR " %d %d\n", (uintptr_t)function, (int)attribute, value);
  return failing("attribute");
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr *address, size_t size) {
  printf("alloc %zu\n", size);
  *address = 0x5000;
  return failing("alloc");
}

CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  printf("free %llu\n", (unsigned long long)address);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t size,
                                 CUstream stream) {
  printf("memset %llu %d %zu %" PRIuPTR "\n", (unsigned long long)address, value, size,
         (uintptr_t)stream);
  return failing("memset");
}

CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type,
                                        cuuint32_t rank, void *address,
                                        const cuuint64_t *extents, const cuuint64_t *pitches,
                                        const cuuint32_t *box, const cuuint32_t *steps,
                                        CUtensorMapInterleave interleave,
                                        CUtensorMapSwizzle swizzle,
                                        CUtensorMapL2promotion promotion,
                                        CUtensorMapFloatOOBfill fill) {
  cuuint32_t dim;
  if ((uintptr_t)map % 64 != 0) return CUDA_ERROR_INVALID_VALUE;
  printf("map %d %" PRIuPTR, (int)type, (uintptr_t)address);
  for (dim = 0; dim < rank; ++dim) printf(" %llu", (unsigned long long)extents[dim]);
  for (dim = 0; dim + 1 < rank; ++dim) printf(" %llu", (unsigned long long)pitches[dim]);
  for (dim = 0; dim < rank; ++dim) printf(" %u", box[dim]);
  for (dim = 0; dim < rank; ++dim) printf(" %u", steps[dim]);
  printf(" %d %d %d %d\n", (int)interleave, (int)swizzle, (int)promotion, (int)fill);
  memset(map, 0, sizeof *map);
  memcpy(map, &maps, sizeof maps);
  ++maps;
  return failing("map");
}

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z,
                                unsigned block_x, unsigned block_y, unsigned block_z,
                                unsigned shared_bytes, CUstream stream, void **parameters,
                                void **extra) {
  int number, byte;
  if (extra != NULL) return CUDA_ERROR_INVALID_VALUE;
  printf("launch %" PRIuPTR " %u %u %u %u %u %u %u %" PRIuPTR "\n", (uintptr_t)function, x, y,
         z, block_x, block_y, block_z, shared_bytes, (uintptr_t)stream);
  for (number = 0; number < parameter_count; ++number) {
    const unsigned char *bytes = (const unsigned char *)parameters[number];
    const int map = parameter_bytes[number] == 128;
    printf(map ? "parameter map " : "parameter ");
    for (byte = 0; byte < (map ? 4 : parameter_bytes[number]); ++byte)
      printf("%02x", bytes[byte]);
    printf("\n");
  }
  return failing("launch");
}
