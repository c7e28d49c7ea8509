// A recording without a network, and what its page keeps in the browser (sync/SPEC.md; F47 and F48).
import type { BrowserContext, Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { textOf } from '#shared/meetings/transcript.ts';
import { agree, expectAccessible, openDesk } from '../support/browser.ts';
import { chip, cutLine, drawnAgain, saved, waits } from '../support/document-page.ts';
import type { SharedHouse } from '../support/house.ts';
import { makeMeeting, share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';
import { makeRecording } from '../support/recording.ts';
import { worker } from '../support/worker.ts';

const editing = ['read', 'comment', 'write', 'discover'] as const;

// Sockets that cannot be opened are what these tests are about.
const desk = openDesk(cutLine);
let house: SharedHouse;
let ann: Person;
let ben: Person;
worker.beforeAll(({ house: shared }) => {
  house = shared;
});
beforeEach(async () => {
  [ann, ben] = (await house.people(2)) as [Person, Person];
});

const text = (page: Page) => page.getByLabel('Text 1', { exact: true });
const says = async (page: Page, words: RegExp): Promise<void> => {
  await expect.poll(() => chip(page).innerText(), waits).toMatch(words);
};
const reads = async (page: Page, words: string): Promise<void> => {
  await expect.poll(() => text(page).inputValue(), waits).toBe(words);
};

/** All entries of one of the stores in which this browser keeps transcripts. */
const storeOf = (page: Page, store: 'rows' | 'ids'): Promise<unknown[]> =>
  page.evaluate(async (of) => {
    const [{ name = '' } = {}] = (await indexedDB.databases()).filter(
      (one) => one.name?.startsWith('colloquy-') && !one.name.includes('sound'),
    );
    const opening = indexedDB.open(name);
    await new Promise((resolve) => opening.addEventListener('success', resolve));
    const all = opening.result.transaction(of).objectStore(of).getAll();
    await new Promise((resolve) => all.addEventListener('success', resolve));
    opening.result.close();
    return all.result;
  }, store);
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
/** Number of own changes on this browser's disk. */
const written = async (page: Page) => sum(((await storeOf(page, 'rows')) as { own: number }[]).map(({ own }) => own));

async function meetingOf(...guests: Person[]): Promise<string> {
  const meeting = await makeMeeting(house, ann);
  for (const guest of guests) await share(house, meeting, guest, editing);
  return meeting;
}

async function open(page: Page, meeting: string): Promise<Page> {
  await page.goto(`/dev/live?room=${meeting}/transcript`);
  await page.locator('textarea[data-ready=true]').waitFor();
  return page;
}

async function append(page: Page, words: string): Promise<void> {
  await text(page).focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(words);
}

/** Blocks and unblocks live editing; the rest of the house stays reachable. */
async function doorOf(context: BrowserContext): Promise<{ shut(): Promise<void>; open(): void }> {
  let shut = false;
  const sockets = new Set<{ close(): Promise<void> }>();
  await context.routeWebSocket(/\/sync\//, (socket) => {
    if (shut) return void socket.close({ code: 1012 });
    socket.connectToServer();
    sockets.add({ close: () => socket.close({ code: 1012 }) });
  });
  return {
    async shut() {
      shut = true;
      for (const socket of sockets) await socket.close();
      sockets.clear();
    },
    open: () => (shut = false),
  };
}

/** Signs a person in at the same browser; signing in on screen has tests of its own. */
async function signIn(page: Page, person: Person): Promise<void> {
  await person.post('/api/login', { email: person.email, password: person.password });
  await page.goto('about:blank');
  await page.context().clearCookies();
  const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: person.origin }));
  await page.context().addCookies(cookies);
}

/** Corrupts the transcripts in this browser: one byte in each row, or every row as a whole. */
async function spoil(page: Page, how: 'a byte' | 'wholly'): Promise<void> {
  await page.evaluate(async (wholly) => {
    const [{ name = '' } = {}] = (await indexedDB.databases()).filter((one) => one.name?.startsWith('colloquy-'));
    const opening = indexedDB.open(name);
    await new Promise((resolve) => opening.addEventListener('success', resolve));
    const tx = opening.result.transaction('rows', 'readwrite');
    const cursor = tx.objectStore('rows').openCursor();
    cursor.addEventListener('success', () => {
      const at = cursor.result;
      if (!at) return;
      const row = at.value as { bytes: Uint8Array };
      const middle = row.bytes.length >> 1;
      row.bytes[middle] = (row.bytes[middle] ?? 0) ^ 255;
      at.update(wholly ? 'no row' : row);
      at.continue();
    });
    await new Promise((resolve) => tx.addEventListener('complete', resolve));
    opening.result.close();
  }, how === 'wholly');
}

