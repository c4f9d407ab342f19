// reviews_table.c - what is reviewed, and what can be said for and against it.  Data only.
#include "world/tables.h"

// clang-format off
#define GOOD(...) .good = {__VA_ARGS__}, .n_good = sizeof((Words[]){__VA_ARGS__}) / sizeof(Words)
#define BAD(...)  .bad = {__VA_ARGS__}, .n_bad = sizeof((Words[]){__VA_ARGS__}) / sizeof(Words)
const Reviewed reviewed[] = {
    {{"这家面馆", "this noodle shop"},
     GOOD({"汤很鲜", "the broth is rich"}, {"面条筋道", "the noodles are springy"}, {"老板总是笑眯眯的", "the owner always smiles"}, {"分量很足", "the bowls are generous"}, {"价格公道", "the price is fair"}),
     BAD({"汤是凉的", "the broth came cold"}, {"等了一个小时", "we waited an hour"}, {"桌子油乎乎的", "the table was greasy"}, {"面条都坨了", "the noodles had gone soft"}, {"又贵又少", "it is dear and the bowls are small"})},
    {{"这本书", "this book"},
     GOOD({"故事让人舍不得放下", "the story is hard to put down"}, {"插图漂亮", "the pictures are lovely"}, {"结尾很温暖", "the ending is warm"}, {"孩子听得咯咯笑", "my child giggled all the way"}),
     BAD({"读到一半就睡着了", "I fell asleep halfway"}, {"错别字很多", "it is full of misprints"}, {"纸又薄又黄", "the paper is thin and yellow"}, {"人物都分不清", "the people in it are all alike"})},
    {{"这把伞", "this umbrella"},
     GOOD({"大风天也没翻", "it held firm in the wind"}, {"颜色好看", "the colour is pretty"}, {"又轻又结实", "it is light and strong"}, {"收起来很小巧", "it folds up small"}),
     BAD({"用了一次就坏了", "it broke the first time"}, {"伞骨一碰就弯", "the ribs bend at a touch"}, {"漏雨", "it leaks"}, {"开关总是卡住", "the button keeps sticking"})},
    {{"这部电影", "this film"},
     GOOD({"演员演得真好", "the actors are wonderful"}, {"笑得肚子疼", "I laughed till it hurt"}, {"音乐好听", "the music is beautiful"}, {"还想再看一遍", "I want to see it again"}),
     BAD({"情节乱糟糟的", "the plot is a mess"}, {"两个小时像两天", "two hours felt like two days"}, {"对白很假", "the talk sounds false"}, {"看到一半就走了", "I walked out halfway"})},
    {{"这家旅店", "this inn"},
     GOOD({"床很软", "the bed is soft"}, {"窗外就是湖", "the lake is right outside"}, {"早饭热乎乎的", "breakfast comes hot"}, {"夜里很安静", "the nights are quiet"}),
     BAD({"床单潮湿", "the sheets were damp"}, {"隔壁吵了一夜", "it was noisy all night"}, {"没有热水", "there was no hot water"}, {"房间有怪味", "the room had a strange smell"})},
    {{"这个闹钟", "this alarm clock"},
     GOOD({"走得很准", "it keeps good time"}, {"声音清脆", "the bell is clear"}, {"一节电池用了一年", "one battery lasted a year"}, {"样子可爱", "it looks charming"}),
     BAD({"每天慢十分钟", "it loses ten minutes a day"}, {"铃声吓死人", "the bell is frightful"}, {"指针掉了一根", "one of the hands fell off"}, {"该响的时候不响", "it does not ring when it should"})},
    {{"这双雨鞋", "this pair of rain boots"},
     GOOD({"一点也不进水", "not a drop gets in"}, {"穿着很舒服", "it is very comfortable"}, {"踩泥坑也不打滑", "it does not slip in the mud"}, {"里面暖和", "it is warm inside"}),
     BAD({"第二天就裂了", "it cracked on the second day"}, {"磨脚", "it rubs my heels"}, {"味道很大", "it smells awful"}, {"一只大一只小", "one boot is bigger than the other"})},
    {{"这家理发店", "this barber's shop"},
     GOOD({"师傅手艺好", "the barber is skilled"}, {"孩子一点也没哭", "my child did not cry at all"}, {"洗头很舒服", "the hair wash is pleasant"}, {"剪得又快又齐", "the cut was quick and even"}),
     BAD({"剪得左边长右边短", "the left side came out longer"}, {"水烫得要命", "the water was scalding"}, {"师傅一直看手机", "the barber kept looking at his phone"}, {"领子里全是头发", "my collar was full of hair"})},
    {{"这辆自行车", "this bicycle"},
     GOOD({"骑起来很轻", "it rides lightly"}, {"刹车很灵", "the brakes are sure"}, {"座位舒服", "the seat is comfortable"}, {"铃声好听", "the bell sounds pretty"}),
     BAD({"链条老掉", "the chain keeps coming off"}, {"第三天就生锈了", "it rusted on the third day"}, {"骑起来吱吱响", "it squeaks all the way"}, {"车把是歪的", "the handlebars are crooked"})},
    {{"这家动物园", "this zoo"},
     GOOD({"动物养得很好", "the animals are well kept"}, {"熊猫就在眼前", "the pandas come quite close"}, {"树荫很多", "there is plenty of shade"}, {"孩子玩了一整天", "my child played there all day"}),
     BAD({"笼子又小又脏", "the cages are small and dirty"}, {"一半的动物在睡觉", "half of the animals were asleep"}, {"门票太贵", "the tickets are too dear"}, {"厕所找不到", "there are no toilets to be found"})},
    {{"这块蛋糕", "this cake"},
     GOOD({"软得像云", "it is as soft as a cloud"}, {"甜得刚刚好", "it is just sweet enough"}, {"奶油很新鲜", "the cream is fresh"}, {"一块不够吃", "one piece is not enough"}),
     BAD({"硬得像砖头", "it is as hard as a brick"}, {"甜得发腻", "it is far too sweet"}, {"里面没烤熟", "it is raw inside"}, {"奶油有酸味", "the cream tastes sour"})},
    {{"这顶帐篷", "this tent"},
     GOOD({"十分钟就搭好了", "it was up in ten minutes"}, {"下大雨也不漏", "it stays dry in heavy rain"}, {"睡四个人很宽敞", "four people sleep in it easily"}, {"背着不重", "it is light to carry"}),
     BAD({"一阵风就倒了", "it fell down in the first wind"}, {"拉链拉不上", "the zip does not close"}, {"少了两根杆子", "two of the poles were missing"}, {"里面闷得喘不过气", "there is no air inside"})},
    {{"这堂画画课", "this drawing class"},
     GOOD({"老师很有耐心", "the teacher is patient"}, {"每次都有新花样", "there is something new each time"}, {"孩子天天盼着去", "my child cannot wait to go"}, {"颜料随便用", "there is all the paint one wants"}),
     BAD({"老师老迟到", "the teacher is always late"}, {"教室又挤又吵", "the room is crowded and loud"}, {"只让照着画", "one may only copy"}, {"学了半年没进步", "I learned nothing in half a year"})},
    {{"这台收音机", "this radio"},
     GOOD({"声音很清楚", "the sound is clear"}, {"外壳摔不坏", "the case cannot be broken"}, {"能收很远的台", "it hears stations far away"}, {"老人也会用", "even my grandfather can use it"}),
     BAD({"全是杂音", "it is nothing but noise"}, {"按钮一按就掉", "the buttons fall off"}, {"半小时就没电", "it runs down in half an hour"}, {"只收得到一个台", "it finds only one station"})},
};
const int n_reviewed = sizeof reviewed / sizeof *reviewed;

const Words praise[] = {
    {"太喜欢了", "I love it"}, {"值得推荐", "I would recommend it"}, {"真不错", "really good"}, {"没有让人失望", "it did not disappoint"},
    {"比想的还好", "it is better than I had hoped"}, {"给满分", "full marks"},
};
const Words blame[] = {
    {"太失望了", "what a let-down"}, {"不推荐", "I would not recommend it"}, {"真糟糕", "really bad"}, {"一点也不好", "not good at all"},
    {"白花了钱", "it was a waste of money"}, {"再便宜也不要", "I would not want it as a gift"},
};
const int n_praise = sizeof praise / sizeof *praise, n_blame = sizeof blame / sizeof *blame;
// clang-format on
