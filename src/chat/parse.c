// parse.c - the statements of templates, and the ground of the parser.
//
// Supported: if, for, set, macro, call, filter, with, break, continue, and "generation", with which
// Hugging Face marks the model's own text (it only opens a scope).  What reaches out of the
// template (include, import, extends, block) is refused.
#include <stdio.h>

#include "chat/chat.h"
#include "chat/tree.h"

static ChatNode *parse_statement(ChatParser *parser);

// ---- ground

ChatNode *chat_node(ChatParser *parser, ChatNodeKind kind) {
    ChatNode *node = arena_new(parser->arena, ChatNode, 1);
    node->kind = kind;
    node->line = chat_token(parser)->line;
    return node;
}

void chat_nodes_add(ChatNodes *nodes, ChatNode *node) {
    if (nodes->last)
        nodes->last->next = node;
    else
        nodes->first = node;
    nodes->last = node;
}

const ChatToken *chat_token(const ChatParser *parser) {
    return &parser->tokens.token[parser->at];
}

static bool at(const ChatParser *parser, ChatTokenKind kind, const char *text) {
    const ChatToken *t = chat_token(parser);
    return t->kind == kind && str_equal(t->text, str_from(text));
}

bool chat_at_name(const ChatParser *parser, const char *name) {
    return at(parser, LEX_NAME, name);
}

bool chat_at_operator(const ChatParser *parser, const char *text) {
    return at(parser, LEX_OPERATOR, text);
}

bool chat_skip_name(ChatParser *parser, const char *name) {
    bool found = chat_at_name(parser, name);
    parser->at += found;
    return found;
}

bool chat_skip_operator(ChatParser *parser, const char *text) {
    bool found = chat_at_operator(parser, text);
    parser->at += found;
    return found;
}

bool chat_expect_operator(ChatParser *parser, const char *text) {
    if (chat_skip_operator(parser, text)) return true;
    chat_fail(parser, "\"%s\" is missing", text);
    return false;
}

ChatNode *chat_fail(ChatParser *parser, const char *format, ...) {
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    error_set(parser->err, ERROR_FORMAT, "chat template line %d: %s", chat_token(parser)->line,
              words);
    return NULL;
}

bool chat_enter(ChatParser *parser) {
    if (parser->depth < CHAT_DEPTH_MAX) {
        parser->depth++;
        return true;
    }
    error_set(parser->err, ERROR_LIMIT, "chat template line %d: nested more than %d deep",
              chat_token(parser)->line, (int)CHAT_DEPTH_MAX);
    return false;
}

void chat_leave(ChatParser *parser) {
    parser->depth--;
}

// ---- parts of statements

static bool expect_close(ChatParser *parser) {
    if (chat_token(parser)->kind == LEX_STATED) {
        parser->at++;
        return true;
    }
    chat_fail(parser, "\"%%}\" is missing");
    return false;
}

static ChatNode *parse_name_target(ChatParser *parser) {
    const ChatToken *t = chat_token(parser);
    if (t->kind != LEX_NAME) return chat_fail(parser, "a name is missing");
    ChatNode *node = chat_node(parser, NODE_NAME);
    node->name = t->text;
    parser->at++;
    return node;
}

ChatNode *chat_parse_target(ChatParser *parser, bool with_attribute) {
    bool has_bracket = chat_skip_operator(parser, "(");
    ChatNode *first = parse_name_target(parser);
    if (!first) return NULL;
    if (with_attribute && chat_skip_operator(parser, ".")) {
        ChatNode *node = chat_node(parser, NODE_ATTRIBUTE);
        ChatNode *attribute = parse_name_target(parser);
        if (!attribute) return NULL;
        node->left = first;
        node->name = attribute->name;
        return node;
    }
    ChatNodes names = {0};
    chat_nodes_add(&names, first);
    while (chat_skip_operator(parser, ",")) {
        ChatNode *name = parse_name_target(parser);
        if (!name) return NULL;
        chat_nodes_add(&names, name);
    }
    if (has_bracket && !chat_expect_operator(parser, ")")) return NULL;
    if (names.first == names.last) return first;
    ChatNode *node = chat_node(parser, NODE_TUPLE);
    node->children = names.first;
    return node;
}

