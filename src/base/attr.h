// attr.h - compiler attributes behind plain names, so that the code stays ISO C.
#ifndef HEED_BASE_ATTR_H
#define HEED_BASE_ATTR_H

#if defined(__GNUC__) || defined(__clang__)
#define PRINTF_LIKE(string, first) __attribute__((format(printf, string, first)))
#define MUST_USE                   __attribute__((warn_unused_result))
#define NO_RETURN                  __attribute__((noreturn))
#define UNUSED                     __attribute__((unused))
#define WILL_READ(address)         __builtin_prefetch(address) // fetch it into the cache meanwhile
#else
#define PRINTF_LIKE(string, first)
#define MUST_USE
#define NO_RETURN
#define UNUSED
#define WILL_READ(address) ((void)(address))
#endif

#endif
