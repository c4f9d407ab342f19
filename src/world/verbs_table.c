// verbs_table.c - who did it to whom: verbs whose two sides only the order of the words tells
// apart; and verbs of the present for agreement.
//
// The last verb of `verbs` is never seen in training.
#include <stddef.h>

#include "world/tables.h"

// clang-format off
const Verb verbs[] = {
    {"追", "着", "跑", "着跑", NULL, "chased", "chased",
     {{"跑得直喘气", "ran until out of breath"}, {"在后面大喊：“站住！”", "shouted “Stop!” from behind"}, {"怎么也追不上", "was never quite fast enough"}},
     {{"逃到了墙头上", "escaped up onto the wall"}, {"拼命往前逃", "ran away as fast as possible"}, {"吓得钻进了草丛", "hid in the long grass"}}},
    {"推", "了", "一把", "了一把", "进了草堆", "pushed", "pushed",
     {{"赶紧说对不起", "said sorry at once"}, {"吓了一跳，把手缩回来", "drew back, rather startled"}, {"说：“我不是故意的。”", "said, “I did not mean to.”"}},
     {{"摔了一跤", "fell over"}, {"倒在草堆里", "landed in the hay"}, {"拍了拍身上的土", "brushed off the dust"}}},
    {"喂", "了", "一顿", "了一顿", "饱了", "fed", "fed",
     {{"把空碗收好", "put the empty bowl away"}, {"又去盛了一勺", "went to get another spoonful"}, {"问好不好吃", "asked whether it was good"}},
     {{"吃得饱饱的", "was full and happy"}, {"打了一个饱嗝", "gave a small burp"}, {"把碗舔得干干净净", "licked the bowl clean"}}},
    {"叫", "醒了", "", "醒了", "醒了", "woke", "woken",
     {{"说：“太阳都晒屁股啦。”", "said, “The sun is already high!”"}, {"把窗帘拉开", "pulled the curtain open"}, {"端来了早饭", "brought breakfast"}},
     {{"揉了揉眼睛", "rubbed two sleepy eyes"}, {"打了一个大哈欠", "gave a great yawn"}, {"又把头埋进枕头里", "crept back under the pillow"}}},
    {"教", "了", "一课", "了一课", NULL, "taught", "taught",
     {{"耐心地讲了三遍", "explained it patiently three times"}, {"把要点写在黑板上", "wrote the main points on the board"}, {"一点也不着急", "was in no hurry at all"}},
     {{"终于学会了", "learned it at last"}, {"认真地记在本子上", "wrote it all down in a notebook"}, {"问了很多问题", "asked a lot of questions"}}},
    {"背", "着", "走", "着走", "回了家", "carried", "carried",
     {{"累得满头大汗", "was soon tired and hot"}, {"走一步歇一步", "rested after every step"}, {"喊：“怎么这么重！”", "cried, “How heavy you are!”"}},
     {{"舒服地趴着不动", "lay comfortably and did not move"}, {"在背上睡着了", "fell asleep up there"}, {"看得很远", "could see a long way"}}},
    {"找", "到了", "", "到了", NULL, "found", "found",
     {{"高兴地喊：“找到啦。”", "cried happily, “Found you!”"}, {"在树上拍了一下，算赢了", "touched the tree and had won"}, {"说：“轮到你来找了。”", "said, “Now it is your turn to look.”"}},
     {{"只好从柜子里爬出来", "had to crawl out of the cupboard"}, {"说：“藏得还不够好。”", "said, “I did not hide well enough.”"}, {"从门后面走出来", "came out from behind the door"}}},
    {"骗", "了", "", "了", NULL, "tricked", "tricked",
     {{"偷偷地笑", "laughed in secret"}, {"后来心里很不安", "felt bad about it later"}, {"晚上睡不好觉", "slept badly that night"}},
     {{"白白等了一个下午", "waited all afternoon for nothing"}, {"气得直跺脚", "stamped with anger"}, {"再也不信这种话了", "did not believe such tales any more"}}},
    {"救", "了", "", "了", NULL, "saved", "saved",
     {{"得到了一枚奖章", "was given a medal"}, {"说：“谁都会这么做。”", "said, “Anybody would do that.”"}, {"成了大家眼里的英雄", "was a hero from that day"}},
     {{"说：“谢谢你救了我。”", "said, “Thank you for saving me.”"}, {"吓得还在发抖", "was still shaking with fear"}, {"送来了一大束花", "came with a big bunch of flowers"}}},
    {"挠", "了", "痒痒", "了痒痒", NULL, "tickled", "tickled",
     {{"不肯停手", "would not stop"}, {"数到十才停", "stopped only at ten"}, {"找到了最怕痒的地方", "knew just the right place"}},
     {{"笑得满地打滚", "rolled on the floor laughing"}, {"连连求饶", "begged for mercy"}, {"笑出了眼泪", "laughed until the tears came"}}},
    {"夸", "了", "一番", "了一番", NULL, "praised", "praised",
     {{"竖起了大拇指", "put up a thumb"}, {"说：“我要向你学习。”", "said, “I can learn from you.”"}, {"带头鼓起掌来", "was the first to clap"}},
     {{"脸都红了", "went quite red"}, {"谦虚地摇摇头", "shook a modest head"}, {"高兴了一整天", "was happy the whole day"}}},
    {"骂", "了", "一顿", "了一顿", NULL, "scolded", "scolded",
     {{"气得声音都变了", "was hoarse with anger"}, {"过后又有点后悔", "was a little sorry afterwards"}, {"把门关得很响", "shut the door with a bang"}},
     {{"低着头不敢出声", "looked down and said nothing"}, {"保证再也不迟到", "promised never to be late again"}, {"委屈得哭了", "burst into tears"}}},
    {"扶", "起了", "", "了起来", "了起来", "helped up", "helped up",
     {{"问要不要去看医生", "asked whether a doctor was needed"}, {"又帮忙拍掉身上的土", "brushed off the dust as well"}, {"说：“走路要看脚下。”", "said, “Look where you are going.”"}},
     {{"站稳以后连声道谢", "said thank you again and again"}, {"一瘸一拐地走了", "limped away"}, {"说：“一点也不疼。”", "said, “It does not hurt at all.”"}}},
    {"绊", "倒了", "", "倒了", NULL, "tripped up", "tripped up",
     {{"连忙把脚收回来", "drew in both feet at once"}, {"伸手去扶", "held out a helping hand"}, {"说：“没看见你过来。”", "said, “I did not see you coming.”"}},
     {{"膝盖擦破了皮", "had a scratched knee"}, {"爬起来继续走", "got up and walked on"}, {"手里的东西撒了一地", "dropped everything"}}},
    {"画", "了", "", "了下来", "在了纸上", "painted", "painted",
     {{"洗干净了画笔", "washed the brushes"}, {"退后两步看了看", "took two steps back to look"}, {"在角上签了名", "signed in the corner"}},
     {{"一动不动坐了半天", "had to sit still for hours"}, {"说：“我的鼻子没那么大。”", "said, “My nose is not so big.”"}, {"把画挂在了床头", "hung the picture over the bed"}}},
    {"撞", "倒了", "", "倒了", NULL, "knocked down", "knocked down",
     {{"跑得太快，没刹住", "had been running too fast"}, {"赶紧停下来看", "stopped at once to look"}, {"一连说了三声抱歉", "said sorry three times"}},
     {{"一屁股坐在地上", "sat down hard on the ground"}, {"头上起了一个包", "got a bump on the head"}, {"半天没站起来", "did not get up for a while"}}},
    {"打", "败了", "", "败了", NULL, "defeated", "defeated",
     {{"捧着奖杯照相", "had a picture taken with the cup"}, {"高兴地跳起来", "jumped for joy"}, {"绕场跑了一圈", "ran once round the field"}},
     {{"说：“下次再比。”", "said, “Let us try again next time.”"}, {"把棋子收进盒子", "put the pieces back into the box"}, {"输得心服口服", "was a good loser"}}},
    {"抓", "住了", "", "住了", NULL, "caught", "caught",
     {{"抓得紧紧的，不松手", "held on tight"}, {"喊：“这下跑不了啦。”", "shouted, “Now you cannot get away!”"}, {"累得坐在地上", "sat down, quite worn out"}},
     {{"怎么挣也挣不开", "could not get free"}, {"说：“放开我吧。”", "said, “Let me go.”"}, {"只好认输", "had to give up"}}},
};
const int n_verbs = sizeof verbs / sizeof *verbs;

const Present presents[] = {
    {"sings", "sing"}, {"sleeps", "sleep"}, {"runs home", "run home"}, {"waits for the sun", "wait for the sun"},
    {"looks hungry", "look hungry"}, {"makes a noise", "make a noise"}, {"is very old", "are very old"},
    {"is afraid of thunder", "are afraid of thunder"}, {"likes the snow", "like the snow"}, {"has a new home", "have a new home"},
    {"was here yesterday", "were here yesterday"}, {"knows the way", "know the way"}, {"needs some water", "need some water"},
    {"does not move", "do not move"}, {"eats breakfast late", "eat breakfast late"}, {"walks very slowly", "walk very slowly"},
    {"is ready for winter", "are ready for winter"}, {"has no umbrella", "have no umbrella"}, {"dances in the rain", "dance in the rain"},
    {"was late again", "were late again"}, {"hopes for good weather", "hope for good weather"}, {"does not like soap", "do not like soap"},
};
const int n_presents = sizeof presents / sizeof *presents;
// clang-format on
