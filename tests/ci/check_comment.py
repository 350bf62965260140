#!/usr/bin/env python3
"""Runs ci/tracekit-ci --comment against services that are made up here: one comment a change, which is changed the next time.

usage: check_comment.py --bin DIRECTORY --corpus DIRECTORY SOURCES

The services answer as GitHub and GitLab do: lists of comments in pages, each with the fields that stand around its text.
"""

import argparse
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

TOKEN = 'secret-of-the-service'
MARK = '<!-- tracekit-ci: base.tkb -->'
failures = []
checks = 0


def check(what, condition, more=''):
    global checks
    checks += 1
    if not condition:
        failures.append('%s: %s' % (what, more))


class Service(http.server.BaseHTTPRequestHandler):
    """What all comments of a change are: self.server.comments, by number, the oldest first."""

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def shown(self, number):
        kind, body, base = self.server.kind, self.server.comments[number], 'http://x/repos/a/b/issues/comments/%d' % number
        user = {'login': 'someone', 'id': 77, 'url': 'http://x/users/someone'}
        if kind == 'github':
            return {'url': base, 'html_url': 'http://y/a/b/pull/12#issuecomment-%d' % number, 'id': number, 'node_id': 'x', 'user': user,
                    'created_at': 'now', 'body': body, 'reactions': {'url': base + '/reactions'}}
        if kind == 'azure':
            author = {'displayName': 'someone', 'id': '0b4-77', '_links': {'avatar': {'href': 'http://x/77'}}}
            first = {'id': 1, 'parentCommentId': 0, 'author': author, 'content': body, 'publishedDate': 'now', 'commentType': 'text'}
            return {'pullRequestThreadContext': None, 'id': number, 'publishedDate': 'now',
                    'comments': [first, {**first, 'id': 2, 'parentCommentId': 1, 'content': 'seen'}], 'status': 'closed', 'threadContext': None}
        return {'id': number, 'type': None, 'body': body, 'author': user, 'noteable_iid': 12}

    def handle_one(self, method):
        s = self.server
        length = int(self.headers.get('Content-Length') or 0)
        text = self.rfile.read(length)
        if self.headers.get('Authorization', '') != 'Bearer ' + TOKEN and self.headers.get('PRIVATE-TOKEN', '') != TOKEN:
            return self.answer(401, {'message': 'Bad credentials'})
        s.asked.append((method, self.path))
        if method in s.refused:
            return self.answer(403, {'message': 'Resource not accessible by integration'})
        listed = {'github': '/repos/a/b/issues/12/comments', 'gitlab': '/projects/5/merge_requests/12/notes',
                  'azure': '/org/9f/_apis/git/repositories/7e/pullRequests/12/threads'}[s.kind]
        single = {'github': '/repos/a/b/issues/comments/', 'gitlab': listed + '/', 'azure': listed + '/'}[s.kind]
        path, _, query = self.path.partition('?')
        if method == 'GET' and path == listed and s.kind == 'azure':
            return self.answer(200, {'value': [self.shown(n) for n in s.comments], 'count': len(s.comments)})
        if method == 'GET' and path == listed:
            page = int(re.search(r'[?&]page=(\d+)', '?' + query).group(1))
            return self.answer(200, [self.shown(n) for n in list(s.comments)[100 * (page - 1):100 * page]])
        sent = json.loads(text)
        body = sent['body'] if s.kind != 'azure' else sent['comments'][0]['content'] if 'comments' in sent else sent['content']
        path = re.sub('/comments/1$', '', path) if s.kind == 'azure' else path
        if method == 'POST' and path == listed:
            number = 1000 + len(s.comments)
            s.comments[number] = body
            return self.answer(201, self.shown(number))
        if method == {'github': 'PATCH', 'gitlab': 'PUT', 'azure': 'PATCH'}[s.kind] and path.startswith(single):
            s.comments[int(path[len(single):])] = body
            return self.answer(200, {})
        return self.answer(404, {})

    def do_GET(self):
        self.handle_one('GET')

    def do_POST(self):
        self.handle_one('POST')

    def do_PATCH(self):
        self.handle_one('PATCH')

    def do_PUT(self):
        self.handle_one('PUT')

    def log_message(self, *_):
        pass


