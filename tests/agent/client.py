"""A client of the Model Context Protocol over the standard streams of a server, as assistants have one: each answer is checked
against the schema that the server publishes for its tool."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'harness'))
import schema  # noqa: E402


CELLS = {'bool': bool, 'integer': int, 'bytes': (int, float), 'time': int, 'duration': (int, float), 'real': (int, float), 'hex': str}


def wrong_cells(table):
    """Cells that are not of the kind of their column, or no cell for each column."""
    kinds = [column['kind'] for column in table['columns']]
    return [row for row in table['rows'] if len(row) != len(kinds) or any(
        cell is not None and not isinstance(cell, CELLS.get(kind, object)) for cell, kind in zip(row, kinds))] or \
        len(table['rows']) != table['shown']


class Client:
    def __init__(self, words, version='2025-06-18'):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0
        self.server = self.request('initialize', {'protocolVersion': version, 'capabilities': {},
                                                  'clientInfo': {'name': 'test', 'version': '1'}})['result']
        self.send({'jsonrpc': '2.0', 'method': 'notifications/initialized'})
        self.schemas = {tool['name']: tool['outputSchema'] for tool in self.request('tools/list')['result']['tools']}

    def send(self, message):
        self.raw(json.dumps(message).encode())

    def raw(self, line):
        self.process.stdin.write(line + b'\n')
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def request(self, method, params=None):
        self.number += 1
        self.send({'jsonrpc': '2.0', 'id': self.number, 'method': method, 'params': params or {}})
        answer = self.receive()
        assert answer['jsonrpc'] == '2.0' and answer['id'] == self.number, answer
        return answer

    def call(self, tool, **arguments):
        """(what the tool answers, did it fail, bytes of the answer)"""
        result = self.request('tools/call', {'name': tool, 'arguments': arguments})['result']
        text = result['content'][0]['text']
        if result.get('isError'):
            return text, True, len(text)
        assert json.loads(text) == result['structuredContent']
        fault = schema.first_fault(result['structuredContent'], self.schemas[tool])
        assert fault is None, fault
        for table in result['structuredContent'].values():
            assert isinstance(table, str) or not wrong_cells(table), (tool, wrong_cells(table))
        return result['structuredContent'], False, len(text.encode())

    def rows(self, tool, part='result', **arguments):
        """Rows of a part of the answer, as dicts."""
        answer, failed, _ = self.call(tool, **arguments)
        assert not failed, answer
        names = [column['name'] for column in answer[part]['columns']]
        return [dict(zip(names, row)) for row in answer[part]['rows']]

    def close(self):
        self.process.stdin.close()
        said = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait(), said.decode()
