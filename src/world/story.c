// story.c - a plot is played in a small world that knows who has what, where it is, and who saw it;
// then the world answers the questions.
//
// The plots are data (plots_table.c).  One story in seven goes on with a second plot and the same
// cast.  Held out: a plot with a pair of actors; the last plot as a whole.
#include <stdio.h>
#include <string.h>

#include "world/genre.h"
#include "world/tables.h"

enum { CAST = 5, CHAINED_PERCENT = 15, ASKED_PERCENT = 50 };

// Where everything is, and where each actor thinks it is: letters of slots.
typedef struct State {
    char where[SLOTS];
    char thought[CAST][SLOTS];
    bool is_away[CAST];
} State;

static const Words high_places[] = {{"树顶上", "at the top of a tree"},
                                    {"屋顶上", "on the roof"},
                                    {"电线上", "on the wire"},
                                    {"钟楼的尖尖上", "on the spike of the bell tower"},
                                    {"旗杆顶上", "on top of the flagpole"}};
static const Words noises[] = {{"咚、咚、咚", "bump, bump, bump"},
                               {"沙沙沙", "rustle, rustle, rustle"},
                               {"吱呀", "creak"},
                               {"嗒、嗒、嗒", "tap, tap, tap"},
                               {"呼噜噜", "rrr, rrr"},
                               {"嗖嗖嗖", "swish, swish"}};
static const Words sources[] = {
    {"风把门吹得来回晃", "the wind was swinging the door to and fro"},
    {"雨水滴在水桶里", "rain was dripping into a bucket"},
    {"树枝敲着窗玻璃", "a branch was knocking on the window pane"},
    {"什么小东西在落叶里走", "some small paws were walking in the dry leaves"},
    {"隔壁的爷爷在打呼噜", "the old man next door was snoring"},
    {"旧钟在走", "the old clock was ticking"},
    {"一张报纸被风吹着跑", "a newspaper was running before the wind"}};

// ---------------------------------------------------------------- the cast and its world
static bool suits(const Plot *p, const Actor *cast) {
    if (strchr(p->needs, 'r') && (!actor_can(&cast[1], "fct") || actor_can(&cast[2], "fct")))
        return false;
    return !strchr(p->needs, 's') || (actor_can(&cast[1], "s") && !actor_can(&cast[2], "s"));
}

// Two different words of a list into two slots.
static void draw_words(Telling *t, const char letters[2], const Words *list, int n) {
    int i[2];
    draw_distinct(t->rng, n, 2, i);
    for (int k = 0; k < 2; k++) telling_set_words(t, letters[k], list[i[k]]);
}

static void set_scene(Telling *t, const Plot *p, const Actor *cast, bool first_wins) {
    for (int i = 0; i < CAST; i++) telling_set_actor(t, "abcde"[i], cast[i]);
    telling_set_actor(t, 'W', cast[first_wins ? 0 : 1]);
    telling_set_actor(t, 'L', cast[first_wins ? 1 : 0]);
    draw_things(t, "tu", strchr(p->needs, 'l') ? "l" : strchr(p->needs, 'h') ? "l0" : "");
    draw_foods(t, "fghIJ");
    draw_places(t, "pqr");
    draw_containers(t, "kl");
    draw_acts(t, "xy");
    draw_moment(t);
    int n = 3 + draw(t->rng, 7);
    telling_set_number(t, 'n', n);
    telling_set_number(t, 'z', n > 4 ? n - 2 : n + 2);
    telling_set_words(t, 'j', lexicon.traits[draw(t->rng, lexicon.n_traits)]);
    draw_words(t, "si", lexicon.plants, lexicon.n_plants);
    telling_slot(t, 's')->label = "thing/s";
    draw_words(t, "HG", high_places, COUNT_OF(high_places));
    draw_words(t, "VU", noises, COUNT_OF(noises));
    telling_set_words(t, 'S', sources[draw(t->rng, COUNT_OF(sources))]);
    telling_set_words(t, 'o',
                      actor_can(&cast[1], "f")   ? (Words){"飞上去", "flew up"}
                      : actor_can(&cast[1], "c") ? (Words){"爬上去", "climbed up"}
                                                 : (Words){"伸长脖子", "stretched up"});
}

// "t=k a-": who is away learns nothing of what changes.
static void change(State *state, const char *effect) {
    for (const char *p = effect; *p; p++) {
        if (*p == ' ') continue;
        if (p[1] == '=') {
            int thing = p[0] - 'A';
            state->where[thing] = p[2];
            for (int i = 0; i < CAST; i++)
                if (!state->is_away[i]) state->thought[i][thing] = p[2];
            p += 2;
        } else {
            state->is_away[p[0] - 'a'] = p[1] == '-';
            p++;
        }
    }
}

