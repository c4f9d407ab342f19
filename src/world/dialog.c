// dialog.c - two who take turns: buying, asking the way, a telephone call, and others.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"

// {a} and {b} speak; N P two numbers, S their product, D left or right, E the other.
typedef struct Dialog {
    Words lines;
    char asked; // what a probe asks for: the slot labelled "ans", 0: nothing
} Dialog;

// clang-format off
static const Dialog dialogs[] = {
    {{"客人：有{f.b}吗？\n老板：有，{f.i}{P}块钱。\n客人：来{N}份。\n老板：一共[{S.d}|ans]块。\n客人：{u}\n老板：{v}", "Guest: Have you any {f.b}?\nOwner: Yes, {f.i} costs {P} coins.\nGuest: I will take {N} of those.\nOwner: That makes [{S.d}|ans] coins.\nGuest: {u}\nOwner: {v}"}, 'S'},
    {{"{a.n}：请问，{p.b}怎么走？\n{b.n}：一直走到{q.b}，再往{D}拐。\n{a.n}：远吗？\n{b.n}：走{N}分钟就到。\n{a.n}：到{q.b}往[{D}|ans]拐，记住了。谢谢！", "{a.n}: Excuse me, how do I get to {p.b}?\n{b.n}: Go as far as {q.b}, then turn {D}.\n{a.n}: Is it far?\n{b.n}: About {N} minutes.\n{a.n}: At {q.b} I turn [{D}|ans]. Thank you!"}, 'D'},
    {{"{a.n}：喂，是{b.n}吗？\n{b.n}：是我。你在干什么？\n{a.n}：我刚才在{x}。你呢？\n{b.n}：我在{y}。{w}。\n{a.n}：{c}", "{a.n}: Hello, is that {b.n}?\n{b.n}: Yes. What have you been doing?\n{a.n}: I was {x.g}. And you?\n{b.n}: I was {y.g}. {^w}.\n{a.n}: {c}"}, 0},
    {{"{a.n}：我丢了一{t.m}{t.b}，你看见了吗？\n{b.n}：是{t.C}的那{t.m}吗？\n{a.n}：对，就是它。\n{b.n}：它在{p}，我刚从那儿来。\n{a.n}：在[{p}|ans]？我这就去！", "{a.n}: I have lost a {t.b}. Have you seen it?\n{b.n}: Is it the {t.c} one?\n{a.n}: Yes, that is it.\n{b.n}: It is {p}. I have just come from there.\n{a.n}: It is [{p}|ans]? I am on my way!"}, 'p'},
    {{"老师：{a.v}，{N}加{P}是多少？\n{a.n}：是[{A.d}|ans]。\n老师：{h}", "Teacher: {^a.v}, how much is {N} and {P}?\n{a.n}: It is [{A.d}|ans].\nTeacher: {h}"}, 'A'},
    {{"妈妈：你把{f.b}都吃完了？\n{a.n}：不是我，是{b.n}吃的。\n{b.n}：我一直在{x}！\n妈妈：那{p}的碎渣是谁的？\n{a.n}：……好吧，是我。", "Mother: Have you eaten all the {f.b}?\n{a.n}: Not me. It was {b.n}.\n{b.n}: I was {x.g} all the time!\nMother: Then whose crumbs are these {p}?\n{a.n}: Oh well. Mine."}, 0},
    {{"{a.n}：你长大了想做什么？\n{b.n}：我想当{j}。你呢？\n{a.n}：我想当{J}，然后和你一起住在{p.b}旁边。", "{a.n}: What do you want to be when you grow up?\n{b.n}: I want to be a {j}. And you?\n{a.n}: I want to be a {J}, and live next to you, near {p.b}."}, 0},
    {{"{a.n}：我们玩捉迷藏吧。\n{b.n}：好，我数到{N.o}，你去藏。\n{a.n}：不许偷看！\n{b.n}：……找到你了，你在{k.i}！\n{a.n}：[{k.i}|ans]太挤了，下次换个地方。", "{a.n}: Let us play hide-and-seek.\n{b.n}: Good. I count to {N}, and you hide.\n{a.n}: Do not look!\n{b.n}: Found you! You are {k.i}!\n{a.n}: It is too narrow [{k.i}|ans]. Next time I shall hide elsewhere."}, 'k'},
};
// clang-format on