/** Text at the server, read anew. */
async function atServer(meeting: string, person = ann): Promise<string> {
  const page = await open(await desk.seat(person), meeting);
  await saved(page);
  const words = await text(page).inputValue();
  await page.context().close();
  return words;
}

describe('offline', () => {
  it('a page that was left before it had any text shows none as if it were empty', async () => {
    const meeting = await meetingOf();
    await house.house.rooms.change(meeting, 'transcript', { userId: null, origin: 'test' }, (doc) =>
      textOf(doc).insert(1, 'Said. '),
    );
    const page = await desk.seat(ann);
    let lines = 0;
    let release = () => {};
    await page.routeWebSocket(/transcript/, (socket) => {
      const server = socket.connectToServer();
      const held: (string | Buffer)[] = [];
      let greeted = false;
      let free = false;
      lines += 1;
      release = () => {
        free = true;
        for (const message of held.splice(0)) socket.send(message);
      };
      server.onMessage((message) => {
        // The first line says hello and no more, the second nothing.
        const hello = !greeted && lines === 1;
        greeted = true;
        if (hello || free) socket.send(message);
        else held.push(message);
      });
    });
    await page.goto(`/dev/live?room=${meeting}/transcript`);
    // The answer to the hello is stored before the page's place in this browser.
    await expect.poll(() => storeOf(page, 'ids'), waits).toHaveLength(1);
    await page.reload();
    // A page connects once it has read its copy.
    await expect.poll(() => lines, waits).toBe(2);
    await drawnAgain(page);
    expect(await text(page).getAttribute('data-ready')).toBe('false');
    release();
    await page.locator('textarea[data-ready=true]').waitFor(waits);
    await reads(page, 'Said. ');
  });

  it('a page whose texts for notices never came is edited all the same, and asks for them again', async () => {
    const meeting = await meetingOf(ben);
    const page = await desk.seat(ann);
    let [refused, given] = [0, 0];
    let isShut = true;
    await page.route(/\/assets\/en-[\w-]+\.js$/, async (route) => {
      const answer = await route.fetch();
      const isIt = (await answer.text()).includes('mentioned you in a comment on');
      if (isIt && isShut) {
        refused += 1;
        return route.abort();
      }
      if (isIt) given += 1;
      return route.fulfill({ response: answer });
    });
    await open(page, meeting);
    await expect.poll(() => refused, waits).toBeGreaterThan(0);
    await append(page, 'without ');
    await saved(page);
    await page.context().setOffline(true);
    await append(page, 'them ');
    await says(page, /^Offline · \d+ on this device$/);
    await page.context().setOffline(false);
    await saved(page);
    expect(await atServer(meeting, ben)).toBe('without them ');
    isShut = false;
    // The texts are asked for again a little later.
    await expect.poll(() => given, waits).toBe(1);
  });

  it('editing continues, says so, and sends everything after reconnecting; F34 F46: whatever the clocks say, and after sleep', async () => {
    const meeting = await meetingOf(ben);
    const [page, other] = [await desk.seat(ann), await desk.seat(ben)];
    await page.clock.setFixedTime(Date.now() - 86_400_000);
    await other.clock.setFixedTime(Date.now() + 86_400_000);
    await open(page, meeting);
    await open(other, meeting);
    await append(page, 'before ');
    await saved(page);
    await page.context().setOffline(true);
    await append(page, 'offline ');
    await says(page, /^Offline · \d+ on this device$/);
    await append(other, 'elsewhere ');
    await saved(other);
    await page.context().setOffline(false);
    await saved(page);
    await expect.poll(() => text(other).inputValue()).toContain('offline ');
    await reads(page, await text(other).inputValue());
    expect([...(await text(page).inputValue()).matchAll(/before|offline|elsewhere/g)].length).toBe(3);

    const session = await page.context().newCDPSession(page);
    await session.send('Page.setWebLifecycleState', { state: 'frozen' });
    await append(other, 'meanwhile ');
    await saved(other);
    await session.send('Page.setWebLifecycleState', { state: 'active' });
    await expect.poll(() => text(page).inputValue(), waits).toContain('meanwhile ');
    await append(page, 'awake ');
    await saved(page);
    await reads(other, await text(page).inputValue());
  });

  it('text is there after a reload, even of a page that crashed, and is sent once', async () => {
    const meeting = await meetingOf();
    const first = await desk.seat(ann);
    const door = await doorOf(first.context());
    await open(first, meeting);
    await append(first, 'one ');
    await saved(first);
    await door.shut();
    await append(first, 'two ');
    await says(first, /^Offline · \d+/);
    const asked: string[] = [];
    first.on('dialog', (dialog) => {
      asked.push(dialog.type());
      agree(dialog);
    });
    await first.reload();
    expect(asked).toEqual(['beforeunload']);
    await reads(first, 'one two ');
    await says(first, /^Offline · \d+/);
    const before = await written(first);
    await append(first, 'three ');
    // A page that crashes cannot keep words that are still being written to the disk.
    await expect.poll(() => written(first), waits).toBe(before + 'three '.length);
    const session = await first.context().newCDPSession(first);
    await Promise.race([session.send('Page.crash').catch(() => {}), first.waitForEvent('crash')]);
    const second = await open(await first.context().newPage(), meeting);
    await reads(second, 'one two three ');
    await says(second, /^Offline · \d+/);
    door.open();
    await saved(second);
    expect(await atServer(meeting)).toBe('one two three ');
  });

  it('text typed without a pause is sent while it is typed, even when the disk is slow', async () => {
    const meeting = await meetingOf(ben);
    const [page, other] = [await desk.seat(ann), await desk.seat(ben)];
    // Slows every write, as on a busy disk.
    await page.addInitScript(() => {
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...what: Parameters<typeof put>) {
        const until = performance.now() + 150;
        const wait = () => {
          if (performance.now() < until) this.get('nothing').addEventListener('success', wait);
        };
        wait();
        return put.apply(this, what);
      };
    });
    await open(page, meeting);
    await open(other, meeting);
    let typing = true;
    const typed = append(page, '.').then(async () => {
      while (typing) await page.keyboard.type('xy', { delay: 15 });
    });
    await expect.poll(() => text(other).inputValue(), waits).toContain('xy');
    typing = false;
    await typed;
    await saved(page);
    await reads(other, await text(page).inputValue());
  });

  it('two tabs of one recording keep one copy and never share a client id; closed tabs release theirs', async () => {
    const meeting = await meetingOf();
    const a = await desk.seat(ann);
    const door = await doorOf(a.context());
    await open(a, meeting);
    const b = await open(await a.context().newPage(), meeting);
    const ids = () => Promise.all([a, b].map((page) => text(page).getAttribute('data-client')));
    const before = await ids();
    expect(new Set(before).size).toBe(2);
    await append(a, 'A');
    await reads(b, 'A');
    await door.shut();
    await append(a, ' from a');
    await append(b, ' from b');
    await says(a, /^Offline · \d+/);
    await says(b, /^Offline · \d+/);
    for (const page of [a, b]) {
      page.on('dialog', agree);
      await page.reload();
      await says(page, /^Offline · \d+/);
    }
    expect((await ids()).toSorted()).toEqual(before.toSorted());
    for (const page of [a, b])
      for (const part of ['from a', 'from b']) expect(await text(page).inputValue()).toContain(part);
    door.open();
    await saved(a);
    await saved(b);
    await reads(b, await text(a).inputValue());
    // Many reloads do not use up the client ids.
    const questions: string[] = [];
    a.on('dialog', (dialog) => questions.push(dialog.type()));
    for (let again = 0; again < 5; again += 1) {
      await a.reload();
      await a.locator('textarea[data-ready=true]').waitFor();
      await append(a, '.');
      await saved(a);
    }
    // A saved page closes without a question.
    expect(questions).toEqual([]);
    const [row] = await house.house.db.sql<
      { count: string }[]
    >`select count(*) from room_clients where room = ${`${meeting}/transcript`}`;
    expect(Number(row?.count)).toBe(2);
    const whole = await atServer(meeting);
    expect(whole.length).toBe('A from a from b.....'.length);
    for (const part of [' from a', ' from b']) expect(whole.split(part).length).toBe(2);
  });
});

