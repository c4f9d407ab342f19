// faults.h - does a record hold what it claims?
//
// Looks only at text, labels and the tables of words, never at how a text came about: a second
// witness.
#ifndef HEED_WORLD_FAULTS_H
#define HEED_WORLD_FAULTS_H

#include "world/record.h"

// X(NAME, "what is wrong")
#define FAULTS(X)                                                                     \
    X(SPAN, "no UTF-8, or a span that is empty, leaves the text or cuts a character") \
    X(MARKUP, "marks of a template were left in the text")                            \
    X(LANGUAGE, "words of the other language")                                        \
    X(SPACING, "doubled blanks or marks")                                             \
    X(ARTICLE, "a before a vowel, or an before a consonant")                          \
    X(CAPITAL, "a sentence begins small")                                             \
    X(ENDING, "the text does not end as a text does")                                 \
    X(NAME, "a mention of an actor that no lexicon knows")                            \
    X(GENDER, "a pronoun of another gender than its actor")                           \
    X(UNKNOWN, "a pronoun before its actor was named")                                \
    X(RIVAL, "a pronoun that could mean another actor")                               \
    X(ANTECEDENT, "the answer is not who the pronoun means")                          \
    X(DOER, "doer and undergoer are one")                                             \
    X(SENSE, "a word without its cue, or a cue of both its meanings")                 \
    X(NAMED, "the meaning is named wrongly")                                          \
    X(AGREEMENT, "verb and noun disagree")                                            \
    X(MEASURE, "a measure word that is not the noun's")                               \
    X(FACT, "a fact that is not so")                                                  \
    X(STRANGER, "a stranger in training text")                                        \
    X(UNTOLD, "the answer of a story was never told")                                 \
    X(RECALL, "what is recalled was not said, or said again in between")              \
    X(REPEAT, "what is said again is not the same")                                   \
    X(VERDICT, "the verdict is not that of the last side")                            \
    X(ALIGNMENT, "a label of alignment without its partner")                          \
    X(WRONG, "a wrong answer that is right")

typedef enum Fault {
#define X(name, words) FAULT_##name,
    FAULTS(X)
#undef X
        N_FAULTS
} Fault;

const char *fault_words(Fault fault);
// Adds to count[fault] what is wrong with the record.  `may_be_strange`: it is for probing.
void faults_count(const Record *r, bool may_be_strange, int64_t count[N_FAULTS]);

#endif