bool chat_parse_parameters(ChatParser *parser, ChatNodes *parameters) {
    if (!chat_expect_operator(parser, "(")) return false;
    while (!chat_at_operator(parser, ")")) {
        if (parameters->first && !chat_expect_operator(parser, ",")) return false;
        if (chat_at_operator(parser, ")")) break;
        ChatNode *name = parse_name_target(parser);
        if (!name) return false;
        name->kind = NODE_ARGUMENT;
        if (chat_skip_operator(parser, "=")) {
            name->left = chat_parse_expression(parser);
            if (!name->left) return false;
        }
        chat_nodes_add(parameters, name);
    }
    return chat_expect_operator(parser, ")");
}

// Statements up to a tag that begins with one of the words (separated by "|"); the parser then
// stands at the word.  "" means the end of the template.
static bool parse_body(ChatParser *parser, const char *words, ChatNode **body) {
    ChatNodes nodes = {0};
    if (!chat_enter(parser)) return false;
    for (;;) {
        const ChatToken *t = chat_token(parser);
        if (t->kind == LEX_END) {
            if (*words) chat_fail(parser, "the template ends where %s is missing", words);
            if (*words) return false;
            break;
        }
        if (t->kind == LEX_STATEMENT && t[1].kind == LEX_NAME) {
            size_t found = str_find(str_from(words), t[1].text, 0);
            size_t end = found + t[1].text.n;
            bool is_word = found != SIZE_MAX && (found == 0 || words[found - 1] == '|') &&
                           (words[end] == '|' || words[end] == '\0');
            parser->at += is_word;
            if (is_word) break;
        }
        ChatNode *node = parse_statement(parser);
        if (!node) return false;
        chat_nodes_add(&nodes, node);
    }
    chat_leave(parser);
    *body = nodes.first;
    return true;
}

// "%}", the body, and the end tag.
static bool parse_block(ChatParser *parser, const char *end, ChatNode **body) {
    if (!expect_close(parser) || !parse_body(parser, end, body)) return false;
    parser->at++;
    return expect_close(parser);
}

// ---- statements; the parser stands behind the word

static ChatNode *parse_if(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_IF);
    ChatNodes branches = {0};
    for (bool has_condition = true;;) {
        ChatNode *branch = chat_node(parser, NODE_BRANCH);
        if (has_condition) {
            branch->left = chat_parse_tuple(parser, true);
            if (!branch->left) return NULL;
        }
        if (!expect_close(parser)) return NULL;
        const char *words = has_condition ? "elif|else|endif" : "endif";
        if (!parse_body(parser, words, &branch->children)) return NULL;
        chat_nodes_add(&branches, branch);
        has_condition = chat_at_name(parser, "elif");
        bool is_end = chat_at_name(parser, "endif");
        parser->at++;
        if (is_end) break;
    }
    node->children = branches.first;
    return expect_close(parser) ? node : NULL;
}

static ChatNode *parse_for(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_FOR);
    node->left = chat_parse_target(parser, false);
    if (!node->left) return NULL;
    if (!chat_skip_name(parser, "in")) return chat_fail(parser, "\"in\" is missing");
    node->right = chat_parse_tuple(parser, false);
    if (!node->right) return NULL;
    if (chat_skip_name(parser, "if")) {
        node->third = chat_parse_expression(parser);
        if (!node->third) return NULL;
    }
    if (chat_at_name(parser, "recursive")) {
        return chat_fail(parser, "recursive loops are not supported");
    }
    if (!expect_close(parser)) return NULL;
    parser->n_loops++;
    bool ok = parse_body(parser, "else|endfor", &node->children);
    parser->n_loops--;
    if (!ok) return NULL;
    if (!chat_skip_name(parser, "else")) {
        parser->at++;
        return expect_close(parser) ? node : NULL;
    }
    return parse_block(parser, "endfor", &node->other) ? node : NULL;
}

static ChatNode *parse_set(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_SET);
    node->left = chat_parse_target(parser, true);
    if (!node->left) return NULL;
    if (chat_skip_operator(parser, "=")) {
        node->right = chat_parse_tuple(parser, true);
        return node->right && expect_close(parser) ? node : NULL;
    }
    node->kind = NODE_SET_BLOCK;
    if (chat_skip_operator(parser, "|")) {
        node->right = chat_parse_filters(parser, NULL);
        if (!node->right) return NULL;
    }
    return parse_block(parser, "endset", &node->children) ? node : NULL;
}