describe('a transcript that can no longer be merged', () => {
  it('4409: words written for the old generation are offered, kept over a reload, and never merged', async () => {
    const meeting = await meetingOf();
    const page = await desk.seat(ann);
    const door = await doorOf(page.context());
    await open(page, meeting);
    await append(page, 'old ');
    await saved(page);
    await door.shut();
    await append(page, 'mine');
    await says(page, /^Offline · \d+/);
    await house.house.db
      .sql`update rooms set generation = generation + 1, seq = 0 where name = ${`${meeting}/transcript`}`;
    door.open();
    const words = page.getByLabel('Your text');
    await words.waitFor();
    expect(await words.inputValue()).toBe('old mine');
    await reads(page, '');
    await page.reload();
    await words.waitFor();
    expect(await words.inputValue()).toBe('old mine');
    await page.getByRole('button', { name: 'I’ve copied it' }).click();
    await words.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('textarea[data-ready=true]').waitFor();
    await saved(page);
    expect(await words.count()).toBe(0);
    expect(await text(page).inputValue()).toBe('');
  });

  it('4403: a person who may no longer write is disconnected at once, with the unsent words', async () => {
    const meeting = await meetingOf(ben);
    const page = await desk.seat(ben);
    const door = await doorOf(page.context());
    await open(page, meeting);
    await append(page, 'sent ');
    await saved(page);
    await door.shut();
    await append(page, 'unsent');
    await says(page, /^Offline/);
    await share(house, meeting, ben, []);
    door.open();
    const words = page.getByLabel('Your text');
    await words.waitFor();
    expect(await words.inputValue()).toBe('sent unsent');
    await says(page, /^Not kept/);
    expect(await text(page).getAttribute('readonly')).not.toBeNull();
    expect(await atServer(meeting)).toBe('sent ');
  });
});

