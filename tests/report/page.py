"""A page of trace-report as a program reads it: its tables, texts, blocks and elements. The checks of pages use it."""

import base64
import dataclasses
import hashlib
import html.parser
import json
import re
import zlib

# Everything that a page may be made of.
ELEMENTS = set('html head meta title style body a main div header h1 h2 h3 p strong span small data dl dt dd nav ul li section '
               'article table caption thead tbody tr th td code footer script br ol figure figcaption img'.split())
VOID = {'meta', 'br', 'img'}
PICTURE = re.compile(r'data:image/(png|jpeg);base64,[A-Za-z0-9+/]+=*')


@dataclasses.dataclass
class Table:
    name: str
    section: str
    columns: list
    rows: list = dataclasses.field(default_factory=list)    # of (number or None, text)


class Page(html.parser.HTMLParser):
    """Reads a page; what is not as it has to be is in `faults`."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tables, self.faults, self.blocks, self.policies, self.links, self.ids = [], [], {}, [], [], set()
        self.scripts, self.styles, self.texts = [], [], []
        self._open, self._raw, self._cell, self._section, self._block = [], None, None, '', None
        self.feed(text)
        self.close()
        if self._open:
            self.faults.append('not closed: %s' % self._open)

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        if tag not in ELEMENTS:
            self.faults.append('an element %r' % tag)
        for name, value in attrs:
            if name == 'src' and tag == 'img' and PICTURE.fullmatch(value):
                continue
            if name.startswith('on') or name in ('style', 'src', 'srcset', 'action', 'formaction', 'background', 'ping'):
                self.faults.append('an attribute %r of %r' % (name, tag))
            if name == 'href' and not value.startswith('#'):
                self.faults.append('a link to %r' % value)
            if name == 'id':
                if value in self.ids:
                    self.faults.append('id %r twice' % value)
                self.ids.add(value)
        if known.get('href', '').startswith('#'):
            self.links.append(known['href'][1:])
        if known.get('http-equiv') == 'Content-Security-Policy':
            self.policies.append(known['content'])
        if tag in ('script', 'style'):
            self._raw, self._block = [], known.get('id') if 'type' in known else None
        if tag == 'section':
            self._section = known.get('id', '')
        if tag == 'table':
            self.tables.append(Table(known.get('data-table'), self._section, []))
        if tag == 'th':
            self.tables[-1].columns.append(known.get('data-column'))
        if tag == 'tr' and 'tbody' in self._open:
            self.tables[-1].rows.append([])
        if tag == 'td':
            self._cell = [None, '']
        if tag == 'data' and self._cell is not None:
            self._cell[0] = known['value']
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        if not self._open or self._open[-1] != tag:
            self.faults.append('</%s> where %s is open' % (tag, self._open[-1:]))
        else:
            self._open.pop()
        if tag == 'td':
            self.tables[-1].rows[-1].append(tuple(self._cell))
            self._cell = None
        if tag == 'script' and self._block:
            self.blocks[self._block] = ''.join(self._raw)
        elif tag == 'script':
            self.scripts.append(''.join(self._raw))
        elif tag == 'style':
            self.styles.append(''.join(self._raw))
        if tag in ('script', 'style'):
            self._raw = None

    def handle_data(self, data):
        if self._raw is not None:
            self._raw.append(data)
            return
        if self._cell is not None:
            self._cell[1] += data
        self.texts.append(data)

    def handle_comment(self, data):
        self.faults.append('a comment: %r' % data[:60])

    @property
    def text(self):
        return ''.join(self.texts)

    def table(self, name):
        return next((table for table in self.tables if table.name == name), None)

    def block(self, name):
        """What a block holds, unpacked."""
        return json.loads(zlib.decompress(base64.b64decode(self.blocks[name], validate=True)))

    def allowed(self, kind):
        """The hashes that the policy allows for scripts or styles."""
        return re.findall(r"'sha256-([^']+)'", re.search(kind + r'-src ([^;]*)', self.policies[0])[1])


def digest(text):
    return base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()
