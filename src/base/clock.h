// clock.h - time that only goes forward, in seconds.
#ifndef HEED_BASE_CLOCK_H
#define HEED_BASE_CLOCK_H

#include <stdint.h>

double clock_seconds(void);            // monotonic, for measuring
double clock_thread_cpu_seconds(void); // CPU time of this thread
uint64_t clock_entropy(void);          // a seed that differs between runs (time and address bits)

#endif
