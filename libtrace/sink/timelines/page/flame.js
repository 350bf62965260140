// Flame: what a flame graph as SVG does by itself: a click fits a call into the width, Ctrl-F searches.
/** @type {NodeListOf<SVGElement>} */
const groups = document.querySelectorAll('g.b');
const svg = document.documentElement, boxes = [...groups].map(g => {
  const rect = g.querySelector('rect'), text = g.querySelector('text'), label = g.querySelector('svg');
  return { g, rect, text, label, x: Number(rect.getAttribute('x')), w: Number(rect.getAttribute('width')) + 1, y: Number(rect.getAttribute('y')),
    name: g.dataset.name };
});
const WIDTH = 1200, told = document.getElementById('told');
/** @type {SVGElement} */
const back = document.querySelector('#back');

function show(x, w, y) {
  for (const b of boxes) {
    const left = (b.x - x) / w * WIDTH, width = b.w / w * WIDTH;
    const around = b.y < y && b.x <= x + 0.01 && b.x + b.w >= x + w - 0.01;
    const seen = around || (left + width > 0.05 && left < WIDTH - 0.05 && b.y >= y);
    b.g.style.display = seen ? '' : 'none';
    if (!seen) continue;
    const from = around ? 0 : left, size = around ? WIDTH : width;
    b.rect.setAttribute('x', String(from));
    b.rect.setAttribute('width', String(Math.max(0.1, size - 1)));
    b.label.setAttribute('x', String(from));
    b.label.setAttribute('width', String(Math.max(0.1, size - 1)));
    const room = Math.floor((size - 8) / 6.6);
    b.text.textContent = room < 3 ? '' : b.name.length <= room ? b.name : b.name.slice(0, room - 1) + '…';
    b.rect.style.opacity = around ? '0.5' : '';
  }
  back.style.display = w < WIDTH - 0.01 ? '' : 'none';
}

function search() {
  const asked = prompt('Names with this text, or a regular expression:');
  if (asked === null) return;
  let fits;
  try {
    fits = new RegExp(asked, 'i');
  } catch (e) {
    told.textContent = 'this is no expression';
    return;
  }
  const found = [];
  for (const b of boxes) {
    const hit = asked !== '' && fits.test(b.name);
    b.rect.style.stroke = hit ? '#c2185b' : '';
    b.rect.style.strokeWidth = hit ? '2' : '';
    if (hit) found.push([b.x, b.x + b.w]);
  }
  found.sort((a, b) => a[0] - b[0]);
  let sum = 0, end = 0;
  for (const [a, b] of found) {
    sum += Math.max(0, b - Math.max(a, end));
    end = Math.max(end, b);
  }
  told.textContent = asked === '' ? '' : (sum / WIDTH * 100).toFixed(2) + ' % is in what matches';
}

svg.addEventListener('click', e => {
  if (!(e.target instanceof Element)) return;
  const g = e.target.closest('g.b');
  if (e.target.id === 'back') show(0, WIDTH, 0);
  else if (e.target.id === 'search') search();
  else if (g) {
    const b = boxes.find(o => o.g === g);
    show(b.x, b.w, b.y);
  }
});
addEventListener('keydown', e => {
  if ((e.ctrlKey || e.metaKey) && e.key === 'f') {
    e.preventDefault();
    search();
  } else if (e.key === 'Escape') show(0, WIDTH, 0);
});
