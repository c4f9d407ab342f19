// expression.c - the expressions of templates, by recursive descent; from loose to tight:
//
//   a if b else c · or · and · not · comparisons, in · + - · ~ · * / // % · ** · unary - +
//   · . [] () · | is
//
// as jinja2's parser has them: so -1|abs is -(1|abs), and "a" ~ 1 + 2 is ("a" ~ 1) + 2.
#include "chat/tree.h"

#include "chat/chat.h"

static ChatNode *node_of(ChatParser *parser, ChatNodeKind kind, ChatNode *left, ChatNode *right) {
    if (!left || !right) return NULL;
    ChatNode *node = chat_node(parser, kind);
    node->line = left->line;
    node->left = left;
    node->right = right;
    return node;
}

// ---- what stands behind a primary: attributes, items, calls, filters, tests

static bool parse_arguments(ChatParser *parser, ChatNodes *arguments) {
    if (!chat_expect_operator(parser, "(")) return false;
    while (!chat_at_operator(parser, ")")) {
        if (arguments->first && !chat_expect_operator(parser, ",")) return false;
        if (chat_at_operator(parser, ")")) break;
        if (chat_at_operator(parser, "*") || chat_at_operator(parser, "**")) {
            return chat_fail(parser, "arguments from a list or dict are not supported");
        }
        ChatNode *argument = chat_node(parser, NODE_ARGUMENT);
        const ChatToken *next = chat_token(parser) + 1;
        bool is_named = chat_token(parser)->kind == LEX_NAME && next->kind == LEX_OPERATOR &&
                        str_equal(next->text, STR("="));
        if (is_named) {
            argument->name = chat_token(parser)->text;
            parser->at += 2;
        }
        argument->left = chat_parse_expression(parser);
        if (!argument->left) return false;
        chat_nodes_add(arguments, argument);
    }
    return chat_expect_operator(parser, ")");
}

static ChatNode *parse_call(ChatParser *parser, ChatNode *function) {
    ChatNodes arguments = {0};
    ChatNode *node = node_of(parser, NODE_CALL, function, function);
    if (!parse_arguments(parser, &arguments)) return NULL;
    node->right = NULL;
    node->children = arguments.first;
    return node;
}

static ChatNode *parse_attribute(ChatParser *parser, ChatNode *object) {
    const ChatToken *t = chat_token(parser);
    ChatNode *node = chat_node(parser, NODE_ATTRIBUTE);
    node->left = object;
    node->name = t->text;
    if (t->kind == LEX_INTEGER) {
        node->kind = NODE_ITEM;
        node->right = chat_node(parser, NODE_CONSTANT);
        node->right->constant = value_integer(t->integer);
    } else if (t->kind != LEX_NAME) {
        return chat_fail(parser, "a name should follow the dot");
    }
    parser->at++;
    return node;
}

// Behind "[": an item or a slice.
static ChatNode *parse_subscript(ChatParser *parser, ChatNode *object) {
    ChatNode *part[3] = {NULL, NULL, NULL};
    bool is_slice = false;
    for (int i = 0; i < 3; i++) {
        if (!chat_at_operator(parser, ":") && !chat_at_operator(parser, "]")) {
            part[i] = chat_parse_expression(parser);
            if (!part[i]) return NULL;
        }
        if (!chat_skip_operator(parser, ":")) break;
        is_slice = true;
    }
    if (!chat_expect_operator(parser, "]")) return NULL;
    if (!is_slice && !part[0]) return chat_fail(parser, "nothing stands between the brackets");
    ChatNode *node = chat_node(parser, is_slice ? NODE_SLICE : NODE_ITEM);
    node->left = object;
    node->right = part[0];
    node->third = part[1];
    node->fourth = part[2];
    return node;
}

static ChatNode *parse_postfix(ChatParser *parser, ChatNode *node) {
    while (node) {
        if (chat_skip_operator(parser, "."))
            node = parse_attribute(parser, node);
        else if (chat_skip_operator(parser, "["))
            node = parse_subscript(parser, node);
        else if (chat_at_operator(parser, "("))
            node = parse_call(parser, node);
        else
            break;
    }
    return node;
}

