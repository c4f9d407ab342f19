// clock.c - the monotonic clock, the CPU clock of a thread, and local time.
#include "base/clock.h"

#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec t;
    if (clock_gettime(clock, &t) != 0) return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_seconds(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

double clock_unix_seconds(void) {
    return seconds_of(CLOCK_REALTIME);
}

double clock_thread_cpu_seconds(void) {
#ifdef CLOCK_THREAD_CPUTIME_ID
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
#else
    return clock_seconds(); // a single thread that never waits
#endif
}

uint64_t clock_entropy(void) {
    struct timespec wall = {0}, since_boot = {0};
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_MONOTONIC, &since_boot);
    uint64_t z = (uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec;
    z ^= (uint64_t)since_boot.tv_nsec << 34;
    z ^= (uint64_t)(uintptr_t)&wall << 20 ^ (uint64_t)(uintptr_t)&clock_entropy;
    // The finaliser of splitmix64 spreads every bit over the word.
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// Days from 1970 to a date of the Gregorian calendar; years begin in March, so that a leap day is
// the last of its year.
static int64_t days_of(int64_t year, int month, int day) {
    if (month <= 2) year--;
    int64_t of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    return year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719468;
}

int64_t clock_local_seconds(void) {
    time_t now = time(NULL);
    struct tm t;
    if (!localtime_r(&now, &t)) return (int64_t)now;
    return ((days_of(t.tm_year + 1900, t.tm_mon + 1, t.tm_mday) * 24 + t.tm_hour) * 60 + t.tm_min) *
               60 +
           t.tm_sec;
}