describe('a browser without storage (F48)', () => {
  const refusals: Record<string, () => void> = {
    denied: () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('denied', 'SecurityError');
      };
    },
    full: () => {
      const { put } = IDBObjectStore.prototype;
      // Imitates a full disk: the call succeeds, and then the whole transaction fails.
      IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...what: Parameters<typeof put>) {
        const request = put.apply(this, what);
        this.transaction.abort();
        return request;
      };
    },
  };
  it.each(Object.keys(refusals))('%s: editing continues with a warning, and asks before leaving', async (name) => {
    const meeting = await meetingOf();
    const page = await desk.seat(ann);
    const refuse = refusals[name];
    if (refuse) await page.addInitScript(refuse);
    await open(page, meeting);
    await append(page, 'online');
    await saved(page);
    const said = page.getByRole('status').filter({ hasText: 'This browser can’t keep a copy.' });
    await said.waitFor();
    await page.context().setOffline(true);
    await append(page, ' and off');
    await says(page, /^Not kept - copy now$/);
    await chip(page).click();
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    // Another page of ours is as unsafe as another site.
    await page.getByRole('link', { name: 'Colloquy', exact: true }).click();
    const question = page.getByRole('dialog').filter({ hasText: 'Leave without saving your last changes?' });
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    await reads(page, 'online and off');
    await page.context().setOffline(false);
    await saved(page);
    expect(await atServer(meeting)).toBe('online and off');
  });

  it('rotten: unreadable parts of the copy come from the server again; without any readable part it starts anew', async () => {
    const meeting = await meetingOf();
    const page = await open(await desk.seat(ann), meeting);
    await append(page, 'all of it');
    await saved(page);
    await spoil(page, 'a byte');
    await page.reload();
    await reads(page, 'all of it');
    await append(page, '!');
    await saved(page);
    expect(await atServer(meeting)).toBe('all of it!');

    await spoil(page, 'wholly');
    await page.reload();
    await reads(page, 'all of it!');
    await page.getByRole('button', { name: 'Start a new copy' }).click();
    await page.getByText('is damaged and not in use').waitFor({ state: 'detached' });
    await reads(page, 'all of it!');
    await saved(page);
    expect(await page.getByRole('status').filter({ hasText: 'This browser can’t keep a copy.' }).count()).toBe(0);
  });
});

