#!/usr/bin/env python3
"""Makes a wheel of the package with the shared library and the libraries that this needs.

usage: make_wheel.py LIBRARY FOLDER

LIBRARY is libtracekit.so.0.2 as the target tracekit_wheel makes it: it looks for others beside itself. The tag of the wheel
says the oldest C library it can run with, by the versions of symbols that any file in it needs: manylinux_MAJOR_MINOR_ARCH
for the GNU one, musllinux_1_2_ARCH for musl. The same files give the same bytes. Prints the name of the wheel.
"""

import argparse
import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
# Of the system, as the policies of manylinux and musllinux have it.
SYSTEM = re.compile(r'(ld-|ld64|linux-vdso|libc\.musl|lib(c|m|dl|rt|pthread|util)\.so)')
NOTICES = ('liblz4-1', 'libzstd1', 'zlib1g', 'libsqlite3-0', 'libcjson1')  # packages of Debian that are carried


def output(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def carried(library):
    """The libraries that it needs alongside those of the system: name, path."""
    found = {}
    for name, path in re.findall(r'^\s*(\S+) => (.*?)(?: \(|$)', output('ldd', library), re.M):
        if SYSTEM.match(name):
            continue
        if not path.startswith('/'):
            sys.exit('make_wheel.py: %s needs %s, which is not found' % (library, name))
        found[name] = pathlib.Path(path)
    return found


def system_tag(files):
    """What the wheel runs on."""
    machine = platform.machine()
    symbols = [output('readelf', '-VW', file) for file in files]
    versions = {tuple(map(int, version.split('.'))) for text in symbols
                for version in re.findall(r'Name: GLIBC_([\d.]+)', text)}
    if versions:
        return 'manylinux_%d_%d_%s' % (*max(max(versions)[:2], (2, 17)), machine)
    if any('musl' in output('readelf', '-dW', file) for file in files):
        return 'musllinux_1_2_' + machine
    sys.exit('make_wheel.py: no version of a C library is found')


def metadata(version):
    project = (HERE / 'pyproject.toml').read_text(encoding='utf-8')
    if 'version = "%s"' % version not in project:
        sys.exit('make_wheel.py: pyproject.toml has another version than %s' % version)
    lines = ['Metadata-Version: 2.1', 'Name: tracekit', 'Version: ' + version,
             'Summary: ' + re.search(r'^description = "(.*)"$', project, re.M)[1],
             'Requires-Python: ' + re.search(r'^requires-python = "(.*)"$', project, re.M)[1],
             'Description-Content-Type: text/markdown', '', (HERE / 'README.md').read_text(encoding='utf-8')]
    return '\n'.join(lines).encode()


def contents(library, version):
    """What is in the wheel, by its name there."""
    others = carried(library)
    tag = system_tag([library, *others.values()])
    info = 'tracekit-%s.dist-info/' % version
    files = {'tracekit/' + path.name: path.read_bytes() for path in sorted((HERE / 'tracekit').iterdir())
             if path.suffix in ('.py', '.pyi') or path.name == 'py.typed'}
    files['tracekit/' + library.name] = library.read_bytes()
    files.update({'tracekit/' + name: path.read_bytes() for name, path in sorted(others.items())})
    files[info + 'METADATA'] = metadata(version)
    files[info + 'WHEEL'] = ('Wheel-Version: 1.0\nGenerator: tracekit\nRoot-Is-Purelib: false\nTag: py3-none-%s\n' % tag).encode()
    files[info + 'licenses/LICENSE'] = (HERE.parent / 'LICENSE').read_bytes()
    for name in NOTICES:
        notice = pathlib.Path('/usr/share/doc', name, 'copyright')
        if notice.exists():
            files[info + 'licenses/' + name] = notice.read_bytes()
    return tag, files


def record(files, info):
    """The list of all files with their hashes."""
    lines = ['%s,sha256=%s,%d' % (name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode(), len(data))
             for name, data in files.items()]
    return '\n'.join([*lines, info + 'RECORD,,', '']).encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('library', type=pathlib.Path)
    parser.add_argument('folder', type=pathlib.Path)
    options = parser.parse_args()
    version = re.search(r"^__version__ = '(.*)'$", (HERE / 'tracekit/__init__.py').read_text(encoding='utf-8'), re.M)[1]
    tag, files = contents(options.library, version)
    info = 'tracekit-%s.dist-info/' % version
    files[info + 'RECORD'] = record(files, info)
    wheel = options.folder / ('tracekit-%s-py3-none-%s.whl' % (version, tag))
    with zipfile.ZipFile(wheel, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o755 if '.so' in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(wheel.name)


if __name__ == '__main__':
    main()
