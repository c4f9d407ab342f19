// plots_table.c - the stories: what can happen, step by step, and how it is told.  Data only.
//
// Slots (those of asides are others, see cast.c): a b c d e who · W L who wins, who loses · t u things · f g h I J foods · p q r places ·
// k l containers · x y acts · m a moment · w weather · n a number from 3 to 9 · j a trait of a ·
// s a plant · H a high place · o how b gets up there · V a noise, S what made it.
//
// A step has several wordings; each stands alone, in both languages, and takes part of one
// sentence or of a few.  Who may be called "it" or "she" the engine decides ({a}); write {a.n} after
// a step that need not be told.  The last plot is never seen in training.
#include <stddef.h>

#include "world/tables.h"

// clang-format off
#define LINES(...) (const Words[]){__VA_ARGS__}, sizeof((Words[]){__VA_ARGS__}) / sizeof(Words)
#define STEP(...)                    {0, 100, "", LINES(__VA_ARGS__)}
#define MAYBE(share, ...)            {0, share, "", LINES(__VA_ARGS__)}
#define EFFECT(effect, ...)          {0, 100, effect, LINES(__VA_ARGS__)}
#define IF(when, ...)                {when, 100, "", LINES(__VA_ARGS__)}
#define IF_EFFECT(when, effect, ...) {when, 100, effect, LINES(__VA_ARGS__)}
#define ASIDE(share)                 {0, share, "", NULL, 0}
#define OF(share, table)             {0, share, "", table, sizeof table / sizeof *table}
#define OF_IF(when, share, table)    {when, share, "", table, sizeof table / sizeof *table}
#define PLOT(name, needs)            {#name, needs, name##_beats, name##_asks, \
    sizeof name##_beats / sizeof *name##_beats, sizeof name##_asks / sizeof *name##_asks}

// ---------------------------------------------------------------- steps of many stories
static const Words intro[] = { // {a.K} is its first mention, named or not
    {"从前有一{a.m}{j}的{a.K}，家就在{p.b}旁边。", "Once there was a {j} {a.K} who lived near {p.b}."},
    {"{p.b}旁边住着一{a.m}{j}的{a.K}。", "Near {p.b} lived a {j} {a.K}."},
    {"有一{a.m}{a.K}，谁都说{a.p}很{j}。", "There was a {a.K} of whom everybody said, “How {j}!”"},
    {"在{p.b}那一带，最{j}的要数一{a.m}{a.K}。", "Nobody for miles around {p.b} was as {j} as a certain {a.K}."},
};
const Words intro_named[] = { // the same of somebody with a name
    {"从前有一{a.m}{a.k}，名叫{a.n}，家就在{p.b}旁边。", "Once there was a {a.k} called {a.n} who lived near {p.b}."},
    {"{p.b}旁边住着一{a.m}{j}的{a.k}，名叫{a.n}。", "Near {p.b} lived a {j} {a.k} called {a.n}."},
    {"{a}是一{a.m}{j}的{a.k}，大家都认识{a.p}。", "{a} was a {j} {a.k}, and everybody knew {a.o}."},
    {"说起{j}，谁也比不上{a.n}这{a.m}{a.k}。", "Nobody for miles around was as {j} as {a.n} the {a.k}."},
    {"{p}有一{a.m}叫{a.n}的{a.k}，从小就很{j}。", "{p} lived {a.n}, a {a.k} who had always been {j}."},
};
const int n_intro_named = sizeof intro_named / sizeof *intro_named;
static const Words worry[] = {
    {"{a}急得团团转。", "{a} ran round in circles with worry."},
    {"{a}难过得一句话也说不出来。", "{a} was too sad to say a word."},
    {"{a}的眼睛红了。", "{a} was close to tears."},
    {"{a}叹了一口气。", "{a} gave a long sigh."},
    {"“这可怎么办呢？”{a}小声说。", "“What shall I do now?” {a} said in a small voice."},
    {"{a}坐下来想了很久。", "{a} sat down and thought for a long time."},
    {"{a}走来走去，数了一百步。", "{a} walked up and down and counted a hundred steps."},
    {"{a}把帽子都揉皱了。", "{a} crumpled a hat with both hands."},
    {"{a}觉得天都变灰了。", "To {a.n} the whole sky seemed grey."},
};
static const Words joy[] = {
    {"{a}高兴得转了三个圈。", "{a} was so glad that {a} turned round three times."},
    {"{a}笑得眼睛都看不见了。", "{a} smiled from ear to ear."},
    {"{a}的心里像点了一盏灯。", "It was as if a lamp had been lit inside {a.n}."},
    {"{a}一路哼着歌回家。", "{a} hummed all the way home."},
    {"那天晚上，{a}睡得特别香。", "That night {a} slept very well indeed."},
    {"{a}把这件事记在了日记里。", "{a} wrote it all down in a diary."},
    {"{a}跳起来，差点碰到房顶。", "{a} jumped nearly as high as the roof."},
    {"{a}连说了五遍“太好了”。", "{a} said “How lovely” five times over."},
    {"{a}想马上告诉全世界。", "{a} wanted to tell the whole world about it."},
};
static const Words ending[] = {
    {"后来，他们成了最好的朋友。", "After that they were the best of friends."},
    {"从那以后，{p}总能听见他们的笑声。", "From then on you could always hear them laughing {p}."},
    {"月亮看着他们，什么也没说。", "The moon watched them and said nothing."},
    {"这就是{a.n}和{b.n}的故事。", "And that is the story of {a.n} and {b.n}."},
    {"“明天还一起玩吗？”{b.n}问。“当然！”{a.n}说。", "“Shall we play again tomorrow?” asked {b.n}. “Of course!” said {a.n}."},
    {"一直到今天，他们还常常说起这件事。", "To this day they often talk about it."},
    {"回家的路上，两个影子长长的，靠在一起。", "On the way home their two shadows were long and close together."},
    {"晚饭的时候，这件事又讲了一遍。", "At supper the story was told once more."},
    {"第二天，他们又在{p}见面了。", "The next day they met {p} again."},
    {"“这样的一天真好，”{b.n}说。", "“What a good day it was,” said {b.n}."},
};
static const Words company[] = {
    {"这时候，{b.n}走了过来。", "Just then {b.n} came along."},
    {"{b}听说了，马上赶来帮忙。", "{b} heard of it and came at once to help."},
    {"路上，{a.n}碰见了{b.n}。", "On the way {a.n} met {b.n}."},
    {"{b.n}正好路过，停了下来。", "{b} happened to pass by and stopped."},
    {"“出什么事了？”{b.n}问。", "“What is the matter?” asked {b.n}."},
};

