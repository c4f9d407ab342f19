// review.c - an opinion and its verdict; sometimes with a word for the other side first.
//
// The verdict follows the last side that is taken.  Held out: one set of remarks in ten.
#include <stdio.h>

#include "world/genre.h"
#include "world/tables.h"

void write_review(Draft *d) {
    Telling *t = &d->tell;
    const Reviewed *r = &reviewed[draw(d->rng, n_reviewed)];
    bool is_good = draft_coin(d), two = chance(d->rng, 67), mixed = chance(d->rng, 35);
    bool ends = chance(d->rng, 60);
    const Words *own = is_good ? r->good : r->bad, *opposed = is_good ? r->bad : r->good;
    int n_own = is_good ? r->n_good : r->n_bad, n_opposed = is_good ? r->n_bad : r->n_good;
    int own_at[2];
    draw_distinct(d->rng, n_own, 2, own_at);
    const Words *against = &opposed[draw(d->rng, n_opposed)];
    const Words *end = is_good ? &praise[draw(d->rng, n_praise)] : &blame[draw(d->rng, n_blame)];
    telling_set_words(t, 'r', r->name);
    telling_set_words(t, 'x', own[own_at[0]]);
    telling_set_words(t, 'y', own[own_at[1]]);
    telling_set_words(t, 'z', *against);
    telling_set_words(t, 'e', *end);
    draft_hold(d, "review %s %s %s %s", own[own_at[0]].en, two ? own[own_at[1]].en : "",
               mixed ? against->en : "", ends ? end->en : "");

    static const Words turns[] = {{"但是", "but"}, {"不过", "but"}, {"可是", "yet"}};
    const Words *turn = &turns[draw(d->rng, COUNT_OF(turns))];
    const char *side = is_good ? "pol+" : "pol-", *other = is_good ? "pol-" : "pol+";
    char zh[512], en[512], zh_other[64] = "", en_other[64] = "";
    if (mixed) {
        snprintf(zh_other, sizeof zh_other, "[{z}|%s]，%s", other, turn->zh);
        snprintf(en_other, sizeof en_other, "[{z}|%s], %s ", other, turn->en);
    }
    char zh_two[32] = "", en_two[32] = "", zh_end[32] = "", en_end[32] = "";
    if (two) snprintf(zh_two, sizeof zh_two, "，[{y}|%s]", side);
    if (two) snprintf(en_two, sizeof en_two, " and [{y}|%s]", side);
    if (ends) snprintf(zh_end, sizeof zh_end, "。[{e}|%s]", side);
    if (ends) snprintf(en_end, sizeof en_end, ". [{e}|%s]", side);
    snprintf(zh, sizeof zh, "评价：{r}，%s[{x}|%s]%s%s。\n结论：", zh_other, side, zh_two, zh_end);
    snprintf(en, sizeof en, "Review: About {r}: %s[{x}|%s]%s%s.\nVerdict:", en_other, side, en_two,
             en_end);
    tell(t, (Words){zh, en});
    tell(t, is_good ? (Words){"[正面|lab]", "[positive|lab]"}
                    : (Words){"[负面|lab]", "[negative|lab]"});
    draft_answer(d, "lab");
    draft_wrong_text(d, d->language == ZH ? (is_good ? "负面" : "正面")
                                          : (is_good ? "negative" : "positive"));
    record_note(d->record, "label", is_good ? "positive" : "negative");
    record_note(d->record, "mixed", mixed ? "mixed" : "plain");
}
