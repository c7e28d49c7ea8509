import { StepMap } from '@tiptap/pm/transform';
import * as Y from 'yjs';
import { noteReturned } from '#shared/meetings/identities.ts';
import { Signal } from '#shared/signal.ts';

import type { Changes } from './flat.ts';

/** A step that can be undone on its own, also after later ones. */
export type UndoStep = Y.UndoManager['undoStack'][number];

const undoLevels = 200;
/** Longest pause within one step of typing, in ms. */
const typingPause = 1000;
/** Mark of an editor's transaction that is no typing, whatever was typed just before: pasting, dropping, cutting. */
export const ownStep = 'ownStep';
/** A letter of the rarer planes counts two. */
const oneLetter = 2;

/** The range of text typed in the undo step that further typing still extends, in flat positions. */
interface Open {
  from: number;
  to: number;
  composing: boolean;
}

/**
 * Undo in steps as people act: what is typed in one go is a step, and so is each other action, however small or quick.
 * Text that an undo restores gets new ids; the document records which earlier characters they are.
 */
export class UndoSteps {
  private readonly doc: Y.Doc;
  private readonly manager: Y.UndoManager;
  private readonly signal = new Signal();
  private open: Open | null = null;
  /** Field beside the text that is typed into, and the step of its letters so far. */
  private typed: { field: object; step: UndoStep | null } | null = null;

  constructor(doc: Y.Doc, manager: Y.UndoManager) {
    this.doc = doc;
    this.manager = manager;
    manager.captureTimeout = typingPause;
    manager.on('stack-item-added', this.limit);
  }

  // ---- Cutting into steps ------------------------------------------------------------------------

  /**
   * Called just before an edit is written; the edit begins a step unless it continues the typing of the last one.
   * `own`: it never does.
   */
  edit(changes: Changes, composing: boolean, own: boolean): void {
    const { open } = this;
    const continued = !own && open !== null && continues(open, changes, composing);
    this.typed = null;
    if (!continued) this.manager.stopCapturing();
    // However long a person thinks, a word that is being composed is one step.
    else if (composing || open.composing) this.manager.lastChange = Date.now();
    this.open = opened(changes, composing, continued ? open : null);
  }

  /** Called around a command, which is a step of its own. */
  close(): void {
    this.open = null;
    this.typed = null;
    this.manager.stopCapturing();
  }

  /** Writes a letter typed into a field beside the text: until anything else is done, its letters are one step. */
  typeInto<T>(field: object, write: () => T): T {
    const known = this.typed?.field === field ? this.typed.step : null;
    if (known) this.manager.lastChange = Date.now();
    else this.close();
    const before = this.last;
    const result = write();
    this.typed = { field, step: known ?? (this.last === before ? null : this.last) };
    return result;
  }

  /** Takes back what was typed into the field, which leaves no step; false if something else was done since. */
  takeBack(field: object): boolean {
    const step = this.typed?.field === field ? this.typed.step : null;
    if (!step || !this.undoOnly(step)) return false;
    this.manager.redoStack.pop();
    return true;
  }

  /** Keeps the place of what was typed while others write, as ranges of flat.ts. */
  moved(ranges: readonly number[]): void {
    if (!this.open || ranges.length === 0) return;
    const map = new StepMap(ranges);
    const from = map.map(this.open.from, 1);
    this.open = { ...this.open, from, to: Math.max(from, map.map(this.open.to, -1)) };
  }

  // ---- Undo --------------------------------------------------------------------------------------

  get last(): UndoStep | null {
    return this.manager.undoStack.at(-1) ?? null;
  }

  /** Emits after an undo or a redo. */
  readonly subscribe = this.signal.subscribe;

  canUndo(step: UndoStep): boolean {
    return this.manager.undoStack.includes(step);
  }

  undo(): boolean {
    return this.take('undo');
  }

  redo(): boolean {
    return this.take('redo');
  }

  /** Undoes this step and none of those after it; false if it is undone already, or too old. */
  undoOnly(step: UndoStep): boolean {
    const { undoStack } = this.manager;
    if (!this.canUndo(step)) return false;
    // Alone in the stack: the manager would undo the next step if this one has nothing left to undo.
    const others = undoStack.splice(0).filter((other) => other !== step);
    undoStack.push(step);
    try {
      return this.take('undo');
    } finally {
      undoStack.unshift(...others);
    }
  }

  private take(which: 'undo' | 'redo'): boolean {
    const { doc, manager } = this;
    this.open = null;
    this.typed = null;
    const stack = which === 'undo' ? manager.undoStack : manager.redoStack;
    const flag = which === 'undo' ? 'undoing' : 'redoing';
    const before = [...stack];
    const since = Y.getState(doc.store, doc.clientID);
    try {
      return doc.transact((transaction) => {
        const taken = manager[which]() !== null;
        const deletions = before.slice(stack.length).map((step) => step.deletions);
        noteReturned(transaction, deletions, since);
        // The manager looks at it when the transaction ends, and has reset it by then.
        manager[flag] = true;
        return taken;
      }, manager);
    } finally {
      manager[flag] = false;
      this.signal.emit();
    }
  }

  /** Undo keeps deleted content in memory; dropping the oldest step lets it be collected. */
  private readonly limit = ({ type }: { type: 'undo' | 'redo' }): void => {
    const { undoStack } = this.manager;
    if (type !== 'undo' || undoStack.length <= undoLevels) return;
    const forgotten = undoStack.shift();
    if (!forgotten) return;
    this.doc.transact((transaction) => {
      Y.iterateDeletedStructs(transaction, forgotten.deletions, (item) => {
        if (item instanceof Y.Item) item.keep = false;
      });
      Y.tryGc(forgotten.deletions, this.doc.store, this.doc.gcFilter);
    });
  };
}

/** The only edit of a change that could be typing: at one place, within a segment. */
function typingIn({ edits, speakers, structural }: Changes): { at: number; remove: number; put: number } | null {
  const [edit, more] = edits;
  if (!edit || more || speakers.length > 0 || structural) return null;
  const put = edit.insert.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : 1), 0);
  return { at: edit.at, remove: edit.remove, put };
}

function continues({ from, to, ...open }: Open, changes: Changes, composing: boolean): boolean {
  const edit = typingIn(changes);
  if (!edit || edit.at + edit.remove < from || edit.at > to) return false;
  const within = edit.at >= from && edit.at + edit.remove <= to;
  // The browser writes a composed or corrected word anew; all else that is longer than a letter was pasted.
  if (within) return edit.put <= oneLetter || edit.remove > 0 || composing || open.composing;
  return edit.put === 0 && edit.remove <= oneLetter;
}

function opened(changes: Changes, composing: boolean, before: Open | null): Open | null {
  const edit = typingIn(changes);
  if (!edit) return null;
  const { at, remove, put } = edit;
  const from = Math.min(at, before?.from ?? at);
  const to = Math.max(at + remove, before?.to ?? at) - remove + put;
  if (before || composing) return { from, to, composing };
  // A letter typed over a selection begins the word that replaces it; a deleted selection is all of a step.
  const key = changes.put === 0 ? remove <= oneLetter : Math.max(put, changes.put) <= oneLetter;
  return key ? { from, to, composing } : null;
}
