// Boxes: answers to windows, and the names of timers, which come when they are needed.
import { askJson, ReadAnew } from './server.js';

/** An answer of /w as columns. What does not fit is an error. */
export function boxesOf(buffer) {
  const head = new DataView(buffer), n = head.getUint32(0, true), lanes = head.getUint32(4, true);
  if (buffer.byteLength !== 24 + n * 27 + lanes * 4) throw new Error('an answer of the server is cut off');
  let at = 24;
  const take = (type, count) => {
    const column = new type(buffer, at, count);
    at += count * type.BYTES_PER_ELEMENT;
    return column;
  };
  return { n, exact: head.getUint32(8, true) === 1, width: head.getFloat64(16, true), start: take(Float64Array, n), length: take(Float64Array, n),
    timer: take(Uint32Array, n), count: take(Uint32Array, n), ends: take(Uint32Array, lanes), depth: take(Uint16Array, n), cover: take(Uint8Array, n) };
}

const PART = 1024;

/** Names of the timers of a capture, a part at a time; `come` is called when there are more. */
export class Names {
  constructor(capture, come) {    // a Capture
    this.capture = capture;
    this.come = come;
    this.parts = new Map();
  }

  /** The name, file, line and number of calls of a timer; null: it is on its way. */
  of(id) {
    const part = Math.floor(id / PART), known = this.parts.get(part);
    if (known === undefined) {
      this.parts.set(part, null);
      askJson('/names', { ...this.capture.asked, from: part * PART, n: PART }).then(list => {
        this.parts.set(part, list.map(([name, file, line, scopes, kind]) => ({ name, file, line, scopes, kind })));
        this.come();
      }).catch(e => {
        if (e instanceof ReadAnew) this.capture.old = true;
        else this.parts.delete(part);
      });
    }
    return known ? known[id - part * PART] || null : null;
  }

  name(id) {
    const timer = this.of(id);
    return timer ? timer.name || '(without a name)' : '…';
  }

  /** The same when it has come. */
  async known(id) {
    for (let i = 0; i < 200 && !this.of(id); i++) await new Promise(done => setTimeout(done, 20));
    return this.of(id) || { name: '', file: '', line: 0, scopes: 0 };
  }
}
