import { describe, expect, it, test } from 'vitest';

import {
  actionIds,
  actionOf,
  chordsOf,
  clash,
  assign,
  holderOf,
  keymapOf,
  actionFor,
  profileIds,
  profiles,
  refusal,
  type ActionId,
  type Place,
  type Press,
} from './keymap.ts';
import { readShortcuts } from './stored-shortcuts.ts';

/** Parses `Alt+Shift+KeyK k` into a key press: modifiers, physical key, typed character. */
function press(text: string): Press {
  const [chord = '', key = ''] = text.split(' ');
  const parts = chord.split('+');
  return {
    code: parts.at(-1) ?? '',
    key,
    ctrlKey: parts.includes('Control'),
    metaKey: parts.includes('Meta'),
    altKey: parts.includes('Alt'),
    shiftKey: parts.includes('Shift'),
    altGraph: parts.includes('AltGraph'),
  };
}

const all = () => true;

describe('a physical key runs the same action on every layout', () => {
  // The same physical key on three keyboards types different letters but runs the same action.
  test.each<[layout: string, text: string, place: Place, is: ActionId | null]>([
    ['us', 'Alt+KeyK k', 'text', 'play'],
    ['ru', 'Alt+KeyK л', 'text', 'play'],
    ['us', 'Alt+Equal =', 'text', 'faster'],
    ['de', 'Alt+Equal ´', 'text', 'faster'],
    ['ru', 'Alt+Minus -', 'text', 'slower'],
    ['de', 'Alt+Minus ß', 'text', 'slower'],
    ['ru', 'Alt+KeyR к', 'text', 'replay'],
    ['ru', 'Alt+Shift+KeyN Т', 'text', 'previousDoubt'],
    ['us', 'Control+Slash /', 'text', 'sheet'],
    ['de', 'Control+Slash -', 'text', 'sheet'],
    ['us', 'Shift+Slash ?', 'page', 'sheet'],
    ['de', 'Shift+Minus ?', 'page', 'sheet'],
    ['ru', 'Shift+Digit7 ?', 'page', 'sheet'],
    ['us', 'Shift+Slash ?', 'text', null],
    ['us', 'Shift+Slash ?', 'field', null],
    ['us', 'KeyK k', 'text', null],
    ['us', 'KeyK k', 'page', null],
    ['us', 'F4 F4', 'text', 'play'],
    ['us', 'F4 F4', 'field', 'play'],
    ['us', 'Shift+F3 F3', 'text', 'faster'],
    ['us', 'Escape Escape', 'text', null],
    ['us', 'Escape Escape', 'page', null],
    ['us', 'Escape Escape', 'field', null],
    ['us', 'Alt+Enter Enter', 'text', 'acceptDoubt'],
    ['us', 'Enter Enter', 'text', null],
    ['us', 'Control+KeyF f', 'text', 'find'],
    ['ru', 'Control+KeyF а', 'text', 'find'],
    // Alt with a digit sets the speaker in the text and opens a pane outside of it.
    ['us', 'Alt+Digit3 3', 'text', 'speaker'],
    ['us', 'Alt+Digit3 3', 'page', 'pane'],
    ['us', 'Alt+Digit0 0', 'text', null],
    // Third character of a key, typed with AltGraph.
    ['de', 'Control+Alt+KeyQ @', 'text', null],
    ['de', 'Control+Alt+KeyK k', 'text', null],
    ['de', 'AltGraph+Alt+KeyL l', 'text', null],
    ['us', 'Meta+KeyF f', 'text', null],
    ['us', 'AltLeft Alt', 'text', null],
    ['us', ' ', 'text', null],
  ])('%s: %s in the %s is %s', (_layout, text, place, is) => {
    expect(actionFor(profiles.ours, press(text), place, false, all)).toBe(is);
  });

  test.each<[text: string, place: Place, is: ActionId | null]>([
    ['Alt+KeyK ˚', 'text', 'play'],
    ['Alt+KeyN Dead', 'text', 'nextDoubt'],
    ['AltGraph+Alt+KeyK ˚', 'text', 'play'],
    // Option types symbols such as a ring, which a title may contain.
    ['Alt+KeyK ˚', 'field', null],
    ['Alt+Digit3 £', 'field', null],
    ['Alt+KeyK ˚', 'page', 'play'],
    ['Meta+KeyF f', 'text', 'find'],
    ['Meta+Slash /', 'field', 'sheet'],
    ['Control+KeyF f', 'text', null],
    ['F4 F4', 'text', 'play'],
  ])('on a Mac: %s in the %s is %s', (text, place, is) => {
    expect(actionFor(profiles.ours, press(text), place, true, all)).toBe(is);
  });

  test.each([
    ['ours', null],
    ['oTranscribe', 'play'],
    ['BBC', null],
    ['pedal', 'play'],
  ] as const)('Escape plays in %s: %s', (profile, is) => {
    expect(actionFor(profiles[profile], press('Escape Escape'), 'text', false, all)).toBe(is);
  });

  it('means nothing if the action is unavailable', () => {
    expect(actionFor(profiles.ours, press('Alt+KeyO o'), 'text', false, (id) => id !== 'outcome')).toBe(null);
  });
});