// ---------------------------------------------------------------- lost and found
static const Beat lost_beats[] = {
    OF(50, intro),
    EFFECT("t=p", {"{a}有{t.i}，走到哪里都带着。", "{a} had {t.i} and took it everywhere."}, {"{a}最宝贝的东西是{t.i}。", "What {a} loved best was {t.i}."},
         {"生日那天，{a}得到了{t.i}。", "{a} had been given {t.i} for a birthday."}, {"{a}用省下的钱买了{t.i}。", "{a} had saved up and bought {t.i}."},
         {"奶奶送给{a}{t.i}。", "Granny had given {a.o} {t.i}."}),
    EFFECT("t=q", {"{m}，{t}不见了！", "{m} {t} was gone!"}, {"可是{m}，{a}发现{t}丢了。", "But {m} {a} found that {t} was lost."},
         {"{m}，{a}伸手一摸，{t}没有了。", "{m} {a} reached for {t}, and it was not there."}, {"{m}，{a}到处找{t}，哪儿也没有。", "{m} {a} looked for {t} everywhere in vain."}),
    OF(80, worry),
    ASIDE(40),
    STEP({"{a}先找{r.b}，没有；再找{p.b}，还是没有。", "{a} went to {r.b}: nothing. Then to {p.b}: nothing there either."}, {"{a}把{r.b}翻了个遍。", "{a} searched {r.b} from end to end."},
         {"{a}问了{r.b}的每一个人，谁都没看见。", "{a} asked everyone at {r.b}, but nobody had seen it."}, {"{a}沿着来时的路，一步一步往回找。", "{a} went back step by step along the same road."}),
    OF(100, company),
    MAYBE(70, {"“别急，”{b.n}说，“你昨天去过{q.b}吧？”", "“Don't worry,” said {b.n}. “You went to {q.b} yesterday, didn't you?”"}, {"“我们一步一步想，”{b.n}说。", "“Let us think step by step,” said {b.n}."},
         {"“我的鼻子告诉我，它不远，”{b.n}说。", "“My nose tells me it is not far away,” said {b.n}."}, {"“丢了的东西都爱躲起来，”{b.n}说。", "“Lost things like to hide,” said {b.n}."}),
    EFFECT("t=b", {"最后，{b.n}在{q}找到了{t}。", "In the end {b.n} found {t} {q}."}, {"他们走到{q.b}，{b.n}一眼就看见了{t}。", "They went to {q.b}, and {b.n} saw {t} straight away."},
         {"原来，{t}就在{q}，是{b.n}发现的。", "{t} was {q} all along, and it was {b.n} who noticed it."}),
    EFFECT("t=a", {"{b}把{t}还给了{a.n}。", "{b} gave {t} back to {a.n}."}, {"“给你，”{b.n}说着，把它~放到{a.n}手里。", "“Here you are,” said {b.n} and put it~ into {a.n}'s hands."}),
    OF(80, joy),
    OF(60, ending),
};
static const Ask lost_asks[] = {
    {0, {"谁找到了{t}？", "Who found {t}?"}, "b", "a"},
    {0, {"{t}是在哪里找到的？", "Where was {t} found?"}, "q", "r p"},
    {0, {"{t}现在在谁手里？", "Who has {t} now?"}, "@t", "a b"},
    {0, {"那{t.m}{t.b}是什么颜色的？", "What colour was the {t.b}?"}, "t.C", "u.C"},
};

// ---------------------------------------------------------------- out of reach
static const Beat stuck_beats[] = {
    STEP({"{m}，{a}在{p}玩{t.i}。", "{m} {a} was playing {p} with {t.i}."}, {"{w}。{a.n}带着{t.i}来到{p.b}。", "{w}. {a.n} came to {p.b} with {t.i}."},
         {"{m}，{a}拿着{t.i}在{p}跑来跑去。", "{m} {a} was running about {p} with {t.i}."}),
    EFFECT("t=H", {"忽然一阵大风，把{t}吹到了{H}。", "Suddenly a gust of wind carried {t} away, and there it hung, {H}."}, {"一不小心，{t}飞了出去，挂在{H}。", "By accident {t} flew off and got caught {H}."},
         {"呼的一声，{t}就到了{H}。", "Whoosh! {^t} was {H}."}),
    STEP({"{a}跳了又跳，就是够不着。", "{a} jumped and jumped but could not reach it."}, {"{a}踮起脚尖，还差一大截。", "{a} stood on tiptoe, but it was still far too high."},
         {"{a}拿来一根竹竿，可是竹竿太短了。", "{a} fetched a pole, but the pole was too short."}, {"{a}搬来一把椅子，还是不够高。", "{a} fetched a chair, but it was not high enough."}),
    STEP({"{c}说：“我来试试。”可是也不行。", "“Let me try,” said {c.n}, but could not do it either."}, {"{c}用力摇了摇，什么也没掉下来。", "{c} shook as hard as possible, but nothing fell down."},
         {"{c}扔了一块石子，没打中。", "{c} threw a stone and missed."}, {"{c}吹了一口大气，它动了动，没有下来。", "{c} blew with all might; it moved a little and stayed."}),
    ASIDE(50),
    EFFECT("t=b", {"{b}看见了，就{o}，轻轻把{t}取了下来。", "{b} saw it, {o}, and gently brought {t} down."}, {"“让开一点，”{b.n}说完，{o}，把{t}拿了下来。", "“Stand back a little,” said {b.n}, {o} and took {t} down."},
         {"{b}什么也没说，{o}，一下就拿到了。", "{b} said nothing, {o}, and had it at once."}),
    OF(80, joy),
    MAYBE(60, {"“每个人都有自己的本领，”{a.n}说。", "“Everyone is good at something,” said {a.n}."}, {"{a}请大家吃{f.b}。", "{a} treated everyone to {f.b}."},
         {"“高的地方归{b.n}管，”大家都这么说。", "“For high places, ask {b.n},” everybody agreed."}, {"{c}说：“下次我也要学。”", "“Next time I shall do it,” said {c.n}."}),
};
static const Ask stuck_asks[] = {
    {0, {"谁把{t}取了下来？", "Who brought {t} down?"}, "b", "a c"},
    {0, {"{t}挂在哪里？", "Where did {t} get caught?"}, "H", "p q"},
    {0, {"谁试过却没成功？", "Who tried and failed?"}, "c", "b"},
    {0, {"{t}现在在谁那里？", "Who has {t} now?"}, "@t", "a c"},
};

// ---------------------------------------------------------------- sharing food
static const Beat share_beats[] = {
    OF(50, intro),
    EFFECT("f=a", {"{m}，{a}做了{f.i}。", "{m} {a} made {f.i}."}, {"{m}，{a}从家里带来{f.i}。", "{m} {a} brought {f.i} from home."},
         {"{a}排了很久的队，才买到{f.i}。", "{a} stood in line for a long time to buy {f.i}."}, {"{m}，{a}打开饭盒，里面是{f.i}。", "{m} {a} opened a lunch box; inside was {f.i}."}),
    STEP({"{a}正要吃，看见{b.n}一个人坐在{q}。", "{a} was about to eat and saw {b.n} sitting alone {q}."}, {"{a}走到{q.b}，遇见了肚子咕咕叫的{b.n}。", "At {q.b} {a.n} met {b.n}, whose stomach was rumbling."},
         {"闻到香味，{b.n}从{q.b}那边跑了过来。", "{b} smelled it and came running from {q.b}."}),
    MAYBE(80, {"“你饿吗？”{a.n}问。“有一点，”{b.n}说。", "“Are you hungry?” asked {a.n}. “A little,” said {b.n}."}, {"{b}咽了咽口水，没有说话。", "{b} swallowed and said nothing."},
         {"“我今天忘了带饭，”{b.n}低着头说。", "“I forgot my lunch today,” said {b.n}, looking down."}, {"“真香啊，”{b.n}说。", "“How good it smells,” said {b.n}."}),
    IF('+', {"{a}把{f.b}分成两半，大的一半给了{b.n}。", "{a} divided {f} in two and gave the bigger half to {b.n}."}, {"“一起吃吧，”{a.n}说，“一个人吃不香。”", "“Let us eat together,” said {a.n}. “Food tastes of nothing when you are alone.”"},
         {"{a}想了想，把{f.b}推到{b.n}面前。", "{a} thought for a moment and pushed {f} over to {b.n}."}),
    IF_EFFECT('+', "g=b", {"第二天，{b.n}带来了{g.i}，说：“这次换我请你。”", "The next day {b.n} brought {g.i} and said, “Now it is my turn.”"}, {"过了几天，{b.n}送来{g.i}。", "A few days later {b.n} came with {g.i}."},
         {"到了星期天，{b.n}端来{g.i}。", "On Sunday {b.n} came with {g.i}."}),
    OF_IF('+', 80, joy),
    IF('-', {"可是{a.n}转过身，一个人把{f.b}吃光了。", "But {a.n} turned away and ate up {f} alone."}, {"{a}装作没听见，三口就吃完了。", "{a} pretended not to hear and finished in three bites."}),
    IF('-', {"晚上，{a.n}的肚子疼了起来。", "That night {a.n} had a stomach ache."}, {"吃完以后，{a.n}心里空空的。", "Afterwards {a.n} felt rather empty inside."},
         {"“真奇怪，”{a.n}想，“怎么一点也不好吃？”", "“How strange,” thought {a.n}. “Why did it not taste good at all?”"}),
    IF_EFFECT('-', "g=a", {"第二天，{a.n}做了{g.i}，亲自送给{b.n}，还说了对不起。", "The next day {a.n} made {g.i}, took it to {b.n} and said sorry."}, {"{a}去找{b.n}，手里捧着{g.i}，说：“对不起。”", "{a} went to {b.n} with {g.i} and said, “I am sorry.”"}),
    OF(50, ending),
};
static const Ask share_asks[] = {
    {0, {"开始是谁有{f.b}？", "Who had {f} at first?"}, "a", "b"},
    {0, {"后来谁带来了{g.b}？", "Who brought {g} later?"}, "@g", "a b"},
    {0, {"第二次带来的是什么？", "What was brought the second time?"}, "g.b", "f.b"},
};

