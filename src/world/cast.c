// cast.c - who and what a text is about, drawn from the lexicon; and what goes on beside it.
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "world/genre.h"

enum { CHILDREN_PERCENT = 45, NAMED_ANIMALS_PERCENT = 35 };

Actor animal_actor(int id, int animal) {
    const Animal *a = &lexicon.animals[animal];
    return (Actor){id, a->name, 'n', false, a};
}

static Actor draw_actor(Rng *rng, int id) {
    const Name *name = &lexicon.names[draw(rng, lexicon.n_names)];
    if (chance(rng, CHILDREN_PERCENT)) return (Actor){id, name->name, name->gender, true, NULL};
    Actor actor = animal_actor(id, draw(rng, lexicon.n_animals));
    if (chance(rng, NAMED_ANIMALS_PERCENT)) {
        actor.name = name->name;
        actor.gender = name->gender;
        actor.is_named = true;
    }
    return actor;
}

void draw_actors(Rng *rng, int n, Actor *out) {
    for (int i = 0; i < n;) {
        out[i] = draw_actor(rng, i);
        bool is_new = true;
        for (int j = 0; j < i; j++)
            if (out[j].name.zh == out[i].name.zh ||
                (out[i].animal && out[i].animal == out[j].animal))
                is_new = false;
        if (is_new) i++;
    }
}

void draw_alike(Rng *rng, Actor out[2]) {
    do draw_actors(rng, 2, out);
    while (out[0].gender != out[1].gender);
}

void draw_girl_and_boy(Rng *rng, Actor out[2]) {
    do draw_actors(rng, 2, out);
    while (out[0].gender == out[1].gender || out[0].gender == 'n' || out[1].gender == 'n');
}

bool actor_can(const Actor *a, const char *any_of) {
    return a->animal && a->animal->can[strcspn(a->animal->can, any_of)] != 0;
}

// ---------------------------------------------------------------- into slots
static char size_letter(const Thing *thing) {
    return thing->size ? thing->size : '0';
}

void draw_things(Telling *t, const char *letters, const char *sizes) {
    int n = (int)strlen(letters), thing[8], colour[8];
    require(n <= 8);
    do draw_distinct(t->rng, lexicon.n_things, n, thing);
    while (sizes[0] && !strchr(sizes, size_letter(&lexicon.things[thing[0]])));
    draw_distinct(t->rng, lexicon.n_colours, n, colour);
    for (int i = 0; i < n; i++) {
        Slot *slot = telling_slot(t, letters[i]);
        *slot = (Slot){.kind = SLOT_THING};
        slot->label = i == 0 ? "thing/t" : "thing/u";
        slot->thing = &lexicon.things[thing[i]];
        slot->colour = &lexicon.colours[colour[i]];
        slot->count = 1;
    }
}

void draw_foods(Telling *t, const char *letters) {
    int n = (int)strlen(letters), food[8];
    require(n <= 8);
    draw_distinct(t->rng, lexicon.n_foods, n, food);
    for (int i = 0; i < n; i++)
        *telling_slot(t, letters[i]) = (Slot){.kind = SLOT_FOOD, .food = &lexicon.foods[food[i]]};
}

void draw_places(Telling *t, const char *letters) {
    int n = (int)strlen(letters), place[8];
    require(n <= 8);
    draw_distinct(t->rng, lexicon.n_places, n, place);
    for (int i = 0; i < n; i++)
        *telling_slot(t, letters[i]) =
            (Slot){.kind = SLOT_PLACE, .place = &lexicon.places[place[i]]};
}

void draw_containers(Telling *t, const char *letters) {
    int n = (int)strlen(letters), container[8];
    require(n <= 8);
    draw_distinct(t->rng, lexicon.n_containers, n, container);
    for (int i = 0; i < n; i++)
        *telling_slot(t, letters[i]) =
            (Slot){.kind = SLOT_CONTAINER, .container = &lexicon.containers[container[i]]};
}

