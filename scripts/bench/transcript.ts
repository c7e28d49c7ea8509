// npm run bench -- transcript [--quick]: the flat text beside words as marks over y-prosemirror, in one run.
// npm run bench -- transcript seeds <count> [from]: as many random meetings of three as wanted, failing seeds printed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { loadavg } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import * as Y from 'yjs';
import { newId } from '#shared/ids.ts';
import { seedState } from '#shared/meetings/seed.ts';
import { atOnce, scenarios } from '#tests/transcript/at-once.ts';
import { FlatPeer, flat } from '#tests/transcript/flat-peer.ts';
import type { Model, Peer } from '#tests/transcript/peer.ts';
import { simulate } from '#tests/transcript/run.ts';
import { failures } from '#tests/transcript/seeds.ts';
import { run, step } from '../run.mjs';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const peers = join(import.meta.dirname, 'words/peers');
const [kind, count = '1000', from = '1'] = process.argv.slice(2);
if (kind === 'seeds') {
  const list = Array.from({ length: Number(count) }, (_, index) => Number(from) + index);
  const found = failures(list);
  console.log(`${list.length} meetings, ${found.length} failed`);
  process.exitCode = found.length > 0 ? 1 : 0;
} else await compare(kind === '--quick');

async function compare(quick: boolean): Promise<void> {
  if (!existsSync(join(peers, 'node_modules/y-prosemirror')))
    await step('Installing what to compare with, once', () =>
      run('npm', ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: peers }),
    );
  const { MarksPeer, marks } = await import('./words/marks-peer.ts');

  console.log('Two people on one passage at the same time: is every character where it belongs?');
  const models: [string, Model][] = [
    ['flat', flat],
    ['word marks', marks],
  ];
  for (const scenario of scenarios) {
    const said = models.map(([name, model]) => {
      const { shown } = atOnce(model, scenario);
      return `${name} ${shown.every((texts) => texts.join('|') === scenario.wanted.join('|')) ? 'yes' : 'NO'}`;
    });
    console.log(`  ${scenario.name}: ${said.join(', ')}`);
  }
  const meetings = quick ? 30 : 300;
  for (const [name, model] of models) {
    const wrong = Array.from({ length: meetings }, (_, i) => simulate(i + 1, { model, undo: false })).filter(
      (outcome) => outcome.wrong !== null,
    ).length;
    console.log(`  random meetings of three with loss, ${name}: ${wrong} of ${meetings}`);
    // The control has to fail, or the comparison shows nothing.
    if (wrong > 0 === (model === flat)) process.exitCode = 1;
  }

  for (const segments of quick ? [1500] : [1500, 15_000]) {
    const line = 'so what would you like to work on today if we had the whole morning for it then my dear friend';
    const words = line.split(' ');
    // Varied lines: repeated ones would compress to nothing.
    const texts = Array.from({ length: segments }, (_, i) => ({
      id: newId(),
      speaker: `p${i % 3}`,
      text: words.map((_word, k) => words[(i * 7 + k * (1 + (i % 5))) % words.length]).join(' '),
    }));
    console.log(`\n${(segments * words.length).toLocaleString('en')} words (load ${loadavg()[0]?.toFixed(1)}):`);
    const flatStart = seedState({
      speakers: [],
      segments: texts.map(({ id, speaker, text }, k) => ({
        id,
        speaker,
        words: text.split(' ').map((w, i) => ({ w, f: k * 8 + i * 0.4, t: k * 8 + i * 0.4 + 0.35 })),
      })),
    });
    report('flat', flatStart, (id, state) => new FlatPeer(id, state), segments);
    report('word marks', marks.start(texts), (id, state) => new MarksPeer(id, state), segments);
  }
}

function report(
  name: string,
  start: Uint8Array,
  open: (clientId: number, state: Uint8Array) => Peer,
  segments: number,
): void {
  const doc = new Y.Doc();
  const load = median(5, () => {
    const fresh = new Y.Doc();
    Y.applyUpdate(fresh, start);
    fresh.destroy();
  });
  Y.applyUpdate(doc, start);
  let structs = 0;
  for (const list of doc.store.clients.values()) structs += list.length;
  const opened = median(3, () => open(9, start).doc.destroy());
  collect();
  const before = process.memoryUsage().heapUsed;
  const ann = open(10, start);
  collect();
  const heap = process.memoryUsage().heapUsed - before;
  const ben = open(11, start);
  const updates: Uint8Array[] = [];
  ann.doc.on('update', (update: Uint8Array) => updates.push(update));
  const place = (i: number) => ({ segment: (i * 37) % segments, offset: 5 });
  const times = segments > 2000 ? 40 : 200;
  const here = spread(times, (i) => ann.type(place(i), 'x'));
  const typed = updates.splice(0);
  const there = spread(times, (i) => Y.applyUpdate(ben.doc, typed[i] ?? new Uint8Array(), 'line'));
  ann.split({ segment: 3, offset: 9 });
  const split = updates.splice(0).reduce((sum, update) => sum + update.byteLength, 0);
  ann.merge(4, true);
  const merge = updates.splice(0).reduce((sum, update) => sum + update.byteLength, 0);
  const kb = (bytes: number) => `${Math.round(bytes / 1000).toLocaleString('en')} kB`;
  console.log(
    `  ${name}: ${kb(start.byteLength)} stored (${kb(gzipSync(start).byteLength)} gzip), ${structs.toLocaleString('en')} structures, ` +
      `load ${load.toFixed(1)} ms, opened in an editor ${opened.toFixed(1)} ms, one open page ${(heap / 1e6).toFixed(1)} MB, ` +
      `a key here ${here}, there ${there}, split ${split} bytes, merge ${merge} bytes`,
  );
  ann.doc.destroy();
  ben.doc.destroy();
}

function median(times: number, work: () => void): number {
  const took = Array.from({ length: times }, () => {
    const since = performance.now();
    work();
    return performance.now() - since;
  }).toSorted((one, other) => one - other);
  return took[times >> 1] ?? 0;
}

function spread(times: number, work: (index: number) => void): string {
  const took = Array.from({ length: times }, (_, index) => {
    const since = performance.now();
    work(index);
    return performance.now() - since;
  }).toSorted((one, other) => one - other);
  return `${took[times >> 1]?.toFixed(2)} / ${took[Math.floor(times * 0.99)]?.toFixed(2)} ms (median / p99)`;
}
