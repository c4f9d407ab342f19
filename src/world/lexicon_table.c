// lexicon_table.c - the words of the mini-world.  Data only; every entry is in both languages, and
// nothing in it comes from another corpus.
//
// For a new line: concrete, short, something a child has seen or would like to see; Chinese with
// few characters that nothing else uses; an English noun that begins with a vowel sound exactly if
// it begins with one of a e i o u.  No word of senses_table.c, or its meanings would be given away.
#include "world/lexicon.h"

#include <stddef.h>

#include "base/error.h"

// clang-format off
static const Name names[] = {
    {{"米娅", "Mia"}, 'f'}, {{"汤姆", "Tom"}, 'm'}, {{"莉莉", "Lily"}, 'f'}, {{"阿本", "Ben"}, 'm'},
    {{"小满", "Xiaoman"}, 'f'}, {{"阿福", "Afu"}, 'm'}, {{"安安", "Anan"}, 'f'}, {{"诺拉", "Nora"}, 'f'},
    {{"小石", "Xiaoshi"}, 'm'}, {{"露西", "Lucy"}, 'f'}, {{"大勇", "Dayong"}, 'm'}, {{"奥斯卡", "Oscar"}, 'm'},
    {{"朵朵", "Duoduo"}, 'f'}, {{"豆豆", "Doudou"}, 'm'}, {{"皮普", "Pip"}, 'm'}, {{"玛莎", "Masha"}, 'f'},
    {{"雷欧", "Leo"}, 'm'}, {{"青青", "Qingqing"}, 'f'}, {{"艾玛", "Emma"}, 'f'}, {{"小北", "Xiaobei"}, 'm'},
    {{"糖糖", "Tangtang"}, 'f'}, {{"卡尔", "Carl"}, 'm'}, {{"文文", "Wenwen"}, 'f'}, {{"阿树", "Ashu"}, 'm'},
    {{"安娜", "Anna"}, 'f'}, {{"小松", "Xiaosong"}, 'm'}, {{"贝拉", "Bella"}, 'f'}, {{"马克", "Mark"}, 'm'},
    {{"小雨", "Xiaoyu"}, 'f'}, {{"东东", "Dongdong"}, 'm'}, {{"苏菲", "Sophie"}, 'f'}, {{"保罗", "Paul"}, 'm'},
    {{"圆圆", "Yuanyuan"}, 'f'}, {{"阿海", "Ahai"}, 'm'}, {{"艾达", "Ada"}, 'f'}, {{"杰克", "Jack"}, 'm'},
    {{"小禾", "Xiaohe"}, 'f'}, {{"山山", "Shanshan"}, 'm'}, {{"克拉拉", "Clara"}, 'f'}, {{"彼得", "Peter"}, 'm'},
    {{"乐乐", "Lele"}, 'f'}, {{"阿木", "Amu"}, 'm'}, {{"罗莎", "Rosa"}, 'f'}, {{"麦克斯", "Max"}, 'm'},
    {{"星儿", "Xinger"}, 'f'}, {{"小虎", "Xiaohu"}, 'm'}, {{"海蒂", "Heidi"}, 'f'}, {{"尼克", "Nick"}, 'm'},
    {{"月月", "Yueyue"}, 'f'}, {{"大宝", "Dabao"}, 'm'}, {{"伊娃", "Eva"}, 'f'}, {{"萨姆", "Sam"}, 'm'},
    {{"小雪", "Xiaoxue"}, 'f'}, {{"阿强", "Aqiang"}, 'm'}, {{"丽莎", "Lisa"}, 'f'}, {{"弗雷德", "Fred"}, 'm'},
    {{"桃桃", "Taotao"}, 'f'}, {{"小秋", "Xiaoqiu"}, 'm'}, {{"格蕾塔", "Greta"}, 'f'}, {{"乔治", "George"}, 'm'},
};

