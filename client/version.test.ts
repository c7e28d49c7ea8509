import { describe, expect, it } from 'vitest';

import { createVersionWatch, watchTyping } from './version.ts';

const start = Date.UTC(2026, 2, 1);
const minute = 60_000;

function page(version: string | null, options: { clean?: boolean; kept?: Map<string, string>; now?: number } = {}) {
  const kept = options.kept ?? new Map<string, string>();
  const seen = { reloads: 0, offered: [] as string[], clean: options.clean ?? true };
  const watch = createVersionWatch({
    version,
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
    isClean: () => seen.clean,
    now: () => options.now ?? start,
    reload: () => (seen.reloads += 1),
    offer: (offered) => seen.offered.push(offered),
  });
  return { watch, seen, kept };
}

describe('a page that learns the version of the server', () => {
  it('stays when it is the same', () => {
    const { watch, seen } = page('a');
    watch('a');
    expect(seen).toMatchObject({ reloads: 0, offered: [] });
  });

  it('reloads when it is another and nothing is at stake', () => {
    const { watch, seen } = page('a');
    watch('b');
    expect(seen).toMatchObject({ reloads: 1, offered: [] });
  });

  it('asks for one reload only, however many answers arrive before it happens', () => {
    const { watch, seen, kept } = page('a');
    for (let answer = 0; answer < 4; answer += 1) watch('b');
    expect(seen.reloads).toBe(1);
    expect([...kept.values()]).toEqual([`1 ${start}`]);
  });

  it('only offers it over unsaved work, and reloads with the first answer after that is safe', () => {
    const { watch, seen } = page('a', { clean: false });
    watch('b');
    watch('b');
    expect(seen).toMatchObject({ reloads: 0, offered: ['b'] });
    seen.clean = true;
    watch('b');
    expect(seen.reloads).toBe(1);
  });

  it('gives up after five reloads in a row that changed nothing, and offers', () => {
    const kept = new Map<string, string>();
    let reloads = 0;
    for (let load = 0; load < 8; load += 1) {
      const { watch, seen } = page('old', { kept });
      watch('new');
      reloads += seen.reloads;
      if (load >= 5) expect(seen.offered).toEqual(['new']);
    }
    expect(reloads).toBe(5);
  });

  it('counts from zero again once page and server agree, ten minutes after the first', () => {
    const kept = new Map<string, string>();
    for (let load = 0; load < 5; load += 1) page('old', { kept, now: start + load }).watch('new');
    page('new', { kept, now: start + 11 * minute }).watch('new');
    const next = page('new', { kept, now: start + 11 * minute });
    next.watch('newer');
    expect(next.seen.reloads).toBe(1);
  });

  it('does not go round and round while an old and a new server answer in turn', () => {
    const kept = new Map<string, string>();
    let reloads = 0;
    for (let load = 0; load < 20; load += 1) {
      const { watch, seen } = page('new', { kept, now: start + load * 1_000 });
      watch('new');
      watch('old');
      reloads += seen.reloads;
    }
    expect(reloads).toBe(5);
  });

  it('does nothing when no server wrote its version into it', () => {
    const { watch, seen } = page(null);
    watch('b');
    expect(seen).toMatchObject({ reloads: 0, offered: [] });
  });

  it('counts a garbled counter as none', () => {
    const { watch, seen } = page('a', { kept: new Map([['colloquy-reloads', 'many']]) });
    watch('b');
    expect(seen.reloads).toBe(1);
  });
});

describe('typing', () => {
  it('is under way while composing and once a field was changed, until the screen changes', () => {
    const target = new EventTarget();
    const typing = watchTyping(target);
    expect(typing.isIdle()).toBe(true);
    target.dispatchEvent(new Event('compositionstart'));
    typing.settle();
    expect(typing.isIdle()).toBe(false);
    target.dispatchEvent(new Event('compositionend'));
    expect(typing.isIdle()).toBe(true);
    target.dispatchEvent(new Event('input'));
    expect(typing.isIdle()).toBe(false);
    typing.settle();
    expect(typing.isIdle()).toBe(true);
  });
});
