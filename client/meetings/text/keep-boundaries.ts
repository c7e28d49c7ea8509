import { Plugin, PluginKey, type Transaction } from '@tiptap/pm/state';

import { cameFromText } from './binding.ts';

export const keepBoundariesKey = new PluginKey('keepBoundaries');

/** Whether it takes a boundary between segments away: joining them, or deleting across. */
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
 * As long as it stands, nobody here joins segments: between two that are shown others may stand that are not. What
 * comes from others, and what is put in order after an edit, passes.
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