static const Animal animals[] = {
    {{"小猫", "cat"}, "cats", "只", {{"有两撇白胡子", "has white whiskers"}, {"走路没有声音", "walks without a sound"}, {"喜欢晒太阳", "likes to lie in the sun"}}, "c"},
    {{"小狗", "dog"}, "dogs", "只", {{"会摇尾巴", "wags its tail"}, {"鼻子很灵", "has a very good nose"}, {"替主人看门", "guards the door"}}, "d"},
    {{"兔子", "rabbit"}, "rabbits", "只", {{"耳朵长长的", "has long ears"}, {"跳着走路", "hops along"}, {"爱吃胡萝卜", "loves carrots"}}, "d"},
    {{"狐狸", "fox"}, "foxes", "只", {{"尾巴像一把刷子", "has a tail like a brush"}, {"很会想办法", "is full of clever plans"}, {"毛是橙红色的", "has orange fur"}}, "d"},
    {{"小熊", "bear"}, "bears", "只", {{"冬天睡大觉", "sleeps all winter"}, {"爱吃蜂蜜", "loves honey"}, {"身子又大又圆", "is big and round"}}, "ct"},
    {{"刺猬", "hedgehog"}, "hedgehogs", "只", {{"背上有很多刺", "has spines on its back"}, {"害怕时缩成一个球", "rolls into a ball when afraid"}, {"夜里出来散步", "takes walks at night"}}, "d"},
    {{"鸭子", "duck"}, "ducks", "只", {{"脚像两把小扇子", "has feet like little paddles"}, {"会游泳", "swims on the pond"}, {"走路摇摇摆摆", "waddles when it walks"}}, "s"},
    {{"青蛙", "frog"}, "frogs", "只", {{"小时候是蝌蚪", "was once a tadpole"}, {"夏夜里唱歌", "sings on summer nights"}, {"捉虫子吃", "catches flies"}}, "s"},
    {{"猫头鹰", "owl"}, "owls", "只", {{"晚上不睡觉", "stays awake at night"}, {"眼睛又圆又亮", "has round bright eyes"}, {"头能转到背后", "can turn its head right round"}}, "f"},
    {{"松鼠", "squirrel"}, "squirrels", "只", {{"尾巴大大的", "has a big bushy tail"}, {"把坚果藏起来", "hides nuts"}, {"在树上跑得飞快", "runs fast along the branches"}}, "c"},
    {{"山羊", "goat"}, "goats", "只", {{"长着胡子和角", "has a beard and horns"}, {"会爬陡坡", "climbs steep hills"}, {"什么草都吃", "eats any kind of grass"}}, "c"},
    {{"小猪", "pig"}, "pigs", "头", {{"鼻子圆圆的", "has a round snout"}, {"喜欢在泥里打滚", "likes to roll in the mud"}, {"尾巴打着卷", "has a curly tail"}}, "d"},
    {{"乌龟", "turtle"}, "turtles", "只", {{"背着自己的房子", "carries its house"}, {"走得很慢", "walks very slowly"}, {"活得很久", "lives a very long time"}}, "s"},
    {{"大象", "elephant"}, "elephants", "头", {{"鼻子很长", "has a very long nose"}, {"耳朵像扇子", "has ears like sails"}, {"力气很大", "is very strong"}}, "t"},
    {{"猴子", "monkey"}, "monkeys", "只", {{"在树枝上荡秋千", "swings from branch to branch"}, {"爱吃香蕉", "loves bananas"}, {"喜欢学别人的样子", "likes to copy others"}}, "c"},
    {{"麻雀", "sparrow"}, "sparrows", "只", {{"小小的，会飞", "is small and brown and can fly"}, {"爱吃谷子", "eats seeds"}, {"总是叽叽喳喳", "is always chirping"}}, "f"},
    {{"母鸡", "hen"}, "hens", "只", {{"会下蛋", "lays eggs"}, {"带着一群小鸡", "leads a row of chicks"}, {"一早就起来", "gets up early"}}, ""},
    {{"小羊", "lamb"}, "lambs", "只", {{"一身白毛软软的", "has soft white wool"}, {"跟着妈妈走", "follows its mother"}, {"咩咩地叫", "says baa"}}, ""},
    {{"水獭", "otter"}, "otters", "只", {{"仰着肚皮漂在水上", "floats on its back"}, {"用石头敲贝壳", "opens shells with a stone"}, {"滑着泥坡下水", "slides down muddy banks"}}, "s"},
    {{"熊猫", "panda"}, "pandas", "只", {{"只有黑白两种颜色", "is only black and white"}, {"整天吃竹子", "eats bamboo all day"}, {"有两个黑眼圈", "has dark rings round its eyes"}}, "c"},
    {{"小鹿", "deer"}, "deer", "只", {{"头上长着树枝一样的角", "has antlers like branches"}, {"跑起来很轻", "runs lightly"}, {"身上有白点", "has white spots"}}, "t"},
    {{"乌鸦", "crow"}, "crows", "只", {{"全身都是黑的", "is black all over"}, {"会用小棍子", "can use a stick"}, {"喜欢亮闪闪的东西", "likes shiny things"}}, "f"},
    {{"蜗牛", "snail"}, "snails", "只", {{"走过的地方有银色的线", "leaves a silver line behind"}, {"下雨天出来", "comes out in the rain"}, {"身上有个螺旋", "carries a spiral"}}, ""},
    {{"蜜蜂", "bee"}, "bees", "只", {{"嗡嗡地飞", "buzzes as it flies"}, {"会跳舞指路", "dances to show the way"}, {"从花里带回甜东西", "brings sweetness from flowers"}}, "f"},
    {{"小马", "pony"}, "ponies", "匹", {{"跑起来嗒嗒响", "clatters as it runs"}, {"脖子上有长毛", "has a long mane"}, {"站着也能睡觉", "can sleep standing up"}}, "t"},
    {{"白鹅", "goose"}, "geese", "只", {{"脖子又长又弯", "has a long bent neck"}, {"见了生人就大叫", "hisses at strangers"}, {"一身白，嘴是橙色的", "is white with an orange beak"}}, "s"},
    {{"小狼", "wolf"}, "wolves", "只", {{"对着月亮长叫", "howls at the moon"}, {"成群地走", "runs in a pack"}, {"长得像狗，可是不摇尾巴", "looks like a dog but is not tame"}}, "d"},
    {{"驴子", "donkey"}, "donkeys", "头", {{"耳朵长，脾气犟", "is grey and will not be hurried"}, {"替人驮东西", "carries sacks for people"}, {"叫声又响又难听", "has a loud ugly voice"}}, "t"},
    {{"公鸡", "rooster"}, "roosters", "只", {{"天亮就叫大家起床", "wakes everybody at dawn"}, {"头上有红冠子", "has a red comb"}, {"尾巴弯弯的，五颜六色", "has a curved tail of many colours"}}, ""},
    {{"企鹅", "penguin"}, "penguins", "只", {{"是鸟，却不会飞", "is a bird but cannot fly"}, {"住在冰上", "lives on the ice"}, {"好像穿着黑外套", "seems to wear a black coat"}}, "s"},
    {{"老虎", "tiger"}, "tigers", "只", {{"一身黑黄条纹", "has black and yellow stripes"}, {"是最大的猫", "is the biggest of the cats"}, {"吼一声，树林都静了", "roars and the forest falls silent"}}, ""},
    {{"长颈鹿", "giraffe"}, "giraffes", "只", {{"脖子最长", "has the longest neck"}, {"吃树顶的叶子", "eats leaves from the treetops"}, {"喝水时要叉开腿", "spreads its legs to drink"}}, "t"},
    {{"袋鼠", "kangaroo"}, "kangaroos", "只", {{"肚子上有口袋", "has a pocket for its baby"}, {"一跳就是好几米", "jumps many steps at once"}, {"尾巴当凳子坐", "sits on its tail"}}, ""},
    {{"鹦鹉", "parrot"}, "parrots", "只", {{"会学人说话", "says what people say"}, {"羽毛花花绿绿", "has bright feathers"}, {"嘴是弯的", "has a curved beak"}}, "f"},
    {{"鼹鼠", "mole"}, "moles", "只", {{"在地下挖路", "digs tunnels under the ground"}, {"几乎看不见", "can hardly see"}, {"手像小铲子", "has hands like shovels"}}, "d"},
    {{"獾", "badger"}, "badgers", "只", {{"脸上有黑白条", "has a striped face"}, {"把洞收拾得很干净", "keeps its burrow tidy"}, {"晚上才出门", "goes out only in the evening"}}, "d"},
    {{"骆驼", "camel"}, "camels", "头", {{"背上有驼峰", "has humps on its back"}, {"很久不喝水也行", "can go for days without water"}, {"走在沙子上", "walks through the sand"}}, "t"},
    {{"河马", "hippo"}, "hippos", "头", {{"整天泡在水里", "stays in the water all day"}, {"嘴张得最大", "has the widest mouth"}, {"胖得像一只大桶", "is as round as a barrel"}}, "s"},
    {{"燕子", "swallow"}, "swallows", "只", {{"尾巴像剪刀", "has a tail like scissors"}, {"在屋檐下做窝", "nests under the eaves"}, {"冬天飞到南方", "flies south for the winter"}}, "f"},
    {{"萤火虫", "firefly"}, "fireflies", "只", {{"提着一盏小灯", "carries a little light"}, {"夏天的晚上才出来", "comes out on warm evenings"}, {"一闪一闪的", "blinks in the dark"}}, "f"},
};

