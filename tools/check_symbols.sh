#!/bin/sh
# check_symbols.sh BUILD - what the library asks of the world, and what it shows of itself.
#
#   BUILD/src/FOLDER/*.o   name only functions of the list below: a library that can print, exit or
#                          read the environment is found by its undefined symbols
#   BUILD/libheed.a        shows heed_ names only
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: check_symbols.sh BUILD}

# ---- folder (* = all but cli): functions of the C library and POSIX that it may call
allowed='
*     memchr memcmp memcpy memmove memset strchr strcmp strlen strncmp strrchr strstr
*     strspn strcspn strtod strtof strtol strtoll strtoul strtoull snprintf vsnprintf qsort bsearch
*     malloc calloc realloc free aligned_alloc
*     acosf atan2f atanf ceil ceilf cos cosf erf erfc erfcf erff exp exp2 exp2f expf expm1 expm1f fabs fabsf
*     floor floorf fma fmaf fmax fmaxf fmin fminf fmod fmodf frexp frexpf hypot hypotf ldexp ldexpf
*     log log10 log10f log1p log1pf log2 log2f logf lrint lrintf llrint llrintf nearbyint nearbyintf
*     pow powf remainderf rint rintf round roundf lround lroundf llround llroundf scalbn scalbnf
*     sin sincos sincosf sinf sqrt sqrtf tan tanf tanh tanhf trunc truncf
base  open close read write pread pwrite lseek fsync ftruncate fchmod rename unlink stat fstat lstat mkdir
base  rmdir opendir readdir rewinddir closedir mmap munmap madvise mprotect msync isatty ioctl fileno dup
base  fopen fclose fread fwrite fflush fseek fseeko ftell ftello ferror feof
base  strncpy getpid getpagesize sysconf syscall clock_gettime nanosleep sched_yield sched_getaffinity
base  __sched_cpucount
base  time gmtime_r localtime_r strftime poll getrandom realpath
base  sigaction sigemptyset sigfillset sigaddset sigdelset pthread_sigmask raise strerror strerror_r
base  pthread_create pthread_join pthread_self pthread_once pthread_atfork pthread_sigmask
base  pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_unlock
base  pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait
base  pthread_cond_signal pthread_cond_broadcast pthread_attr_init pthread_attr_destroy
base  pthread_attr_setstacksize stdin stdout stderr
base/error abort
kernels getauxval
text  pcre2_*
serve page_files n_page_files MHD_* pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_unlock recv shutdown
serve socket bind listen getsockname setsockopt close fcntl htons htonl ntohs
'
# The compiler may ask for these whatever the source says.
runtime='_GLOBAL_OFFSET_TABLE_ __stack_chk_fail __errno_location __tls_get_addr __isoc23_* __isoc99_*
__*_chk __memcpy_chk bcmp __cpu_model __cpu_indicator_init __udivti3 __umodti3 __divti3 __popcountdi2 __cpu_features2'

# From the sources to their objects: a build may still hold objects of sources that are gone.
objects=$(for source in src/*/*.c; do
    object=$build/${source%.c}.o
    case $source in
    src/cli/*) ;;
    *) if [ -e "$object" ]; then echo "$object"; fi ;;
    esac
done)
if [ -z "$objects" ]; then
    echo "check_symbols.sh: no objects in $build/src" >&2
    exit 2
fi

failed=0
{
    echo "$allowed"
    for name in $runtime; do echo "* $name"; done
    echo '---'
    # shellcheck disable=SC2086  # one word per object
    nm -A $objects
} | awk -v build="$build/src/" '
function wrong(text) {
    print text
    failed = 1
}
!reading && $1 == "---" {
    reading = 1
    next
}
!reading {
    for (i = 2; i <= NF; i++) {
        if ($i ~ /\*/) {
            pattern = "^" $i "$"
            gsub(/\*/, ".*", pattern)
            patterns[pattern] = $1
        } else allowed[$1, $i] = 1
    }
    next
}
# nm -A writes "path/file.o:address T name", or "path/file.o: U name".
{
    file = $0
    sub(/\.o:.*/, "", file)
    file = substr(file, length(build) + 1)
    name = $NF
    sub(/@.*/, "", name)
    if ($(NF - 1) == "U") {
        asked[file, name] = 1
    } else if ($(NF - 1) ~ /^[TDBRVWCS]$/) {
        defined[name] = 1
    }
}
function is_allowed(file, name,   folder, pattern) {
    folder = file
    sub(/\/.*/, "", folder)
    if ((("*", name) in allowed) || ((folder, name) in allowed) || ((file, name) in allowed)) return 1
    for (pattern in patterns) {
        if ((patterns[pattern] == "*" || patterns[pattern] == folder) && name ~ pattern) return 1
    }
    return 0
}
END {
    for (pair in asked) {
        split(pair, part, SUBSEP)
        if (!(part[2] in defined) && !is_allowed(part[1], part[2]))
            wrong("src/" part[1] ".c may not call " part[2])
    }
    exit failed
}' || failed=1

if [ -e "$build/libheed.a" ]; then
    shown=$(nm -g --defined-only "$build/libheed.a" | awk 'NF == 3 && $3 !~ /^heed_/ { print $3 }')
    if [ -n "$shown" ]; then
        echo "libheed.a shows names that are not heed_:" "$shown"
        failed=1
    fi
fi
exit $failed