// ---------------------------------------------------------------- hidden, and perhaps moved
static const Beat hide_beats[] = {
    STEP({"{m}，{a.n}和{b.n}在{p}玩。", "{m} {a.n} and {b.n} were playing {p}."}, {"{w}，{a.n}和{b.n}都待在{p}。", "{w}, and {a.n} and {b.n} stayed {p}."}, {"{m}，{p}只有{a.n}和{b.n}。", "{m} there was nobody {p} but {a.n} and {b.n}."}),
    EFFECT("t=k a-", {"{a}把{t}放进{k}里，就出门了。", "{a} put {t} into {k} and went out."}, {"{a}把{t}藏在{k.i}，然后去喝水。", "{a} hid {t} {k.i} and went for a drink of water."},
         {"“别动我的{t.b}，”{a.n}说着，把它收进{k}里，走了。", "“Leave my {t.b} alone,” said {a.n}, put it into {k} and left."}),
    IF_EFFECT('+', "t=l", {"{a}一走，{b.n}就把{t}挪到了{l.i}。", "As soon as {a.n} had gone, {b.n} moved {t} to {l}."}, {"{b}想开个玩笑，悄悄把{t}换到{l.i}。", "For a joke {b.n} quietly put {t} into {l} instead."},
         {"{b}打开{k}看了看，把{t}拿出来，放进了{l}里。", "{b} looked into {k}, took {t} out and put it into {l}."}),
    IF('-', {"{b}看了看{l}，可是什么也没动。", "{b} looked at {l} but touched nothing."}, {"{b}在一旁{x}，没有理会。", "{b} was {x.g} and paid no attention."}, {"{b}摸了摸{l}，又走开了。", "{b} felt {l} and walked away again."}),
    ASIDE(60),
    EFFECT("a+", {"{a}回来了，先去看{k}。", "{a} came back and went first to {k}."}, {"过了一会儿，{a.n}回来，打开了{k}。", "After a while {a.n} came back and opened {k}."}, {"没多久，{a.n}跑回来，伸手去摸{k}。", "Soon {a.n} came running back and reached for {k}."}),
    IF('+', {"里面空空的！{b.n}忍不住笑出声来。", "It was empty! {^b.n} could not help laughing."}, {"“咦？哪儿去了？”{a.n}挠挠头。", "“Oh? Where has it gone?” {a.n} wondered."}, {"{a}翻了三遍，什么也没有。", "{a} looked three times and found nothing."}),
    IF('+', {"“在{l.i}呢，”{b.n}说。", "“It is {l.i},” said {b.n}."}, {"{b}指了指{l}。", "{b} pointed to {l}."}),
    IF('-', {"{t}还好好地在那里。", "{t} was still there, quite safe."}, {"“还在！”{a.n}放心了。", "“Still here!” said {a.n}, much relieved."}, {"什么都没变，{a.n}笑了。", "Nothing had changed, and {a.n} smiled."}),
};
static const Ask hide_asks[] = {
    {0, {"{t}现在在哪里？", "Where is {t} now?"}, "@t", "k l"},
    {0, {"{a}回来的时候，以为{t}在哪里？", "Where did {a.n}, coming back, think {t} was?"}, "a@t", "k l"},
    {'+', {"谁挪动了{t}？", "Who moved {t}?"}, "b", "a"},
};

// ---------------------------------------------------------------- a race
static const Beat race_beats[] = {
    STEP({"{a.n}和{b.n}要比一比，看谁先跑到{p.b}。", "{a.n} and {b.n} wanted to see who could be first to reach {p.b}."}, {"“敢不敢比赛？”{a.n}说。“比就比！”{b.n}说。", "“Do you dare to race me?” said {a.n}. “I do!” said {b.n}."},
         {"{m}，{a.n}和{b.n}站在起跑线上。", "{m} {a.n} and {b.n} stood at the starting line."}),
    STEP({"奖品是{f.i}。", "The prize was {f.i}."}, {"{c}当裁判，喊：“一、二、三，跑！”", "{c} was the judge and called, “One, two, three, go!”"}, {"大家都来看，连{c.n}也来了。", "Everybody came to watch, even {c.n}."}),
    STEP({"开始，{L.n}跑在前面。", "At first {L.n} was ahead."}, {"{L}跑得太急，在{q}摔了一跤。", "{L} ran too fast and fell over {q}."}, {"半路上，{L.n}停下来{x}。", "Halfway there {L.n} was seen {x.g}."}, {"{L}一边跑一边回头看。", "{L} kept looking back while running."}),
    ASIDE(40),
    STEP({"{W}一步也没有停。", "{W} did not stop once."}, {"{W}不慌不忙，一步一步往前走。", "{W} went on without hurry, step by step."}, {"{W}咬着牙往前冲。", "{W} set both eyes on the goal and ran."}),
    EFFECT("f=W", {"结果，{W.n}赢了{L.n}。", "In the end {W.n} beat {L.n}."}, {"{W}先到了{p.b}，{L.n}晚了一步。", "{W} got to {p.b} first, and {L.n} was a step too late."}, {"只差一步，{W.n}赢了。", "{W} won by a single step."}),
    MAYBE(80, {"{W}把奖品分给{L.n}一半。", "{W} gave {L.n} half of the prize."}, {"“下次我一定赢！”{L.n}说。", "“Next time I shall win!” said {L.n}."}, {"{L.n}和{W.n}握了握手，一点也不生气。", "{L} shook hands with {W.n} and was not angry at all."}),
};
static const Ask race_asks[] = {
    {0, {"谁赢了？", "Who won?"}, "W", "L"},
    {0, {"谁输了？", "Who lost?"}, "L", "W"},
};