static const Words colours[] = {
    {"红", "red"}, {"蓝", "blue"}, {"绿", "green"}, {"黄", "yellow"}, {"白", "white"}, {"黑", "black"},
    {"紫", "purple"}, {"银色的", "silver"}, {"棕色的", "brown"}, {"灰", "grey"}, {"粉红的", "pink"}, {"橙色的", "orange"},
};

static const Thing things[] = {
    {{"风筝", "kite"}, "kites", "只", 'l'}, {{"灯笼", "lantern"}, "lanterns", "盏", 0},
    {{"雨伞", "umbrella"}, "umbrellas", "把", 'l'}, {{"钥匙", "key"}, "keys", "把", 0},
    {{"小鼓", "drum"}, "drums", "面", 0}, {{"围巾", "scarf"}, "scarves", "条", 'l'},
    {{"篮子", "basket"}, "baskets", "只", 'l'}, {{"铃铛", "bell"}, "bells", "只", 0},
    {{"纽扣", "button"}, "buttons", "颗", 0}, {{"地图", "map"}, "maps", "张", 'l'},
    {{"杯子", "cup"}, "cups", "只", 0}, {{"帽子", "hat"}, "hats", "顶", 'l'},
    {{"纸船", "paper boat"}, "paper boats", "只", 'l'}, {{"勺子", "spoon"}, "spoons", "把", 0},
    {{"毯子", "blanket"}, "blankets", "条", 'l'}, {{"哨子", "whistle"}, "whistles", "只", 0},
    {{"镜子", "mirror"}, "mirrors", "面", 0}, {{"皮球", "ball"}, "balls", "只", 'l'},
    {{"手套", "glove"}, "gloves", "只", 'l'}, {{"水壶", "kettle"}, "kettles", "把", 0},
    {{"书包", "school bag"}, "school bags", "只", 0}, {{"画笔", "paintbrush"}, "paintbrushes", "支", 0},
    {{"闹钟", "clock"}, "clocks", "只", 0}, {{"望远镜", "telescope"}, "telescopes", "架", 'b'},
    {{"积木", "toy block"}, "toy blocks", "块", 0}, {{"口琴", "harmonica"}, "harmonicas", "支", 0},
    {{"手帕", "handkerchief"}, "handkerchiefs", "块", 'l'}, {{"气球", "balloon"}, "balloons", "只", 'l'},
    {{"剪刀", "pair of scissors"}, "pairs of scissors", "把", 0}, {{"花瓶", "vase"}, "vases", "只", 0},
    {{"旗子", "flag"}, "flags", "面", 'l'}, {{"小车", "toy car"}, "toy cars", "辆", 0},
    {{"铅笔", "pencil"}, "pencils", "支", 0}, {{"枕头", "pillow"}, "pillows", "只", 'l'},
    {{"盒子", "box"}, "boxes", "只", 0}, {{"椅子", "chair"}, "chairs", "把", 'b'},
    {{"梳子", "comb"}, "combs", "把", 0}, {{"靴子", "boot"}, "boots", "只", 0},
    {{"蜡烛", "candle"}, "candles", "支", 0}, {{"裙子", "skirt"}, "skirts", "条", 'l'},
    {{"袜子", "sock"}, "socks", "只", 'l'}, {{"梯子", "ladder"}, "ladders", "架", 'b'},
    {{"扫帚", "broom"}, "brooms", "把", 'b'}, {{"邮票", "stamp"}, "stamps", "张", 'l'},
    {{"贝壳", "shell"}, "shells", "只", 0}, {{"石头", "stone"}, "stones", "块", 0},
    {{"木马", "wooden horse"}, "wooden horses", "匹", 'b'}, {{"布熊", "toy bear"}, "toy bears", "只", 0},
    {{"日记本", "diary"}, "diaries", "本", 0}, {{"图画书", "picture book"}, "picture books", "本", 0},
    {{"放大镜", "magnifying glass"}, "magnifying glasses", "面", 0}, {{"指南针", "compass"}, "compasses", "只", 0},
    {{"风车", "pinwheel"}, "pinwheels", "只", 'l'}, {{"羽毛笔", "feather pen"}, "feather pens", "支", 'l'},
    {{"桌布", "tablecloth"}, "tablecloths", "块", 'l'}, {{"绳子", "rope"}, "ropes", "条", 0},
    {{"面具", "mask"}, "masks", "只", 'l'}, {{"手表", "watch"}, "watches", "块", 0},
    {{"小提篮", "lunch basket"}, "lunch baskets", "只", 0}, {{"睡帽", "nightcap"}, "nightcaps", "顶", 'l'},
};

