/* Reads configurations, one a line, and prints what the vendor's header says of each:
 * blocks per multiprocessor, the limiting resources as bits, the best block size. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cuda_occupancy.h>

int main(void)
{
    int major, minor, threads_sm, shared_sm, shared_block, threads, registers, shared,
        barriers;
    while (scanf("%d %d %d %d %d %d %d %d %d", &major, &minor, &threads_sm, &shared_sm,
                 &shared_block, &threads, &registers, &shared, &barriers) == 9) {
        cudaOccDeviceProp device;
        cudaOccFuncAttributes kernel;
        cudaOccDeviceState state;
        cudaOccResult result;
        int grid = 0, best = 0;
        memset(&device, 0, sizeof device);
        memset(&kernel, 0, sizeof kernel);
        memset(&state, 0, sizeof state);
        device.computeMajor = major;
        device.computeMinor = minor;
        device.maxThreadsPerBlock = 1024;
        device.maxThreadsPerMultiprocessor = threads_sm;
        device.regsPerBlock = device.regsPerMultiprocessor = 65536;
        device.warpSize = 32;
        device.sharedMemPerBlock = 49152;
        device.sharedMemPerMultiprocessor = (size_t)shared_sm;
        device.sharedMemPerBlockOptin = (size_t)shared_block;
        device.reservedSharedMemPerBlock = 1024;
        device.numSms = 1;
        kernel.maxThreadsPerBlock = 1024;
        kernel.numRegs = registers;
        kernel.maxDynamicSharedSizeBytes = (size_t)shared;
        kernel.numBlockBarriers = barriers;
        kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
        state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
        if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state,
                                                    threads, (size_t)shared)
            != CUDA_OCC_SUCCESS)
            return 1;
        if (cudaOccMaxPotentialOccupancyBlockSize(&grid, &best, &device, &kernel,
                                                  &state, 0, (size_t)shared)
            != CUDA_OCC_SUCCESS)
            return 2;
        printf("%d %u %d\n", result.activeBlocksPerMultiprocessor,
               result.limitingFactors, best);
    }
    return 0;
}