void draw_acts(Telling *t, const char *letters) {
    int n = (int)strlen(letters), act[8];
    require(n <= 8);
    draw_distinct(t->rng, lexicon.n_acts, n, act);
    for (int i = 0; i < n; i++)
        *telling_slot(t, letters[i]) = (Slot){.kind = SLOT_ACT, .act = &lexicon.acts[act[i]]};
}

void draw_moment(Telling *t) {
    telling_set_words(t, 'm', lexicon.moments[draw(t->rng, lexicon.n_moments)]);
    telling_set_words(t, 'w', lexicon.weather[draw(t->rng, lexicon.n_weather)]);
}

// ---------------------------------------------------------------- beside the story
// Slots of an aside, which stories must not use: Z an animal that is in nothing else, P Q places,
// F food, K a thing without colour, X an act, M a name, A an animal's kind, T a town, N a number,
// R weather.
// clang-format off
static const Words asides[] = {
    {"{R}。", "{R}."},
    {"{R}。", "{R}."},
    {"{R}。", "{R}."},
    {"{P}，{Z.n}正在{X}，什么也没看见。", "{P} {Z.n} was {X.g} and saw nothing at all."},
    {"不知道是谁在唱歌，唱得有点跑调。", "Somebody was singing, a little out of tune."},
    {"钟楼敲了{N}下。", "The bell tower struck {N}."},
    {"一片叶子慢慢落下来，落在{P}。", "A leaf came slowly down and landed {P}."},
    {"谁家的厨房里飘来{F.b}的香味。", "The smell of {F.b} came from somebody's kitchen."},
    {"天上有一朵云，长得像{K.b}。", "One of the clouds looked just like a {K.b}."},
    {"远处有人在喊：“{M}，回家吃饭啦！”", "Far away somebody called, “{M}, supper is ready!”"},
    {"收音机里正放着一首关于{K.b}的歌。", "The radio was playing a song about a {K.b}."},
    {"墙上的牌子写着：“小心{A}。”", "A sign on the wall said, “Mind the {A}.”"},
    {"河水带着一{K.m}{K.b}慢慢漂过去。", "A lost {K.b} floated slowly down the river."},
    {"谁家的窗台上摆着{F.i}。", "On a window sill stood {F.i}."},
    {"一列火车从{T}开过来，又开走了。", "A train came in from {T} and went away again."},
    {"老槐树下，两个老人在下棋。", "Under an elm two old men were playing chess."},
    {"有人在墙上画了一只{K.b}。", "Somebody had drawn a {K.b} on the wall."},
    {"{Z.n}给{Q.b}扫了地，又悄悄走了。", "{Z.n} swept {Q.b} and went quietly away."},
    {"一把伞倒挂在树上，里面住着{M}养的鸟。", "An umbrella hung in a tree, and a bird of {M}'s lived in it."},
    {"{Z.n}打了个喷嚏，又接着{X}。", "{Z.n} sneezed and went on {X.g}."},
    {"邮递员骑车经过，车铃叮当响。", "The postman rode past, ringing his bell."},
    {"有人把{K.i}忘在了长椅上。", "Somebody had left {K.i} on the bench."},
    {"{P}飘着一股刚割过的青草味。", "{P} it smelled of new-mown grass."},
    {"老钟慢了{N}分钟，谁也没发现。", "The old clock was {N} minutes slow, but nobody noticed."},
    {"{Z.n}从{P}走过，嘴里念着：“{F.b}，{F.b}。”", "{Z.n} walked past, saying over and over, “{^F.b}, {F.b}.”"},
    {"一阵风翻开了报纸，又把它合上。", "The wind opened a newspaper and closed it again."},
    {"一群孩子跑过去，一个比一个快。", "A row of children ran by, each faster than the last."},
    {"{Z.n}向大家鞠了一躬，没有人知道为什么。", "{Z.n} made a bow to everybody, and nobody knew why."},
    {"从{T}来的马戏团正在{P}搭帐篷。", "A circus from {T} was putting up its tent {P}."},
    {"地上有一串小脚印，一直通到{Q.b}。", "A line of small footprints led all the way to {Q.b}."},
    {"卖{F.b}的老爷爷收摊了。", "The old man who sold {F.b} was closing his stall."},
    {"烟囱里冒出一个圆圆的烟圈。", "A round ring of smoke rose from a chimney."},
    {"水面上跳起一条鱼，又不见了。", "A fish jumped out of the water and was gone."},
    {"风把{M}的歌声从{Q.b}吹了过来。", "The wind brought a song that {M} was singing at {Q.b}."},
    {"小店门口挂出了牌子：“今天有{F.b}。”", "The little shop had put out a sign, “{^F.b} today.”"},
};
// clang-format on