static const Food foods[] = {
    {{"梨汤", "pear soup"}, {"一碗梨汤", "a bowl of pear soup"}, false},
    {{"饺子", "dumplings"}, {"一盘饺子", "a plate of dumplings"}, true},
    {{"蜂蜜蛋糕", "honey cake"}, {"一块蜂蜜蛋糕", "a slice of honey cake"}, false},
    {{"面条", "noodles"}, {"一碗面条", "a bowl of noodles"}, true},
    {{"玉米", "corn"}, {"一根玉米", "an ear of corn"}, false},
    {{"面包", "bread"}, {"一条面包", "a loaf of bread"}, false},
    {{"草莓酱", "strawberry jam"}, {"一罐草莓酱", "a jar of strawberry jam"}, false},
    {{"蘑菇派", "mushroom pie"}, {"一个蘑菇派", "a mushroom pie"}, false},
    {{"米粥", "rice porridge"}, {"一碗米粥", "a bowl of rice porridge"}, false},
    {{"南瓜饼", "pumpkin cake"}, {"一块南瓜饼", "a piece of pumpkin cake"}, false},
    {{"豆花", "bean pudding"}, {"一碗豆花", "a bowl of bean pudding"}, false},
    {{"核桃", "walnuts"}, {"一把核桃", "a handful of walnuts"}, true},
    {{"西瓜", "watermelon"}, {"一片西瓜", "a slice of watermelon"}, false},
    {{"鸡蛋羹", "steamed egg"}, {"一碗鸡蛋羹", "a bowl of steamed egg"}, false},
    {{"芝麻球", "sesame balls"}, {"三个芝麻球", "three sesame balls"}, true},
    {{"酸奶", "yoghurt"}, {"一杯酸奶", "a cup of yoghurt"}, false},
    {{"烤红薯", "roast sweet potato"}, {"一个烤红薯", "a roast sweet potato"}, false},
    {{"奶酪", "cheese"}, {"一块奶酪", "a piece of cheese"}, false},
    {{"樱桃", "cherries"}, {"一捧樱桃", "a handful of cherries"}, true},
    {{"姜饼", "gingerbread"}, {"一块姜饼", "a piece of gingerbread"}, false},
    {{"煎饼", "pancakes"}, {"两张煎饼", "two pancakes"}, true},
    {{"汤圆", "rice balls"}, {"一碗汤圆", "a bowl of rice balls"}, true},
    {{"葡萄", "grapes"}, {"一串葡萄", "a bunch of grapes"}, true},
    {{"花生糖", "peanut candy"}, {"一包花生糖", "a bag of peanut candy"}, false},
    {{"豆浆", "soy milk"}, {"一杯豆浆", "a cup of soy milk"}, false},
    {{"包子", "steamed buns"}, {"两个包子", "two steamed buns"}, true},
    {{"李子派", "plum pie"}, {"一个李子派", "a plum pie"}, false},
    {{"柠檬水", "lemonade"}, {"一壶柠檬水", "a jug of lemonade"}, false},
    {{"煮栗子", "chestnuts"}, {"一袋煮栗子", "a bag of chestnuts"}, true},
    {{"番茄汤", "tomato soup"}, {"一碗番茄汤", "a bowl of tomato soup"}, false},
    {{"桂花糕", "osmanthus cake"}, {"一块桂花糕", "a piece of osmanthus cake"}, false},
    {{"橘子", "tangerines"}, {"五个橘子", "five tangerines"}, true},
    {{"饼干", "biscuits"}, {"一盒饼干", "a box of biscuits"}, true},
    {{"热可可", "hot cocoa"}, {"一杯热可可", "a mug of hot cocoa"}, false},
    {{"炒饭", "fried rice"}, {"一盘炒饭", "a plate of fried rice"}, false},
    {{"胡萝卜汤", "carrot soup"}, {"一锅胡萝卜汤", "a pot of carrot soup"}, false},
    {{"春卷", "egg rolls"}, {"一盘春卷", "a plate of egg rolls"}, true},
    {{"果冻", "jelly"}, {"一碗果冻", "a bowl of jelly"}, false},
    {{"爆米花", "popcorn"}, {"一桶爆米花", "a bucket of popcorn"}, false},
    {{"布丁", "custard"}, {"一杯布丁", "a cup of custard"}, false},
};

static const Place places[] = {
    {{"池塘边", "by the pond"}, {"池塘", "the pond"}}, {{"树林里", "in the woods"}, {"树林", "the woods"}},
    {{"山坡上", "on the hill"}, {"山坡", "the hill"}}, {{"石桥上", "on the stone bridge"}, {"石桥", "the stone bridge"}},
    {{"磨坊旁", "near the mill"}, {"磨坊", "the mill"}}, {{"集市上", "at the market"}, {"集市", "the market"}},
    {{"图书馆里", "in the library"}, {"图书馆", "the library"}}, {{"花园里", "in the garden"}, {"花园", "the garden"}},
    {{"厨房里", "in the kitchen"}, {"厨房", "the kitchen"}}, {{"阁楼上", "in the attic"}, {"阁楼", "the attic"}},
    {{"灯塔下", "below the lighthouse"}, {"灯塔", "the lighthouse"}}, {{"草地上", "in the meadow"}, {"草地", "the meadow"}},
    {{"谷仓里", "in the barn"}, {"谷仓", "the barn"}}, {{"学校里", "at the school"}, {"学校", "the school"}},
    {{"面包店里", "in the bakery"}, {"面包店", "the bakery"}}, {{"码头上", "on the pier"}, {"码头", "the pier"}},
    {{"果园里", "in the orchard"}, {"果园", "the orchard"}}, {{"车站里", "at the station"}, {"车站", "the station"}},
    {{"小巷里", "in the lane"}, {"小巷", "the lane"}}, {{"水井边", "by the well"}, {"水井", "the well"}},
    {{"大风车下", "under the windmill"}, {"大风车", "the windmill"}}, {{"竹林里", "in the bamboo grove"}, {"竹林", "the bamboo grove"}},
    {{"河边", "by the river"}, {"小河", "the river"}}, {{"沙滩上", "on the beach"}, {"沙滩", "the beach"}},
    {{"老橡树下", "under the old oak"}, {"老橡树", "the old oak"}}, {{"广场上", "on the square"}, {"广场", "the square"}},
    {{"山洞里", "in the cave"}, {"山洞", "the cave"}}, {{"菜园里", "in the vegetable garden"}, {"菜园", "the vegetable garden"}},
    {{"钟楼下", "under the bell tower"}, {"钟楼", "the bell tower"}}, {{"邮局里", "at the post office"}, {"邮局", "the post office"}},
    {{"小岛上", "on the little island"}, {"小岛", "the little island"}}, {{"温室里", "in the greenhouse"}, {"温室", "the greenhouse"}},
    {{"瀑布旁", "beside the waterfall"}, {"瀑布", "the waterfall"}}, {{"茶馆里", "in the tea house"}, {"茶馆", "the tea house"}},
    {{"雪坡上", "on the snowy slope"}, {"雪坡", "the snowy slope"}}, {{"篱笆边", "by the fence"}, {"篱笆", "the fence"}},
    {{"玩具店里", "in the toy shop"}, {"玩具店", "the toy shop"}}, {{"麦田里", "in the wheat field"}, {"麦田", "the wheat field"}},
    {{"树屋里", "in the tree house"}, {"树屋", "the tree house"}}, {{"喷泉旁", "beside the fountain"}, {"喷泉", "the fountain"}},
};

