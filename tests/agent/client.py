"""A client of the Model Context Protocol over the standard streams of a server, as assistants have one."""

import json
import subprocess


class Client:
    def __init__(self, words, version='2025-06-18'):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0
        self.server = self.request('initialize', {'protocolVersion': version, 'capabilities': {},
                                                  'clientInfo': {'name': 'test', 'version': '1'}})['result']
        self.send({'jsonrpc': '2.0', 'method': 'notifications/initialized'})

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
