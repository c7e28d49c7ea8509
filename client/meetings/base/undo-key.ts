type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Tells whether a key press means undo or redo: by its letter or, on keyboards without Latin letters, by the key's place. */
export function undoKeyOf({ key, code, ctrlKey, metaKey, altKey, shiftKey }: Pressed): 'undo' | 'redo' | null {
  if (!(ctrlKey || metaKey) || altKey) return null;
  const letter = /^[a-z]$/i.test(key) ? key.toLowerCase() : code.replace(/^Key/, '').toLowerCase();
  if (letter === 'y') return 'redo';
  if (letter !== 'z') return null;
  return shiftKey ? 'redo' : 'undo';
}
