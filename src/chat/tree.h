// tree.h - a parsed template.
#ifndef HEED_CHAT_TREE_H
#define HEED_CHAT_TREE_H

#include "chat/lexer.h"
#include "chat/value.h"

// What each kind keeps in the fields of a ChatNode.  "children" and "other" are lists.
// clang-format off
typedef enum ChatNodeKind {
    // Expressions:    children        left      right      third  name
    NODE_CONSTANT,   //                                            (constant)
    NODE_NAME,       //                                            the variable
    NODE_LIST,       // items
    NODE_TUPLE,      // items
    NODE_DICT,       // key, value, ...
    NODE_ATTRIBUTE,  //                object                      the attribute
    NODE_ITEM,       //                object    key
    NODE_SLICE,      //                object    from       to     (fourth: step)
    NODE_CALL,       // arguments      function
    NODE_FILTER,     // arguments      input                       the filter; input NULL in a block
    NODE_TEST,       // arguments      input                       the test
    NODE_ARGUMENT,   //                value                       the keyword, or ""
    NODE_NOT,        //                operand
    NODE_NEGATE,     //                operand
    NODE_PLUS,       //                operand
    NODE_AND,        //                operand   operand
    NODE_OR,         //                operand   operand
    NODE_BINARY,     //                operand   operand           the operator
    NODE_CONCAT,     // operands
    NODE_COMPARE,    // COMPARISONs    operand
    NODE_COMPARISON, //                operand                     the operator
    NODE_CHOICE,     //                then      condition  else
    // Statements:
    NODE_TEXT,       //                                            the text itself
    NODE_OUTPUT,     //                expression
    NODE_IF,         // BRANCHes
    NODE_BRANCH,     // body           condition, NULL for else
    NODE_FOR,        // body           target    iterable   condition     (other: else)
    NODE_SET,        //                target    expression
    NODE_SET_BLOCK,  // body           target    filters, or NULL
    NODE_MACRO,      // body                                       its name (other: parameters)
    NODE_CALL_BLOCK, // body                     the call          (other: parameters)
    NODE_FILTER_BLOCK, // body                   filters
    NODE_WITH,       // body                                       (other: SETs)
    NODE_SCOPE,      // body
    NODE_BREAK,
    NODE_CONTINUE
} ChatNodeKind;
// clang-format on

typedef struct ChatNode ChatNode;
struct ChatNode {
    ChatNodeKind kind;
    int line;
    Str name;
    Value constant;
    ChatNode *left, *right, *third, *fourth;
    ChatNode *children, *other; // lists linked by `next`
    ChatNode *next;
};

// A list of nodes under construction.
typedef struct ChatNodes {
    ChatNode *first, *last;
} ChatNodes;

typedef struct ChatParser {
    Arena *arena;
    ChatTokens tokens;
    int64_t at;
    int depth;
    int n_loops; // around the statement, for break and continue
    Error *err;
} ChatParser;

// Parsing functions return NULL after setting the error.
ChatNode *chat_parse(ChatParser *parser);            // the whole template, as a NODE_SCOPE
ChatNode *chat_parse_expression(ChatParser *parser); // with an inline if
ChatNode *chat_parse_tuple(ChatParser *parser, bool with_choice); // expressions without brackets
ChatNode *chat_parse_primary(ChatParser *parser);
// Filters behind an input, which is NULL in front of a filter block.
ChatNode *chat_parse_filters(ChatParser *parser, ChatNode *input);
ChatNode *chat_parse_target(ChatParser *parser, bool with_attribute);  // what set and for assign to
bool chat_parse_parameters(ChatParser *parser, ChatNodes *parameters); // "(a, b=1)"

// What the two halves of the parser share.
ChatNode *chat_node(ChatParser *parser, ChatNodeKind kind);
void chat_nodes_add(ChatNodes *nodes, ChatNode *node);
const ChatToken *chat_token(const ChatParser *parser); // the current one
bool chat_at_name(const ChatParser *parser, const char *name);
bool chat_at_operator(const ChatParser *parser, const char *text);
bool chat_skip_name(ChatParser *parser, const char *name);
bool chat_skip_operator(ChatParser *parser, const char *text);
bool chat_expect_operator(ChatParser *parser, const char *text);
ChatNode *chat_fail(ChatParser *parser, const char *format, ...) PRINTF_LIKE(2, 3); // NULL
bool chat_enter(ChatParser *parser); // one level deeper; false past CHAT_DEPTH_MAX
void chat_leave(ChatParser *parser);

#endif
