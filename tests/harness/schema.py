"""Checks values against JSON schemas: the keywords that the schemas of the project use; any other one is an error."""

KEYWORDS = {'$schema', 'title', 'description', '$defs', '$ref', 'type', 'const', 'enum', 'required', 'properties',
            'additionalProperties', 'items', 'minimum', 'maximum', 'anyOf', '$id', 'minItems', 'maxItems'}
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}


def is_type(value, name):
    if name == 'integer':
        return isinstance(value, int) and not isinstance(value, bool)
    if name == 'number':
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def faults(value, schema, root=None, path='$'):
    """Yields a sentence for each fault."""
    root = root or schema
    if isinstance(schema, bool):
        if not schema:
            yield '%s: should not be there' % path
        return
    if set(schema) - KEYWORDS:
        raise ValueError('%s: the schema has keywords %s' % (path, sorted(set(schema) - KEYWORDS)))
    if '$ref' in schema:
        target = root
        for step in schema['$ref'].lstrip('#/').split('/'):
            target = target[step]
        yield from faults(value, target, root, path)
    types = schema.get('type', [])
    if types and not any(is_type(value, name) for name in ([types] if isinstance(types, str) else types)):
        yield '%s: %.60r is no %s' % (path, value, types)
        return
    if 'const' in schema and value != schema['const']:
        yield '%s: %.60r is not %r' % (path, value, schema['const'])
    if 'enum' in schema and value not in schema['enum']:
        yield '%s: %.60r is none of %r' % (path, value, schema['enum'])
    if is_type(value, 'number') and not schema.get('minimum', value) <= value <= schema.get('maximum', value):
        yield '%s: %r is out of range' % (path, value)
    if isinstance(value, dict):
        yield from object_faults(value, schema, root, path)
    if isinstance(value, list):
        if len(value) < schema.get('minItems', 0):
            yield '%s: only %d items' % (path, len(value))
        if len(value) > schema.get('maxItems', len(value)):
            yield '%s: %d items' % (path, len(value))
        for index, item in enumerate(value):
            yield from faults(item, schema.get('items', True), root, '%s[%d]' % (path, index))
    if 'anyOf' in schema and all(any(True for _ in faults(value, one, root, path)) for one in schema['anyOf']):
        yield '%s: %.100r is nothing of what it can be' % (path, value)


def object_faults(value, schema, root, path):
    known = schema.get('properties', {})
    for name in schema.get('required', []):
        if name not in value:
            yield '%s: there is no %s' % (path, name)
    for name, item in value.items():
        yield from faults(item, known.get(name, schema.get('additionalProperties', True)), root, '%s.%s' % (path, name))


def first_fault(value, schema):
    return next(faults(value, schema), None)