// ---------------------------------------------------------------- a bargain
static const Beat swap_beats[] = {
    EFFECT("t=a u=b", {"{a}有{t.i}，{b.n}有{u.i}。", "{a} had {t.i}, and {b.n} had {u.i}."}, {"{b}得到了{u.i}，{a.n}只有{t.i}。", "{b} had been given {u.i}; all that {a.n} had was {t.i}."}),
    STEP({"{m}，他们在{p}碰了面。", "{m} they met {p}."}, {"{a}早就想要{u}了。", "{a} had long wished for {u}."}, {"{m}，{a}看了{u}好几眼。", "{m} {a} looked at {u} again and again."}),
    STEP({"“我用{t}换你的{u.b}，好不好？”{a.n}问。", "“Will you take {t} for your {u.b}?” asked {a.n}."}, {"“我们换一换吧，”{a.n}说。", "“Let us swap,” said {a.n}."}),
    IF('+', {"{b}想了想，点点头。", "{b} thought about it and nodded."}, {"“好呀！”{b.n}马上答应了。", "“Oh yes!” said {b.n} at once."}, {"“一言为定，”{b.n}说。", "“It is a bargain,” said {b.n}."}),
    IF_EFFECT('+', "t=b u=a", {"于是{a.n}拿走了{u}，{b.n}拿走了{t}。", "So {a.n} took {u} and {b.n} took {t}."}, {"他们一手交{t.b}，一手交{u.b}。", "The {t.b} and the {u.b} changed hands."}),
    IF('+', {"双方都觉得自己占了便宜。", "Both of them thought they had the better bargain."}, {"回家的路上，{a.n}一直抱着{u}。", "All the way home {a.n} hugged {u}."}),
    IF('-', {"“不行，”{b.n}摇摇头，“这是奶奶给我的。”", "“No,” said {b.n}. “It was a present from my grandmother.”"}, {"{b}抱紧了{u}，摇了摇头。", "{b} held on to {u} and would not."}),
    IF('-', {"{a}没有生气，说：“那借我看一看就好。”", "{a} was not angry and said, “Then just let me look at it.”"}, {"“没关系，”{a.n}说。", "“Never mind,” said {a.n}."}, {"{a}把{t}擦得更亮了。", "{a} polished {t} until it shone."}),
    ASIDE(40),
};
static const Ask swap_asks[] = {
    {0, {"现在{t}在谁那里？", "Who has {t} now?"}, "@t", "a b"},
    {0, {"现在{u}在谁那里？", "Who has {u} now?"}, "@u", "a b"},
    {0, {"开始{t}是谁的？", "Whose was {t} at first?"}, "a", "b"},
};

// ---------------------------------------------------------------- a noise at night
static const Beat night_beats[] = {
    OF(40, intro),
    STEP({"半夜里，{a}听见一个声音：{V}。", "In the middle of the night {a} heard a noise: {V}."}, {"灯刚熄，{p}就响起来：{V}。", "The light was hardly out when a noise began {p}: {V}."}, {"天黑得什么也看不见。忽然：{V}！", "It was pitch dark. Suddenly: {V}!"}),
    STEP({"{a}把头缩进被子里。", "{a} crept right under the blanket."}, {"“是谁？”没有人回答。", "“Who is there?” Nobody answered."}, {"{a.n}的心跳得像小鼓。", "The heart of {a.n} beat like a little drum."}, {"“是妖怪吗？”{a.n}想。", "“Is it a monster?” thought {a.n}."}),
    STEP({"{b}也醒了，说：“我们一起去看看。”", "{b} was awake too and said, “Let us go and look together.”"}, {"{a}叫醒了{b.n}，两个伙伴拿着{t}出了门。", "{a} woke {b.n}, and they went out together with {t}."}, {"{a}敲了敲{b.n}的门，两个人一起往外走。", "{a} knocked at {b.n}'s door, and they went out together."}),
    ASIDE(40),
    STEP({"他们走到{q.b}一看，原来是{S}。", "They went as far as {q.b} and looked. It was only this: {S}."}, {"原来没有什么妖怪，是{S}。", "There was no monster at all; {S}."}, {"“哦，”{b.n}说，“是{S}。”", "“Oh,” said {b.n}, “it is nothing: {S}.”"}),
    STEP({"“哈哈，白害怕了！”{a.n}说。", "“Ha, all that fright for nothing!” said {a.n}."}, {"从那天起，{a.n}再也不怕黑了。", "From that day on {a.n} was no longer afraid of the dark."}, {"他们笑着回去睡觉，一觉睡到天亮。", "They went back to bed laughing and slept till morning."}),
};
static const Ask night_asks[] = {
    {0, {"谁跟{a.n}一起去看？", "Who went with {a.n} to look?"}, "b", "c"},
    {0, {"他们听见的是什么声音？", "What was the noise like?"}, "V", "U"},
};

// ---------------------------------------------------------------- a seed
static const Beat plant_beats[] = {
    EFFECT("s=a", {"{a}在{p}种下一颗{s}种子。", "{a} planted a {s} seed {p}."}, {"{m}，{a}挖了一个小坑，放进一颗{s}种子。", "{m} {a} dug a little hole and dropped in a {s} seed."}, {"{a}捡到一颗{s}种子，把它埋在{p}。", "{a} found a {s} seed and buried it {p}."}),
    STEP({"第一天，没有动静。第二天，还是没有动静。", "On the first day nothing happened. On the second day nothing happened either."}, {"{a}每天来看三次。", "{a} came to look three times a day."}, {"{a}给它浇水，还给它讲笑话。", "{a} watered it and told it jokes."}),
    STEP({"“它是不是睡着了？”{b.n}问。", "“Has it gone to sleep?” asked {b.n}."}, {"“要不要挖出来看看？”{b.n}问。“不行！”{a.n}说。", "“Shall we dig it up and look?” asked {b.n}. “No!” said {a.n}."}, {"{b}唱歌给种子听。", "{b} sang to the seed."}, {"“也许它怕冷，”{b.n}说，给它盖了一片叶子。", "“Perhaps it is cold,” said {b.n} and covered it with a leaf."}),
    ASIDE(50),
    STEP({"到了第{n.o}天，土里钻出一片嫩芽。", "On day {n} a small green shoot came out of the earth."}, {"下过一场雨，第{n.o}天早上，绿芽冒出来了。", "It rained, and on the morning of day {n} there was a green tip."}, {"第{n.o}天，一点绿色顶开了泥土。", "On day {n} something green pushed the earth aside."}),
    STEP({"秋天，{a.n}收了满满一筐{s}，送给{b.n}最大的一个。", "In autumn {a.n} carried home a whole basket and gave {b.n} the biggest."}, {"“原来等待也会长大，”{a.n}说。", "“So waiting can grow too,” said {a.n}."}, {"到了秋天，大家都来吃{s}。", "In autumn everybody came to eat."}),
};
static const Ask plant_asks[] = {
    {0, {"芽是第几天冒出来的？", "On which day did the shoot appear?"}, "n.O", "z.O"},
    {0, {"谁种下了种子？", "Who planted the seed?"}, "a", "b"},
    {0, {"种的是什么？", "What was planted?"}, "s", "i"},
};

// ---------------------------------------------------------------- the wrong parcel
static const Beat parcel_beats[] = {
    EFFECT("t=a", {"{m}，邮递员给{a.n}送来一个大包裹~。", "{m} the postman brought {a.n} a big parcel~."}, {"{a}家门口放着一个包裹~。", "A parcel~ was lying at the door of {a.n}."}, {"一个绿色的包裹在{p}等着{a.n}~。", "A green parcel~ was waiting {p} for {a.n}."}),
    STEP({"{a}打开一看，里面是{t.i}。", "{a} opened it, and inside was {t.i}."}, {"“一定是给我的！”{a.n}说。打开一看，是{t.i}。", "“That must be for me!” said {a.n}. Inside was {t.i}."}, {"剪开绳子，揭开纸，露出{t.i}。", "The string was cut, the paper unfolded, and out came {t.i}."}),
    STEP({"可是纸条上写着：“送给{c.n}。”", "But the note said, “For {c.n}.”"}, {"盒底有一张卡片，上面是{c.n}的名字。", "At the bottom was a card with the name of {c.n} on it."}),
    OF(80, worry),
    STEP({"{b}说：“要是你丢了礼物，会怎么想？”", "{b} said, “How would you feel if your present got lost?”"}, {"{a}问{b.n}该怎么办，{b.n}只说了一个字：“送。”", "{a} asked {b.n} what to do, and {b.n} said just two words: “Take it.”"}, {"“它要找的是别人，”{b.n}说。", "“It is looking for somebody else,” said {b.n}."}),
    EFFECT("t=c", {"于是{a.n}走了很远的路，到{q.b}，把{t}交给了{c.n}。", "So {a.n} walked all the way to {q.b} and handed {t} to {c.n}."}, {"{a}重新包好，跑到{q.b}，亲手交给{c.n}。", "{a} wrapped it up again, ran to {q.b} and gave it to {c.n}."}),
    STEP({"{c}又惊又喜，连声道谢。", "{c} was surprised and delighted and said thank you again and again."}, {"“谢谢你，{a.v}，”{c.n}说。", "“Thank you, {a.v},” said {c.n}."}, {"{c}高兴得说不出话，只好给了{a.n}一个拥抱。", "{c} could not speak for joy and hugged {a.n} instead."}),
};
static const Ask parcel_asks[] = {
    {0, {"包裹是给谁的？", "Who was the parcel for?"}, "c", "a b"},
    {0, {"包裹里是什么？", "What was in the parcel?"}, "t.i", "u.i"},
    {0, {"现在谁有{t}？", "Who has {t} now?"}, "@t", "a b"},
};