ChatNode *chat_parse_filters(ChatParser *parser, ChatNode *input) {
    do {
        const ChatToken *t = chat_token(parser);
        if (t->kind != LEX_NAME) return chat_fail(parser, "the name of a filter should follow |");
        ChatNode *node = chat_node(parser, NODE_FILTER);
        node->name = t->text;
        node->left = input;
        parser->at++;
        ChatNodes arguments = {0};
        if (chat_at_operator(parser, "(") && !parse_arguments(parser, &arguments)) return NULL;
        node->children = arguments.first;
        input = node;
    } while (chat_skip_operator(parser, "|"));
    return input;
}

// One argument may follow a test without brackets: "x is divisibleby 3".
static bool at_bare_argument(const ChatParser *parser) {
    const ChatToken *t = chat_token(parser);
    if (t->kind == LEX_NAME) {
        return !chat_at_name(parser, "else") && !chat_at_name(parser, "or") &&
               !chat_at_name(parser, "and") && !chat_at_name(parser, "if") &&
               !chat_at_name(parser, "is") && !chat_at_name(parser, "in") &&
               !chat_at_name(parser, "not");
    }
    return t->kind == LEX_STRING || t->kind == LEX_INTEGER || t->kind == LEX_FLOAT ||
           chat_at_operator(parser, "[") || chat_at_operator(parser, "{");
}

static ChatNode *parse_test(ChatParser *parser, ChatNode *input) {
    bool is_negated = chat_skip_name(parser, "not");
    if (chat_token(parser)->kind != LEX_NAME) {
        return chat_fail(parser, "the name of a test should follow \"is\"");
    }
    ChatNode *node = chat_node(parser, NODE_TEST);
    node->left = input;
    node->name = chat_token(parser)->text;
    parser->at++;
    ChatNodes arguments = {0};
    if (chat_at_operator(parser, "(")) {
        if (!parse_arguments(parser, &arguments)) return NULL;
    } else if (at_bare_argument(parser)) {
        ChatNode *argument = chat_node(parser, NODE_ARGUMENT);
        argument->left = parse_postfix(parser, chat_parse_primary(parser));
        if (!argument->left) return NULL;
        chat_nodes_add(&arguments, argument);
    }
    node->children = arguments.first;
    if (!is_negated) return node;
    ChatNode *negation = chat_node(parser, NODE_NOT);
    negation->left = node;
    return negation;
}

static ChatNode *parse_filters_and_tests(ChatParser *parser, ChatNode *node) {
    while (node) {
        if (chat_skip_operator(parser, "|"))
            node = chat_parse_filters(parser, node);
        else if (chat_skip_name(parser, "is"))
            node = parse_test(parser, node);
        else if (chat_at_operator(parser, "("))
            node = parse_call(parser, node);
        else
            break;
    }
    return node;
}

// ---- primaries

static ChatNode *constant(ChatParser *parser, Value value) {
    ChatNode *node = chat_node(parser, NODE_CONSTANT);
    node->constant = value;
    parser->at++;
    return node;
}

static ChatNode *parse_name(ChatParser *parser) {
    static const struct {
        const char *name;
        ValueKind kind;
        bool boolean;
    } word[] = {{"true", VALUE_BOOL, true},   {"True", VALUE_BOOL, true},
                {"false", VALUE_BOOL, false}, {"False", VALUE_BOOL, false},
                {"none", VALUE_NONE, false},  {"None", VALUE_NONE, false}};
    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
        if (!chat_at_name(parser, word[i].name)) continue;
        return constant(parser,
                        word[i].kind == VALUE_NONE ? value_none() : value_bool(word[i].boolean));
    }
    ChatNode *node = chat_node(parser, NODE_NAME);
    node->name = chat_token(parser)->text;
    parser->at++;
    return node;
}

// Strings that stand side by side are one.
static ChatNode *parse_string(ChatParser *parser) {
    ChatNode *node = constant(parser, value_string(chat_token(parser)->text));
    while (chat_token(parser)->kind == LEX_STRING) {
        node->constant.string =
            str_printf(parser->arena, "%.*s%.*s", STR_ARG(node->constant.string),
                       STR_ARG(chat_token(parser)->text));
        parser->at++;
    }
    return node;
}

