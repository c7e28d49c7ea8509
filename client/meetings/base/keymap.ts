// Actions and their shortcuts. Keys are identified by their physical position (event.code), so that they stay in place
// under a German or Russian layout. No DOM here: a key press is a plain object.

/** Limits a shortcut to the text, or to everything except text fields; default: everywhere. */
type Where = 'text' | 'outside';

interface Action {
  group: Group;
  where?: Where;
  /** Holding the key repeats the action. */
  repeats?: true;
  /** Built into the editor: listed, but not changeable. */
  fixed?: true;
}

export const groups = ['sound', 'text', 'speakers', 'doubts', 'marks', 'assess', 'page'] as const;
type Group = (typeof groups)[number];

const table = {
  play: { group: 'sound' },
  back: { group: 'sound', repeats: true },
  forward: { group: 'sound', repeats: true },
  backMore: { group: 'sound', repeats: true },
  forwardMore: { group: 'sound', repeats: true },
  slower: { group: 'sound', repeats: true },
  faster: { group: 'sound', repeats: true },
  replay: { group: 'sound' },
  goToTime: { group: 'sound' },
  captions: { group: 'sound' },
  float: { group: 'sound' },
  split: { group: 'text', fixed: true },
  merge: { group: 'text', fixed: true },
  /** Inserts the tag for words that cannot be heard. */
  tag: { group: 'text', where: 'text' },
  nextSpeaker: { group: 'text', repeats: true },
  previousSpeaker: { group: 'text', repeats: true },
  nextChapter: { group: 'text', repeats: true },
  previousChapter: { group: 'text', repeats: true },
  find: { group: 'text' },
  replace: { group: 'text' },
  /** Receives the digit. */
  speaker: { group: 'speakers', where: 'text' },
  speakers: { group: 'speakers' },
  nextDoubt: { group: 'doubts', repeats: true },
  previousDoubt: { group: 'doubts', repeats: true },
  acceptDoubt: { group: 'doubts' },
  outcome: { group: 'marks' },
  /** Focuses the start of the chosen outcome's range. */
  range: { group: 'marks' },
  comment: { group: 'marks' },
  voice: { group: 'marks' },
  note: { group: 'marks' },
  bookmark: { group: 'marks' },
  highlight: { group: 'marks' },
  /** The next competency without a grade. */
  nextUngraded: { group: 'assess', where: 'outside' },
  follow: { group: 'page' },
  /** Receives the digit. */
  pane: { group: 'page', where: 'outside' },
  /** Caret into the search field of the library. */
  search: { group: 'page', where: 'outside' },
  sheet: { group: 'page' },
} as const satisfies Record<string, Action>;

export type ActionId = keyof typeof table;
export const actionIds = Object.keys(table) as ActionId[];
export const actionOf = (id: ActionId): Action => table[id];

// ---- Chords ------------------------------------------------------------------------------------

/**
 * For example `Mod+Alt+Shift+KeyJ`. Mod is Control, on a Mac Command. `Digits` is any of 1 to 9. `Typed?` and `Typed/`
 * are the keys that type a question mark and a slash, the only ones identified by their character.
 */
export type Chord = string;

/** Fields of a KeyboardEvent that decide its meaning. */
export interface Press {
  code: string;
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  /** On many layouts, types the third character of a key. */
  altGraph?: boolean;
}

const digit = /^Digit[1-9]$/;
const modifierKey = /^(Control|Shift|Alt|Meta|OS|Fn|Hyper|Super)|^(CapsLock|NumLock)$/;

/** All chords that a press can match, most specific first; none if the layout needs the press. */
export function chordsOf(press: Press, mac: boolean): Chord[] {
  const { code, key, ctrlKey, metaKey, altKey, shiftKey, altGraph = false } = press;
  // Some browsers report AltGraph for either Option key of a Mac; elsewhere Control+Alt equals AltGraph.
  if (!mac && (altGraph || (ctrlKey && altKey))) return [];
  if (code === '' || modifierKey.test(code)) return [];
  const before = [
    (mac ? metaKey : ctrlKey) && 'Mod+',
    (mac ? ctrlKey : metaKey) && 'Other+',
    altKey && 'Alt+',
    shiftKey && 'Shift+',
  ]
    .filter(Boolean)
    .join('');
  const chords = [before + code];
  if (digit.test(code)) chords.push(`${before}Digits`);
  if ((key === '?' || key === '/') && !ctrlKey && !metaKey && !altKey) chords.push(`Typed${key}`);
  return chords;
}

