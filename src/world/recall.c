// recall.c - what was said a while ago: one password over a distance, or a list of pairs.
//
// Distances and lists are of every size up to the largest, small ones more often.  Grades of
// probes: units of text between password and question (characters of Chinese, words of English),
// or with GRADE_PAIRS added the number of pairs.  Held out: one password in ten, and one pair of a
// list in ten.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"

enum { PAIRS_MAX = 16, DISTANCE_BITS = 9, GRADE_PAIRS = 1000 };

static const Words told[] = {
    {"守门的老人说：“记住，暗号是‘[{k}|key]’。”",
     "“Remember,” said the old man at the gate, “the password is [{k}|key].”"},
    {"纸条上写着暗号：“[{k}|key]”。", "The password on the note was [{k}|key]."},
    {"“今晚的暗号是‘[{k}|key]’，”队长小声说。",
     "“Tonight the password is [{k}|key],” the captain whispered."},
    {"{a.n}把暗号写在手心里：“[{k}|key]”。", "{a.n} wrote down the password: [{k}|key]."},
    {"要进树屋，先要会说暗号：“[{k}|key]”。",
     "To enter the tree house you must know the password: [{k}|key]."},
    {"{a.n}听见有人低声说：“暗号换成‘[{k}|key]’了。”",
     "{a.n} heard somebody whisper, “The new password is [{k}|key].”"},
};
// clang-format off
static const Words asked[] = {
    {"到了门口，老人问：“暗号？”{a.n}答：“[{k}|ans]。”", "At the gate the old man asked for the password, and {a.n} said: [{k}|ans]."},
    {"天黑了，有人敲门。“暗号是什么？”“[{k}|ans]。”门吱呀一声开了。", "When it was dark there was a knock. “What is the password?” “It is [{k}|ans].” The door creaked open."},
    {"{a.n}站在门前，想了想，说出了暗号：“[{k}|ans]。”", "{a.n} stood before the door, thought, and gave the password: [{k}|ans]."},
    {"“谁在外面？说暗号！”“[{k}|ans]，”{a.n}说。", "“Who is there? The password, please!” “It is [{k}|ans],” said {a.n}."},
    {"{a.n}一点也没忘，暗号就是“[{k}|ans]”。", "{a.n} had not forgotten: the password was [{k}|ans]."},
    {"绳梯放下来之前，{a.n}要先说出“[{k}|ans]”。", "Before the rope ladder came down {a.n} had to say the password, which was [{k}|ans]."},
};
// clang-format on

// A colour and a noun: "blue kite", 蓝风筝.
static void make_password(Words *out, char room[2][64], int colour, Words noun) {
    const Words *c = &lexicon.colours[colour];
    const char *zh = noun.zh;
    if (strncmp(zh, "小", 3) == 0 && strlen(zh) == 6) zh += 3;
    int n = (int)strlen(c->zh);
    if (n > 3) n -= 3; // without 的
    snprintf(room[0], 64, "%.*s%s", n, c->zh, zh);
    snprintf(room[1], 64, "%s %s", c->en, noun.en);
    *out = (Words){room[0], room[1]};
}

static Words draw_noun(Draft *d) {
    if (chance(d->rng, 50)) return lexicon.animals[draw(d->rng, lexicon.n_animals)].name;
    return lexicon.things[draw(d->rng, lexicon.n_things)].name;
}

static void write_password(Draft *d, int distance) {
    Telling *t = &d->tell;
    char room[4][2][64];
    Words password[4], noun[2];
    int colour[2];
    Actor actor;
    draw_distinct(d->rng, lexicon.n_colours, 2, colour);
    noun[0] = draw_noun(d);
    do noun[1] = draw_noun(d);
    while (strcmp(noun[1].zh, noun[0].zh) == 0);
    for (int i = 0; i < 4; i++) make_password(&password[i], room[i], colour[i & 1], noun[i >> 1]);
    draft_hold(d, "password %s", password[0].en);
    draw_actors(d->rng, 1, &actor);
    telling_set_actor(t, 'a', actor);
    telling_set_words(t, 'k', password[0]);
    tell_one(t, told, COUNT_OF(told));
    tell_filler(t, distance);
    t->is_free = true;
    tell_one(t, asked, COUNT_OF(asked));
    draft_answer(d, "ans");
    for (int i = 1; i < 4; i++) draft_wrong_text(d, words_in(&password[i], d->language));
    record_note_number(d->record, "distance", distance);
}

static void write_list(Draft *d, int n) {
    Telling *t = &d->tell;
    int who[PAIRS_MAX], what[PAIRS_MAX + 3], order[PAIRS_MAX];
    draw_distinct(d->rng, lexicon.n_animals, n, who);
    draw_distinct(d->rng, lexicon.n_foods, n + 3, what); // three that nobody ordered
    draw_distinct(d->rng, n, n, order);
    int asks = d->probing ? 1 : 1 + draw(d->rng, n < 4 ? n : 4);
    if (d->probing)
        draft_hold(d, "pair %s %s", lexicon.animals[who[order[0]]].name.en,
                   lexicon.foods[what[order[0]]].name.en);
    tell(t, (Words){"小店的订单", "Orders at the little shop"});
    for (int i = 0; i < n; i++) {
        if (!d->probing)
            draft_hold(d, "pair %s %s", lexicon.animals[who[i]].name.en,
                       lexicon.foods[what[i]].name.en);
        record_add(t->record, "\n", 1);
        t->capital = d->language == EN;
        telling_set_words(t, 'k', lexicon.animals[who[i]].name);
        telling_set_words(t, 'v', lexicon.foods[what[i]].name);
        telling_slot(t, 'k')->label = draft_label(d, "k%d", i);
        char line[64];
        snprintf(line, sizeof line, d->language == ZH ? "{k}：[{v}|v%d]" : "{k}: [{v}|v%d]", i);
        tell(t, (Words){line, line});
    }
    for (int i = 0; i < asks; i++) {
        char line[96];
        int k = order[i];
        if (i == 0) record_add(t->record, "\n", 1);
        if (i == 0) t->capital = d->language == EN;
        telling_set_words(t, 'k', lexicon.animals[who[k]].name);
        telling_set_words(t, 'v', lexicon.foods[what[k]].name);
        snprintf(line, sizeof line,
                 d->language == ZH ? "{k}订了什么？[{v}|ans/v%d]。"
                                   : "What did the {k} order? [{v}|ans/v%d].",
                 k);
        tell(t, (Words){line, line});
        if (d->probing) draft_answer(d, draft_label(d, "ans/v%d", k));
    }
    record_note_number(d->record, "pairs", n);
    for (int i = 1; d->probing && i < 4; i++) {
        int other = i < n ? order[i] : n + i - 1;
        telling_set_words(t, 'v', lexicon.foods[what[other]].name);
        draft_wrong(d, (Words){"{v}", "{v}"});
    }
}

// 0 .. 510, each doubling as often.
static int draw_distance(Rng *rng) {
    int least = 1 << draw(rng, DISTANCE_BITS);
    return least - 1 + draw(rng, least);
}

void write_recall(Draft *d) {
    static const int pairs[] = {2, 2, 3, 3, 4, 4, 6, 8, 10, 12, 16};
    if (d->grade >= GRADE_PAIRS)
        write_list(d, d->grade - GRADE_PAIRS);
    else if (d->grade >= 0)
        write_password(d, d->grade);
    else if (chance(d->rng, 50))
        write_password(d, draw_distance(d->rng));
    else
        write_list(d, pairs[draw(d->rng, COUNT_OF(pairs))]);
}
