// clock.h - time: that which only goes forward, for measuring, and that which clocks on walls show.
#ifndef HEED_BASE_CLOCK_H
#define HEED_BASE_CLOCK_H

#include <stdint.h>

double clock_seconds(void);            // monotonic, for measuring
double clock_thread_cpu_seconds(void); // CPU time of this thread
uint64_t clock_entropy(void);          // a seed that differs between runs (time and address bits)
double clock_unix_seconds(void);       // since 1970, UTC: for a time stamp
// Seconds since 1970 as the clock on the wall shows them (local time): for writing a date.
int64_t clock_local_seconds(void);

#endif