static const Words pays[] = {{"给您。", "Here you are."},
                             {"可以明天付吗？", "May I pay tomorrow?"},
                             {"谢谢。", "Thank you."},
                             {"闻着真香。", "How good it smells."}};
static const Words byes[] = {{"欢迎再来！", "Come again!"},
                             {"小心烫！", "Mind, it is hot!"},
                             {"慢走！", "Good-bye!"},
                             {"给您多装一点。", "I have put in a little more."}};
static const Words ends[] = {{"那我过来找你吧。", "Then I shall come over."},
                             {"明天见！", "See you tomorrow!"},
                             {"真羡慕你。", "How nice for you."},
                             {"下次叫上我。", "Take me along next time."}};
static const Words nods[] = {
    {"对了！", "Right!"}, {"算得真快！", "How quick you are!"}, {"完全正确。", "Quite right."}};
static const Words turns[] = {{"左", "left"}, {"右", "right"}};

static void add_wrong(Draft *d, char asked, const Words *other_turn) {
    Telling *t = &d->tell;
    char line[8] = {'{', asked, '.', 'd', '}', 0};
    const Slot *slot = telling_slot(t, asked);
    if (asked == 'D')
        draft_wrong_text(d, words_in(other_turn, d->language));
    else if (asked == 'p')
        draft_wrong(d, (Words){"{q}", "{q}"});
    else if (asked == 'k')
        draft_wrong(d, (Words){"{l.i}", "{l.i}"});
    else
        for (int i = 0; i < 2; i++) {
            telling_set_number(t, asked, slot->number + (i ? -1 : 2));
            draft_wrong(d, (Words){line, line});
        }
}

void write_dialog(Draft *d) {
    Telling *t = &d->tell;
    int i = draw(d->rng, COUNT_OF(dialogs)), turn = draw(d->rng, 2);
    while (d->probing && !dialogs[i].asked) i = draw(d->rng, COUNT_OF(dialogs));
    Actor pair[2];
    draw_actors(d->rng, 2, pair);
    for (int k = 0; k < 2; k++) telling_set_actor(t, "ab"[k], pair[k]);
    draw_moment(t);
    draw_places(t, "pq");
    draw_things(t, "t", "");
    draw_foods(t, "f");
    draw_acts(t, "xy");
    draw_containers(t, "kl");
    int n = 2 + draw(d->rng, 8), m = 2 + draw(d->rng, 8);
    telling_set_number(t, 'N', n);
    telling_set_number(t, 'P', m);
    telling_set_number(t, 'S', n * m);
    telling_set_number(t, 'A', n + m);
    telling_set_words(t, 'D', turns[turn]);
    telling_set_words(t, 'u', pays[draw(d->rng, COUNT_OF(pays))]);
    telling_set_words(t, 'v', byes[draw(d->rng, COUNT_OF(byes))]);
    telling_set_words(t, 'c', ends[draw(d->rng, COUNT_OF(ends))]);
    telling_set_words(t, 'h', nods[draw(d->rng, COUNT_OF(nods))]);
    int job[2];
    draw_distinct(d->rng, lexicon.n_jobs, 2, job);
    telling_set_words(t, 'j', lexicon.jobs[job[0]]);
    telling_set_words(t, 'J', lexicon.jobs[job[1]]);
    draft_hold(d, "dialog %d %s %s", i, pair[0].name.en, pair[1].name.en);
    t->is_free = true;
    tell(t, dialogs[i].lines);
    if (!dialogs[i].asked) return;
    draft_answer(d, "ans");
    add_wrong(d, dialogs[i].asked, &turns[!turn]);
}
