#!/usr/bin/env python3
"""Writes tests/fixtures/chat.json: chat templates and what Jinja makes of them, set up as transformers
sets it up.

    pip install transformers==5.24.0 jinja2==3.1.6
    python tools/golden_chat.py > tests/fixtures/chat.json

A case has "template", "variables", and "output" or (if Jinja raises) "fails".  The realistic
templates are written for this test in the manner of the model families that they are named after.
"""
import datetime
import json

from transformers.utils.chat_template_utils import _compile_jinja_template

CHATML = """{% for message in messages %}
    {{- '<|im_start|>' + message['role'] + '\\n' + message['content'] | trim + '<|im_end|>' + '\\n' }}
{% endfor %}
{% if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{% endif %}
"""
LLAMA3 = """{{- bos_token }}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if date_string is not defined %}
    {%- set date_string = strftime_now("%d %b %Y") %}
{%- endif %}
{{- "Today Date: " + date_string + "\\n\\n" }}
{%- if tools is defined and tools is not none %}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model only supports single tool-calls at once!") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' -}}
        {{- '{"name": "' + tool_call.name + '", ' }}
        {{- '"parameters": ' }}
        {{- tool_call.arguments | tojson }}
        {{- "}" }}
        {{- "<|eot_id|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot_id|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""
GEMMA = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}
    {%- if messages[0]['content'] is string -%}
        {%- set first_user_prefix = messages[0]['content'] + '\\n\\n' -%}
    {%- else -%}
        {%- set first_user_prefix = messages[0]['content'][0]['text'] + '\\n\\n' -%}
    {%- endif -%}
    {%- set loop_messages = messages[1:] -%}
{%- else -%}
    {%- set first_user_prefix = "" -%}
    {%- set loop_messages = messages -%}
{%- endif -%}
{%- for message in loop_messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Conversation roles must alternate user/assistant/user/assistant/...") }}
    {%- endif -%}
    {%- if (message['role'] == 'assistant') -%}
        {%- set role = "model" -%}
    {%- else -%}
        {%- set role = message['role'] -%}
    {%- endif -%}
    {{ '<start_of_turn>' + role + '\\n' + (first_user_prefix if loop.first else "") }}
    {%- if message['content'] is string -%}
        {{ message['content'] | trim }}
    {%- elif message['content'] is iterable -%}
        {%- for item in message['content'] -%}
            {%- if item['type'] == 'image' -%}
                {{ '<start_of_image>' }}
            {%- elif item['type'] == 'text' -%}
                {{ item['text'] | trim }}
            {%- endif -%}
        {%- endfor -%}
    {%- else -%}
        {{ raise_exception("Invalid content type") }}
    {%- endif -%}
    {{ '<end_of_turn>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{'<start_of_turn>model\\n'}}
{%- endif -%}
"""
MISTRAL = """{%- if messages[0]["role"] == "system" %}
    {%- set system_message = messages[0]["content"] %}
    {%- set loop_messages = messages[1:] %}
{%- else %}
    {%- set loop_messages = messages %}
{%- endif %}
{%- set user_messages = loop_messages | selectattr("role", "equalto", "user") | list %}
{%- set ns = namespace(index=0) %}
{%- for message in loop_messages %}
    {%- if not (message.role == "tool" or (message.tool_calls is defined and message.tool_calls is not none)) %}
        {%- if (message["role"] == "user") != (ns.index % 2 == 0) %}
            {{- raise_exception("roles must alternate") }}
        {%- endif %}
        {%- set ns.index = ns.index + 1 %}
    {%- endif %}
{%- endfor %}
{{- bos_token }}
{%- for message in loop_messages %}
    {%- if message["role"] == "user" %}
        {%- if tools is not none and tools is defined and (message == user_messages[-1]) %}
            {{- "[AVAILABLE_TOOLS] [" }}
            {%- for tool in tools %}
                {%- set tool = tool.function %}
                {{- '{"type": "function", "function": {' }}
                {%- for key, val in tool.items() if key != "return" %}
                    {%- if val is string %}
                        {{- '"' + key + '": "' + val + '"' }}
                    {%- else %}
                        {{- '"' + key + '": ' + val|tojson }}
                    {%- endif %}
                    {%- if not loop.last %}
                        {{- ", " }}
                    {%- endif %}
                {%- endfor %}
                {{- "}}" }}
                {{- ", " if not loop.last else "]" }}
            {%- endfor %}
            {{- "[/AVAILABLE_TOOLS]" }}
        {%- endif %}
        {%- if loop.last and system_message is defined %}
            {{- "[INST] " + system_message + "\\n\\n" + message["content"] + "[/INST]" }}
        {%- else %}
            {{- "[INST] " + message["content"] + "[/INST]" }}
        {%- endif %}
    {%- elif message.tool_calls is defined and message.tool_calls is not none %}
        {{- "[TOOL_CALLS] [" }}
        {%- for tool_call in message.tool_calls %}
            {%- set out = tool_call.function|tojson %}
            {{- out[:-1] }}
            {{- ', "id": "' + tool_call.id|default("000000000") + '"}' }}
            {{- ", " if not loop.last else "]" + eos_token }}
        {%- endfor %}
    {%- elif message["role"] == "assistant" %}
        {{- " " + message["content"]|trim + eos_token }}
    {%- elif message["role"] in ["tool_results", "tool"] %}
        {{- '[TOOL_RESULTS] {"content": ' + message.content|string + "}[/TOOL_RESULTS]" }}
    {%- endif %}
{%- endfor %}
"""
QWEN3 = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    {{- "# Tools\\n\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools><|im_end|>\\n" }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- set content = message.content if message.content is string else '' %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index and (loop.last or (not loop.last and reasoning_content)) %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- for tool_call in message.tool_calls %}
                {%- if (loop.first and content) or (not loop.first) %}
                    {{- '\\n' }}
                {%- endif %}
                {%- if tool_call.function %}
                    {%- set tool_call = tool_call.function %}
                {%- endif %}
                {{- '<tool_call>\\n{"name": "' ~ tool_call.name ~ '", "arguments": ' }}
                {%- if tool_call.arguments is string %}{{ tool_call.arguments }}{% else %}{{ tool_call.arguments | tojson }}{% endif %}
                {{- '}\\n</tool_call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if loop.first or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' }}
        {{- content }}
        {{- '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""
SCHEMA = """{%- macro render(schema, name='', depth=0) -%}
  {%- set pad = '  ' * depth -%}
  {{ pad }}{{ name }}: {{ schema.type | default('any') }}{{ ' // ' ~ schema.description if schema.description else '' }}
{% if schema.properties is defined %}
    {%- for key, value in schema.properties | dictsort %}
      {{- render(value, name=key, depth=depth + 1) }}
    {%- endfor %}
  {%- endif %}
{%- endmacro -%}
{% for tool in tools or [] %}
namespace {{ tool.function.name | upper }} {
{{ render(tool.function.parameters, 'parameters', 1) }}}
{% endfor %}
{% for m in messages %}
{% generation %}{{ m.role | capitalize }}: {{ m.content }}{% endgeneration %}

{% endfor %}
"""
REALISTIC = [CHATML, LLAMA3, GEMMA, MISTRAL, QWEN3, SCHEMA]

SYSTEM = {"role": "system", "content": "Be brief. "}
USER = {"role": "user", "content": " What's up, \"Dr. Ö\"?\n"}
ASSISTANT = {"role": "assistant", "content": "<think>\nhm\n</think>\n\nAll <good> & 好 🚀"}
CALL = {"role": "assistant", "content": "", "tool_calls": [
    {"id": "abc123456", "type": "function",
     "function": {"name": "weather", "arguments": {"city": "Zürich", "days": 3, "deep": [1.5, None, True]}}}]}
TOOL = {"role": "tool", "content": "{\"t\": 21}"}
PARTS = {"role": "user", "content": [{"type": "text", "text": " look "}, {"type": "image"}]}
TOOLS = [{"type": "function", "function": {
    "name": "weather", "description": "The \"weather\" of a city",
    "parameters": {"type": "object", "properties": {
        "city": {"type": "string", "description": "name"},
        "Area": {"type": "object", "properties": {"x": {"type": "number"}}}}, "required": ["city"]}}}]
BASE = {"bos_token": "<s>", "eos_token": "</s>", "add_generation_prompt": True, "now": 1709210096}
CONVERSATIONS = [
    {"messages": [USER]},
    {"messages": [SYSTEM, USER, ASSISTANT, USER], "add_generation_prompt": False},
    {"messages": [SYSTEM, USER, CALL, TOOL], "tools": TOOLS},
    {"messages": [SYSTEM, USER, CALL, TOOL, TOOL, ASSISTANT], "tools": TOOLS, "enable_thinking": False},
    {"messages": [PARTS], "tools": None},
    {"messages": [ASSISTANT, ASSISTANT]},
]

DATA = {"s": "Hello, World", "u": "Grüße, 世界 🚀", "n": 7, "f": 2.5, "t": True, "z": None,
        "l": [3, 1, 2], "w": ["b", "A", "c", "a"], "d": {"b": 1, "a": {"x": [1, 2]}, "c": None}, "e": "",
        "m": [{"r": "u", "c": "one", "k": 2}, {"r": "a", "c": None, "k": 1}, {"r": "u", "c": "three"}],
        "empty": [], "now": 1709210096}
SNIPPETS = """{{ s }} {{ n }} {{ f }} {{ t }} {{ z }} {{ l }} {{ d }} {{ missing }}|
{{ 1 + 2 * 3 - 4 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }}
{{ 1.0 }} {{ 1e100 }} {{ 1.5e-7 }} {{ 0.1 + 0.2 }} {{ 123456789012345678.0 }} {{ 1e16 }} {{ 1e15 }} {{ 0.0001 }} {{ 0.00001 }} {{ -0.0 }} {{ 100.0 }} {{ 1_000 }}
{{ 'a' ~ 1 ~ none ~ true ~ 1.5 ~ [1] }} {{ 'a' + 'b' 'c' }} {{ [1] + [2, 3] }} {{ 'ab' * 3 }} {{ [0] * 2 }} {{ 2 * 'x' }} {{ '-' * -1 }}
{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 }} {{ true == 1 }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ s == "Hello, World" }} {{ none == false }} {{ missing == missing2 }}
{{ 'ell' in s }} {{ 3 in l }} {{ 'a' in d }} {{ 4 not in l }} {{ not 'x' in s }} {{ 'x' in missing }} {{ '' in s }}
{{ t and n }} {{ e or 'x' }} {{ not e }} {{ e and 1 }}| {{ missing or 'd' }} {{ 1 if n > 5 else 2 }} {{ 'y' if e }}|
{{ s[0] }} {{ s[-1] }} {{ s[1:4] }} {{ s[::-1] }} {{ s[:-3] }} {{ s[::2] }} {{ s[10:2] }} {{ s[-100:100] }} {{ s[5:1:-2] }} {{ s[99] }}|
{{ u[0] }} {{ u[2] }} {{ u[-1] }} {{ u[7:9] }} {{ u[::-1] }} {{ u | length }} {{ u | upper }} {{ u | lower }} {{ u | title }} {{ u | capitalize }}
{{ l[0] }} {{ l[-1] }} {{ l[1:] }} {{ l[::-1] }} {{ l[9] }}| {{ d.b }} {{ d['a'].x[1] }} {{ d.nope }}| {{ d['nope'] }}| {{ m[0].r }} {{ m.0.c }}
{{ s.upper() }} {{ s.lower() }} {{ s.title() }} {{ 'x-y z' | title }} {{ "they're".title() }} {{ s.swapcase() }} {{ 'aB'.capitalize() }}
{{ '  x '.strip() }}|{{ '  x '.lstrip() }}|{{ '  x '.rstrip() }}|{{ 'xxaxx'.strip('x') }}|{{ 'abcba'.lstrip('ba') }}|{{ '\\n a\\t'|trim }}|{{ 'xay'|trim('xy') }}
{{ s.split(',') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ 'a  b c'.split(none, 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ ''.split(',') }} {{ ''.split() }} {{ 'a<x>b'.split('<x>')[-1] }}
{{ s.startswith('Hell') }} {{ s.endswith('x') }} {{ s.startswith(('x', 'H')) }} {{ s.find('o') }} {{ s.rfind('o') }} {{ s.find('zz') }} {{ s.count('l') }} {{ s.replace('l', 'L') }} {{ s.replace('l', 'L', 1) }} {{ 'ab'.replace('', '-') }}
{{ ', '.join(w) }} {{ w | join('-') }} {{ l | join }} {{ m | join(',', attribute='r') }} {{ 'a\\nb\\r\\nc\\n'.splitlines() }} {{ 'a=b=c'.partition('=') }} {{ 'a=b=c'.rpartition('=') }} {{ 'ab'.removeprefix('a') }} {{ 'ab'.removesuffix('b') }}
{{ '12'.isdigit() }} {{ 'ab1'.isalpha() }} {{ 'ab1'.isalnum() }} {{ ' '.isspace() }} {{ 'aB'.islower() }} {{ 'AB'.isupper() }} {{ ''.isdigit() }}
{{ d.items() | list }} {{ d.keys() | list }} {{ d.values() | list }} {{ d.get('b') }} {{ d.get('q') }} {{ d.get('q', 5) }} {{ d | items | list }} {{ d | dictsort }} {{ {'B': 1, 'a': 0} | dictsort(by='value') }} {{ d | length }} {{ d | list }}
{{ d | tojson }} {{ u | tojson }} {{ '"\\\\\\n\\t/<>&' | tojson }} {{ [1.0, 1e20, 'é', none, true, {}] | tojson }} {{ {1: 2, none: 3, true: 4, 'a': []} | tojson }} {{ '\\u007f\\u0001\\x1f' | tojson }}
{{ d | tojson(indent=2) }}{{ [] | tojson(indent=2) }}{{ {} | tojson(indent=4) }}{{ [[1, []], {'a': {}}] | tojson(indent=1) }}{{ [1] | tojson(indent=0) }}
{{ missing | default('x') }} {{ e | default('x') }}| {{ e | default('x', true) }} {{ z | default('x') }} {{ missing | d }}| {{ e | default('y', boolean=true) }}
{{ l | first }} {{ l | last }} {{ s | first }} {{ empty | first }}| {{ l | length }} {{ s | count }} {{ l | sort }} {{ w | sort }} {{ w | sort(case_sensitive=true) }} {{ l | sort(reverse=true) }} {{ m | sort(attribute='r') | map(attribute='c') | list }}
{{ w | unique | list }} {{ l | max }} {{ l | min }} {{ w | max }} {{ l | sum }} {{ m[:2] | sum(attribute='k') }} {{ l | reverse | list }} {{ s | reverse }} {{ s | list }} {{ [1.5, 2] | sum }}
{{ w | map('upper') | list }} {{ m | map(attribute='c') | list }} {{ m | map(attribute='k', default=9) | list }} {{ w | map('replace', 'a', 'z') | join }} {{ l | map('string') | join('+') }}
{{ m | selectattr('r', 'equalto', 'u') | map(attribute='c') | list }} {{ m | selectattr('c') | list | length }} {{ m | rejectattr('r', 'eq', 'u') | list }} {{ m | selectattr('k', 'defined') | list | length }} {{ l | select('odd') | list }} {{ l | reject('greaterthan', 1) | list }} {{ [0, 1, ''] | select | list }}
{{ '3' | int }} {{ 'x' | int }} {{ 'x' | int(5) }} {{ 2.9 | int }} {{ ' 4 ' | int }} {{ '2.7' | int }} {{ '2.5' | float }} {{ 3 | float }} {{ 'q' | float }} {{ -3 | abs }} {{ -2.5 | abs }} {{ n | string + '!' }}
{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.567 | round(2) }} {{ 2.1 | round(method='ceil') }} {{ 2.9 | round(0, 'floor') }} {{ 7 | round }} {{ 2.55 | round(1) }}
{{ 'a\\nb\\n\\nc' | indent }}|{{ 'a\\nb' | indent(2, true) }}|{{ 'a\\n\\nb\\n' | indent(width=1, blank=true) }}|{{ 'a\\nb' | indent('> ') }}
{{ '%s is %d and %.2f%%' % ('x', 3, 2.345) }} {{ '%5s|%-5s|%05d' | format('a', 'b', 42) }} {{ '%s' % n }} {{ '%r' % 'q' }} {{ '%x' % 255 }} {{ '%+d' % 3 }}
{{ s is string }} {{ n is number }} {{ n is integer }} {{ f is float }} {{ t is boolean }} {{ t is integer }} {{ z is none }} {{ d is mapping }} {{ l is sequence }} {{ s is iterable }} {{ n is iterable }} {{ missing is defined }} {{ missing is undefined }} {{ d.nope is defined }} {{ t is true }} {{ t is not false }}
{{ n is odd }} {{ n is even }} {{ n is divisibleby 7 }} {{ n is divisibleby(2) }} {{ 'a' is in ['a'] }} {{ 3 is eq 3 }} {{ 3 is ge(4) }} {{ 'ab' is lower }} {{ 'AB' is upper }} {{ range is callable }} {{ z is sameas none }} {{ 1 is not none and 2 is not string }} {{ 'upper' is filter }} {{ missing is iterable }} {{ missing is sequence }}
{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.depth }}{{ loop.cycle('o', 'e') }};{% endfor %}
{% for x in empty %}x{% else %}none{% endfor %} {% for k, v in d.items() %}{{ k }}={{ v }},{% endfor %} {% for c in 'añ' %}[{{ c }}]{% endfor %} {% for k in d %}{{ k }}{% endfor %} {% for x in missing %}x{% else %}undefined{% endfor %}
{% for x in l if x > 1 %}{{ x }}/{{ loop.length }} {% else %}-{% endfor %}{% for x in l if x > 9 %}{{ x }}{% else %}none{% endfor %} {% for x in range(10) %}{% if x == 2 %}{% continue %}{% endif %}{% if x == 5 %}{% break %}{% endif %}{{ x }}{% endfor %}
{% for a in [1, 2] %}{% for b in [3, 4] %}{{ a }}{{ b }}{{ loop.depth }}{{ loop.index }} {% endfor %}{{ loop.index }}|{% endfor %} {% for x in [1,1,2] %}{{ loop.changed(x) }}{% endfor %}
{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = 2 %}{{ x }}{% endfor %}{{ x }} {% if true %}{% set x = 5 %}{% endif %}{{ x }} {% set a, b = 1, 2 %}{{ a }}{{ b }} {% set y = 1, 2 %}{{ y }}
{% set ns = namespace(a=1, b='x') %}{% for i in l %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}{{ ns.b }} {% set ns.new = 3 %}{{ ns.new }} {{ ns.nope }}| {% set ns2 = namespace({'q': 1}) %}{{ ns2.q }} {{ dict(a=1, b=2) }} {{ dict({'x': 1}, y=2) }}
{% set block %}a {{ n }} b{% endset %}[{{ block }}] {% set up | upper %}abc{% endset %}{{ up }} {% filter upper | trim %} xy {% endfilter %} {% with q = 3, r = n %}{{ q }}{{ r }}{% endwith %}{{ q }}|
{% macro f(a, b=2, c='z') %}({{ a }},{{ b }},{{ c }}){% endmacro %}{{ f(1) }}{{ f(1, 3) }}{{ f(c=5, a=4) }}{{ f() }} {% macro g(n) %}{{ n }}{% if n > 0 %},{{ g(n - 1) }}{% endif %}{% endmacro %}{{ g(4) }} {{ f(1) | length }} {% set h = f %}{{ h('q') }}
{% macro wrap(t) %}<{{ t }}>{{ caller() }}</{{ t }}>{% endmacro %}{% call wrap('b') %}in {{ n }}{% endcall %} {% macro each(xs) %}{% for x in xs %}{{ caller(x) }}{% endfor %}{% endmacro %}{% call(i) each(l) %}[{{ i }}]{% endcall %}
{{ range(5) | list }} {{ range(2, 8, 3) | list }} {{ range(5, 0, -2) | list }} {{ range(0) | list }} {{ (1,) }} {{ () }} {{ (1, 'a') }} {{ [] }} {{ {} }} {{ [[1], (2,), {'k': 'v'}] }}
{{ "it's" }} {{ ["it's", 'say "x"', 'both \\' and "'] }} {{ ['\\n\\t\\\\', 'é', '\\x00', '\\u200b', '\\U0001F680'] }} {{ 'a\\qb' }} {{ '\\u00e9\\x41\\101' }}
{{ strftime_now('%d %b %Y %H:%M:%S %A %B %a %j %y %p %I %-d %%') }} {{ strftime_now('%Y-%m-%d') }}
{{ -n | abs }} {{ -2 ** 2 }} {{ not n == 7 }} {{ '1' + 2 ~ 3 }} {{ 'a' ~ 1 + '2' }} {{ n - 2 - 1 }} {{ 2 * 3 % 4 }} {{ +n }} {{ - -n }} {{ (n + 1) * 2 }} {{ n is odd and f is float or false }}
{{ {'a': {'b': {'c': 1}}}.a.b.c }} {{ {'a': 1}['a'] }} {{ [1, [2, 3]][1][0] }} {{ 'abc'[1].upper() }} {{ ({'k': [1]}).k[0] }} {{ {'}}': '%}'}['}}'] }}
{{ s|upper|lower|replace('o', '0')|trim }} {{ (s|upper).lower() }} {{ 'a' if 0 else 'b' if 0 else 'c' }} {{ [1, 2, 3,] }} {{ {'a': 1,} }} {{ (l | first) + 1 }} {{ l | first | string | length }}
{{ x if x is defined else 'no' }} {{ (missing | default({})).a is defined }} {{ '' is defined }} {{ m | map(attribute='c') | select('string') | join('/') }} {{ [none, missing] }}
{{ [1, 2] == (1, 2) }} {{ {'a': 1} == {'a': 1.0} }} {{ 1 != '1' }} {{ [] == [] }} {{ 'a' == 'A' }} {{ ' ' == '' }} {{ 0 == false }} {{ none is none }} {{ 5 in [5.0] }} {{ true in [1] }}
{{ "<&>'\\"" | e }} {{ "<b>" | safe }} {{ 'a'|escape }} {{ '' | length }} {{ none | string }} {{ [none] | string }} {{ true | string | lower }} {{ l | tojson | length }}
{{ m | selectattr('r', 'in', ['a']) | list | length }} {{ m | map(attribute='r') | unique | join }} {{ (m | selectattr('r', 'equalto', 'u') | list)[-1].c }} {{ m | selectattr('zz') | list }} {{ 'yes' if m | selectattr('zz') else 'no' }} {{ 'x' in 'xyz' and 'x' not in 'abc' }}"""
WHITESPACE = [
    "a\n{% if true %}\nb\n{% endif %}\nc\n", "a\n  {% if true %}  \n  b\n  {% endif %}\n  c", "  {%- if true -%}  x  {%- endif -%}  y",
    "a {{- 1 -}} b {{ 2 }} c\n{{ 3 }}\n\nd", "x\n   {# comment #}\ny {# c #} z\n{#- d -#}\n w", "{% raw %}{{ x }} {% if %}{% endraw %}\nz", "a {%- raw -%} {{ q }} {%- endraw -%} b",
    "  {%+ if true %}x{%+ endif %}\ny", "{% if true +%}\nx{% endif %}\n", "a\r\nb\rc\r\n", "line\n\n", "line\n\n\n", "\n", "", "{{ 'a' }}\n{{ 'b' }}\n", "\t{% set x = 1 %}\t\n{{ x }}",
    "{%for x in [1,2]%}\n  {{x}}\n{%endfor%}\n", "{% for x in [1, 2] %}\n\n  {%- if x == 1 %}\n a\n  {%- endif %}\n{% endfor %}", "{{ '\n' }}|{{ \"a\nb\" }}", "a{# x #}\n  {# y #}\nb", "   {% raw %} x {% endraw %}   y", "{#\n multi\n#}\nx\n  {{ 1 }}  \n", "\u00a0{%- if 1 %}\u3000{{- 2 }}{% endif %}",
    "{{'}}'}}{{ \"{%\" }} { { } } {% if '%}' %}y{% endif %} {{ {'a':1} }}", "{%- set x -%} a {%- endset -%} {{ x }}|", "{% if 1 %}\n{% if 1 %}\n x\n{% endif %}\n{% endif %}\n",
]
FAILING = [
    "{{ missing.x }}", "{{ missing['x'] }}", "{{ missing + 1 }}", "{{ d.nope.x }}", "{{ 1 + 'a' }}", "{{ 'a' + 1 }}", "{{ none + 'a' }}", "{{ [1] + 'a' }}", "{{ missing() }}", "{{ n() }}", "{{ d.nope() }}", "{{ missing | tojson }}",
    "{{ l.append(1) }}", "{{ d.update({}) }}", "{{ 1 + 2 ~ 3 }}", "{{ 'a' ~ 1 + 2 }}", "{{ ''.__class__.__mro__ }}", "{{ s.__init__.__globals__ }}", "{{ raise_exception('no way') }}", "{{ 1 / 0 }}", "{{ 1 % 0 }}", "{{ l < 1 }}", "{{ 1 < 'a' }}", "{{ missing < 1 }}", "{% for x in 5 %}{% endfor %}",
    "{% for a, b in [[1]] %}{% endfor %}", "{% set n.x = 1 %}", "{{ 5 | length }}", "{{ range(1000000) }}", "{{ x", "{% if %}{% endif %}", "{% if true %}", "{% endif %}", "{{ 1 + }}", "{{ (1 }}", "{{ 'a }}", "{# open", "{% nope %}", "{{ a b }}", "{{ | x }}", "{% for x %}{% endfor %}",
    "{% set %}", "{{ n | nofilter }}", "{{ n is notest }}", "{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}", "{% macro f(a) %}{% endmacro %}{{ f(b=2) }}", "{{ ] }}", "{{ a.}}", "{{ $ }}", "{% break %}", "{{ 5 in 'a5' }}", "{{ 'a' % 1 }}", "{{ '%d' % 'a' }}", "{{ 'a'.join([1]) }}", "{{ {}.x.y }}", "{{ -'a' }}", "{% include 'x' %}", "{% extends 'x' %}", "{% import 'x' as y %}",
    "{{ [1] | map('nofilter') | list }}", "{{ s.index('zz') }}", "{{ m | map(attribute='c') | map('upper') | list | map('nope') | list }}", "{{ namespace(1) }}",
]


def render(template, variables):
    compiled = _compile_jinja_template(template)
    moment = datetime.datetime.fromtimestamp(variables["now"], datetime.timezone.utc)
    compiled.globals["strftime_now"] = moment.strftime
    return compiled.render(**variables)


def main():
    cases = []

    def add(template, variables, data=None):
        case = {"template": template}
        case.update({"data": data} if data is not None else {"variables": variables})
        try:
            case["output"] = render(template, variables)
        except Exception as e:
            case["fails"] = str(e)
        cases.append(case)

    for template in REALISTIC:
        for conversation in CONVERSATIONS:
            add(template, {**BASE, **conversation})
    for snippet in SNIPPETS.split("\n") + WHITESPACE + FAILING:
        add(snippet, DATA, "common")
    print(json.dumps({"common": DATA, "cases": cases}, ensure_ascii=False, indent=0))


main()
