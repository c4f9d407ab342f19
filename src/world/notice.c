// notice.c - dry prose: weather tables, recipes, the small advertisements of a newspaper.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"

static void tell_line(Telling *t, Words line) {
    if (t->record->n) record_add(t->record, "\n", 1);
    t->capital = t->language == EN;
    tell(t, line);
}

static void tell_weather(Draft *d) {
    static const Words skies[] = {
        {"晴", "sunny"}, {"多云", "cloudy"},    {"小雨", "light rain"}, {"大雨", "heavy rain"},
        {"雾", "fog"},   {"雷阵雨", "thunder"}, {"雪", "snow"}};
    static const Words winds[] = {
        {"东风", "east"}, {"南风", "south"}, {"西风", "west"}, {"北风", "north"}};
    static const int usual[] = {0, 2, 8, 14, 19, 24, 28, 28, 22, 16, 9, 3}; // degrees, by month
    Telling *t = &d->tell;
    int month = draw(d->rng, 12), day = 1 + draw(d->rng, 24), rows = 2 + draw(d->rng, 4);
    telling_set_words(t, 't', lexicon.towns[draw(d->rng, lexicon.n_towns)]);
    tell_line(t, (Words){"{t}气象站", "Weather station, {t}"});
    for (int i = 0; i < rows; i++) {
        bool can_snow = usual[month]<8, can_thunder = usual[month]> 12;
        int sky;
        do sky = draw(d->rng, COUNT_OF(skies));
        while ((sky == 6 && !can_snow) || (sky == 5 && !can_thunder));
        char zh[96], en[96];
        int degrees = usual[month] + draw(d->rng, 7) - 3, force = 1 + draw(d->rng, 6);
        const Words *wind = &winds[draw(d->rng, COUNT_OF(winds))];
        snprintf(zh, sizeof zh, "%d月%d日 %s %d度 %s%s级", month + 1, day + i, skies[sky].zh,
                 degrees, wind->zh, lexicon_ordinal_zh(force));
        snprintf(en, sizeof en, "%d/%d %s, %d degrees, %s wind, force %d", month + 1, day + i,
                 skies[sky].en, degrees, wind->en, force);
        tell_line(t, (Words){zh, en});
    }
}

static void tell_recipe(Draft *d) {
    static const Words steps[] = {{"洗净双手", "Wash your hands."},
                                  {"把水烧开", "Boil some water."},
                                  {"加一勺糖", "Add a spoonful of sugar."},
                                  {"慢慢搅拌", "Stir slowly."},
                                  {"切成小块", "Cut it into small pieces."},
                                  {"撒一点盐", "Add a little salt."},
                                  {"揉成圆球", "Roll it into a ball."},
                                  {"小火煮二十分钟", "Cook it gently for twenty minutes."},
                                  {"盖上盖子等十分钟", "Put the lid on and wait ten minutes."},
                                  {"尝一尝咸淡", "Taste it."},
                                  {"放凉", "Let it cool."},
                                  {"装进好看的碗里", "Put it into a pretty bowl."},
                                  {"分给朋友", "Share it with a friend."}};
    Telling *t = &d->tell;
    int step[6], n = 3 + draw(d->rng, 4);
    draw_distinct(d->rng, COUNT_OF(steps), n, step);
    for (int i = 1; i < n; i++) // in the order of cooking
        for (int k = i; k > 0 && step[k] < step[k - 1]; k--) {
            int keep = step[k];
            step[k] = step[k - 1];
            step[k - 1] = keep;
        }
    draw_foods(t, "fg");
    tell_line(t, (Words){"{f.b}的做法", "How to make {f.b}"});
    for (int i = 0; i < n; i++) {
        char zh[96], en[96];
        snprintf(zh, sizeof zh, "%d. %s", i + 1, steps[step[i]].zh);
        snprintf(en, sizeof en, "%d. %s", i + 1, steps[step[i]].en);
        tell_line(t, (Words){zh, en});
    }
}

// clang-format off
static const Words advertisements[] = {
    {"快讯：{o}今天在{t}开了第{n}家分店，第一批客人都得到了{k.i}。", "News: {o} today opened its shop number {n} in {t}. Each of the first guests received {k.i}."},
    {"招聘：{o}想找一名{j}，要求能早起，爱护{k.b}。有意者请到{t}面谈。", "Wanted: {o} is looking for a {j} who rises early and takes good care of the {k.s}. Please come to {t}."},
    {"快讯：昨夜{t}停电两小时，{o}的{j}连夜抢修，无人受伤。", "News: last night there was no light in {t} for two hours. A {j} from {o} repaired the line. Nobody was hurt."},
    {"失物招领：有人在{t}捡到{k.i}，请失主到{o}认领。", "Found: {k.i}, in {t}. The owner may fetch it at {o}."},
    {"寻物：本人在{t}的{p.b}丢失{k.i}，拾到者请交给{o}，必有酬谢：{f.i}。", "Lost: {k.i}, near {p.b} of {t}. Whoever finds it, please bring it to {o}. Reward: {f.i}."},
    {"通知：{t}的{p.b}明天休息，后天照常开放。", "Notice: {p.b} of {t} is closed tomorrow and open again the day after."},
    {"比赛结果：{t}拔河比赛，{a}队胜，{b}队第二。", "Results: tug of war at {t}. First, team {a}. Second, team {b}."},
    {"出售：{k.i}，用过{n}年，还很好。请到{t}找{j}商量。", "For sale: {k.i}, {n} years old and still good. Ask for the {j} in {t}."},
    {"今日菜单：{f.b}，{g.b}，{h.b}。{t}小饭馆。", "Today's menu: {f.b}, {g.b}, {h.b}. The little inn, {t}."},
    {"列车时刻：{t}，{n}点开，{m}点到{s}。", "Trains: from {t} at {n}, arriving in {s} at {m}."},
};
// clang-format on

static void tell_advertisement(Draft *d) {
    Telling *t = &d->tell;
    int town[2], name[2];
    draw_distinct(d->rng, lexicon.n_towns, 2, town);
    draw_distinct(d->rng, lexicon.n_names, 2, name);
    telling_set_words(t, 't', lexicon.towns[town[0]]);
    telling_set_words(t, 's', lexicon.towns[town[1]]);
    telling_set_words(t, 'a', lexicon.names[name[0]].name);
    telling_set_words(t, 'b', lexicon.names[name[1]].name);
    telling_set_words(t, 'o', lexicon.firms[draw(d->rng, lexicon.n_firms)]);
    telling_set_words(t, 'j', lexicon.jobs[draw(d->rng, lexicon.n_jobs)]);
    draw_places(t, "p");
    draw_things(t, "k", "");
    draw_foods(t, "fgh");
    int hour = 3 + draw(d->rng, 7);
    telling_set_number(t, 'n', hour);
    telling_set_number(t, 'm', hour + 1 + draw(d->rng, 2));
    tell_one(t, advertisements, COUNT_OF(advertisements));
}

void write_notice(Draft *d) {
    int kind = draw(d->rng, 4);
    if (kind == 0)
        tell_weather(d);
    else if (kind == 1)
        tell_recipe(d);
    else
        tell_advertisement(d);
}
