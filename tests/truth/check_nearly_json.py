#!/usr/bin/env python3
"""What is nearly JSON is read where its meaning is plain, and counted; what is lost is counted one by one. All by hand.

usage: check_nearly_json.py --bin DIRECTORY
"""

import argparse
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'harness'))
import commands     # noqa: E402
import report       # noqa: E402

SOUND = '{"ph":"X","name":"sound","ts":9000,"dur":1,"pid":1,"tid":2}'


def event(name, more='', at=10):
    return '{"ph":"X","name":"%s","ts":%d,"dur":1,"pid":1,"tid":2%s}' % (name, at, more)


def array(*events):
    return '[\n' + ',\n'.join(events) + '\n]\n'


# what: (text, names of scopes, {what health says of it: count}, status)
MADE = {
    'a backslash that starts no escape': (array(event(r'a\cuda\new'), SOUND), [r'a\cuda\new'], {'starts no escape': 1}, 0),
    'u without four digits': (array(event(r'C:\users\t'), SOUND), [r'C:\users\t'], {'starts no escape': 1}, 0),
    'two backslashes are one': (array(event(r'a\\b\c'), SOUND), [r'a\b\c'], {'starts no escape': 1}, 0),
    'a quote behind a backslash': (array(event(r'a\"b\c'), SOUND), [r'a"b\c'], {'starts no escape': 1}, 0),
    'escapes of JSON': (array(event(r'a\tb\\c\u00e9'), SOUND), ['a\tb\\c\xe9'], {}, 0),
    'a backslash at the end': (array(event('C:\\t\\'), SOUND), ['C:\\t\\'], {'starts no escape': 1}, 0),
    'a key of it': (array(event('k', r',"args":{"C:\x":1}'), SOUND), ['k'], {'starts no escape': 1}, 0),
    'comments': ('/* a */ {"traceEvents": // b "\n[ /* , */ %s /* } */ , // {\n%s] /* c */ } // d\n' % (event('x'), SOUND), ['x'],
                 {'which JSON has not': 7}, 0),
    'comments in events': (array('{"ph":"X",/* " */"name":"x // no","ts": // }\n 1,"dur":1,"pid":1,"tid":2}', SOUND), ['x // no'],
                           {'which JSON has not': 2}, 0),
    'single quotes': (array("{'ph':'X','name':'it\\'s \"b\"','ts':1,'dur':1,'pid':1,'tid':2}", SOUND), ['it\'s "b"'],
                      {'in single quotes': 1}, 0),
    'the object in single quotes': ("{'a':'b','traceEvents':[%s,%s],'c':True}" % (event('x'), SOUND), ['x'],
                                    {'in single quotes': 3}, 0),
    'bare keys': (array('{ph:"X",name:"x",ts:1,dur:1,pid:1,tid:2,args:{a_b:1}}', SOUND), ['x'], {'a key without quotes': 1}, 0),
    'a bare key of the object': ('{traceEvents:[%s,%s]}' % (event('x'), SOUND), ['x'], {'a key without quotes': 1}, 0),
    'None, True and False': (array(event('x', ',"args":{"a":None,"b":[True,False]}'), SOUND), ['x'], {'None, True or False': 1}, 0),
    'NaN and Infinity': (array(event('x', ',"args":{"a":NaN,"b":-Infinity}'), SOUND), ['x'], {'NaN or Infinity': 1}, 0),
    'trailing commas': (array(event('x', ',"args":{"a":[1,],},'), SOUND), ['x'], {'an extra comma': 1}, 0),
    'a number in two pieces': (array('{"ph":"X","name":"x","ts":1,"dur":1,"pid":1,"tid":20 0}', SOUND), [], {'is not JSON': 1}, 4),
    'two around a comment': (array('{"ph":"X","name":"x","ts":1,"dur":1,"pid":1,"tid":20/**/0}', SOUND), [], {'is not JSON': 1}, 4),
    'a word in two pieces': (array(event('x', ',"args":{"a":tr ue}'), SOUND), [], {'is not JSON': 1}, 4),
    'two are lost': (array(event('x', '%'), event('y', '%'), SOUND), [], {'is not JSON': 2}, 4),
    'three are lost, brackets in them': (array(event('x', ',"args":{"{":[{}]}%'), event('y', '%'), event('z', '%'), SOUND), [],
                                         {'is not JSON': 3}, 4),
    'one is lost and one mended': (array(event('x', '%'), event(r'\y'), SOUND), [r'\y'], {'is not JSON': 1, 'starts no escape': 1}, 4),
}


def check(result, tools, path, case):
    text, names, said, status = case
    path.write_text(text)
    done = tools.run('trace-stats', path, '-t', 'scopes', '-f', 'json')
    result.equal('status', done.status, status)
    scopes = [row['timer'] for row in json.loads(done.out)['scopes']]
    result.equal('scopes', scopes, names + ['sound'])
    done = tools.run('trace-stats', path, '-t', 'health', '-f', 'json')
    rows = [row for row in json.loads(done.out)['health'] if row['kind'] in ('form_mended', 'event_damaged')]
    result.equal('rows of health', len(rows), len(said))
    for part, count in said.items():
        result.equal(part, [row['count'] for row in rows if part in row['text']], [count])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    tools, run = commands.Commands(parser.parse_args().bin), report.Report()
    with tempfile.TemporaryDirectory() as folder:
        for what, case in MADE.items():
            run.run(what, check, tools, pathlib.Path(folder) / 'made.json', case)
    return run.close()


if __name__ == '__main__':
    sys.exit(main())
