import { getSchema } from '@tiptap/core';
import { EditorState, type Transaction } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';
import { expect, it } from 'vitest';
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } from 'y-protocols/awareness';
import * as Y from 'yjs';
import { readSegments, replaceRanges } from '#shared/meetings/transcript.ts';
import { TranscriptBinding } from './binding.ts';
import { carets } from './carets.ts';
import { nodes, render } from './schema.ts';

/** Opens an editor without other people and counts how often its carets are redrawn. */
async function opened() {
  const doc = new Y.Doc();
  replaceRanges(doc, [{ at: 0, remove: 0, insert: [{ s: 'a', p: '' }, 'one two'] }], 'start');
  const awareness = new Awareness(doc);
  const plugin = carets(new TranscriptBinding(doc), awareness);
  const schema = getSchema(nodes);
  let drawn = 0;
  const view = {
    state: EditorState.create({ doc: render(schema, readSegments(doc)), plugins: [plugin] }),
    dom: Object.assign(new EventTarget(), { ownerDocument: { getSelection: () => null } }),
    composing: false,
    isDestroyed: false,
    hasFocus: () => true,
    dispatch(tr: Transaction) {
      drawn += 1;
      this.state = this.state.apply(tr);
    },
  };
  const shown = plugin.spec.view?.(view as unknown as EditorView);
  await Promise.resolve();
  return { awareness, drawn: () => drawn, close: () => (shown?.destroy?.(), awareness.destroy()) };
}

/** Applies another person's presence as the server relays it. */
function heardFrom(awareness: Awareness, presence: Record<string, unknown>): void {
  const other = new Awareness(new Y.Doc());
  other.setLocalState(presence);
  applyAwarenessUpdate(awareness, encodeAwarenessUpdate(other, [other.clientID]), 'server');
  other.destroy();
}

it('redraws for the presence of others, not for its own', async () => {
  const { awareness, drawn, close } = await opened();
  const before = drawn();
  awareness.setLocalStateField('at', 5);
  awareness.setLocalStateField('typing', true);
  awareness.setLocalStateField('cursor', null);
  expect(drawn()).toBe(before);
  heardFrom(awareness, { user: { id: 'ben', name: 'Ben' }, cursor: null });
  expect(drawn()).toBe(before + 1);
  close();
});