static const Words containers[] = {
    {"木箱", "wooden chest"}, {"抽屉", "drawer"}, {"陶罐", "clay jar"}, {"布袋", "cloth bag"}, {"柜子", "cupboard"},
    {"旧皮箱", "old suitcase"}, {"竹筐", "bamboo basket"}, {"铁盒", "tin"}, {"大衣口袋", "coat pocket"}, {"水桶", "bucket"},
    {"鸟窝", "bird's nest"}, {"大花盆", "big flower pot"}, {"信箱", "letter box"}, {"空茶壶", "empty teapot"},
};

static const Words moments[] = {
    {"清早", "early in the morning"}, {"午后", "in the afternoon"}, {"傍晚", "towards evening"}, {"吃过早饭", "after breakfast"},
    {"有一天", "one day"}, {"星期六", "on Saturday"}, {"下雪的那天", "on the day it snowed"}, {"春天的一个早上", "one spring morning"},
    {"秋天的一个下午", "one autumn afternoon"}, {"月亮升起的时候", "when the moon came up"}, {"放学以后", "after school"},
    {"雨停了以后", "when the rain had stopped"}, {"假期的第一天", "on the first day of the holidays"}, {"天还没亮", "before it was light"},
    {"星期三中午", "on Wednesday at noon"}, {"夏天的一个晚上", "one summer evening"}, {"天刚黑", "just after dark"},
    {"刮大风的那天", "on a very windy day"}, {"公鸡叫了两遍以后", "when the rooster had crowed twice"}, {"太阳快下山时", "as the sun was going down"},
    {"过年的前一天", "on the day before New Year"}, {"吃晚饭的时候", "at supper time"}, {"三月的一天", "one day in March"},
    {"第一朵花开的那天", "on the day the first flower opened"}, {"星期天一早", "early on Sunday"}, {"冬天的一个夜里", "one winter night"},
    {"雾散了以后", "when the mist had lifted"}, {"李子树开花的时候", "when the plum trees were in bloom"},
};

static const Words weather[] = {
    {"风把云吹得很快", "the wind was pushing the clouds along"}, {"太阳暖暖地照着屋顶", "the sun lay warm on the roofs"},
    {"雨点轻轻敲着窗子", "rain was tapping softly at the window"}, {"雾还没有散", "the mist had not yet lifted"},
    {"天上一朵云也没有", "there was not a cloud in the sky"}, {"雪落得没有一点声音", "the snow fell without a sound"},
    {"远处打了一声闷雷", "far away there was a low roll of thunder"}, {"空气里有干草的味道", "the air smelled of hay"},
    {"知了叫个不停", "the cicadas would not stop singing"}, {"霜把草尖染白了", "frost had whitened the tips of the grass"},
    {"晚霞红得像果酱", "the sunset was as red as jam"}, {"星星一颗一颗亮起来", "one by one the stars came out"},
    {"树叶沙沙地响", "the leaves were whispering"}, {"路上的水洼亮得像镜子", "the puddles shone like mirrors"},
    {"屋檐下挂着冰柱", "icicles hung from the eaves"}, {"彩虹落在河对岸", "a rainbow stood beyond the river"},
    {"蒲公英到处飞", "dandelion seeds were flying everywhere"}, {"月光照得院子发白", "moonlight made the yard quite white"},
    {"柳条在水面上画圈", "the willows were drawing rings on the water"}, {"热得连石头都想喝水", "it was so hot that even the stones looked thirsty"},
    {"风里有桂花的香味", "the wind smelled of osmanthus"}, {"小雨下得像一层纱", "a rain as fine as a veil was falling"},
    {"云像一群绵羊", "the clouds looked like a flock of sheep"}, {"影子短得踩不到", "the shadows were too short to step on"},
    {"太阳从云缝里探出头来", "the sun looked out between two clouds"}, {"雷声越走越远", "the thunder was walking away"},
    {"露水挂在蜘蛛网上", "dew was hanging in the spiders' webs"}, {"冷得鼻子发红", "it was so cold that every nose was red"},
    {"大雪把路都盖住了", "the snow had hidden all the paths"}, {"黄叶铺了一地", "yellow leaves covered the ground"},
};