describe('several people at one browser', () => {
  const kept = (page: Page) =>
    page.evaluate(async () => (await indexedDB.databases()).filter(({ name }) => name?.startsWith('colloquy-')).length);

  const signedOut = (page: Page) => page.getByRole('heading', { level: 1, name: 'You have successfully logged out' });

  it('deleting an account leaves nothing of it here, and keeps unsent words of others', async () => {
    const meeting = await meetingOf(ben);
    const gus = await house.person('Gus');
    await share(house, meeting, gus, editing);
    const page = await desk.seat(ben);
    const door = await doorOf(page.context());
    const writeUnsent = async (words: string) => {
      await open(page, meeting);
      await door.shut();
      await append(page, words);
      await says(page, /^Offline · \d+/);
    };
    page.on('dialog', agree);
    const asked: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/me/delete')) asked.push(request.headers()['colloquy-keep']);
    });
    const names = () =>
      page.evaluate(async () => (await indexedDB.databases()).flatMap(({ name = '' }) => name || []).toSorted());
    await writeUnsent('of Ben ');
    // A page that is still open would send them.
    await page.goto('about:blank');
    door.open();
    await signIn(page, gus);
    await writeUnsent('of Gus ');
    await page.evaluate((id) => {
      localStorage.setItem('colloquy-unsent-sound', JSON.stringify([id]));
      localStorage.setItem('colloquy-rate', '1.5');
      indexedDB.open(`colloquy-sound-${id}`);
    }, gus.id);
    await expect.poll(async () => (await names()).filter((name) => name.includes(gus.id)).length).toBe(2);

    await page.goto('/profile');
    // A database that the page itself holds open would stay for as long as the page.
    const blocked = await page.evaluateHandle(() => {
      const names: string[] = [];
      const remove = indexedDB.deleteDatabase.bind(indexedDB);
      IDBFactory.prototype.deleteDatabase = (name) => {
        const request = remove(name);
        request.addEventListener('blocked', () => names.push(name));
        return request;
      };
      return names;
    });
    await page.getByRole('button', { name: 'Delete account' }).click();
    await page.getByLabel('Password', { exact: true }).fill(gus.password);
    await page.getByLabel('Reason').selectOption('It is too slow');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
    await page.waitForURL((url) => url.pathname === '/login', waits);
    expect(asked).toEqual(['unsent']);
    await expect.poll(async () => (await names()).filter((name) => name.includes(gus.id))).toEqual([]);
    expect(await blocked.evaluate((all) => all)).toEqual([]);
    const stored = await page.evaluate(() => JSON.stringify(localStorage));
    expect([stored.includes(gus.id), stored.includes('colloquy-rate')]).toEqual([false, true]);

    door.open();
    await signIn(page, ben);
    await open(page, meeting);
    await saved(page);
    expect(await atServer(meeting)).toBe('of Ben ');
  });

  it('F47: logging out leaves nothing here that the server has, and keeps unsent words for the same person', async () => {
    const meeting = await meetingOf(ben);
    const gus = await house.person('Gus');
    await share(house, meeting, gus, editing);
    const page = await desk.seat(gus);
    const door = await doorOf(page.context());
    await open(page, meeting);
    await append(page, 'shared');
    await saved(page);
    expect(await kept(page)).toBe(1);
    await page.goto('/logout');
    await signedOut(page).waitFor();
    await expect.poll(() => kept(page)).toBe(0);

    await signIn(page, gus);
    await open(page, meeting);
    await door.shut();
    await append(page, ' unsent');
    await says(page, /^Offline · \d+/);
    page.on('dialog', agree);
    await page.goto('/logout');
    await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click();
    await signedOut(page).waitFor();
    expect(await kept(page)).toBe(1);
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('Gus');

    // Another person at the same browser neither sees nor sends it.
    door.open();
    await signIn(page, ben);
    await open(page, meeting);
    await saved(page);
    expect(await text(page).inputValue()).toBe('shared');
    await append(page, '!');
    await saved(page);
    expect(await atServer(meeting)).toBe('shared!');
    await page.goto('/logout');
    await signedOut(page).waitFor();
    expect(await kept(page)).toBe(1);

    await signIn(page, gus);
    await open(page, meeting);
    await saved(page);
    expect(await text(page).inputValue()).toContain(' unsent');
    expect(await atServer(meeting)).toBe(await text(page).inputValue());

    // Sound that no server has waits for its person too.
    const sound = `colloquy-sound-${ben.id}`;
    await page.evaluate(
      async ([name = '', note = '']) => {
        localStorage.setItem('colloquy-unsent-sound', note);
        const opening = indexedDB.open(name);
        await new Promise((resolve) => opening.addEventListener('success', resolve));
        opening.result.close();
      },
      [sound, JSON.stringify([ben.id])],
    );
    await page.goto('/logout');
    await signedOut(page).waitFor();
    const databases = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
    await expect.poll(databases).toEqual([sound]);
    expect(await page.evaluate(() => Object.keys(localStorage))).toContain('colloquy-unsent-sound');
  });
});

