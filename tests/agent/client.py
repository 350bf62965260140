"""A client of the Model Context Protocol over the standard streams of a server, as assistants have one: each answer is checked
against the schema that the server publishes for its tool."""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))
import schema  # noqa: E402


CELLS = {'bool': bool, 'integer': int, 'bytes': (int, float), 'time': int, 'duration': (int, float), 'real': (int, float), 'hex': str}


def wrong_cells(table):
    """Cells that are not of the kind of their column, or no cell for each column."""
    kinds = table['kinds']
    return len(kinds) != len(table['columns']) or [row for row in table['rows'] if len(row) != len(kinds) or any(
        cell is not None and not isinstance(cell, CELLS.get(kind, object)) for cell, kind in zip(row, kinds))] or \
        len(table['rows']) != table['shown']


SCHEMAS = json.loads((pathlib.Path(__file__).resolve().parents[2] / 'schemas' / 'mcp.schema.json').read_text())['$defs']
ROWS = ('table', 'hitches', 'rules', 'call_tree', 'sql')
MOST = 6144             # bytes of a message with an answer


class Client:
    def __init__(self, words, version='2025-06-18', most=MOST):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number, self.most, self.largest = 0, most, 0
        self.server = self.request('initialize', {'protocolVersion': version, 'capabilities': {},
                                                  'clientInfo': {'name': 'test', 'version': '1'}})['result']
        self.send({'jsonrpc': '2.0', 'method': 'notifications/initialized'})
        listed = self.request('tools/list')['result']['tools']
        self.tools_bytes = self.bytes
        self.outputs = {tool['name']: tool['outputSchema'] for tool in listed}

    def send(self, message):
        self.raw(json.dumps(message).encode())

    def raw(self, line):
        self.process.stdin.write(line + b'\n')
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        self.bytes = len(line)
        return json.loads(line)

    def request(self, method, params=None):
        self.number += 1
        self.send({'jsonrpc': '2.0', 'id': self.number, 'method': method, 'params': params or {}})
        answer = self.receive()
        assert answer['jsonrpc'] == '2.0' and answer['id'] == self.number, answer
        return answer

    def call(self, tool, **arguments):
        """(what the tool answers, did it fail, bytes of the message)"""
        result = self.request('tools/call', {'name': tool, 'arguments': arguments})['result']
        text = result['content'][0]['text']
        if result.get('isError'):
            return text, True, len(text)
        answer = result['structuredContent']
        assert text and len(text) <= 320 and self.bytes <= self.most, (tool, arguments, self.bytes)
        definition = dict(SCHEMAS['rows' if tool in ROWS else tool], **{'$defs': SCHEMAS})
        for published in (definition, self.outputs[tool]):
            fault = schema.first_fault(answer, published)
            assert fault is None, fault
        for table in answer.values():
            assert isinstance(table, str) or not wrong_cells(table), (tool, wrong_cells(table))
        self.sentence, self.largest = text, max(self.largest, self.bytes)
        return answer, False, self.bytes

    def rows(self, tool, part='result', **arguments):
        """All rows of a part of the answer, as dicts: what it tells to ask again for is asked."""
        rows, offset, limit = [], arguments.get('offset', 0), arguments.get('limit')
        while True:
            answer, failed, _ = self.call(tool, **arguments)
            assert not failed, answer
            rows += [dict(zip(answer[part]['columns'], row)) for row in answer[part]['rows']]
            more = re.search(r'^there are more rows: ask again with offset (\d+)$', answer[part].get('more', ''))
            if not more or limit and len(rows) >= limit:
                return rows
            assert int(more[1]) == offset + len(rows) and answer[part]['rows'], more[0]
            arguments['offset'] = int(more[1])

    def close(self):
        self.process.stdin.close()
        said = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait(), said.decode()