static void play(Telling *t, const Plot *p, const Actor *cast, char way, bool first, State *state) {
    for (int i = 0; i < p->n_beats; i++) {
        const Beat *b = &p->beats[i];
        if ((b->when && b->when != way) || !chance(t->rng, b->share)) continue;
        bool is_intro = b->n && strstr(b->lines[0].zh, "{a.K}");
        if (is_intro && !first) continue; // they are known from the first plot
        if (is_intro && cast[0].is_named)
            tell_one(t, intro_named, n_intro_named);
        else if (b->lines)
            tell_one(t, b->lines, b->n);
        else
            tell_aside(t, cast, CAST);
        change(state, b->effect);
    }
}

// ---------------------------------------------------------------- questions
// "t.C" -> slot and form; "@t" -> where t is; "a@t" -> where a thinks it is.
static void read_answer(const State *state, const char *text, char *letter, char *form) {
    *form = 0;
    if (text[0] == '@')
        *letter = state->where[text[1] - 'A'];
    else if (text[1] == '@')
        *letter = state->thought[text[0] - 'a'][text[2] - 'A'];
    else {
        *letter = text[0];
        *form = text[1] == '.' ? text[2] : 0;
    }
    require(*letter);
}

// The line that gives a slot as an answer.
static void answer_line(const Telling *t, char letter, char form, char out[16]) {
    SlotKind kind = t->slot[letter - 'A'].kind;
    if (!form) form = kind == SLOT_ACTOR ? 'n' : kind == SLOT_CONTAINER ? 'i' : 0;
    snprintf(out, 16, form ? "{%c.%c}" : "{%c}", letter, form);
}

static void add_wrong(Draft *d, const State *state, const Ask *ask) {
    for (const char *p = ask->wrong; *p && d->record->n_wrong < RECORD_WRONG_MAX;) {
        char letter, form, line[16];
        read_answer(state, p, &letter, &form);
        answer_line(&d->tell, letter, form, line);
        draft_wrong(d, (Words){line, line});
        Str right = record_piece(d->record, d->record->answer);
        if (str_equal(str_from(record_wrong(d->record, d->record->n_wrong - 1)), right))
            d->record->n_wrong--;
        p += strcspn(p, " ");
        p += *p == ' ';
    }
}

static void put_question(Draft *d, const State *state, const Ask *ask) {
    Telling *t = &d->tell;
    char letter, form, answer[16], line[64];
    record_add(t->record, "\n", 1);
    t->capital = d->language == EN;
    t->is_free = true;
    tell(t, (Words){"问：", "Q:"});
    tell(t, ask->question);
    read_answer(state, ask->right, &letter, &form);
    answer_line(t, letter, form, answer);
    if (d->language == EN) {
        snprintf(line, sizeof line, "A: [{^%s|ans].", answer + 1);
        tell(t, (Words){line, line});
    } else {
        snprintf(line, sizeof line, "答：[%s|ans]。", answer);
        tell(t, (Words){line, line});
    }
    if (!d->probing) return;
    draft_answer(d, "ans");
    add_wrong(d, state, ask);
}

static void ask_questions(Draft *d, const Plot *p, char way, const State *state) {
    int order[8], asked = 0, most = d->probing ? 1 : 1 + draw(d->rng, 2);
    require(p->n_asks <= 8);
    draw_distinct(d->rng, p->n_asks, p->n_asks, order);
    for (int i = 0; i < p->n_asks && asked < most; i++) {
        const Ask *ask = &p->asks[order[i]];
        if (ask->when && ask->when != way) continue;
        put_question(d, state, ask);
        asked++;
    }
}

// ---------------------------------------------------------------- a story
static const Plot *draw_plot(Draft *d, const Actor *cast) {
    const Plot *p;
    do p = &plots[draw(d->rng, n_plots)];
    while (!suits(p, cast) || strchr(p->needs, 'n'));
    return p;
}

void write_story(Draft *d) {
    Telling *t = &d->tell;
    Actor cast[CAST];
    const Plot *p = &plots[draw(d->rng, n_plots)];
    do draw_actors(d->rng, CAST, cast);
    while (!suits(p, cast));
    int n = d->probing || !chance(d->rng, CHAINED_PERCENT) ? 1 : 2;
    char way = 0;
    State state = {{0}};
    for (int i = 0; i < n; i++) {
        if (i > 0) p = draw_plot(d, cast);
        way = chance(d->rng, 50) ? '+' : '-';
        memset(&state, 0, sizeof state);
        set_scene(t, p, cast, way == '+');
        draft_hold(d, "plot %s %s %s", p->name, cast[0].name.en, cast[1].name.en);
        if (p == &plots[n_plots - 1]) draft_hold_whole(d);
        if (i > 0) record_add(t->record, "\n", 1);
        t->capital = d->language == EN;
        telling_forget(t);
        play(t, p, cast, way, i == 0, &state);
    }
    bool asks = chance(d->rng, ASKED_PERCENT);
    if (asks || d->probing) ask_questions(d, p, way, &state);
    record_note(d->record, "plot", p->name);
    record_note(d->record, "held", d->is_whole ? "plot" : "combination");
    record_note_number(d->record, "chained", n - 1);
}