export const digitOf = (code: string): number => (digit.test(code) ? Number(code.slice(-1)) : 0);

/** True if one press could match both chords. */
export function clash(one: Chord, other: Chord): boolean {
  const wide = (chord: Chord) => chord.replace(/Digit[1-9]$/, 'Digits');
  return one === other || (wide(one) === wide(other) && (one.endsWith('Digits') || other.endsWith('Digits')));
}

/** True if the chord types a character, so that no shortcut may use it in a text field. */
export const types = (chord: Chord): boolean => !/^(Mod|Other)\+/.test(chord) && letter.test(lastOf(chord));

const letter =
  /^(Key[A-Z]|Digits?\d?|Numpad.*|Space|Minus|Equal|Bracket.*|Backslash|Semicolon|Quote|Backquote|Comma|Period|Slash|Intl.*|Typed.)$/;
const lastOf = (chord: Chord): string => chord.slice(chord.lastIndexOf('+') + 1);

// Keys that every text field, the browser or a screen reader needs.
const editing = /^(Enter|Tab|Backspace|Delete|Escape|Arrow.*|Home|End|Page(Up|Down)|ContextMenu)$/;
const kept = new Set(
  ['A', 'C', 'V', 'X', 'Z', 'Y', 'T', 'W', 'N', 'Q', 'R', 'L', 'P', 'S'].flatMap((name) => [
    `Mod+Key${name}`,
    `Mod+Shift+Key${name}`,
  ]),
);

/** Reason why a chord cannot be a shortcut; null if it can. */
export function refusal(chord: Chord): 'types' | 'needed' | null {
  if (types(chord) && !chord.startsWith('Alt+')) return 'types';
  if (kept.has(chord) || chord.startsWith('Other+')) return 'needed';
  if (editing.test(lastOf(chord)) && chord !== 'Alt+Enter') return 'needed';
  return null;
}

// ---- Profiles ----------------------------------------------------------------------------------

export type Keymap = Readonly<Record<ActionId, readonly Chord[]>>;

const ours: Keymap = {
  play: ['Alt+KeyK', 'F4'],
  back: ['Alt+KeyJ', 'F1'],
  forward: ['Alt+KeyL', 'F2'],
  backMore: ['Alt+Shift+KeyJ', 'Shift+F1'],
  forwardMore: ['Alt+Shift+KeyL', 'Shift+F2'],
  slower: ['Alt+Minus', 'F3'],
  faster: ['Alt+Equal', 'Shift+F3'],
  replay: ['Alt+KeyR'],
  goToTime: ['Alt+KeyT'],
  captions: ['Alt+KeyC'],
  float: ['Alt+KeyP'],
  split: ['Enter'],
  merge: ['Backspace'],
  tag: ['Alt+KeyG'],
  nextSpeaker: ['Alt+BracketRight'],
  previousSpeaker: ['Alt+BracketLeft'],
  nextChapter: ['Alt+Shift+BracketRight'],
  previousChapter: ['Alt+Shift+BracketLeft'],
  find: ['Mod+KeyF'],
  replace: ['Mod+KeyH'],
  speaker: ['Alt+Digits'],
  speakers: ['Alt+KeyS'],
  nextDoubt: ['Alt+KeyN'],
  previousDoubt: ['Alt+Shift+KeyN'],
  acceptDoubt: ['Alt+Enter'],
  outcome: ['Alt+KeyO'],
  range: ['Alt+KeyE'],
  comment: ['Alt+KeyM'],
  voice: ['Alt+KeyV'],
  note: ['Alt+KeyI'],
  bookmark: ['Alt+KeyB'],
  highlight: ['Alt+KeyH'],
  nextUngraded: ['Alt+KeyG'],
  follow: ['Alt+KeyF'],
  pane: ['Alt+Digits'],
  search: ['Typed/'],
  sheet: ['Mod+Slash', 'Typed?'],
};