describe('profiles', () => {
  test.each(profileIds)('%s has every action and no key twice', (profile) => {
    const keymap = profiles[profile];
    for (const id of actionIds) {
      expect(keymap[id].length, id).toBeGreaterThan(0);
      for (const chord of keymap[id]) expect(holderOf(keymap, chord, id), `${chord} of ${id}`).toBe(null);
    }
  });

  test.each<[profile: (typeof profileIds)[number], text: string, is: ActionId]>([
    ['oTranscribe', 'F4 F4', 'faster'],
    ['oTranscribe', 'F3 F3', 'slower'],
    ['oTranscribe', 'F1 F1', 'back'],
    ['BBC', 'Alt+KeyJ j', 'backMore'],
    ['BBC', 'Alt+KeyR r', 'replay'],
    ['pedal', 'F7 F7', 'back'],
    ['pedal', 'F9 F9', 'play'],
    ['pedal', 'F8 F8', 'forward'],
  ])('%s: %s is %s', (profile, text, is) => {
    expect(actionFor(profiles[profile], press(text), 'text', false, all)).toBe(is);
  });

  test('keys built into the editor run no action', () => {
    const fixed = actionIds.filter((id) => actionOf(id).fixed);
    expect(fixed).toEqual(['split', 'merge']);
    for (const text of ['Enter Enter', 'Backspace Backspace'])
      expect(actionFor(profiles.ours, press(text), 'text', false, all)).toBe(null);
  });
});

describe('changed shortcuts', () => {
  test.each([
    ['KeyK', 'types'],
    ['Shift+KeyK', 'types'],
    ['Space', 'types'],
    ['Digit3', 'types'],
    ['Numpad1', 'types'],
    ['Alt+KeyK', null],
    ['Mod+KeyK', null],
    ['Mod+KeyC', 'needed'],
    ['Mod+Shift+KeyZ', 'needed'],
    ['Tab', 'needed'],
    ['Enter', 'needed'],
    ['Alt+ArrowLeft', 'needed'],
    ['Escape', 'needed'],
    ['Other+KeyK', 'needed'],
    ['F13', null],
    ['Shift+F4', null],
    ['MediaPlayPause', null],
    ['Alt+Enter', null],
  ])('%s refused as a shortcut: %s', (chord, is) => {
    expect(refusal(chord)).toBe(is);
  });

  test.each([
    ['Alt+KeyK', 'Alt+KeyK', true],
    ['Alt+KeyK', 'Alt+Shift+KeyK', false],
    ['Alt+Digit3', 'Alt+Digits', true],
    ['Alt+Digit3', 'Alt+Digit4', false],
    ['Alt+Digit0', 'Alt+Digits', false],
  ])('%s and %s clash: %s', (one, other, is) => {
    expect(clash(one, other)).toBe(is);
    expect(clash(other, one)).toBe(is);
  });

  it('names the action that uses a chord in the same place', () => {
    expect(holderOf(profiles.ours, 'Alt+KeyK', 'find')).toBe('play');
    expect(holderOf(profiles.ours, 'Alt+KeyK', 'play')).toBe(null);
    expect(holderOf(profiles.ours, 'Alt+Digits', 'speaker')).toBe(null);
    expect(holderOf(profiles.ours, 'Alt+Digit2', 'play')).toBe('speaker');
  });

  it('removes an assigned chord from the other action only', () => {
    const own = assign(profiles.ours, {}, 'find', ['Alt+KeyK']);
    const keymap = keymapOf('ours', own);
    expect(keymap.find).toEqual(['Alt+KeyK']);
    expect(keymap.play).toEqual(['F4']);
    expect(keymap.back).toEqual(profiles.ours.back);
    expect(actionFor(keymap, press('Alt+KeyK k'), 'text', false, all)).toBe('find');
  });

  test.each([
    [null, 'ours', undefined],
    ['not json', 'ours', undefined],
    ['[]', 'ours', undefined],
    ['{"profile":"vim"}', 'ours', undefined],
    [
      '{"profile":"BBC","own":{"BBC":{"play":["F13"],"other":["F1"],"find":"F2","back":[1]}}}',
      'BBC',
      { play: ['F13'] },
    ],
  ])('reads shortcuts stored as %s', (text, profile, own) => {
    const stored = readShortcuts(text);
    expect(stored.profile).toBe(profile);
    expect(stored.own.BBC).toEqual(own);
  });

  it('a press of a digit also matches any digit', () => {
    expect(chordsOf(press('Alt+Digit3 3'), false)).toEqual(['Alt+Digit3', 'Alt+Digits']);
  });
});
