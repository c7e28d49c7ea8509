// H3, R9: a copy that is to go stays where another tab has just stored words in it, at whatever moment that was. The code of
// the pages runs in a real browser, on its own database.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { beforeAll, expect, it } from 'vitest';
import * as Y from 'yjs';
import { sumOf } from '#sync/client/stored-copies.ts';
import { packUpdates } from '#sync/protocol.ts';
import { openDesk } from '../support/browser.ts';
import type { SharedHouse } from '../support/house.ts';
import type { Person } from '../support/people.ts';
import { worker } from '../support/worker.ts';

const desk = openDesk();
let house: SharedHouse;
let code: string;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});
beforeAll(async () => {
  const entry = join(import.meta.dirname, '../../sync/client/copies.ts');
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, target: 'es2023', minify: false, lib: { entry, formats: ['iife'], name: 'copies' } },
  });
  const [{ output }] = built as unknown as [{ output: [{ code: string }] }];
  code = output[0].code;
}, 300_000);

/** A row of a tab, with one update. */
function rowOf(words: string): { bytes: number[]; sum: number } {
  const doc = new Y.Doc();
  doc.getText('text').insert(0, words);
  const bytes = packUpdates([Y.encodeStateAsUpdate(doc)]);
  return { bytes: [...bytes], sum: sumOf(bytes) };
}

type Drop = 'dropIfSaved' | 'setAside' | 'asideOf';

/**
 * Drops a copy of which all is saved, and returns the tabs whose rows stay and whether the room is still known. `meanwhile`:
 * another tab stores words as soon as the copy is first looked at.
 */
function drop(page: Page, what: Drop, meanwhile: boolean): Promise<{ tabs: string[]; known: boolean }> {
  const given = { what, meanwhile, saved: rowOf('saved words'), late: rowOf('late words') };
  return page.evaluate(async ({ what: how, meanwhile: races, saved, late }) => {
    type Copies = Record<Drop, (userId: string, room: string, generation: number) => Promise<unknown>>;
    const { copies } = globalThis as unknown as { copies: Copies };
    const [room, name] = ['m/transcript', `colloquy-${how}-${races}`];
    const opening = indexedDB.open(name, 3);
    opening.addEventListener('upgradeneeded', () => {
      for (const store of ['rows', 'marks', 'ids', 'rooms', 'beside', 'commands'])
        opening.result.createObjectStore(store);
    });
    await new Promise((resolve) => opening.addEventListener('success', resolve));
    const other = opening.result;
    const row = ({ bytes, sum }: typeof saved) => ({ bytes: Uint8Array.from(bytes), sum, own: 1, upTo: 1 });
    const first = other.transaction(['rows', 'marks', 'rooms'], 'readwrite');
    first.objectStore('rows').put(row(saved), [room, 1, 'one', 1]);
    first.objectStore('marks').put(1, [room, 1, 'one']);
    // An older generation that is left is found by what is known of the later one.
    first.objectStore('rooms').put({ generation: how === 'asideOf' ? 2 : 1 }, room);
    await new Promise((resolve) => first.addEventListener('complete', resolve));

    const { transaction } = IDBDatabase.prototype;
    let reads = 0;
    IDBDatabase.prototype.transaction = function (...all) {
      const begun = Reflect.apply(transaction, this, all) as IDBTransaction;
      const { getAll } = IDBObjectStore.prototype;
      begun.objectStore = (store) => {
        const opened = IDBTransaction.prototype.objectStore.call(begun, store);
        opened.getAll = (...range) => {
          // Right behind the transaction that looks for what is unsaved, and before any that follows.
          if (races && store === 'marks' && (reads += 1) === 1) {
            const put = Reflect.apply(transaction, other, ['rows', 'readwrite']) as IDBTransaction;
            put.objectStore('rows').put(row(late), [room, 1, 'two', 1]);
          }
          return Reflect.apply(getAll, opened, range) as IDBRequest;
        };
        return opened;
      };
      return begun;
    };
    await copies[how](name.slice('colloquy-'.length), room, 1);
    IDBDatabase.prototype.transaction = transaction;

    const look = other.transaction(['rows', 'rooms']);
    const keys = look.objectStore('rows').getAllKeys();
    const known = look.objectStore('rooms').getKey(room);
    await new Promise((resolve) => look.addEventListener('complete', resolve));
    other.close();
    return {
      tabs: (keys.result as unknown as [string, number, string][]).map(([, , tab]) => tab),
      known: !!known.result,
    };
  }, given);
}

it.each<[Drop, boolean]>([
  ['dropIfSaved', false],
  ['setAside', false],
  ['asideOf', true],
])('H3 R9 %s drops what is saved, and not what another tab stores at that moment', async (what, known) => {
  const [ann] = (await house.people(1)) as [Person];
  const page = await desk.seat(ann);
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<title>Copies</title>' }));
  await page.goto('/');
  await page.evaluate(`(() => { ${code}; globalThis.copies = copies; })()`);
  expect(await drop(page, what, false)).toEqual({ tabs: [], known });
  expect((await drop(page, what, true)).tabs).toContain('two');
});
