import { describe, expect, it } from 'vitest';

import { Actions } from './actions.ts';

describe('actions', () => {
  it('lists an action while it is registered', () => {
    const actions = new Actions();
    const told: string[] = [];
    actions.subscribe(() => told.push(actions.read().join(' ')));
    const gone = actions.register('find', () => undefined);
    const other = actions.register('play', () => undefined);
    gone();
    other();
    // In keymap order, not in order of registration.
    expect(told).toEqual(['find', 'play find', 'play', '']);
  });

  it('runs the latest registration, and the previous one after its removal', () => {
    const actions = new Actions();
    const done: string[] = [];
    actions.register('play', () => done.push('page'));
    const gone = actions.register('play', () => done.push('card'));
    expect(actions.run('play')).toBe(true);
    gone();
    expect(actions.run('play')).toBe(true);
    expect(done).toEqual(['card', 'page']);
  });

  it('returns false if there was nothing to do', () => {
    const actions = new Actions();
    expect(actions.run('nextDoubt')).toBe(false);
    actions.register('nextDoubt', () => false);
    expect(actions.run('nextDoubt')).toBe(false);
  });

  it('is unavailable in dialogs unless registered for them', () => {
    const actions = new Actions();
    actions.register('play', () => undefined);
    actions.register('sheet', () => undefined, { inDialogs: true });
    expect([actions.can('play', true), actions.can('sheet', true), actions.can('play')]).toEqual([false, true, true]);
  });

  it('Escape closes the latest opened element, each once', () => {
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

  it('passes the digit and remembers the action of a press', () => {
    const actions = new Actions();
    const given: number[] = [];
    actions.register('speaker', (digit) => given.push(digit));
    const event = new Event('keydown');
    actions.press(event, 'speaker', 4);
    expect(given).toEqual([4]);
    expect([actions.meaningOf(event), actions.meaningOf(new Event('keydown'))]).toEqual(['speaker', null]);
  });
});
