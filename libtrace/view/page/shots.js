// Shots: screenshots and images of frames, small, in a row above the timeline. Pictures come when they are in sight.
import { make, moment } from './text.js';
import { askJson, askBytes } from './server.js';
import { listOf } from './capture.js';
import { button } from './strip.js';

const SHOTS_MOST = 5000, HELD = 64;

/** The four colours of a block, and of each pixel which: as graphics cards have them (BC1). */
function pixelsOf(bytes, width, height, flipped) {
  const out = new ImageData(width, height), data = new DataView(bytes);
  const five = v => Math.round(v * 255 / 31), six = v => Math.round(v * 255 / 63), rgb = c => [five(c >> 11), six(c >> 5 & 63), five(c & 31)];
  for (let block = 0, at = 0; at + 8 <= bytes.byteLength; block++, at += 8) {
    const c0 = data.getUint16(at, true), c1 = data.getUint16(at + 2, true), bits = data.getUint32(at + 4, true), a = rgb(c0), b = rgb(c1);
    const mix = (x, y) => a.map((v, i) => Math.round((v * x + b[i] * y) / (x + y))), colours = [a, b, c0 > c1 ? mix(2, 1) : mix(1, 1), c0 > c1 ? mix(1, 2) : [0, 0, 0]];
    const left = block % (width / 4) * 4, top = Math.floor(block / (width / 4)) * 4;
    for (let i = 0; i < 16 && top + 3 < height; i++) {
      const y = top + (i >> 2), place = ((flipped ? height - 1 - y : y) * width + left + (i & 3)) * 4;
      out.data.set([...colours[bits >>> 2 * i & 3], 255], place);
    }
  }
  return out;
}

export class Shots {
  constructor(capture) {
    this.capture = capture;
    this.list = [];
    this.pictures = new Map();    // number -> picture, null: it is on its way or none
  }

  /** What there is; pictures are not read yet. */
  async load() {
    for (const table of ['screenshots', 'frame_images']) {
      const answer = await askJson('/rows', { ...this.capture.asked, t: table, top: SHOTS_MOST }).catch(() => null);
      if (!answer || !answer.table.rows) continue;
      /** @type {any[]} */
      const rows = listOf(answer.table);
      this.list = rows.map((r, number) => ({ ...r, number, packed: table === 'frame_images' })).filter(s => s.time !== null);
    }
  }

  /** The picture of a shot; null: not yet, or it cannot be shown. */
  picture(shot) {
    const known = this.pictures.get(shot.number);
    if (known !== undefined) return known;
    if (this.pictures.size >= HELD) this.pictures.delete(this.pictures.keys().next().value);
    this.pictures.set(shot.number, null);
    this.read(shot).then(picture => {
      this.pictures.set(shot.number, picture);
      this.capture.changed();
    }).catch(() => { shot.broken = true; });
    return null;
  }

  async read(shot) {
    const bytes = await askBytes('/picture', { ...this.capture.asked, i: shot.number });
    return createImageBitmap(shot.packed ? pixelsOf(bytes, shot.width, shot.height, shot.flipped) : new Blob([bytes]));
  }

  textOf(shot) {
    return [shot.name || 'image of a frame', `${shot.width} by ${shot.height} pixels at ${moment(shot.time)}`, shot.broken ? 'its picture cannot be shown' : 'a click shows it'].join('\n');
  }

  /** The picture in a sheet, as large as fits. */
  open(shot) {
    const picture = this.picture(shot);
    if (!picture) return;
    const canvas = make('canvas'), sheet = make('dialog', 'sheet shot', make('h2', '', shot.name || 'Image of a frame'), make('p', 'more', this.textOf(shot).split('\n')[1]), canvas);
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', this.textOf(shot).split('\n').slice(0, 2).join(', '));
    canvas.getContext('2d').drawImage(picture, 0, 0);
    sheet.append(button('close', () => sheet.close()));
    sheet.setAttribute('aria-label', 'Screenshot');
    sheet.addEventListener('close', () => sheet.remove());
    document.body.append(sheet);
    sheet.showModal();
  }
}
