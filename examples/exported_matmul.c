/* The seed kernel in a program without Python. In the folder of this file:

     python -c 'import croqtile_mlir as croq
     croq.export(croq.compile("matmul_1p1c.mlir"), "build", name="matmul")'
     cc -std=c11 -Ibuild exported_matmul.c -lcuda -o build/exported_matmul
     build/exported_matmul build/matmul.cubin

   Multiplies matrices of small integers, whose products f16 holds exactly, and compares
   every element. Include and library folders of CUDA may have to be given (-I, -L). */
#include <stdio.h>
#include <stdlib.h>

#include "matmul.h"

#define CHECK(call)                                              \
  do {                                                           \
    CUresult status_ = (call);                                   \
    if (status_ != CUDA_SUCCESS) {                               \
      const char *name_ = "unknown status";                      \
      cuGetErrorName(status_, &name_);                           \
      fprintf(stderr, "%s: %s\n", #call, name_);                 \
      exit(1);                                                   \
    }                                                            \
  } while (0)

enum { M = 300, N = 200, K = 136 };

/* The bits of f16 for an integer from -2048 to 2048. */
static uint16_t half_of(int value) {
  uint16_t sign = value < 0 ? 0x8000 : 0, exponent = 25;
  unsigned size = (unsigned)abs(value);
  if (size == 0) return sign;
  for (; size < 1024; size *= 2) --exponent;
  if (size == 2048) return (uint16_t)(sign | (exponent + 1) << 10);
  return (uint16_t)(sign | exponent << 10 | (size - 1024));
}

static void fill(int *values, uint16_t *halves, int count, uint32_t seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (int)(seed >> 24) % 7 - 3;
    halves[i] = half_of(values[i]);
  }
}

static char *read_image(const char *path) {
  FILE *file = fopen(path, "rb");
  long size;
  char *image;
  if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(1);
  }
  rewind(file);
  image = (char *)calloc((size_t)size + 1, 1);
  if (fread(image, 1, (size_t)size, file) != (size_t)size) exit(1);
  fclose(file);
  return image;
}

int main(int argc, char **argv) {
  static int a[M * K], b[N * K];
  static uint16_t a_halves[M * K], b_halves[N * K], out_halves[M * N];
  CUdevice device;
  CUcontext context;
  matmul_kernel kernel;
  matmul_args args = {.M = M, .N = N, .K = K};
  if (argc != 2) {
    fprintf(stderr, "usage: %s matmul.cubin\n", argv[0]);
    return 1;
  }
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  char *image = read_image(argv[1]);
  CHECK(matmul_load(&kernel, image));
  free(image);

  fill(a, a_halves, M * K, 1);
  fill(b, b_halves, N * K, 2);
  CHECK(cuMemAlloc(&args.lhs, sizeof a_halves));
  CHECK(cuMemAlloc(&args.rhs, sizeof b_halves));
  CHECK(cuMemAlloc(&args.out, sizeof out_halves));
  args.lhs_strides[0] = K;
  args.rhs_strides[0] = K;
  args.out_strides[0] = N;
  CHECK(cuMemcpyHtoD(args.lhs, a_halves, sizeof a_halves));
  CHECK(cuMemcpyHtoD(args.rhs, b_halves, sizeof b_halves));
  const char *wrong = matmul_check(&args);
  if (wrong != NULL) {
    fprintf(stderr, "%s\n", wrong);
    return 1;
  }
  CHECK(matmul_launch(&kernel, &args, NULL));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(out_halves, args.out, sizeof out_halves));

  int differ = 0;
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      int sum = 0;
      for (int k = 0; k < K; ++k) sum += a[m * K + k] * b[n * K + k];
      differ += out_halves[m * N + n] != half_of(sum);
    }
  CHECK(cuMemFree(args.lhs));
  CHECK(cuMemFree(args.rhs));
  CHECK(cuMemFree(args.out));
  CHECK(matmul_unload(&kernel));
  CHECK(cuDevicePrimaryCtxRelease(device));
  printf("%d of %d elements differ\n", differ, M * N);
  return differ != 0;
}
