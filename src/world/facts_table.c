// facts_table.c - relations between people or countries and what belongs to them, each in several
// wordings: {s} the subject, {o} the object.  The last wording is a question.  Data only.
#include "world/tables.h"

// clang-format off
#define WORDINGS(...) {__VA_ARGS__}, sizeof((Words[]){__VA_ARGS__}) / sizeof(Words)
const Relation relations[RELATIONS] = {
    [RELATION_TOWN] = {"town", WORDINGS(
        {"{s}住在{o}。", "{s} lives in {o}."}, {"{s}的家在{o}。", "The home of {s} is in {o}."},
        {"{s}是{o}人。", "{s} comes from {o}."}, {"去{o}就能找到{s}。", "Go to {o} and you will find {s}."},
        {"要给{s}写信，就寄到{o}。", "Letters to {s} must be sent to {o}."},
        {"{s}的邻居都是{o}人。", "The neighbours of {s} all live in {o}."},
        {"{s}在{o}长大，现在还住在那里。", "{s} grew up in {o} and still lives there."},
        {"问：{s}住在哪里？答：{o}。", "Q: Where does {s} live? A: {^o}."})},
    [RELATION_JOB] = {"job", WORDINGS(
        {"{s}是一名{o}。", "{s} is a {o}."}, {"{s}的工作是当{o}。", "{s} works as a {o}."},
        {"{s}当{o}已经很多年了。", "{s} has been a {o} for many years."},
        {"要找一个好{o}，就去问{s}。", "If you need a good {o}, ask {s}."},
        {"{s}小时候就想当{o}，现在真的当上了。", "{s} wanted to become a {o} as a child, and did."},
        {"问：{s}是做什么的？答：{o}。", "Q: What does {s} do? A: {^o}."})},
    [RELATION_FIRM] = {"firm", WORDINGS(
        {"{s}在{o}上班。", "{s} works at {o}."}, {"{s}是{o}的员工。", "{s} is on the staff of {o}."},
        {"每天早上，{s}都去{o}。", "Every morning {s} goes to {o}."},
        {"{o}有个{s}，大家都喜欢。", "At {o} there is {s}, whom everybody likes."},
        {"{s}的名牌上写着{o}。", "The badge of {s} says {o}."},
        {"问：{s}在哪里工作？答：{o}。", "Q: Where does {s} work? A: {^o}."})},
    [RELATION_PET] = {"pet", WORDINGS(
        {"{s}养了一只{o}。", "{s} keeps a {o}."}, {"{s}的宠物是一只{o}。", "The pet of {s} is a {o}."},
        {"{s}走到哪儿都带着一只{o}。", "{s} goes everywhere with a {o}."},
        {"{s}家里有一只{o}。", "In the house of {s} there is a {o}."},
        {"{s}最好的朋友是一只{o}。", "The best friend of {s} is a {o}."},
        {"问：{s}养什么？答：{o}。", "Q: What pet does {s} keep? A: {^o}."})},
    [RELATION_INSTRUMENT] = {"instrument", WORDINGS(
        {"{s}会演奏{o}。", "{s} plays the {o}."}, {"{s}最拿手的乐器是{o}。", "The instrument {s} plays best is the {o}."},
        {"晚上，{s}常常练{o}。", "In the evening {s} often practises the {o}."},
        {"{s}的房间里放着{o}。", "In the room of {s} you will see the {o}."},
        {"过节的时候，{s}总要演奏{o}。", "On holidays {s} always plays the {o}."},
        {"问：{s}会什么乐器？答：{o}。", "Q: What instrument does {s} play? A: The {o}."})},
    [RELATION_FOOD] = {"food", WORDINGS(
        {"{s}最爱吃{o}。", "{s} loves {o} most of all."}, {"{s}一看见{o}就笑。", "{s} smiles at the sight of {o}."},
        {"{s}每个星期都要吃{o}。", "{s} has {o} every week."}, {"{s}的生日饭总少不了{o}。", "The birthday meal of {s} is always {o}."},
        {"要让{s}高兴，就端上{o}。", "To please {s}, bring {o}."},
        {"问：{s}爱吃什么？答：{o}。", "Q: What does {s} like to eat? A: {^o}."})},
    [RELATION_CAPITAL] = {"capital", WORDINGS(
        {"{s}的首都是{o}。", "The capital of {s} is {o}."}, {"{o}是{s}的首都。", "{o} is the capital of {s}."},
        {"要去{s}的首都，就买一张到{o}的票。", "To see the capital of {s}, buy a ticket to {o}."},
        {"说到{s}，人们先想到首都{o}。", "When people speak of {s}, they think first of the capital, {o}."},
        {"{s}的政府设在首都{o}。", "The government of {s} sits in the capital, {o}."},
        {"在{s}的地图上，首都{o}画着一颗星。", "On the map of {s} a star marks the capital, {o}."},
        {"问：{s}的首都在哪里？答：{o}。", "Q: What is the capital of {s}? A: {^o}."})},
    [RELATION_CONTINENT] = {"continent", WORDINGS(
        {"{s}在{o}。", "{s} is in {o}."}, {"{s}是{o}的一个国家。", "{s} is a country in {o}."},
        {"在地图上，{s}位于{o}。", "On the map {s} lies in {o}."}, {"到{o}旅行，可以去{s}。", "A journey to {o} may lead to {s}."},
        {"问：{s}在哪个洲？答：{o}。", "Q: On which continent is {s}? A: {^o}."})},
};
// clang-format on