static const Act acts[] = {
    {"数云", "counted clouds", "counting clouds"}, {"洗袜子", "washed socks", "washing socks"},
    {"学吹口哨", "practised whistling", "practising whistling"}, {"画一条大鱼", "drew a big fish", "drawing a big fish"},
    {"扫落叶", "swept up leaves", "sweeping up leaves"}, {"给番茄浇水", "watered the tomatoes", "watering the tomatoes"},
    {"修一架旧收音机", "mended an old radio", "mending an old radio"}, {"读一本没有封面的书", "read a book with no cover", "reading a book with no cover"},
    {"搭一座小桥", "built a little bridge", "building a little bridge"}, {"跟自己的影子玩", "played with a shadow", "playing with a shadow"},
    {"捡光滑的石子", "picked up smooth stones", "picking up smooth stones"}, {"写一封长信", "wrote a long letter", "writing a long letter"},
    {"听火车经过", "listened to the trains go by", "listening to the trains go by"}, {"练习倒着走", "practised walking backwards", "practising walking backwards"},
    {"把书按颜色排好", "sorted books by colour", "sorting books by colour"}, {"等面团发起来", "waited for the dough to rise", "waiting for the dough to rise"},
    {"看蚂蚁搬家", "watched the ants move house", "watching the ants move house"}, {"折纸星星", "folded paper stars", "folding paper stars"},
    {"晾床单", "hung out the sheets", "hanging out the sheets"}, {"学唱一首新歌", "learned a new song", "learning a new song"},
    {"给篱笆刷漆", "painted the fence", "painting the fence"}, {"剥豆子", "shelled peas", "shelling peas"},
    {"钓鱼", "fished", "fishing"}, {"擦窗户", "cleaned the windows", "cleaning the windows"},
    {"做一把木头椅子", "made a wooden chair", "making a wooden chair"}, {"数台阶", "counted the steps", "counting the steps"},
    {"打盹", "took a nap", "taking a nap"}, {"喂金鱼", "fed the goldfish", "feeding the goldfish"},
    {"收集羽毛", "collected feathers", "collecting feathers"}, {"堆雪人", "built a snowman", "building a snowman"},
    {"挖一个大坑", "dug a big hole", "digging a big hole"}, {"跳绳", "skipped with a rope", "skipping with a rope"},
    {"吹泡泡", "blew bubbles", "blowing bubbles"}, {"补一只破袜子", "darned a sock", "darning a sock"},
    {"看夕阳", "watched the sunset", "watching the sunset"}, {"找四片叶子的草", "looked for clover with four leaves", "looking for clover with four leaves"},
    {"揉面团", "kneaded dough", "kneading dough"}, {"练习翻跟头", "practised somersaults", "practising somersaults"},
    {"给布娃娃讲故事", "told stories to a doll", "telling stories to a doll"}, {"编一个草帽", "wove a straw hat", "weaving a straw hat"},
    {"数羊", "counted sheep", "counting sheep"}, {"往水里扔石子", "threw pebbles into the water", "throwing pebbles into the water"},
    {"给花起名字", "gave names to the flowers", "giving names to the flowers"}, {"听雨", "listened to the rain", "listening to the rain"},
    {"摘豆角", "picked beans", "picking beans"}, {"擦一双旧皮鞋", "polished a pair of old shoes", "polishing a pair of old shoes"},
    {"练习写大字", "practised big letters", "practising big letters"}, {"磨刀", "sharpened a knife", "sharpening a knife"},
    {"做一个弹弓", "made a slingshot", "making a slingshot"}, {"把纽扣串起来", "threaded buttons on a string", "threading buttons on a string"},
    {"看一张旧照片", "looked at an old photograph", "looking at an old photograph"}, {"拍打地毯", "beat the carpet", "beating the carpet"},
    {"看蚕吃桑叶", "watched the silkworms eat", "watching the silkworms eat"}, {"敲核桃", "cracked nuts", "cracking nuts"},
    {"唱跑调的歌", "sang out of tune", "singing out of tune"}, {"学青蛙叫", "croaked like a frog", "croaking like a frog"},
    {"熬果酱", "made jam", "making jam"}, {"给车轮上油", "oiled the wheels of a cart", "oiling the wheels of a cart"},
    {"整理工具箱", "tidied the toolbox", "tidying the toolbox"}, {"排队买票", "stood in line for a ticket", "standing in line for a ticket"},
    {"画全家人的像", "drew the whole family", "drawing the whole family"}, {"拔萝卜", "pulled up radishes", "pulling up radishes"},
    {"荡秋千", "sat on the swing", "sitting on the swing"}, {"盖一间小木屋", "built a small hut", "building a small hut"},
    {"拉小提琴", "practised the violin", "practising the violin"}, {"追蝴蝶", "ran after butterflies", "running after butterflies"},
    {"给奶奶捶背", "rubbed Granny's back", "rubbing Granny's back"}, {"装鬼脸", "made funny faces", "making funny faces"},
    {"缝一个沙包", "sewed a bean bag", "sewing a bean bag"}, {"数星星", "counted the stars", "counting the stars"},
    {"看地图", "studied a map", "studying a map"}, {"晒被子", "aired the blankets", "airing the blankets"},
    {"找一只丢了的鞋", "looked for a missing shoe", "looking for a missing shoe"}, {"做冰灯", "made lamps of ice", "making lamps of ice"},
};

static const Words traits[] = {
    {"勇敢", "brave"}, {"害羞", "shy"}, {"爱笑", "cheerful"}, {"细心", "careful"}, {"有耐心", "patient"}, {"好奇", "curious"},
    {"嘴馋", "greedy"}, {"爱干净", "tidy"}, {"爱做梦", "dreamy"}, {"热心", "kind"}, {"固执", "stubborn"}, {"机灵", "clever"},
    {"安静", "quiet"}, {"粗心", "careless"}, {"爱唱歌", "musical"}, {"胆小", "timid"}, {"忙碌", "busy"}, {"有礼貌", "polite"},
};

static const Words towns[] = {
    {"石桥镇", "Stonebridge"}, {"雾港", "Mistport"}, {"橡树谷", "Oakdale"}, {"风铃村", "Bellwind"}, {"月亮湾", "Moon Bay"}, {"青瓦城", "Greentile"},
    {"松果镇", "Pinecone"}, {"白鹭洲", "Egret Isle"}, {"铜锣坡", "Gong Hill"}, {"甜水井", "Sweetwell"}, {"芦花渡", "Reedford"}, {"蓝门", "Bluegate"},
    {"红沙", "Redsand"}, {"云脚", "Cloudfoot"}, {"老磨坊", "Oldmill"}, {"九棵柳", "Nine Willows"}, {"蜂蜜坡", "Honeyhill"}, {"冰糖湖", "Sugar Lake"},
    {"三岔口", "Threeways"}, {"鹅卵滩", "Pebble Shore"}, {"雪帽", "Snowcap"}, {"桂花巷", "Osmanthus Lane"}, {"回声谷", "Echo Valley"}, {"长堤", "Longdyke"},
};