class Build:
    def __init__(self, args, folder):
        self.folder, self.script = folder, args.sources.resolve() / 'ci' / 'tracekit-ci'
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Service)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.path = '%s:%s' % (args.bin.resolve(), os.environ['PATH'])
        self.begin('github')

    def begin(self, kind, comments=(), refused=()):
        self.server.kind, self.server.asked, self.server.refused = kind, [], refused
        self.server.comments = dict(enumerate(comments, 100))

    def ci(self, *words, **environment):
        done = subprocess.run(['/bin/sh', self.script, '--baseline', 'base.tkb', '--keep', 'never', *words], cwd=self.folder,
                              env={'PATH': self.path, **environment}, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def variables(self, token=TOKEN):
        url = 'http://127.0.0.1:%d' % self.server.server_port
        return {'github': dict(GITHUB_SHA='c', GITHUB_HEAD_REF='change', GITHUB_BASE_REF='main', GITHUB_REF='refs/pull/12/merge',
                               GITHUB_REF_NAME='12/merge', GITHUB_REPOSITORY='a/b', GITHUB_API_URL=url, GITHUB_SERVER_URL='https://github.com',
                               GITHUB_RUN_ID='9', **({'GITHUB_TOKEN': token} if token else {})),
                'gitlab': dict(CI_COMMIT_SHA='c', CI_MERGE_REQUEST_SOURCE_BRANCH_NAME='change', CI_MERGE_REQUEST_TARGET_BRANCH_NAME='main',
                               CI_MERGE_REQUEST_IID='12', CI_PROJECT_ID='5', CI_API_V4_URL=url, CI_JOB_URL='https://gitlab/j/7',
                               **({'GITLAB_TOKEN': token} if token else {})),
                'azure': dict(BUILD_SOURCEVERSION='c', SYSTEM_PULLREQUEST_SOURCEBRANCH='refs/heads/change',
                              SYSTEM_PULLREQUEST_TARGETBRANCH='refs/heads/main', SYSTEM_PULLREQUEST_PULLREQUESTID='12',
                              SYSTEM_COLLECTIONURI=url + '/org/', SYSTEM_TEAMPROJECTID='9f', BUILD_REPOSITORY_ID='7e',
                              **({'SYSTEM_ACCESSTOKEN': token} if token else {}))}[self.server.kind]


def posts(build, kind):
    strangers = ['a question about "url": "/issues/comments/5"', MARK[:-4] + ' of another kind -->', 'I saw ' + MARK + ' there \\ "quoted"']
    build.begin(kind, strangers)
    status, said = build.ci('--comment', 'new', **build.variables())
    mine = [n for n in build.server.comments if n >= 1000]
    check('%s: a comment' % kind, status == 1 and len(mine) == 1 and 'not posted' not in said, (status, said, build.server.asked))
    text = build.server.comments[mine[0]]
    file = (build.folder / 'tracekit-reports' / 'comment.md').read_text()
    check('%s: it is the file behind a mark' % kind, text == MARK + '\n' + file, text[:300])
    check('%s: it begins with what is slower' % kind, 'Streaming.Flush' in text.splitlines()[1], text[:300])
    check('%s: a link to the page' % kind, kind == 'azure' or ('https://github.com/a/b/actions/runs/9#artifacts' if kind == 'github' else
                                            'https://gitlab/j/7/artifacts/file/tracekit-reports/diff.html') in text, text)
    check('%s: the page' % kind, '<h1>Comparison</h1>' in (build.folder / 'tracekit-reports' / 'diff.html').read_text())
    check('%s: the token is nowhere' % kind, TOKEN not in said and not any(
        TOKEN in p.read_text(errors='replace') for p in (build.folder / 'tracekit-reports').iterdir()), said)
    status, said = build.ci('--comment', 'fine', **build.variables())
    check('%s: changed' % kind, [n for n in build.server.comments if n >= 1000] == mine and build.server.comments[mine[0]] != text, said)
    check('%s: those of others are as before' % kind, list(build.server.comments.values())[:3] == strangers)
    build.begin(kind, ['comment %d' % i for i in range(230)] + [MARK + '\nold'])
    build.ci('--comment', 'new', **build.variables())
    check('%s: on the third page' % kind, len(build.server.comments) == 231 and 'old' not in build.server.comments[330][:60],
          (len(build.server.comments), build.server.asked))


def cannot(build, kind):
    change = {'github': 'PATCH', 'gitlab': 'PUT', 'azure': 'PATCH'}[kind]
    build.begin(kind, [MARK + '\nof somebody else'], refused=(change,))
    build.ci('--comment', 'new', **build.variables())
    check('%s: what may not be changed is left, and one more posted' % kind, len(build.server.comments) == 2 and
          build.server.comments[100].endswith('somebody else'), build.server.comments)
    for refused, token, words in (((change, 'POST'), TOKEN, 'status 403'), ((), 'wrong', 'status 401'), ((), '', 'nothing lets it post')):
        build.begin(kind, refused=refused)
        status, said = build.ci('--comment', 'new', **build.variables(token))
        check('%s: %s' % (kind, words), status == 1 and words in said and 'tracekit-reports/comment.md' in said and not build.server.comments,
              (status, said))
    build.begin(kind)
    build.ci('new', **build.variables())
    check('%s: nothing without --comment' % kind, not build.server.asked, build.server.asked)
    gone = build.variables()
    gone.update({'github': {'GITHUB_API_URL': 'http://127.0.0.1:1'}, 'gitlab': {'CI_API_V4_URL': 'http://127.0.0.1:1'},
                 'azure': {'SYSTEM_COLLECTIONURI': 'http://127.0.0.1:1/'}}[kind])
    status, said = build.ci('--comment', 'new', **gone)
    check('%s: no service' % kind, status == 1 and 'not posted' in said, (status, said))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--bin', required=True, type=pathlib.Path)
    parser.add_argument('--corpus', required=True, type=pathlib.Path)
    parser.add_argument('sources', type=pathlib.Path)
    args = parser.parse_args()
    if not shutil.which('curl'):
        print('curl is not here: skipped')
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind, pattern in (('old', 'a_0[0-2]'), ('new', 'b_0[0-2]'), ('fine', 'a_0[3-5]')):
            (folder / kind).mkdir()
            for capture in sorted((args.corpus / 'runs').glob(pattern + '.utrace')):
                os.symlink(capture.resolve(), folder / kind / capture.name)
        subprocess.run([args.bin / 'trace-baseline', 'add', folder / 'base.tkb', folder / 'old'], check=True, capture_output=True)
        build = Build(args, folder)
        for kind in ('github', 'gitlab', 'azure'):
            posts(build, kind)
            cannot(build, kind)
        status, said = build.ci('--comment', 'new')
        build.begin('github')
        jenkins = {'GIT_COMMIT': 'c', 'CHANGE_ID': '12', 'CHANGE_BRANCH': 'change', 'CHANGE_TARGET': 'main', 'JENKINS_URL': 'https://ci/',
                   'CHANGE_URL': 'https://github.com/a/b/pull/12', 'GITHUB_API_URL': build.variables()['GITHUB_API_URL']}
        status, said = build.ci('--comment', 'new', **jenkins, GITHUB_TOKEN=TOKEN)
        check('jenkins: a comment on GitHub', len(build.server.comments) == 1 and 'not posted' not in said, said)
        status, said = build.ci('--comment', 'new', **jenkins)
        check('jenkins: what lets it', 'nothing lets it post' in said and 'set GITHUB_TOKEN' in said, said)
        status, said = build.ci('--comment', 'new', TEAMCITY_VERSION='2025', BUILD_VCS_NUMBER='c')
        check('teamcity: the file', 'nothing lets it post' in said and 'comment.md: publish it' in said, said)
        status, said = build.ci('--comment', 'new')
        check('no service at all', status == 1 and 'nothing lets it post' in said, said)
    print('%d checks, %d failed' % (checks, len(failures)))
    for failure in failures:
        print('  ' + failure[:1500])
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
