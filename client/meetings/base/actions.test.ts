import { describe, expect, it } from 'vitest';

import { Actions } from './actions.ts';

describe('what can be done', () => {
  it('is known by its name as long as somebody can do it', () => {
    const actions = new Actions();
    const told: string[] = [];
    actions.subscribe(() => told.push(actions.read().join(' ')));
    const gone = actions.register('find', () => undefined);
    const other = actions.register('play', () => undefined);
    gone();
    other();
    // In the order of the key map, whoever came first.
    expect(told).toEqual(['find', 'play find', 'play', '']);
  });

  it('is done by who registered last, and by the one before again when that is gone', () => {
    const actions = new Actions();
    const done: string[] = [];
    actions.register('play', () => done.push('page'));
    const gone = actions.register('play', () => done.push('card'));
    expect(actions.run('play')).toBe(true);
    gone();
    expect(actions.run('play')).toBe(true);
    expect(done).toEqual(['card', 'page']);
  });

  it('says where there was nothing to do, so that the key can be somebody else’s', () => {
    const actions = new Actions();
    expect(actions.run('nextDoubt')).toBe(false);
    actions.register('nextDoubt', () => false);
    expect(actions.run('nextDoubt')).toBe(false);
  });

  it('is not done while a dialog is open, unless it is meant', () => {
    const actions = new Actions();
    actions.register('play', () => undefined);
    actions.register('sheet', () => undefined, { inDialogs: true });
    expect([actions.can('play', true), actions.can('sheet', true), actions.can('play')]).toEqual([false, true, true]);
  });

  it('Escape ends what was opened last, and nothing twice', () => {
    const actions = new Actions();
    const ended: string[] = [];
    const bar = actions.opened(() => ended.push('bar'));
    const card = actions.opened(() => {
      ended.push('card');
      card();
    });
    expect([actions.endLatest(), actions.endLatest()]).toEqual([true, true]);
    bar();
    expect(actions.endLatest()).toBe(false);
    expect(ended).toEqual(['card', 'bar']);
  });

  it('gives the digit, and remembers what a press meant', () => {
    const actions = new Actions();
    const given: number[] = [];
    actions.register('speaker', (digit) => given.push(digit));
    const event = new Event('keydown');
    actions.press(event, 'speaker', 4);
    expect(given).toEqual([4]);
    expect([actions.meaningOf(event), actions.meaningOf(new Event('keydown'))]).toEqual(['speaker', null]);
  });
});