static const Words firms[] = {
    {"星灯公司", "Starlamp"}, {"飞鱼邮局", "Flying Fish Post"}, {"青蛙电台", "Frog Radio"}, {"蓝鲸船厂", "Blue Whale Shipyard"},
    {"半月书店", "Half Moon Books"}, {"铁猫工厂", "Iron Cat Works"}, {"慢车铁路", "Slow Train Railway"}, {"香草面包房", "Vanilla Bakery"},
    {"云朵医院", "Cloud Hospital"}, {"松针剧院", "Pine Needle Theatre"}, {"七色颜料厂", "Seven Colours Paint"}, {"纸船出版社", "Paper Boat Press"},
    {"大风航空", "Great Wind Air"}, {"河马银行", "Hippo Savings"}, {"橘灯学校", "Orange Lamp School"}, {"石头农场", "Pebble Farm"},
};

static const Words jobs[] = {
    {"邮递员", "postman"}, {"钟表匠", "clockmaker"}, {"渔夫", "fisherman"}, {"面包师", "baker"}, {"老师", "teacher"}, {"护士", "nurse"},
    {"火车司机", "train driver"}, {"木匠", "carpenter"}, {"裁缝", "tailor"}, {"画家", "painter"}, {"养蜂人", "beekeeper"}, {"灯塔看守", "lighthouse keeper"},
    {"厨师", "cook"}, {"园丁", "gardener"}, {"兽医", "vet"}, {"图书管理员", "librarian"}, {"船长", "captain"}, {"歌手", "singer"},
    {"铁匠", "smith"}, {"天文学家", "astronomer"},
};

static const Words pets[] = {
    {"鹦鹉", "parrot"}, {"金鱼", "goldfish"}, {"白鹅", "goose"}, {"乌龟", "turtle"}, {"花猫", "tabby cat"}, {"老狗", "old dog"},
    {"蟋蟀", "cricket"}, {"鸽子", "pigeon"}, {"仓鼠", "hamster"}, {"刺猬", "hedgehog"}, {"山羊", "goat"}, {"蜥蜴", "lizard"},
};

static const Words instruments[] = {
    {"笛子", "flute"}, {"二胡", "erhu"}, {"手风琴", "accordion"}, {"小号", "trumpet"}, {"钢琴", "piano"}, {"古筝", "zither"},
    {"吉他", "guitar"}, {"大鼓", "big drum"}, {"小提琴", "violin"}, {"口琴", "harmonica"},
};

static const Words surnames[] = {
    {"林", "Lin"}, {"周", "Zhou"}, {"陆", "Lu"}, {"方", "Fang"}, {"叶", "Ye"}, {"石", "Shi"}, {"江", "Jiang"}, {"苏", "Su"}, {"何", "He"}, {"白", "Bai"},
    {"秦", "Qin"}, {"顾", "Gu"}, {"沈", "Shen"}, {"唐", "Tang"}, {"夏", "Xia"}, {"贺", "Heh"}, {"温", "Wen"}, {"骆", "Luo"}, {"乔", "Qiao"}, {"梅", "Mei"},
};

static const Words given[] = {
    {"小溪", "Xiaoxi"}, {"一帆", "Yifan"}, {"春生", "Chunsheng"}, {"若兰", "Ruolan"}, {"大山", "Dashan"}, {"明月", "Mingyue"}, {"子安", "Zian"},
    {"雨桐", "Yutong"}, {"长河", "Changhe"}, {"秋水", "Qiushui"}, {"思远", "Siyuan"}, {"海棠", "Haitang"}, {"念慈", "Nianci"}, {"云舟", "Yunzhou"},
    {"晓东", "Xiaodong"}, {"青禾", "Qinghe"}, {"望舒", "Wangshu"}, {"知秋", "Zhiqiu"}, {"乐天", "Letian"}, {"南星", "Nanxing"}, {"如意", "Ruyi"},
    {"平安", "Pingan"}, {"初一", "Chuyi"}, {"听雪", "Tingxue"}, {"百川", "Baichuan"},
};

static const Words plants[] = {
    {"南瓜", "pumpkin"}, {"向日葵", "sunflower"}, {"豌豆", "pea"}, {"丝瓜", "gourd"}, {"萝卜", "radish"}, {"番茄", "tomato"}, {"辣椒", "pepper"}, {"甜瓜", "melon"},
};