static ChatNode *parse_list(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_LIST);
    ChatNodes items = {0};
    while (!chat_at_operator(parser, "]")) {
        if (items.first && !chat_expect_operator(parser, ",")) return NULL;
        if (chat_at_operator(parser, "]")) break;
        ChatNode *item = chat_parse_expression(parser);
        if (!item) return NULL;
        chat_nodes_add(&items, item);
    }
    node->children = items.first;
    return chat_expect_operator(parser, "]") ? node : NULL;
}

static ChatNode *parse_dict(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_DICT);
    ChatNodes items = {0};
    while (!chat_at_operator(parser, "}")) {
        if (items.first && !chat_expect_operator(parser, ",")) return NULL;
        if (chat_at_operator(parser, "}")) break;
        ChatNode *key = chat_parse_expression(parser);
        if (!key || !chat_expect_operator(parser, ":")) return NULL;
        ChatNode *value = chat_parse_expression(parser);
        if (!value) return NULL;
        chat_nodes_add(&items, key);
        chat_nodes_add(&items, value);
    }
    node->children = items.first;
    return chat_expect_operator(parser, "}") ? node : NULL;
}

static ChatNode *parse_brackets(ChatParser *parser) {
    if (chat_skip_operator(parser, ")")) return chat_node(parser, NODE_TUPLE);
    ChatNode *node = chat_parse_tuple(parser, true);
    return node && chat_expect_operator(parser, ")") ? node : NULL;
}

ChatNode *chat_parse_primary(ChatParser *parser) {
    const ChatToken *t = chat_token(parser);
    switch (t->kind) {
    case LEX_NAME: return parse_name(parser);
    case LEX_STRING: return parse_string(parser);
    case LEX_INTEGER: return constant(parser, value_integer(t->integer));
    case LEX_FLOAT: return constant(parser, value_float(t->number));
    default: break;
    }
    if (chat_skip_operator(parser, "(")) return parse_brackets(parser);
    if (chat_skip_operator(parser, "[")) return parse_list(parser);
    if (chat_skip_operator(parser, "{")) return parse_dict(parser);
    if (t->kind == LEX_OUT || t->kind == LEX_STATED || t->kind == LEX_END) {
        return chat_fail(parser, "an expression is missing");
    }
    return chat_fail(parser, "unexpected \"%.*s\"", t->text.n < 40 ? (int)t->text.n : 40,
                     t->text.data);
}

// ---- operators

static ChatNode *parse_unary(ChatParser *parser, bool with_filters) {
    if (!chat_enter(parser)) return NULL;
    bool is_minus = chat_skip_operator(parser, "-");
    ChatNode *node;
    if (is_minus || chat_skip_operator(parser, "+")) {
        node = chat_node(parser, is_minus ? NODE_NEGATE : NODE_PLUS);
        node->left = parse_unary(parser, false);
        if (!node->left) node = NULL;
    } else {
        node = chat_parse_primary(parser);
    }
    node = parse_postfix(parser, node);
    if (with_filters) node = parse_filters_and_tests(parser, node);
    chat_leave(parser);
    return node;
}

// The name of the current operator if it is one of those, else "".
static Str skip_one_of(ChatParser *parser, const char *const *operators) {
    for (; *operators; operators++) {
        if (chat_skip_operator(parser, *operators)) return str_from(*operators);
    }
    return STR("");
}

static ChatNode *binary(ChatParser *parser, Str name, ChatNode *left, ChatNode *right) {
    ChatNode *node = node_of(parser, NODE_BINARY, left, right);
    if (node) node->name = name;
    return node;
}

static ChatNode *parse_power(ChatParser *parser) {
    ChatNode *node = parse_unary(parser, true);
    while (node && chat_skip_operator(parser, "**")) {
        node = binary(parser, STR("**"), node, parse_unary(parser, true));
    }
    return node;
}

static ChatNode *parse_product(ChatParser *parser) {
    static const char *const operators[] = {"*", "/", "//", "%", NULL};
    ChatNode *node = parse_power(parser);
    for (Str name; node && (name = skip_one_of(parser, operators)).n;) {
        node = binary(parser, name, node, parse_power(parser));
    }
    return node;
}

