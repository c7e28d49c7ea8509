import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } from 'y-protocols/awareness';
import { afterEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { peopleIn, setPresence } from './presence.ts';

const all: Awareness[] = [];
function awareness(): Awareness {
  const one = new Awareness(new Y.Doc());
  all.push(one);
  return one;
}
afterEach(() => {
  for (const one of all.splice(0)) one.destroy();
});

const ben = { id: 'ben', name: 'Ben', color: '#2b66a8' };
const chen = { id: 'chen', name: 'Chen', color: '#b0442c' };

/** The people a page shows after these tabs have sent their states, one after the other. */
function seen(...tabs: Record<string, unknown>[]): ReturnType<typeof peopleIn> {
  const here = awareness();
  for (const [i, state] of tabs.entries()) {
    const tab = awareness();
    tab.setLocalState(state);
    applyAwarenessUpdate(here, encodeAwarenessUpdate(tab, [tab.clientID]), 'test');
    const meta = here.meta.get(tab.clientID);
    if (meta) meta.lastUpdated = i;
  }
  return peopleIn(here, 'ann');
}

describe('who is here', () => {
  it.each<[string, Record<string, unknown>[], Record<string, unknown>[]]>([
    ['nobody', [], []],
    ['two people', [{ user: ben }, { user: chen }], [{ id: 'ben' }, { id: 'chen' }]],
    ['not oneself in another tab', [{ user: { ...ben, id: 'ann' } }], []],
    ['not who has no name of the server', [{}, { user: {} }, { user: { id: 7 } }], []],
    [
      'one person, shown where the busiest tab is',
      [
        { user: ben, typing: true, at: 3 },
        { user: ben, at: 9 },
      ],
      [{ id: 'ben', at: 3, typing: true }],
    ],
    [
      'typing before listening',
      [
        { user: ben, listening: true, at: 1 },
        { user: ben, typing: true, at: 2 },
      ],
      [{ at: 2, typing: true, listening: false }],
    ],
    [
      'of two alike the last that spoke',
      [
        { user: ben, at: 1 },
        { user: ben, at: 2 },
      ],
      [{ at: 2 }],
    ],
    [
      'nothing that is not of its kind',
      [{ user: { ...ben, color: 'red;x' }, at: '3', typing: 1, listening: 'yes', pane: 4 }],
      [{ color: '', at: null, typing: false, listening: false, pane: null }],
    ],
  ])('%s', (_name, tabs, people) => {
    const found = seen(...tabs);
    expect(found).toHaveLength(people.length);
    for (const [i, person] of people.entries()) expect(found[i]).toMatchObject(person);
  });

  it('knows all tabs of a person', () => {
    expect(seen({ user: ben }, { user: ben })[0]?.clients).toHaveLength(2);
  });
});

describe('the state a page sets', () => {
  it('is added to what it said, and said again only when it is new', () => {
    const here = awareness();
    let times = 0;
    here.on('update', () => (times += 1));
    setPresence(here, { typing: true });
    setPresence(here, { typing: true });
    setPresence(here, { cursor: { anchor: { a: 1 }, head: 2 } });
    setPresence(here, { cursor: { anchor: { a: 1 }, head: 2 } });
    expect(here.getLocalState()).toEqual({ typing: true, cursor: { anchor: { a: 1 }, head: 2 } });
    expect(times).toBe(2);
  });
});