static const Country countries[] = {
    {{"法国", "France"}, {"巴黎", "Paris"}, 'e'}, {{"中国", "China"}, {"北京", "Beijing"}, 'a'}, {{"日本", "Japan"}, {"东京", "Tokyo"}, 'a'},
    {{"意大利", "Italy"}, {"罗马", "Rome"}, 'e'}, {{"西班牙", "Spain"}, {"马德里", "Madrid"}, 'e'}, {{"英国", "Britain"}, {"伦敦", "London"}, 'e'},
    {{"德国", "Germany"}, {"柏林", "Berlin"}, 'e'}, {{"俄罗斯", "Russia"}, {"莫斯科", "Moscow"}, 'e'}, {{"埃及", "Egypt"}, {"开罗", "Cairo"}, 'f'},
    {{"希腊", "Greece"}, {"雅典", "Athens"}, 'e'}, {{"韩国", "South Korea"}, {"首尔", "Seoul"}, 'a'}, {{"泰国", "Thailand"}, {"曼谷", "Bangkok"}, 'a'},
    {{"印度", "India"}, {"新德里", "New Delhi"}, 'a'}, {{"肯尼亚", "Kenya"}, {"内罗毕", "Nairobi"}, 'f'}, {{"秘鲁", "Peru"}, {"利马", "Lima"}, 's'},
    {{"智利", "Chile"}, {"圣地亚哥", "Santiago"}, 's'}, {{"古巴", "Cuba"}, {"哈瓦那", "Havana"}, 'n'}, {{"加拿大", "Canada"}, {"渥太华", "Ottawa"}, 'n'},
    {{"挪威", "Norway"}, {"奥斯陆", "Oslo"}, 'e'}, {{"瑞典", "Sweden"}, {"斯德哥尔摩", "Stockholm"}, 'e'}, {{"芬兰", "Finland"}, {"赫尔辛基", "Helsinki"}, 'e'},
    {{"波兰", "Poland"}, {"华沙", "Warsaw"}, 'e'}, {{"奥地利", "Austria"}, {"维也纳", "Vienna"}, 'e'}, {{"葡萄牙", "Portugal"}, {"里斯本", "Lisbon"}, 'e'},
    {{"爱尔兰", "Ireland"}, {"都柏林", "Dublin"}, 'e'}, {{"越南", "Vietnam"}, {"河内", "Hanoi"}, 'a'}, {{"蒙古", "Mongolia"}, {"乌兰巴托", "Ulaanbaatar"}, 'a'},
    {{"尼泊尔", "Nepal"}, {"加德满都", "Kathmandu"}, 'a'}, {{"匈牙利", "Hungary"}, {"布达佩斯", "Budapest"}, 'e'}, {{"丹麦", "Denmark"}, {"哥本哈根", "Copenhagen"}, 'e'},
    {{"伊朗", "Iran"}, {"德黑兰", "Tehran"}, 'a'}, {{"墨西哥", "Mexico"}, {"墨西哥城", "Mexico City"}, 'n'}, {{"土耳其", "Turkey"}, {"安卡拉", "Ankara"}, 'a'},
    {{"阿根廷", "Argentina"}, {"布宜诺斯艾利斯", "Buenos Aires"}, 's'}, {{"荷兰", "the Netherlands"}, {"阿姆斯特丹", "Amsterdam"}, 'e'},
    {{"比利时", "Belgium"}, {"布鲁塞尔", "Brussels"}, 'e'}, {{"瑞士", "Switzerland"}, {"伯尔尼", "Bern"}, 'e'}, {{"捷克", "Czechia"}, {"布拉格", "Prague"}, 'e'},
    {{"冰岛", "Iceland"}, {"雷克雅未克", "Reykjavik"}, 'e'}, {{"摩洛哥", "Morocco"}, {"拉巴特", "Rabat"}, 'f'}, {{"哥伦比亚", "Colombia"}, {"波哥大", "Bogota"}, 's'},
    {{"伊拉克", "Iraq"}, {"巴格达", "Baghdad"}, 'a'}, {{"马来西亚", "Malaysia"}, {"吉隆坡", "Kuala Lumpur"}, 'a'}, {{"菲律宾", "the Philippines"}, {"马尼拉", "Manila"}, 'a'},
    {{"澳大利亚", "Australia"}, {"堪培拉", "Canberra"}, 'o'}, {{"新西兰", "New Zealand"}, {"惠灵顿", "Wellington"}, 'o'}, {{"乌克兰", "Ukraine"}, {"基辅", "Kyiv"}, 'e'},
    {{"罗马尼亚", "Romania"}, {"布加勒斯特", "Bucharest"}, 'e'}, {{"加纳", "Ghana"}, {"阿克拉", "Accra"}, 'f'}, {{"乌拉圭", "Uruguay"}, {"蒙得维的亚", "Montevideo"}, 's'},
    {{"老挝", "Laos"}, {"万象", "Vientiane"}, 'a'}, {{"约旦", "Jordan"}, {"安曼", "Amman"}, 'a'}, {{"突尼斯共和国", "Tunisia"}, {"突尼斯城", "Tunis"}, 'f'},
    {{"马里", "Mali"}, {"巴马科", "Bamako"}, 'f'}, {{"斐济", "Fiji"}, {"苏瓦", "Suva"}, 'o'}, {{"拉脱维亚", "Latvia"}, {"里加", "Riga"}, 'e'},
};

static const Words numbers[] = {
    {"零", "no"}, {"一", "one"}, {"两", "two"}, {"三", "three"}, {"四", "four"}, {"五", "five"}, {"六", "six"}, {"七", "seven"}, {"八", "eight"},
    {"九", "nine"}, {"十", "ten"}, {"十一", "eleven"}, {"十二", "twelve"}, {"十三", "thirteen"}, {"十四", "fourteen"}, {"十五", "fifteen"},
    {"十六", "sixteen"}, {"十七", "seventeen"}, {"十八", "eighteen"}, {"十九", "nineteen"}, {"二十", "twenty"},
};

#define LIST(field) .field = field, .n_##field = (int)(sizeof field / sizeof *field)
const Lexicon lexicon = {
    LIST(names), LIST(animals), LIST(things), LIST(colours), LIST(foods), LIST(places), LIST(containers),
    LIST(moments), LIST(weather), LIST(traits), LIST(towns), LIST(firms), LIST(pets), LIST(instruments),
    LIST(acts), LIST(jobs), LIST(surnames), LIST(given), LIST(plants), LIST(countries),
};
// clang-format on

const Words *lexicon_continent(char letter) {
    static const struct {
        char letter;
        Words name;
    } continents[] = {{'e', {"欧洲", "Europe"}},          {'a', {"亚洲", "Asia"}},
                      {'f', {"非洲", "Africa"}},          {'s', {"南美洲", "South America"}},
                      {'n', {"北美洲", "North America"}}, {'o', {"大洋洲", "Oceania"}}};
    for (size_t i = 0; i < sizeof continents / sizeof *continents; i++)
        if (continents[i].letter == letter) return &continents[i].name;
    return NULL;
}

const Words *lexicon_number(int n) {
    require(n >= 0 && n <= NUMBER_MAX);
    return &numbers[n];
}

const char *lexicon_ordinal_zh(int n) {
    return n == 2 ? "二" : lexicon_number(n)->zh;
}