static ChatNode *parse_concat(ChatParser *parser) {
    ChatNode *first = parse_product(parser);
    if (!first || !chat_at_operator(parser, "~")) return first;
    ChatNode *node = chat_node(parser, NODE_CONCAT);
    ChatNodes operands = {0};
    chat_nodes_add(&operands, first);
    while (chat_skip_operator(parser, "~")) {
        ChatNode *operand = parse_product(parser);
        if (!operand) return NULL;
        chat_nodes_add(&operands, operand);
    }
    node->children = operands.first;
    return node;
}

static ChatNode *parse_sum(ChatParser *parser) {
    static const char *const operators[] = {"+", "-", NULL};
    ChatNode *node = parse_concat(parser);
    for (Str name; node && (name = skip_one_of(parser, operators)).n;) {
        node = binary(parser, name, node, parse_concat(parser));
    }
    return node;
}

static Str skip_comparison(ChatParser *parser) {
    static const char *const operators[] = {"==", "!=", "<", "<=", ">", ">=", NULL};
    if (chat_skip_name(parser, "in")) return STR("in");
    const ChatToken *next = chat_token(parser) + 1;
    if (chat_at_name(parser, "not") && next->kind == LEX_NAME && str_equal(next->text, STR("in"))) {
        parser->at += 2;
        return STR("not in");
    }
    return skip_one_of(parser, operators);
}

static ChatNode *parse_comparison(ChatParser *parser) {
    ChatNode *first = parse_sum(parser);
    ChatNodes comparisons = {0};
    for (Str name; first && (name = skip_comparison(parser)).n;) {
        ChatNode *comparison = chat_node(parser, NODE_COMPARISON);
        comparison->name = name;
        comparison->left = parse_sum(parser);
        if (!comparison->left) return NULL;
        chat_nodes_add(&comparisons, comparison);
    }
    if (!comparisons.first) return first;
    ChatNode *node = chat_node(parser, NODE_COMPARE);
    node->left = first;
    node->children = comparisons.first;
    return node;
}

static ChatNode *parse_not(ChatParser *parser) {
    if (!chat_skip_name(parser, "not")) return parse_comparison(parser);
    if (!chat_enter(parser)) return NULL;
    ChatNode *node = chat_node(parser, NODE_NOT);
    node->left = parse_not(parser);
    chat_leave(parser);
    return node->left ? node : NULL;
}

static ChatNode *parse_and(ChatParser *parser) {
    ChatNode *node = parse_not(parser);
    while (node && chat_skip_name(parser, "and")) {
        node = node_of(parser, NODE_AND, node, parse_not(parser));
    }
    return node;
}

static ChatNode *parse_or(ChatParser *parser) {
    ChatNode *node = parse_and(parser);
    while (node && chat_skip_name(parser, "or")) {
        node = node_of(parser, NODE_OR, node, parse_and(parser));
    }
    return node;
}

static ChatNode *parse_choice(ChatParser *parser) {
    ChatNode *node = parse_or(parser);
    while (node && chat_skip_name(parser, "if")) {
        node = node_of(parser, NODE_CHOICE, node, parse_or(parser));
        if (!node || !chat_skip_name(parser, "else")) continue;
        node->third = chat_parse_expression(parser);
        if (!node->third) return NULL;
    }
    return node;
}

ChatNode *chat_parse_expression(ChatParser *parser) {
    if (!chat_enter(parser)) return NULL;
    ChatNode *node = parse_choice(parser);
    chat_leave(parser);
    return node;
}

static bool at_tuple_end(const ChatParser *parser) {
    ChatTokenKind kind = chat_token(parser)->kind;
    return kind == LEX_OUT || kind == LEX_STATED || chat_at_operator(parser, ")");
}

ChatNode *chat_parse_tuple(ChatParser *parser, bool with_choice) {
    ChatNode *(*parse)(ChatParser *) = with_choice ? chat_parse_expression : parse_or;
    ChatNode *first = parse(parser);
    if (!first || !chat_at_operator(parser, ",")) return first;
    ChatNode *node = chat_node(parser, NODE_TUPLE);
    ChatNodes items = {0};
    chat_nodes_add(&items, first);
    while (chat_skip_operator(parser, ",") && !at_tuple_end(parser)) {
        ChatNode *item = parse(parser);
        if (!item) return NULL;
        chat_nodes_add(&items, item);
    }
    node->children = items.first;
    return node;
}