static void set_aside(Telling *t, const Actor *cast, int n) {
    int animal;
    bool is_free;
    do {
        animal = draw(t->rng, lexicon.n_animals);
        is_free = true;
        for (int i = 0; i < n; i++) is_free &= cast[i].animal != &lexicon.animals[animal];
    } while (!is_free);
    telling_set_actor(t, 'Z', animal_actor(9, animal));
    draw_places(t, "PQ");
    draw_foods(t, "F");
    draw_acts(t, "X");
    *telling_slot(t, 'K') =
        (Slot){.kind = SLOT_THING, .thing = &lexicon.things[draw(t->rng, lexicon.n_things)]};
    const Name *name = &lexicon.names[draw(t->rng, lexicon.n_names)];
    for (int i = 0; i < n; i++) // nobody calls for who is in the story
        if (cast[i].name.zh == name->name.zh)
            name = &lexicon.names[(name - lexicon.names + 1) % lexicon.n_names];
    telling_set_words(t, 'M', name->name);
    telling_set_words(t, 'A', lexicon.animals[draw(t->rng, lexicon.n_animals)].name);
    telling_set_words(t, 'T', lexicon.towns[draw(t->rng, lexicon.n_towns)]);
    telling_set_words(t, 'R', lexicon.weather[draw(t->rng, lexicon.n_weather)]);
    telling_set_number(t, 'N', 2 + draw(t->rng, 11));
}

void tell_aside(Telling *t, const Actor *cast, int n) {
    set_aside(t, cast, n);
    tell_one(t, asides, COUNT_OF(asides));
    t->before.has_thing = true; // most tell of one: "it" would be that
}

static const Words fillers[] = {
    {"{Z.n}在{P}{X}。", "{Z.n} was {X.g} {P}."},
    {"{m}，{Z.n}{X}。", "{m} {Z.n} {X}."},
    {"{P}有{K.i}。", "There was {K.i} {P}."},
    {"{Z.n}带着{F.i}去了{Q.b}。", "{Z.n} took {F.i} to {Q.b}."},
    {"{M}说，{P}有人在{X}。", "{M} said that somebody was {X.g} {P}."},
};

int text_units(const Record *r, int from) {
    int units = 0;
    bool in_word = false;
    for (int i = from; i < r->n;) {
        int length;
        int32_t c = utf8_decode((Str){r->text + i, (size_t)(r->n - i)}, &length);
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\'';
        if (is_letter ? !in_word : c >= 0x80 || c > ' ') units++;
        in_word = is_letter;
        i += length;
    }
    return units;
}

void tell_filler(Telling *t, int units) {
    int from = t->record->n;
    while (text_units(t->record, from) < units) {
        telling_forget(t);
        if (chance(t->rng, 50)) {
            tell_aside(t, NULL, 0);
            continue;
        }
        set_aside(t, NULL, 0);
        draw_moment(t);
        tell_one(t, fillers, COUNT_OF(fillers));
    }
    telling_forget(t);
}