// ---------------------------------------------------------------- a picnic: who brought what
#define BROUGHT(x, y) {"{" #x ".n}带来了{" #y ".i}。", "{" #x ".n} brought {" #y ".i}."}, {"{" #x ".n}拿出{" #y ".i}。", "{" #x ".n} took out {" #y ".i}."}, \
    {"{" #x ".n}准备的是{" #y ".i}。", "{" #x ".n} had prepared {" #y ".i}."}, {"{" #x ".n}的篮子里是{" #y ".i}。", "In the basket of {" #x ".n} was {" #y ".i}."}
static const Beat picnic_beats[] = {
    STEP({"{m}，大家约好在{p}野餐。", "{m} everybody met {p} for a picnic."}, {"{w}。大家决定去{p.b}吃饭。", "{w}. Everybody decided to eat {p}."}, {"{m}，{p}铺开了一块大桌布。", "{m} a big tablecloth was spread {p}."}),
    EFFECT("f=a", BROUGHT(a, f)), EFFECT("g=b", BROUGHT(b, g)), EFFECT("h=c", BROUGHT(c, h)),
    IF_EFFECT('+', "I=d", BROUGHT(d, I)), IF_EFFECT('+', "J=e", BROUGHT(e, J)),
    ASIDE(60), ASIDE(40), ASIDE(20),
    STEP({"吃得最快的是{g.b}，{b.n}带来的。", "{g} went first; it was {b.n} who had brought that."}, {"“谁带的{f.b}？”“是我，”{a.n}说。", "“Who brought {f}?” “I did,” said {a.n}."}, {"{c.n}带的{h.b}只剩下一点点。", "Only a little was left of {h} that {c.n} had brought."},
         {"“{f.b}最好吃，”{b.n}说。", "“I like {f} best,” said {b.n}."}),
    MAYBE(50, {"蚂蚁也来了，排着队。", "The ants came too, all in a row."}, {"吃完以后，大家躺下来看云。", "Afterwards they all lay down and looked at the clouds."}, {"最后，连碎渣都喂了鸟。", "In the end even the crumbs went to the birds."}),
};
static const Ask picnic_asks[] = {
    {0, {"谁带来了{f.b}？", "Who brought {f}?"}, "@f", "a b c"}, {0, {"谁带来了{g.b}？", "Who brought {g}?"}, "@g", "a b c"},
    {0, {"谁带来了{h.b}？", "Who brought {h}?"}, "@h", "a b c"}, {'+', {"谁带来了{I.b}？", "Who brought {I}?"}, "@I", "a b d"},
    {'+', {"谁带来了{J.b}？", "Who brought {J}?"}, "@J", "c d e"},
};

// ---------------------------------------------------------------- lent, and brought back or not
static const Beat lend_beats[] = {
    EFFECT("t=a", {"{a}有{t.i}，谁见了都喜欢。", "{a} had {t.i} that everybody admired."}, {"{a}把{t.i}擦得亮亮的。", "{a} had polished {t.i} until it shone."}),
    EFFECT("t=b", {"{m}，{b}来借{t}。“明天就还，”{b.n}说。", "{m} {b} came to borrow {t}. “You shall have it back tomorrow,” said {b.n}."}, {"“能借我用一天吗？”{b.n}问。{a.n}把{t}递了过去。", "“May I have it for a day?” asked {b.n}. {^a.n} handed over {t}."}),
    ASIDE(50),
    IF_EFFECT('+', "t=a", {"第二天一早，{b.n}就把{t}还了回来，还多带了{f.i}。", "Early the next morning {b.n} brought {t} back, and {f.i} as well."}, {"太阳还没下山，{b.n}就送回了{t}。", "Before the sun was down {b.n} had brought {t} back."}),
    IF('+', {"“有借有还，”{a.n}说，“下次还借给你。”", "“You may have it again,” said {a.n}."}, {"{a}数了数，什么也没少。", "{a} looked it over, and nothing was missing."}),
    IF('-', {"一天过去了，三天过去了，{b.n}还没有来。", "A day went by, and three days, and {b.n} did not come."}, {"到了第二天，{b.n}却忘得干干净净。", "But the next day {b.n} had forgotten all about it."}),
    IF('-', {"“哎呀，”{b.n}一拍脑袋，“{t}还在我家{k.i}呢！”", "“Oh dear,” said {b.n}. “{^t} is still at my house, {k.i}!”"}, {"{b}红着脸说：“我还想再用一天。”", "{b} went red and said, “I would like to keep it one day longer.”"}),
    IF('-', {"“那你再用一天吧，”{a.n}说。", "“Then keep it one more day,” said {a.n}."}, {"{a}叹了口气，答应了。", "{a} sighed and agreed."}),
};
static const Ask lend_asks[] = {
    {0, {"{t}现在在谁那里？", "Who has {t} now?"}, "@t", "a b"},
    {0, {"{t}是谁的？", "Whose is {t}?"}, "a", "b"},
    {0, {"谁来借东西？", "Who came to borrow something?"}, "b", "a"},
};

// ---------------------------------------------------------------- a thing goes round
static const Beat pass_beats[] = {
    EFFECT("t=a", {"{m}，{a}在{p}捡到{t.i}。", "{m} {a} found {t.i} {p}."}, {"{a.n}的口袋里有{t.i}，可是{a.p}用不着。", "{a} had {t.i} but no use for it."}),
    EFFECT("t=b", {"{a}把{t}送给了{b.n}。", "{a} gave {t} to {b.n}."}, {"“这个你用得着，”{a.n}说，把{t}给了{b.n}。", "“You can use this,” said {a.n} and gave {t} to {b.n}."}),
    STEP({"{b}走到{q.b}，遇见了{c.n}。", "At {q.b} {b.n} met {c.n}."}, {"{b}看见{c.n}在{q}发愁。", "{b} saw {c.n}, who sat worrying {q}."}),
    ASIDE(40),
    IF_EFFECT('+', "t=c", {"“给你吧，”{b.n}说，于是{t}归了{c.n}。", "“Take it,” said {b.n}, and so {t} went to {c.n}."}, {"{b}想都没想，就把{t}递给了{c.n}。", "{b} did not think twice and handed {t} to {c.n}."}),
    IF_EFFECT('+', "u=b", {"{c}高兴极了，回送了{b.n}{u.i}。", "{c} was overjoyed and gave {b.n} {u.i} in return."}, {"{c}没有别的，就把{u.i}送给了{b.n}。", "{c} had nothing but {u.i}, and gave that to {b.n}."}),
    IF('-', {"{c}也想要，可是{b.n}把{t}藏到了身后。", "{c} wanted it too, but {b.n} would not part with {t}."}, {"“借我看看，”{c.n}说。{b.n}让{c.n}摸了一下，又收好了。", "“Let me see,” said {c.n}. {^b.n} let {c.n} touch it and put it away again."}),
    OF(30, ending),
};
static const Ask pass_asks[] = {
    {0, {"{t}最后在谁手里？", "Who has {t} in the end?"}, "@t", "a b c"},
    {0, {"{t}是谁先捡到的？", "Who had {t} first?"}, "a", "b c"},
    {'+', {"谁得到了{u}？", "Who was given {u}?"}, "@u", "a c"},
};

// ---------------------------------------------------------------- who ate it?
static const Beat thief_beats[] = {
    EFFECT("f=k", {"{m}，{a}把{f.i}放在{k.i}。", "{m} {a} put {f.i} {k.i}."}, {"{a}做好{f.i}，收在{k.i}，要等晚上吃。", "{a} made {f.i} and put everything {k.i} for supper."}),
    STEP({"等{a.n}再来看，{f.b}没有了！", "When {a.n} looked again, {f} {f.w} gone!"}, {"晚上打开一看，里面只有一点碎渣。", "In the evening nothing was there but a few crumbs."}),
    STEP({"“不是我，”{c.n}说，“我一直在{x}。”", "“It was not me,” said {c.n}. “I was {x.g} all day.”"}, {"{c}连忙摇头：“我不爱吃{f.b}。”", "{c} quickly said, “I do not even like {f.b}.”"}),
    STEP({"{b}不说话，嘴边却有一点{f.b}。", "{b} said nothing, but there was a bit of {f.b} on {b.g} lips."}, {"{a}看见{b.n}的口袋鼓鼓的。", "{a} saw that {b.n} had bulging pockets."}, {"地上的脚印一直通到{b.n}那里。", "The footprints on the floor led straight to {b.n}."}),
    STEP({"“是我吃的，”{b.n}低下头说，“太香了。”", "“I ate it,” said {b.n}, looking at the floor. “It smelled too good.”"}, {"“对不起，”{b.n}说，“我只想尝一口。”", "“I am sorry,” said {b.n}. “I only wanted a taste.”"}),
    STEP({"“下次你要先问，”{a.n}说。", "“Next time you must ask first,” said {a.n}."}, {"{a}笑了：“那你帮我再做一份吧。”", "{a} laughed and said, “Then help me to make more.”"}),
};
static const Ask thief_asks[] = {
    {0, {"{f.b}是谁吃的？", "Who ate {f}?"}, "b", "c a"},
    {0, {"{f.b}原来放在哪里？", "Where had {f} been?"}, "k", "l"},
    {0, {"谁没有吃？", "Who had not eaten it?"}, "c", "b"},
};

// ---------------------------------------------------------------- lost in the fog
static const Beat fog_beats[] = {
    OF(40, intro),
    STEP({"{m}，{a}从{p.b}回家，走着走着起了大雾~。", "{m} {a} was going home from {p.b} when a thick fog~ came down."}, {"雾大得连自己的脚都看不见，{a}迷路了。", "The fog~ was so thick that {a} could not see the ground and was lost."}),
    OF(70, worry),
    STEP({"忽然，前面有一点亮光，是{b.n}提着{t.i}。", "Suddenly there was a light ahead: it was {b.n} with {t.i}."}, {"“跟着我的声音走，”{b.n}在雾里喊。", "“Follow my voice,” called {b.n} out of the fog."}, {"雾里伸出一只手，是{b.n}。", "A hand came out of the fog: it was {b.n}."}),
    STEP({"他们一前一后，慢慢走过了{q.b}。", "One behind the other they walked slowly past {q.b}."}, {"走过{q.b}，再往左拐，就看见灯了。", "Past {q.b}, then to the left, and there was a lamp in a window."}),
    STEP({"“到家了！”{a.n}松了一口气。", "“Home!” said {a.n} with a sigh of relief."}, {"到了门口，{a.n}请{b.n}进去尝尝{f.b}。", "At the door {a.n} asked {b.n} in for {f.b}."}, {"“以后我们一起走，”{a.n}说。", "“From now on let us walk together,” said {a.n}."}),
};
static const Ask fog_asks[] = {
    {0, {"谁迷路了？", "Who was lost?"}, "a", "b"},
    {0, {"谁带的路？", "Who showed the way?"}, "b", "a"},
    {0, {"他们经过了哪里？", "What did they pass?"}, "q.b", "r.b"},
};

// ---------------------------------------------------------------- a birthday kept secret
static const Beat birthday_beats[] = {
    STEP({"今天是{a.n}的生日，可是谁也没提。", "It was {a.n}'s birthday, but nobody said a word about it."}, {"{m}，{a}想：“大家都忘了我的生日。”", "{m} {a} thought, “Everybody has forgotten my birthday.”"}),
    STEP({"{b}说没空，急急忙忙往{p.b}跑。", "{b} had no time and hurried off to {p.b}."}, {"“我要去{x}，”{b.n}说完就走了。", "“I shall be busy,” said {b.n}, “{x.g},” and was gone."}),
    STEP({"{c}也不在家。", "{c} was not at home either."}, {"{c}看见{a.n}，转身就跑。", "{c} saw {a.n}, turned round and ran."}),
    OF(60, worry),
    STEP({"傍晚，{a.n}走到{p.b}，门一开，大家一起喊：“生日快乐！”", "Towards evening {a.n} came to {p.b}. The door opened, and everybody cried, “Happy birthday!”"}, {"忽然灯亮了，{p}挂满了彩带。", "Suddenly the lamps went on; {p} everything was hung with ribbons."}),
    EFFECT("t=a", {"{b}送的是{t.i}，{c.n}端来了{f.i}。", "{b} gave {a.n} {t.i}, and {c.n} came with {f.i}."}, {"礼物是{b.n}的{t.i}和{c.n}的{f.i}。", "The presents were {t.i} from {b.n} and {f.i} from {c.n}."}),
    OF(90, joy),
};
static const Ask birthday_asks[] = {
    {0, {"谁送了{t}？", "Who gave {t}?"}, "b", "c"},
    {0, {"谁带来了{f.b}？", "Who brought {f}?"}, "c", "b"},
    {0, {"今天是谁的生日？", "Whose birthday was it?"}, "a", "b c"},
    {0, {"{c}带来了什么？", "What did {c.n} bring?"}, "f.b", "g.b"},
};

// ---------------------------------------------------------------- a quarrel and its judge
static const Beat quarrel_beats[] = {
    EFFECT("t=p", {"{m}，{a.n}和{b.n}同时看见了{p}的{t.i}。", "{m} {a.n} and {b.n} both saw {t.i} {p}."}, {"{p}有{t.i}，{a.n}和{b.n}都想要。", "There was {t.i} {p}, and both {a.n} and {b.n} wanted it."}),
    STEP({"“是我先看见的！”{a.n}说。“是我先拿到的！”{b.n}说。", "“I saw it first!” said {a.n}. “I touched it first!” said {b.n}."}, {"一个拉这头，一个拉那头，谁也不放手。", "One pulled at one end, one at the other, and neither let go."}),
    STEP({"他们去找{c.n}评理。", "They went to {c.n} to be judged."}, {"{c}走过来，说：“让我听听。”", "{c} came and said, “Let me hear it.”"}),
    IF_EFFECT('+', "t=a", {"{c}问：“上面有什么记号？”只有{a.n}答得出来，{t}就给了{a.n}。", "{c} asked, “What mark is on it?” Only {a.n} could tell, and so {t} went to {a.n}."}, {"{c}让他们猜一个数，{a.n}猜对了，拿走了{t}。", "{c} let them guess a number; {a.n} was right and took {t}."}),
    IF_EFFECT('-', "t=c", {"{c}说：“谁也别争了，先放在我这里。”就把{t}收走了。", "“No more of this,” said {c.n}. “I shall keep it,” and took {t} away."}, {"趁他们吵架，{c.n}说：“这本来就是我丢的。”拿起{t}走了。", "While they were shouting, {c.n} said, “It was I who had lost it,” and walked off with {t}."}),
    STEP({"他们互相看了看，都笑了。", "They looked at each other and had to laugh."}, {"“对不起，”他们一起说。", "“Sorry,” they said, both at once."}, {"回家的路上，谁也没有再提这件事。", "On the way home nobody spoke of it again."}),
    OF(30, ending),
};
static const Ask quarrel_asks[] = {
    {0, {"{t}最后归了谁？", "Who got {t} in the end?"}, "@t", "a b c"},
    {0, {"谁来评理？", "Who was the judge?"}, "c", "a b"},
};

// ---------------------------------------------------------------- across the water
static const Beat ferry_beats[] = {
    EFFECT("t=p", {"{m}，{a}站在河边发愁：{t}在对岸。", "{m} {a} stood by the river, worried: {t} was on the other side."}, {"{a}要过河去拿{t}，可是桥断了~。", "~{a} had to cross the river to fetch {t}, but the bridge was down."}),
    STEP({"“水太深了，”{c.n}说，“我可不敢。”", "“The water is too deep,” said {c.n}. “I dare not.”"}, {"{c}用脚试了试水，又缩了回来。", "{c} tried the water with one foot and drew it back."}),
    ASIDE(40),
    EFFECT("t=b", {"{b}扑通一声跳下水，游到对岸，拿到了{t}。", "{b} jumped in with a splash, swam across and took {t}."}, {"“这有什么难的？”{b.n}说完就游了过去，把{t}拿上了。", "“What is so hard about that?” said {b.n}, swam over and picked up {t}."}),
    EFFECT("t=a", {"不一会儿，{t}就到了{a.n}手里。", "Soon {t} was in the hands of {a.n}."}, {"{b}游回来，把{t}交给{a.n}。", "{b} swam back and gave {t} to {a.n}."}),
    STEP({"“你连尾巴都湿了，”{a.n}说，赶紧拿来毛巾。", "“You are wet all over,” said {a.n} and fetched a towel."}, {"{a}请{b.n}吃了{f.b}。", "{a} treated {b.n} to {f.b}."}, {"{c}在一旁拍手。", "{c} stood by and clapped."}),
};
static const Ask ferry_asks[] = {
    {0, {"谁游过了河？", "Who swam across the river?"}, "b", "a c"},
    {0, {"谁不敢下水？", "Who did not dare?"}, "c", "b"},
    {0, {"{t}现在在谁手里？", "Who has {t} now?"}, "@t", "b c"},
};

// ---------------------------------------------------------------- digging for treasure
static const Beat treasure_beats[] = {
    STEP({"{m}，{a}在{k.i}发现一张旧地图。", "{m} {a} found an old map {k.i}."}, {"{a}买了一本旧书，里面夹着一张地图~。", "~{a} bought an old book, and out fell a map."}),
    STEP({"地图上，{p.b}画着一个红叉~。", "~On the map there was a red cross at {p.b}."}, {"红叉就画在{p.b}的位置~。", "~A red cross marked {p.b}."}),
    STEP({"{a}叫上{b.n}，扛着铁锹去了。", "{a} called {b.n}, and off they went with a spade."}, {"“我来挖，”{b.n}说，“你来看地图。”", "“I shall dig,” said {b.n}, “and you read the map.”"}),
    ASIDE(40),
    STEP({"{b}挖了{n}个坑，什么也没有。", "{b} dug {n} holes and found nothing."}, {"挖到第{n.o}个坑，铁锹碰到了硬东西。", "At hole number {n} the spade struck something hard."}),
    EFFECT("t=b", {"最后挖出来的是{t.i}。", "What {b.n} dug up in the end was {t.i}."}, {"{b}从土里捧出{t.i}。", "Out of the earth {b.n} lifted {t.i}."}),
    STEP({"“不是金子，”{a.n}说，“可是比金子好玩。”", "“It is not gold,” said {a.n}, “but it is more fun than gold.”"}, {"他们把坑填好，又在原处埋了{f.i}，留给后来的人。", "They filled the hole and buried {f.i} there for those who come later."}),
};
static const Ask treasure_asks[] = {
    {0, {"谁挖的坑？", "Who did the digging?"}, "b", "a"},
    {0, {"挖出来的是什么？", "What was dug up?"}, "t.i", "u.i"},
    {0, {"红叉画在哪里？", "Where was the red cross?"}, "p.b", "q.b"},
};

// ---------------------------------------------------------------- stage fright
static const Beat stage_beats[] = {
    OF(40, intro),
    STEP({"{m}，学校要开演唱会，{a}要第一个上台。", "{m} there was to be a concert, and {a} was to sing first."}, {"{a}在家唱得很好，一上台就忘了词。", "{a} sang well at home, but on the stage every word was gone."}),
    STEP({"{a}的腿一直在发抖。", "{a} stood there with trembling knees."}, {"“我不行，”{a}说。", "“I cannot do it,” said {a}."}, {"台下一片安静，只听见有人咳嗽。", "It was quite still below; somebody coughed."}),
    STEP({"{b}从第一排站起来，轻轻跟着哼。", "{b} stood up in the front row and softly began to hum."}, {"“看着我，”{b.n}小声说，“就当只有我在听。”", "“Look at me,” whispered {b.n}. “Sing as if I were the only one.”"}),
    STEP({"{a}深吸一口气，唱了起来，越唱越响。", "{a} took a deep breath and sang, louder and louder."}, {"第一句很小声，第二句就响了。", "The first line was very soft; the second one was not."}),
    STEP({"掌声像下雨一样。", "The applause was like rain."}, {"{c}把{t.i}扔到台上，喊：“再来一个！”", "{c} threw {t.i} onto the stage and cried, “Once more!”"}),
    OF(60, joy),
};
static const Ask stage_asks[] = {
    {0, {"谁上台唱歌？", "Who had to sing?"}, "a", "b c"},
    {0, {"谁帮了忙？", "Who helped?"}, "b", "a"},
};

// ---------------------------------------------------------------- the catch of the day
static const Beat fishing_beats[] = {
    STEP({"{m}，{a.n}和{b.n}去河边钓鱼。", "{m} {a.n} and {b.n} went fishing in the river."}, {"{w}。{a.n}和{b.n}坐在河边，一人一根鱼竿。", "{w}. {a.n} and {b.n} sat by the river, each with a rod."}),
    STEP({"等啊等，浮标~一动也不动。", "~They waited and waited, and the float did not move."}, {"过了{n}个钟头，连一条小鱼也没有~。", "~After {n} hours there was not even a small fish."}, {"{b}一边等，一边{x}。", "{b} passed the time {x.g}."}),
    ASIDE(40),
    EFFECT("t=W", {"忽然，{W.n}的鱼竿弯了！拉上来一看，是{t.i}。", "Suddenly {W.n} had a bite! Out of the water came {t.i}."}, {"{W}用力一拉，钓上来{t.i}。", "{W} pulled hard and landed {t.i}."}),
    STEP({"{L}只钓到一把水草。", "{L} caught nothing but weeds."}, {"{L.n}的钩子上什么也没有。", "There was nothing at all on {L.n}'s hook."}, {"“这也算鱼吗？”{L.n}笑得直不起腰。", "“Is that a fish?” said {L.n}, helpless with laughter."}),
    STEP({"晚饭他们吃的是{f.b}。", "For supper they had {f.b}."}, {"“今天的河水真大方，”{W.n}说。", "“The river is generous today,” said {W.n}."}),
};
static const Ask fishing_asks[] = {
    {0, {"谁钓到了{t}？", "Who caught {t}?"}, "@t", "a b"},
    {0, {"钓上来的是什么？", "What was caught?"}, "t.i", "u.i"},
};

// ---------------------------------------------------------------- the new one
static const Beat neighbour_beats[] = {
    STEP({"{p.b}旁边的空房子搬来了一{b.m}{b.K}。", "A {b.K} moved into the empty house near {p.b}."}, {"{m}，一辆车停在{p.b}旁边，下来一{b.m}{b.K}。", "{m} a cart stopped near {p.b}, and down climbed a {b.K}."}),
    STEP({"谁也不认识{b.n}。", "Nobody knew {b.n}."}, {"大家只敢从窗缝里看{b.n}。", "Everybody peeped at {b.n} from behind the curtains."}),
    STEP({"{c}说：“听说{b.n}脾气很坏。”", "“They say that {b.n} is bad-tempered,” said {c.n}."}, {"{c}关上门，说：“我可不去。”", "{c} shut the door and said, “I am not going there.”"}),
    EFFECT("f=b", {"只有{a.n}端着{f.i}去敲门。", "Only {a.n} went and knocked, with {f.i}."}, {"{a}不怕，送去了{f.i}。", "{a} was not afraid and took {f.i} to the house."}),
    STEP({"门开了一条缝，又开大了。“请进，”{b.n}说。", "The door opened a crack, then wide. “Come in,” said {b.n}."}, {"{b}愣了一下，眼睛亮了：“给我的？”", "{b} stood still for a moment and then asked, “For me?”"}),
    STEP({"原来{b.n}只是害羞，还会拉手风琴呢。", "It turned out that {b.n} was only shy, and played the accordion."}, {"他们聊到很晚，{w}。", "They talked until late; {w}."}, {"第二天，{c.n}也来了。", "The next day {c.n} came as well."}),
};
static const Ask neighbour_asks[] = {
    {0, {"谁先去敲门？", "Who knocked at the door first?"}, "a", "c"},
    {0, {"新搬来的是谁？", "Who was new?"}, "b", "a c"},
    {0, {"{a}送了什么？", "What did {a.n} bring?"}, "f.b", "g.b"},
};

// ---------------------------------------------------------------- a letter that takes its time
static const Beat letter_beats[] = {
    EFFECT("t=a", {"{a}给{c.n}写了一封信，还包上{t.i}，请{b.n}带去。", "{a} wrote to {c.n}, packed up {t.i} with the letter and asked {b.n} to take it."}, {"“请把{t}带给{c.n}，”{a.n}对{b.n}说。", "“Please take {t} to {c.n},” said {a.n} to {b.n}."}),
    EFFECT("t=b", {"{b}带上{t}，{m}就出发了。", "{b} took {t} and set out {m}."}, {"{b}把{t}放进口袋，上了路。", "{b} put {t} away and set off."}),
    STEP({"走到{q.b}，下起了大雨，{b.n}躲了半天。", "At {q.b} it began to pour, and {b.n} had to wait for hours."}, {"{b}在{q}看见有人在{x}，看了好一会儿。", "{b} stopped {q} to see somebody {x.g}, and stayed a while."}),
    ASIDE(40),
    IF_EFFECT('+', "t=c", {"天黑前，{b.n}敲开了{c.n}的门，把{t}交给了{c.n}。", "Before dark {b.n} knocked at {c.n}'s door and handed over {t}."}, {"最后，{c.n}收到了{t}，高兴得读了三遍信。", "In the end {c.n} received {t}, and read the letter three times for joy."}),
    IF('-', {"等{b.n}赶到，{c.n}已经出门了，{t}还在{b.n}手里。", "When {b.n} arrived, {c.n} had gone out; {t} was still in {b.n}'s hands."}, {"{b}走错了路，只好带着{t}回家，明天再去。", "{b} took the wrong road and had to go home with {t}, to try again tomorrow."}),
};
static const Ask letter_asks[] = {
    {0, {"{t}现在在谁手里？", "Who has {t} now?"}, "@t", "a b c"},
    {0, {"信是谁写的？", "Who wrote the letter?"}, "a", "b c"},
    {0, {"信是写给谁的？", "Who was the letter for?"}, "c", "a b"},
};

// ---------------------------------------------------------------- a place for the winter
static const Beat winter_beats[] = {
    STEP({"冬天快到了，{a.n}的房子还漏风。", "Winter was near, and the wind still blew through {a.n}'s house."}, {"第一片雪花落下来的时候，{a.n}还没有准备好。", "When the first flake fell, {a.n} was not ready for winter."}),
    STEP({"{b}正忙着{x}，说：“等一等。”", "{b} was busy {x.g} and said, “Wait a little.”"}, {"{b}早就把{f.b}装满了{k}。", "{b} had long since filled {k} with {f.b}."}),
    STEP({"夜里，北风呼呼地吹，{a.n}冷得睡不着。", "At night the north wind howled, and {a.n} was too cold to sleep."}, {"{a}把所有的衣服都穿上了，还是冷。", "{a} put on everything there was and was still cold."}),
    IF_EFFECT('+', "t=a", {"有人敲门，是{b.n}，手里拿着{t.i}。“给你解解闷，”{b.n}说。", "There was a knock: it was {b.n} with {t.i}. “To cheer you up,” said {b.n}."}, {"{b}送来{t.i}，又帮着堵好了门缝。", "{b} brought {t.i} and helped to stop the cracks in the door."}),
    IF('-', {"{a}只好去敲{b.n}的门。“进来吧，”{b.n}说，“两个人住更暖和。”", "At last {a.n} knocked at {b.n}'s door. “Come in,” said {b.n}. “Two are warmer than one.”"}, {"{b}说：“搬到我这儿来，春天再走。”", "“Stay here with me until spring comes,” said {b.n}."}),
    STEP({"那个冬天，他们的桌上总有{f.b}。", "All that winter there was {f.b} on their table."}, {"雪下得再大，屋里也是暖的。", "However hard it snowed, it was warm inside."}),
};
static const Ask winter_asks[] = {
    {0, {"谁的房子漏风？", "Whose house was cold?"}, "a", "b"},
    {'+', {"谁送来了{t}？", "Who brought {t}?"}, "b", "a"},
};

// ---------------------------------------------------------------- the moon in the water (held out)
static const Beat moon_beats[] = {
    EFFECT("u=a", {"{m}，{a}带着{u.i}路过{p.b}，看见水里有一个月亮。", "{m} {a} passed {p.b} with {u.i} and saw a moon in the water."}, {"{a}提着{u.i}走到水边，水里有一个月亮。", "{a} came to the water with {u.i}, and there was a moon in it."}),
    STEP({"“月亮掉下来了！”{a.n}喊。", "“The moon has fallen down!” cried {a.n}."}, {"{a}伸手去捞，月亮碎了。", "{a} reached for it, and the moon broke into pieces."}),
    EFFECT("u=b", {"“帮我拿着，”{a.n}说，把{u}塞给{b.n}，又去捞。", "“Hold this,” said {a.n}, gave {u} to {b.n} and tried again."}, {"{a}把{u}交给{b.n}，卷起了袖子。", "{a} handed {u} to {b.n} and bent down to the water."}),
    STEP({"{b}抬起头，笑了：“你看天上。”", "{b} looked up, laughed and said, “Look at the sky.”"}, {"“它有两个家，”{b.n}说，“一个在天上。”", "“It has two homes,” said {b.n}. “One is up there.”"}),
    IF_EFFECT('+', "u=a", {"{a}红着脸，拿回了{u}。", "{a} went red and took {u} back."}),
    IF('-', {"{a}看着天，忘了{u}还在{b.n}手里。", "{a} gazed at the sky and forgot that {b.n} still had {u}."}),
    OF(50, ending),
};
static const Ask moon_asks[] = {
    {0, {"{u}现在在谁手里？", "Who has {u} now?"}, "@u", "a b"},
    {0, {"谁去捞月亮？", "Who tried to catch the moon?"}, "a", "b"},
};

const Plot plots[] = {
    PLOT(lost, "h"), PLOT(stuck, "rl3"), PLOT(share, ""), PLOT(hide, "h"), PLOT(race, "3"), PLOT(swap, ""),
    PLOT(night, "3"), PLOT(plant, ""), PLOT(parcel, "3"), PLOT(picnic, "5"), PLOT(lend, "h"), PLOT(pass, "3h"),
    PLOT(thief, "3"), PLOT(fog, ""), PLOT(birthday, "3"), PLOT(quarrel, "3"), PLOT(ferry, "s3"), PLOT(treasure, ""),
    PLOT(stage, "3"), PLOT(fishing, ""), PLOT(neighbour, "3n"), PLOT(letter, "3h"), PLOT(winter, "h"), PLOT(moon, ""),
};
const int n_plots = sizeof plots / sizeof *plots;
// clang-format on