static ChatNode *parse_macro(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_MACRO);
    ChatNode *name = parse_name_target(parser);
    ChatNodes parameters = {0};
    if (!name || !chat_parse_parameters(parser, &parameters)) return NULL;
    node->name = name->name;
    node->other = parameters.first;
    int n_loops = parser->n_loops;
    parser->n_loops = 0;
    bool ok = parse_block(parser, "endmacro", &node->children);
    parser->n_loops = n_loops;
    return ok ? node : NULL;
}

static ChatNode *parse_call_block(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_CALL_BLOCK);
    ChatNodes parameters = {0};
    if (chat_at_operator(parser, "(") && !chat_parse_parameters(parser, &parameters)) return NULL;
    node->other = parameters.first;
    node->right = chat_parse_expression(parser);
    if (!node->right) return NULL;
    if (node->right->kind != NODE_CALL) return chat_fail(parser, "a call is missing");
    return parse_block(parser, "endcall", &node->children) ? node : NULL;
}

static ChatNode *parse_with(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_WITH);
    ChatNodes sets = {0};
    while (chat_token(parser)->kind != LEX_STATED) {
        if (sets.first && !chat_expect_operator(parser, ",")) return NULL;
        ChatNode *set = chat_node(parser, NODE_SET);
        set->left = parse_name_target(parser);
        if (!set->left || !chat_expect_operator(parser, "=")) return NULL;
        set->right = chat_parse_expression(parser);
        if (!set->right) return NULL;
        chat_nodes_add(&sets, set);
    }
    node->other = sets.first;
    return parse_block(parser, "endwith", &node->children) ? node : NULL;
}

static ChatNode *parse_filter_block(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_FILTER_BLOCK);
    node->right = chat_parse_filters(parser, NULL);
    return node->right && parse_block(parser, "endfilter", &node->children) ? node : NULL;
}

static ChatNode *parse_generation(ChatParser *parser) {
    ChatNode *node = chat_node(parser, NODE_SCOPE);
    return parse_block(parser, "endgeneration", &node->children) ? node : NULL;
}

static ChatNode *parse_jump(ChatParser *parser, ChatNodeKind kind) {
    if (!parser->n_loops) return chat_fail(parser, "break or continue outside of a loop");
    ChatNode *node = chat_node(parser, kind);
    return expect_close(parser) ? node : NULL;
}

static ChatNode *parse_break(ChatParser *parser) {
    return parse_jump(parser, NODE_BREAK);
}
static ChatNode *parse_continue(ChatParser *parser) {
    return parse_jump(parser, NODE_CONTINUE);
}

static ChatNode *parse_tag(ChatParser *parser) {
    static const struct {
        const char *word;
        ChatNode *(*parse)(ChatParser *);
    } tag[] = {{"if", parse_if},
               {"for", parse_for},
               {"set", parse_set},
               {"macro", parse_macro},
               {"call", parse_call_block},
               {"with", parse_with},
               {"filter", parse_filter_block},
               {"generation", parse_generation},
               {"break", parse_break},
               {"continue", parse_continue}};
    for (size_t i = 0; i < sizeof tag / sizeof tag[0]; i++) {
        if (chat_skip_name(parser, tag[i].word)) return tag[i].parse(parser);
    }
    Str word = chat_token(parser)->text;
    return chat_fail(parser, "the tag \"%.*s\" is unknown, not supported, or out of place",
                     word.n < 40 ? (int)word.n : 40, word.data);
}

static ChatNode *parse_statement(ChatParser *parser) {
    const ChatToken *t = chat_token(parser);
    ChatNode *node = chat_node(parser, NODE_TEXT);
    parser->at++;
    if (t->kind == LEX_STATEMENT) return parse_tag(parser);
    if (t->kind == LEX_DATA) {
        node->name = t->text;
        return node;
    }
    node->kind = NODE_OUTPUT;
    node->left = chat_parse_tuple(parser, true);
    if (!node->left) return NULL;
    if (chat_token(parser)->kind != LEX_OUT) return chat_fail(parser, "\"}}\" is missing");
    parser->at++;
    return node;
}

ChatNode *chat_parse(ChatParser *parser) {
    ChatNode *root = chat_node(parser, NODE_SCOPE);
    return parse_body(parser, "", &root->children) ? root : NULL;
}
