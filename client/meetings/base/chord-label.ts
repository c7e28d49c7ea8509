import type { Chord } from './keymap.ts';

/** Labels of a chord's keys, left to right; `printed` maps the person's own keyboard if the browser reveals it. */
export function labelsOf(chord: Chord, mac: boolean, printed?: ReadonlyMap<string, string>): string[] {
  const parts = chord.split('+');
  const code = parts.pop() ?? '';
  const modifiers = parts.map((part) => (mac ? macSigns[part] : plainSigns[part]) ?? part);
  return [...modifiers, signs[code] ?? capital(printed?.get(code)) ?? plain(code)];
}

const macSigns: Record<string, string> = { Mod: '⌘', Alt: '⌥', Shift: '⇧', Other: '⌃' };
const plainSigns: Record<string, string> = { Mod: 'Ctrl', Other: 'Meta' };
const signs: Record<string, string> = {
  'Typed?': '?',
  'Typed/': '/',
  Digits: '1–9',
  Escape: 'Esc',
  Backspace: '⌫',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
};
const marks: Record<string, string> = {
  Minus: '-',
  Equal: '=',
  Slash: '/',
  Backslash: '\\',
  BracketLeft: '[',
  BracketRight: ']',
  Semicolon: ';',
  Quote: "'",
  Backquote: '`',
  Comma: ',',
  Period: '.',
};
const plain = (code: string): string => marks[code] ?? code.replace(/^(Key|Digit)(?=.$)/, '');

/** Only single letters: the capital of ß would be two. */
function capital(letter: string | undefined): string | undefined {
  const upper = letter?.toLocaleUpperCase();
  return upper?.length === letter?.length ? upper : letter;
}

interface KeyboardOfBrowser {
  getLayoutMap?: () => Promise<ReadonlyMap<string, string>>;
}

/** Labels printed on this keyboard; most browsers do not reveal them. */
export async function printedKeys(): Promise<ReadonlyMap<string, string>> {
  const { keyboard } = navigator as Navigator & { keyboard?: KeyboardOfBrowser };
  try {
    return (await keyboard?.getLayoutMap?.()) ?? new Map();
  } catch {
    return new Map();
  }
}
