"""Field values: does what trace-events prints agree with what a truth file says was written?

Truth files write long arrays as length and hash, references as name and id, and values of old protocols as numbers with
sign and as bytes; see fixtures/README.md.
"""

import math
import struct

STRING, SIGNED, FLOAT, ARRAY = 0x08, 0x10, 0x40, 0x80
HASH_BASIS, HASH_PRIME = 1469598103934665603, 1099511628211


def fnv1a64(data):
    value = HASH_BASIS
    for byte in data:
        value = ((value ^ byte) * HASH_PRIME) & 0xFFFFFFFFFFFFFFFF
    return '%016x' % value


def element_format(code):
    """struct format of one element of a type code."""
    if code & FLOAT:
        return {2: '<f', 3: '<d'}[code & 3]
    letter = 'bhiq'[code & 3]
    return '<' + (letter if code & SIGNED else letter.upper())


def number(value):
    """A number as printed: NaN and infinities are texts."""
    return float(value) if isinstance(value, str) else value


def array_bytes(value, code):
    """The bytes of an array or text as trace-events prints it."""
    if isinstance(value, dict):
        return bytes.fromhex(value['bytes'])
    if isinstance(value, str):
        return value.encode('utf-16-le' if code & 3 else 'utf-8')
    return b''.join(struct.pack(element_format(code), number(item)) for item in value)


def same_number(got, wanted, code, signs):
    """signs: does the protocol declare signs? If not, only the bits are compared."""
    got, wanted = number(got), number(wanted)
    if code & FLOAT:
        if math.isnan(got) or math.isnan(wanted):
            return math.isnan(got) and math.isnan(wanted)
        form = element_format(code)
        return struct.pack(form, got) == struct.pack(form, wanted)
    if not isinstance(got, int) or isinstance(got, bool):
        return False
    mask = (1 << (8 << (code & 3))) - 1
    return got == wanted or not signs and (got & mask) == (wanted & mask)


def same_described(got, wanted, field):
    """wanted is an object: a reference, or the length and hash of an array."""
    code = field['type']
    if 'ref' in wanted:
        return isinstance(got, dict) and got['id'] == wanted['id'] and field.get('ref') == wanted['ref']
    data = array_bytes(got, code)
    lengths = (len(data), len(data) >> (code & 3))
    return wanted.get('length', wanted.get('bytes')) in lengths and \
        wanted.get('fnv1a64', wanted.get('fnv1a64_of_bytes')) == fnv1a64(data)


def same_value(got, wanted, field, protocol):
    """field: an entry of trace-info's types. Says whether the printed value is the wanted one."""
    code = field['type']
    if isinstance(wanted, dict):
        return same_described(got, wanted, field)
    if isinstance(wanted, str) and not code & FLOAT:
        return got == wanted
    if isinstance(wanted, list) and protocol < 5:
        return array_bytes(got, code) == bytes(wanted)
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and \
            all(same_number(one, other, code, protocol >= 6) for one, other in zip(got, wanted))
    return same_number(got, wanted, code, protocol >= 6)