describe('a recording without a network', () => {
  const segment = (page: Page, n: number) => page.locator('.ProseMirror > *').nth(n);
  const opened = async (page: Page, meeting: string): Promise<Page> => {
    await page.goto(`/meeting/${meeting}`);
    await segment(page, 3).waitFor();
    return page;
  };
  const write = async (page: Page, n: number, words: string): Promise<void> => {
    await segment(page, n).click();
    await page.keyboard.press('End');
    await page.keyboard.type(words);
  };

  it('opens from this device alone, is edited, reconnects, and reports what was merged', async () => {
    const meeting = await makeRecording(house, ann, [ben]);
    const page = await opened(await desk.seat(ann, { keepsScreens: true }), meeting);
    const other = await opened(await desk.seat(ben), meeting);
    const stranger = await opened(await desk.seat(ann), meeting);
    await saved(page);
    // The worker is ready only after the whole page has been cached.
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));

    await page.context().setOffline(true);
    await stranger.context().setOffline(true);
    // The control: a browser without the service worker cannot open the page.
    await expect(stranger.reload()).rejects.toThrow(/ERR_INTERNET_DISCONNECTED/);
    await page.reload();
    await segment(page, 3).waitFor();
    const soundWaits = page.getByText('You are offline. Sound and video');
    await soundWaits.waitFor();
    await write(page, 0, ' offline-words');
    await says(page, /^Offline · \d+ on this device$/);

    await write(other, 2, ' elsewhere-words');
    await saved(other);
    await page.context().setOffline(false);
    await expect.poll(() => segment(other, 0).innerText(), waits).toContain('offline-words');
    await expect.poll(() => segment(page, 2).innerText(), waits).toContain('elsewhere-words');
    await saved(page);
    const notice = page.getByRole('status').filter({ hasText: 'Merged.' });
    await notice.waitFor();
    expect(await notice.innerText()).toMatch(/\d+ changes of yours were sent\. Meanwhile, others changed 1 passage:/);
    await notice.getByRole('button').first().click();
    await expect.poll(() => segment(page, 2).isVisible()).toBe(true);
    await soundWaits.waitFor({ state: 'detached' });

    // After signing out none of it opens any more.
    await page.goto('/logout');
    await page.getByRole('heading', { level: 1, name: 'You have successfully logged out' }).waitFor();
    expect(await page.evaluate(async () => (await caches.keys()).length)).toBe(0);
    await page.context().setOffline(true);
    await expect(page.goto(`/meeting/${meeting}`)).rejects.toThrow(/ERR_INTERNET_DISCONNECTED/);
  });

  it('offers a person whose access ended meanwhile their unsent words, to take along', async () => {
    const meeting = await makeRecording(house, ann, [ben]);
    const page = await desk.seat(ben);
    const door = await doorOf(page.context());
    await opened(page, meeting);
    await door.shut();
    await write(page, 0, ' words-of-ben');
    // Each letter is a change, and those alone are counted that are stored here.
    await says(page, new RegExp(`^Offline · ${' words-of-ben'.length} on this device$`));
    page.on('dialog', agree);
    await page.goto('about:blank');
    await share(house, meeting, ben, []);
    await page.goto(`/meeting/${meeting}`);
    const words = page.getByLabel('Your text');
    await words.waitFor();
    expect(await words.inputValue()).toContain('words-of-ben');
    await page.getByRole('button', { name: 'I’ve copied it' }).click();
    await words.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('it isn’t shared with you').waitFor();
    expect(await words.count()).toBe(0);
  });
});
