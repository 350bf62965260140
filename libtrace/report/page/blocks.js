// Blocks: data of the page, unpacked when a picture needs it. What is not as it has to be is an error, which the
// picture shows in its place.

const unpacked = new Map();

/** The value of a block, as a promise. */
export function block(id) {
  if (!unpacked.has(id)) unpacked.set(id, unpack(id));
  return unpacked.get(id);
}

async function unpack(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error('the block is missing');
  const text = atob(element.textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

/** Are all of these arrays of numbers of one length, which is returned? */
export function columns(...arrays) {
  const n = arrays.length && Array.isArray(arrays[0]) ? arrays[0].length : -1;
  for (const a of arrays)
    if (!Array.isArray(a) || a.length !== n || !a.every(v => typeof v === 'number'))
      throw new Error('columns do not fit each other');
  return n;
}

/** Are all values of a column numbers of names? */
export function indices(column, names) {
  if (!Array.isArray(names) || !column.every(v => Number.isInteger(v) && v >= 0 && v < names.length))
    throw new Error('a name is missing');
}