/** Shortcuts that users of other programs know; the rest is as in ours. */
export const profiles = {
  ours,
  oTranscribe: {
    ...ours,
    play: ['Escape', 'Alt+KeyK'],
    back: ['F1', 'Alt+KeyJ'],
    forward: ['F2', 'Alt+KeyL'],
    slower: ['F3', 'Alt+Minus'],
    faster: ['F4', 'Alt+Equal'],
  },
  // BBC's tool uses J and L for ten seconds and more, and no single keys.
  BBC: {
    ...ours,
    play: ['Alt+KeyK'],
    backMore: ['Alt+KeyJ'],
    forwardMore: ['Alt+KeyL'],
    back: ['Alt+Shift+KeyJ'],
    forward: ['Alt+Shift+KeyL'],
    slower: ['Alt+Minus'],
    faster: ['Alt+Equal'],
  },
  // Left, middle and right of common pedals; no Alt, which types symbols on a Mac.
  pedal: {
    ...ours,
    play: ['F4', 'F9', 'Escape'],
    back: ['F7'],
    forward: ['F8'],
    backMore: ['Shift+F7'],
    forwardMore: ['Shift+F8'],
    slower: ['F3'],
    faster: ['Shift+F3'],
    replay: ['F2'],
    goToTime: ['Shift+F2'],
    nextDoubt: ['F10', 'Alt+KeyN'],
    previousDoubt: ['Shift+F10', 'Alt+Shift+KeyN'],
  },
} as const satisfies Record<string, Keymap>;

export type Profile = keyof typeof profiles;
export const profileIds = Object.keys(profiles) as Profile[];

/** Shortcuts that replace the profile's, by action. */
export type OwnKeys = Partial<Record<ActionId, readonly Chord[]>>;

export const keymapOf = (profile: Profile, own: OwnKeys): Keymap => ({ ...profiles[profile], ...own });

/** Action that already uses a chord in the same place. */
export function holderOf(keymap: Keymap, chord: Chord, wanting: ActionId): ActionId | null {
  const meets = (other: ActionId) => {
    const [one, two] = [actionOf(wanting).where, actionOf(other).where];
    return one === undefined || two === undefined || one === two;
  };
  const holds = (id: ActionId) => keymap[id].some((held) => clash(held, chord));
  return actionIds.find((id) => id !== wanting && meets(id) && holds(id)) ?? null;
}

/** Sets the chords of an action and removes them from the actions that used them. */
export function assign(keymap: Keymap, own: OwnKeys, id: ActionId, chords: readonly Chord[]): OwnKeys {
  const next: Record<string, readonly Chord[]> = { ...own, [id]: chords };
  for (const chord of chords) {
    for (let from = holderOf({ ...keymap, ...next }, chord, id); from;) {
      const without = (next[from] ?? keymap[from]).filter((held) => !clash(held, chord));
      next[from] = without;
      from = holderOf({ ...keymap, ...next }, chord, id);
    }
  }
  return next;
}

// ---- Meaning of a press ------------------------------------------------------------------------

/** Location of the focus when a key is pressed. */
export type Place = 'text' | 'field' | 'page';

/** Finds the available action that a press means in that place. */
export function actionFor(
  keymap: Keymap,
  press: Press,
  place: Place,
  mac: boolean,
  can: (id: ActionId) => boolean,
): ActionId | null {
  for (const chord of chordsOf(press, mac)) {
    // Other text fields keep Escape and every key that types, on a Mac also with Option.
    if (place === 'field' && (chord === 'Escape' || chord === 'Alt+Enter' || (types(chord) && (mac || !press.altKey))))
      continue;
    // In the transcript, Alt chords are shortcuts; keys that type without Alt go to the text.
    if (place === 'text' && types(chord) && !press.altKey) continue;
    const found = actionIds.find((id) => {
      const { where, fixed } = actionOf(id);
      const here = where === undefined || (where === 'text') === (place === 'text');
      return !fixed && here && keymap[id].includes(chord) && can(id);
    });
    if (found) return found;
  }
  return null;
}
