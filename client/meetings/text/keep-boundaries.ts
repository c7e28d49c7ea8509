import { Plugin, PluginKey, type Transaction } from '@tiptap/pm/state';

import { cameFromText } from './binding.ts';

export const keepBoundariesKey = new PluginKey('keepBoundaries');

/** True if a transaction joins segments, also by deleting across their border. */
export function joins(tr: Transaction): boolean {
  return tr.steps.some((step, i) => {
    const before = tr.docs[i];
    let found = false;
    step.getMap().forEach((from, to) => {
      found ||= before !== undefined && before.resolve(from).index(0) !== before.resolve(to).index(0);
    });
    return found;
  });
}

/**
 * Refuses local edits that join segments while speakers are hidden: hidden segments may lie between two visible ones.
 * Remote changes and repairs pass.
 */
export function keepBoundaries(refused: () => void): Plugin {
  return new Plugin({
    key: keepBoundariesKey,
    filterTransaction: (tr) => {
      if (!tr.docChanged || cameFromText(tr) !== undefined || tr.getMeta('appendedTransaction') !== undefined)
        return true;
      if (!joins(tr)) return true;
      refused();
      return false;
    },
  });
}
