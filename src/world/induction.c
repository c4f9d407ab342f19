// induction.c - names that exist in one text only, said again in it: to go on, look back.
//
// Held out: one coined name in ten.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"

enum { COINED_MAX = 40, N_COINED = 4 };

static const char *const syllables_zh[] = {"巴", "罗", "米", "可", "塔", "奇", "鲁", "诺",
                                           "维", "莎", "拉", "多", "比", "卡", "尼", "索",
                                           "帕", "丽", "古", "莫", "波", "迪", "娜", "贝"};
static const char *const syllables_en[] = {"ba",  "ro",  "mi", "ko",  "ta", "zi",  "lu", "no",
                                           "vi",  "sha", "la", "do",  "pe", "ka",  "ni", "so",
                                           "quo", "fen", "gu", "mor", "ri", "del", "wu", "yan"};

static void coin(Draft *d, char out[COINED_MAX]) {
    int n = 2 + (draw(d->rng, 3) > 0);
    const char *const *syllable = d->language == ZH ? syllables_zh : syllables_en;
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        const char *next = syllable[draw(d->rng, COUNT_OF(syllables_zh))];
        at += (size_t)snprintf(out + at, COINED_MAX - at, "%s", next);
    }
    if (d->language == EN) out[0] = (char)(out[0] - 'a' + 'A');
}

// Lines of a text: [..|rep/a] and so on are the same each time they come.
// clang-format off
static const Words robots[] = {
    {"{p}有两个小机器人，一个叫{A}，一个叫{B}。{A}在{x}，{B}在{y}。“你好，{A}，”{B}说。“你好，{B}，”{A}说。", "{p} there were two little robots. One was called {A} and the other {B}. {A} was {x.g}, and {B} was {y.g}. “Hello, {A},” said {B}. “Hello, {B},” said {A}."},
    {"{A}星上只住着{A}人。{A}人的国王叫{B}，王后叫{C}。每天早上，{B}和{C}一起{x}。“早上好，{B}，”{C}说。", "On the star {A} lived none but {A} people. Their king was called {B}, and the queen {C}. Every morning {B} and {C} were seen {x.g}. “Good morning, {B},” said {C}."},
    {"妖怪{A}最怕听见自己的名字。“{A}！”{B}喊。{A}一抖，变小了一半。“{A}！{A}！”{B}又喊，{A}就不见了。", "The monster {A} feared nothing but its own name. “{A}!” cried {B}. {A} shrank by half. “{A}! {A}!” cried {B} again, and {A} was gone."},
    {"船长{A}写信给{B}：“亲爱的{B}，{w}。我昨天一直在{x}。你的{A}。”{B}读完信，马上给{A}回信。", "Captain {A} wrote to {B}: “Dear {B}, {w}. Yesterday I was {x.g}. Your {A}.” When {B} had read the letter, {B} wrote back to {A}."},
    {"小{A}的妈妈叫{B}，爸爸叫{C}。找{B}的时候，小{A}喊“{B}”；找{C}的时候，小{A}喊“{C}”。", "The mother of little {A} was called {B}, the father {C}. When little {A} wanted {B}, it called “{B}”, and when it wanted {C}, it called “{C}”."},
};
// clang-format on

// What is said twice or three times, word for word; its last name is what a probe asks for.
static const Words spells[] = {
    {"{A}，{s.b}，{B}，{f.b}，{C}", "{A}, {s.b}, {B}, {f.b}, {C}"},
    {"{A}，{B}，{C}", "{A}, {B}, {C}"},
    {"一{A}，二{B}，三{C}", "one {A}, two {B}, three {C}"},
    {"{A}{A}，{B}{B}，{C}", "{A} {A}, {B} {B}, {C}"},
};
// clang-format off
static const Words chants[] = {
    {"{e.n}念起咒语：“[%s|rep/s]。”什么也没有发生。{e.n}又念了一遍：“[%s|rep/s]。”{w}。", "{e.n} spoke the spell: “[%s|rep/s].” Nothing happened. {e.n} said it again: “[%s|rep/s].” {w}."},
    {"[%s|rep/s]！\n大家一起{x}。\n[%s|rep/s]！", "[%s|rep/s]!\nWe were all {x.g}.\n[%s|rep/s]!"},
    {"门上刻着：[%s|rep/s]。{e.n}大声念道：“[%s|rep/s]！”门开了。", "On the door was written: [%s|rep/s]. {e.n} read it aloud: “[%s|rep/s]!” The door opened."},
    {"电话里说：“记好，[%s|rep/s]。”{e.n}跟着说：“[%s|rep/s]。”", "The voice on the telephone said, “Write this down: [%s|rep/s].” {e.n} repeated: “[%s|rep/s].”"},
};
// clang-format on

// Tells what is said twice; its last name is also the answer, the second time.
static void tell_chant(Draft *d, const char names[N_COINED][COINED_MAX]) {
    const char *spell = words_in(&spells[draw(d->rng, COUNT_OF(spells))], d->language);
    const char *chant = words_in(&chants[draw(d->rng, COUNT_OF(chants))], d->language);
    char again[192], line[768];
    const char *last = strstr(spell, "{C}");
    snprintf(again, sizeof again, "%.*s[{C}|ans]", (int)(last - spell), spell);
    const char *first_at = strstr(chant, "%s"), *second_at = strstr(first_at + 2, "%s");
    snprintf(line, sizeof line, "%.*s%s%.*s%s%s", (int)(first_at - chant), chant, spell,
             (int)(second_at - first_at - 2), first_at + 2, again, second_at + 2);
    tell(&d->tell, (Words){line, line});
    draft_answer(d, "ans");
    draft_wrong_text(d, names[0]);
    draft_wrong_text(d, names[3]);
}

void write_induction(Draft *d) {
    Telling *t = &d->tell;
    char name[N_COINED][COINED_MAX];
    static const char *const label[] = {"rep/a", "rep/b", "rep/c"};
    for (int i = 0; i < N_COINED; i++) {
        do coin(d, name[i]);
        while (i > 0 && (strcmp(name[i], name[0]) == 0 || strcmp(name[i], name[i - 1]) == 0));
        if (i == N_COINED - 1) break; // only a wrong answer
        telling_set_words(t, (char)('A' + i), (Words){name[i], name[i]});
        telling_slot(t, (char)('A' + i))->label = label[i];
        if (!d->probing || i == 2) draft_hold(d, "coined %s", name[i]);
    }
    Actor actor;
    draw_actors(d->rng, 1, &actor);
    telling_set_actor(t, 'e', actor);
    draw_moment(t);
    draw_places(t, "p");
    draw_acts(t, "xy");
    draw_foods(t, "f");
    draw_things(t, "s", "");
    t->is_free = true;
    if (d->probing || chance(d->rng, 45))
        tell_chant(d, (const char(*)[COINED_MAX])name);
    else
        tell_one(t, robots, COUNT_OF(robots));
}
