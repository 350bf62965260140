// Server: what the page asks for. The token comes with the address, is kept for this tab, and goes with each request.

const KEY = 'tracekit-token';
const PAGE = Math.floor(Math.random() * 2 ** 40) * 64 + 64;
let token = '', number = 0;

/** Takes the token out of the address; what follows it is returned: "#TOKEN&t=1-2" gives "t=1-2". */
export function takeToken() {
  const [, given, rest] = /^#([0-9a-f]{32})?&?(.*)$/.exec(location.hash) || [, '', ''];
  try {
    if (given) sessionStorage.setItem(KEY, given);
    token = given || sessionStorage.getItem(KEY) || '';
  } catch (e) {
    token = given || '';
  }
  history.replaceState(null, '', rest ? '#' + rest : location.pathname);
  return rest;
}

/** The address of what is shown, for somebody who may see it. */
export function wholeAddress(rest) { return `${location.origin}/#${token}${rest ? '&' + rest : ''}`; }

/** What was asked about is not what the server has by now: a capture that grows was read again. */
export class ReadAnew extends Error {}

async function get(path, parameters) {
  const query = new URLSearchParams(parameters).toString();
  const answer = await fetch(path + (query ? '?' + query : ''), { headers: { 'X-Tracekit-Token': token }, cache: 'no-store' });
  if (answer.status === 204) return null;    // a newer question took its place
  if (answer.ok) return answer;
  const text = await answer.text();
  if (answer.status === 410) throw new ReadAnew('the capture was just read again; try once more');
  throw new Error(answer.status === 403 ? 'the address lacks its token; open the one that trace-view printed' : text);
}

export async function askJson(path, parameters) {
  const answer = await get(path, parameters);
  return answer && answer.json();
}

export async function askBytes(path, parameters) {
  const answer = await get(path, parameters);
  return answer && answer.arrayBuffer();
}

/** Parameters that let a newer question of the same kind (a small number) overtake older ones. */
export function newest(kind) { return { page: PAGE + kind, n: ++number }; }
