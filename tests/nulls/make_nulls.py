#!/usr/bin/env python3
"""Writes calls of all functions of tracekit.h, with null in each place of a pointer and with null in all of them.

usage: make_nulls.py TRACEKIT_H OUT_C

The calls are cases of a table for nulls.c, which runs each in a process of its own.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))
import public_header  # noqa: E402

# Places where the header allows null; '*': all places of a function.
OPTIONAL = {
    'tk_export_join_add': {'name'},
    'tk_err_text': '*', 'tk_err_status': '*', 'tk_err_count': '*', 'tk_err_cause': '*', 'tk_tables': {'n'},
    'tk_cell_bytes': {'n'}, 'tk_symbols_tell': {'text'}, 'tk_in_part': {'text'}, 'tk_result_table': {'n_rows'},
    'tk_output_stop': {'stop'}, 'tk_output_set_new': {'alongside'}, 'tk_difference_run': {'side'}, 'tk_baseline_add': {'select'}, 'tk_baseline_add_pictures': {'select'}, 'tk_baseline_add_places': {'position'},
    'tk_baseline_merge': {'moved'}, 'tk_baseline_keep': {'added'}, 'tk_limit_describe': '*', 'tk_text_show': '*',
    'tk_nearest': '*', 'tk_page_new': {'options'}, 'tk_page_add': {'query'},
    'tk_edit_run': {'select', 'sink'}, 'tk_export_file': {'query'}, 'tk_sql_new': {'options'}, 'tk_rules_judge': {'options'},
    'tk_sql_add': {'schema'},
    'tk_sql_source': {'damaged', 'partial', 'lossy', 'trace'}, 'tk_agent_new': {'options'}, 'tk_view_new': {'options'},
    'tk_view_trace': {'path'}, 'tk_agent_free_text': '*', 'tk_baseline_watch': {'budgets'}, 'tk_run_info_item': {'value'},
    'tk_baseline_restrict': {'what'}, 'tk_owners_load': {'root'}, 'tk_night_new': {'options'}, 'tk_night_add': {'link'},
}
ALWAYS_OPTIONAL = {'err', 'opt', 'ctx'}
FREE = ('_free', '_close', '_discard')
SERVES = {'tk_view_run'}  # until it is stopped, where all is given

PATHS = {'tk_output_open': 'out-file', 'tk_output_set_open': 'out-file', 'tk_baseline_load': 'runs.tkb',
         'tk_baseline_load_values': 'runs.tkb', 'tk_baseline_is': 'runs.tkb', 'tk_baseline_summarize': 'out-runs',
         'tk_baseline_edit_begin': 'store.tkb', 'tk_comparison_accept': 'accepted.json', 'tk_trend_accept': 'accepted.json',
         'tk_budgets_load': 'budgets.json', 'tk_owners_load': 'owners.txt'}
TEXTS = {'field': 'tables', 'format': 'csv', 'kind': 'text', 'folder': 'out-runs', 'column': 'thread', 'table': 'runs',
         'request': '{}', 'what': 'main', 'key': 'capture'}


def functions(header):
    """(type, name, [parameter]) of each."""
    text = re.sub(r'/\*.*?\*/', ' ', header, flags=re.S)
    text = re.sub(r'^#.*(\\\n.*)*', ' ', text, flags=re.M)
    for found in re.finditer(r'\bTK_API\b\s+([^;{}]*?)\b(tk_\w+)\(([^;]*)\)\s*;', text):
        inside = re.split(r',(?![^()]*\))', found[3])
        yield found[1].strip(), found[2], [] if found[3] == 'void' else [' '.join(p.split()) for p in inside]


def name_of(parameter):
    pointed = re.search(r'\(\*(\w+)\)', parameter)
    return pointed[1] if pointed else re.search(r'(\w+)$', parameter)[1]


def is_pointer(parameter):
    return '*' in parameter


def value(function, parameter):
    """An expression for an argument that is given."""
    name, kind = name_of(parameter), re.sub(r'\s*\w+$', '', parameter)
    if '(*' in parameter or kind == 'tk_read *':
        return f'given_{name}'
    if kind == 'const char *':
        text = PATHS.get(function) if name == 'path' else TEXTS.get(name, 'x')
        return f'"{text}"' if text else 'capture'
    if kind == 'const char *const *':
        return 'texts'
    if re.fullmatch(r'const struct tk_\w+_options \*', kind):
        struct = kind[6:-2]
        return f'&({struct}){{.size = sizeof({struct})}}'
    made = re.fullmatch(r'(?:const )?struct tk_(\w+) \*', kind)
    if made:
        return f'given_{made[1]}()'
    if kind == 'struct tk_trace *const *':
        return 'given_traces()'
    if is_pointer(parameter):
        return f'({kind})scratch()' if not kind.startswith('const struct Arrow') else 'scratch()'
    return {'bool': 'false', 'double': '0.5'}.get(kind, '1' if name in ('n', 'room') or name.startswith('n_') else
                                                  f'({kind})0')


def is_optional(function, name):
    allowed = OPTIONAL.get(function, set())
    return allowed == '*' or name in ALWAYS_OPTIONAL or name in allowed or function.endswith(FREE)


def main():
    found = list(functions(public_header.read(sys.argv[1])))
    lines, table = [], []
    for kind, function, parameters in found:
        pointers = [i for i, p in enumerate(parameters) if is_pointer(p)]
        for nulls in [[i] for i in pointers] + ([pointers] if len(pointers) > 1 else []):
            names = [name_of(parameters[i]) for i in nulls]
            if function in SERVES and names == ['err']:
                continue
            arguments = ', '.join('NULL' if i in nulls else value(function, p) for i, p in enumerate(parameters))
            refused = kind == 'int' and not all(is_optional(function, name) for name in names)
            call = f'{function}({arguments})'
            lines.append(f'static int case_{len(table)}(void)\n{{\n' + (f'    return {call};\n}}\n' if kind == 'int' else
                                                                      f'    (void){call};\n    return 0;\n}}\n'))
            table.append(f'    {{case_{len(table)}, "{function}", "{", ".join(names)}", {str(refused).lower()}}},')
    with open(sys.argv[2], 'w', encoding='utf-8') as file:
        file.write('/* Made by make_nulls.py of tracekit.h. */\n' + '\n'.join(lines) +
                   '\nstatic const struct null_case cases[] = {\n' + '\n'.join(table) + '\n};\n')
    if len(found) < 150:
        sys.exit(f'make_nulls.py: only {len(found)} functions were found')


if __name__ == '__main__':
    main()
