// functions.c - the functions that every template can call.

#include "base/clock.h"
#include "chat/run.h"

enum { RANGE_MAX = 100000 }; // as in Jinja's sandbox

#define FUNCTION(name) static Value function_##name(ChatRun *run, Value v, const ChatArguments *a)

FUNCTION(range) {
    (void)v;
    int64_t first = chat_integer_argument(run, a->value[0], 0), step = 1, from = 0, to = first;
    if (a->value[1].kind != VALUE_ABSENT) {
        from = first;
        to = chat_integer_argument(run, a->value[1], 0);
        step = chat_integer_argument(run, a->value[2], 1);
    }
    if (step == 0) return chat_run_fail(run, "range: step 0");
    double length = ((double)to - (double)from) / (double)step;
    if (length > RANGE_MAX) return chat_run_fail(run, "range: more than %d items", (int)RANGE_MAX);
    Value list = value_list(run, VALUE_LIST, length > 0 ? (int64_t)length + 1 : 0);
    for (int64_t i = 0; (double)i < length && !run->is_failed; i++) {
        value_append(run, list, value_integer(from + i * step));
    }
    return list;
}

static Value members(ChatRun *run, ValueKind kind, const ChatArguments *a) {
    Value dict = value_dict(run, kind, a->n);
    for (int i = 0; i < a->n; i++) {
        if (a->name[i].n) {
            value_put(run, dict, value_string(a->name[i]), a->value[i]);
            continue;
        }
        if (a->value[i].kind != VALUE_DICT) return chat_run_fail(run, "a dict is needed");
        const ValueDict *from = a->value[i].dict;
        for (int64_t j = 0; j < from->n; j++) {
            value_put(run, dict, from->entry[j].key, from->entry[j].value);
        }
    }
    return dict;
}
FUNCTION(dict) {
    (void)v;
    return members(run, VALUE_DICT, a);
}
FUNCTION(namespace) {
    (void)v;
    return members(run, VALUE_NAMESPACE, a);
}

// The template refuses its input in its own words.
FUNCTION(raise_exception) {
    (void)v;
    Str text = value_text(run, a->value[0]);
    if (run->is_failed) return v;
    error_set(run->err, ERROR_USAGE, "%.*s", text.n < 400 ? (int)text.n : 400,
              text.data ? text.data : "");
    run->is_failed = true;
    return value_undefined(STR(""));
}

// ---- the date

typedef struct Date {
    int64_t year;
    int month, day, weekday, yearday; // from 1, 1, 0 = Monday, 1
    int hour, minute, second;
} Date;

// Civil date of a day number: years are counted from March, so that leap days come last.
static Date date_of(int64_t seconds) {
    int64_t day = seconds / 86400, rest = seconds % 86400;
    if (rest < 0) {
        rest += 86400;
        day--;
    }
    Date date = {
        .hour = (int)(rest / 3600), .minute = (int)(rest / 60 % 60), .second = (int)(rest % 60)};
    date.weekday = (int)(((day + 3) % 7 + 7) % 7);
    int64_t shifted = day + 719468; // days since 1 March of the year 0
    int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t of_era = shifted - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int of_year = (int)(of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100));
    int month = (5 * of_year + 2) / 153; // 0 = March
    date.day = of_year - (153 * month + 2) / 5 + 1;
    date.month = month < 10 ? month + 3 : month - 9;
    date.year = year_of_era + era * 400 + (date.month <= 2);
    bool is_leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
    date.yearday = date.month > 2 ? of_year + 60 + is_leap : of_year - 305;
    return date;
}

static void add_number(StrBuilder *b, int64_t n, int digits, bool is_plain) {
    str_add_format(b, "%0*lld", is_plain ? 1 : digits, (long long)n);
}

// One letter behind "%"; `is_plain` if "-" stood between: no leading zeros.
static void add_date_part(StrBuilder *b, const Date *d, char letter, bool is_plain) {
    static const char *const days[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday"};
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    int hour12 = d->hour % 12 ? d->hour % 12 : 12;
    switch (letter) {
    case 'A': str_add_c(b, days[d->weekday]); break;
    case 'a': str_add(b, str_slice(str_from(days[d->weekday]), 0, 3)); break;
    case 'B': str_add_c(b, months[d->month - 1]); break;
    case 'b':
    case 'h': str_add(b, str_slice(str_from(months[d->month - 1]), 0, 3)); break;
    case 'd': add_number(b, d->day, 2, is_plain); break;
    case 'e': str_add_format(b, is_plain ? "%d" : "%2d", d->day); break;
    case 'm': add_number(b, d->month, 2, is_plain); break;
    case 'Y': str_add_format(b, "%lld", (long long)d->year); break;
    case 'y': add_number(b, d->year % 100, 2, is_plain); break;
    case 'H': add_number(b, d->hour, 2, is_plain); break;
    case 'I': add_number(b, hour12, 2, is_plain); break;
    case 'M': add_number(b, d->minute, 2, is_plain); break;
    case 'S': add_number(b, d->second, 2, is_plain); break;
    case 'p': str_add_c(b, d->hour < 12 ? "AM" : "PM"); break;
    case 'j': add_number(b, d->yearday, 3, is_plain); break;
    case 'w': str_add_format(b, "%d", (d->weekday + 1) % 7); break;
    case 'u': str_add_format(b, "%d", d->weekday + 1); break;
    case '%': str_add_byte(b, '%'); break;
    default: str_add_format(b, "%%%c", letter); break;
    }
}

static void add_date(StrBuilder *b, const Date *d, Str format) {
    for (size_t i = 0; i < format.n; i++) {
        char c = format.data[i];
        if (c != '%' || i + 1 == format.n) {
            str_add_byte(b, c);
            continue;
        }
        bool is_plain = format.data[i + 1] == '-' && i + 2 < format.n;
        i += is_plain ? 2 : 1;
        c = format.data[i];
        if (c == 'F')
            add_date(b, d, STR("%Y-%m-%d"));
        else if (c == 'T')
            add_date(b, d, STR("%H:%M:%S"));
        else
            add_date_part(b, d, c, is_plain);
    }
}

// The caller's variable `now`, else the local time of the system.
static int64_t now(ChatRun *run) {
    const ChatScope *outermost = run->scope;
    while (outermost->parent) outermost = outermost->parent;
    for (const ChatVariable *v = outermost->first; v; v = v->next) {
        if (str_equal(v->name, STR("now")) && v->value.kind == VALUE_INTEGER) {
            int64_t seconds = v->value.integer;
            return seconds > 250000000000 ? 250000000000 : seconds < 0 ? 0 : seconds;
        }
    }
    return clock_local_seconds();
}

FUNCTION(strftime_now) {
    Date date = date_of(now(run));
    Str format = chat_string_argument(run, a->value[0], STR(""));
    StrBuilder b = str_builder(run->arena);
    if (!chat_run_spend(run, 16 * (int64_t)format.n)) return v;
    add_date(&b, &date, format);
    return value_string(str_built(&b));
}

static const ChatBuiltin functions[] = {
    {"dict", "*", 0, function_dict},
    {"namespace", "*", 0, function_namespace},
    {"raise_exception", "message", 1, function_raise_exception},
    {"range", "start stop step", 1, function_range},
    {"strftime_now", "format", 1, function_strftime_now},
};

const ChatBuiltin *chat_find_function(Str name) {
    return chat_find_in(functions, sizeof functions / sizeof functions[0], name);
}
