import {
  AllSelection,
  Plugin,
  PluginKey,
  type Selection,
  TextSelection,
  type EditorState,
  type Transaction,
} from '@tiptap/pm/state';
import type { Node } from '@tiptap/pm/model';
import { AttrStep, Mapping, StepMap, type Transform } from '@tiptap/pm/transform';
import * as Y from 'yjs';
import { newId } from '#shared/ids.ts';
import { checkedOf } from '#shared/meetings/doubts.ts';
import { speakersOf } from '#shared/meetings/speakers.ts';
import {
  readSegments,
  replaceRanges,
  segmentsOf,
  setSpeaker,
  speakerOf as speakerOfBoundary,
  textOf,
  wellFormed,
  type Edit,
  type Scope,
} from '#shared/meetings/transcript.ts';
import type { Signal } from '#shared/signal.ts';
import {
  applyDelta,
  changedRanges,
  changesBetween,
  deltaOf,
  deltaRanges,
  flatSize,
  hasHead,
  toFlat,
  type Changes,
  type Delta,
  type Range,
} from './flat.ts';
import { caretOf, takeCaret } from './caret.ts';
import { idOf, render, speakerOf } from './schema.ts';
import { ownStep, UndoSteps, type UndoStep } from './undo-steps.ts';

/** Shows the transcript: an editor's view, or a test. */
interface Host {
  readonly state: EditorState;
  /** Current selection, where it is known sooner than from the state. */
  readonly selected?: Selection;
  dispatch(tr: Transaction): void;
  /** True while an input method composes a word. */
  readonly composing?: boolean;
}

/** Reason for a transaction that copies the text into the editor. */
type Why = 'others' | 'self' | 'undo' | 'repair';

/** Steps since the document last matched the text. */
interface Unwritten {
  base: Node;
  maps: readonly StepMap[];
  /** A step of undo of its own is among them. */
  own: boolean;
}

/** Remote changes that cannot be shown yet, as replaced ranges of the flat text. */
interface Held {
  came: Mapping;
  timer: ReturnType<typeof setTimeout> | undefined;
}

interface BindingOptions {
  /** Decides whether to compare the whole document with the text after this change. */
  check?: () => boolean;
  /** Called after the document differed from the text and was drawn anew. */
  repaired?: () => void;
}

const key = new PluginKey<Unwritten>('transcript');

/** Reason why a transaction came from the text; undefined for an edit made in this editor. */
export const cameFromText = (tr: Transaction): Why | undefined => tr.getMeta(key) as Why | undefined;

/** Longest time that a composition without an end holds back remote changes, in ms. */
const holdMost = 10_000;
/** The editor reads the browser's last input up to 20 ms after a composition ends. */
const afterComposition = 60;
const sampled = 200;
const afterKeys = 500;

/**
 * Keeps an editor's document and the flat text equal, both ways. An edit in the editor is written as the smallest
 * change of the text, in one Yjs transaction with the binding as its origin; a change of the text becomes one
 * ProseMirror transaction with steps no larger than the change.
 */
export class TranscriptBinding {
  readonly doc: Y.Doc;
  readonly undoManager: Y.UndoManager;
  private readonly steps: UndoSteps;
  /** Number of redraws after a mismatch; above 0 means a defect here or a malformed text. */
  repairs = 0;
  private readOnly = false;
  private readonly options: BindingOptions;
  private readonly written = new WeakSet<Y.Transaction>();
  private host: Host | null = null;
  /** Document that equals the text; null until the text is drawn. */
  private shown: Node | null = null;
  private held: Held | null = null;
  private delta: Delta | null = null;
  private speakersChanged = false;
  private changes = 0;
  private comparing: ReturnType<typeof setTimeout> | undefined;

  constructor(doc: Y.Doc, options: BindingOptions = {}) {
    this.doc = doc;
    this.options = options;
    this.undoManager = new Y.UndoManager(
      [
        textOf(doc),
        segmentsOf(doc),
        speakersOf(doc),
        checkedOf(doc),
        ...['toc', 'bookmarks', 'highlights'].map((list) => doc.getMap(list)),
      ],
      {
        trackedOrigins: new Set([this]),
      },
    );
    this.steps = new UndoSteps(doc, this.undoManager);
  }

  /**
   * Must be the first of the editor's plugins, so that others see only documents with ids that are already in the text.
   */
  plugin(): Plugin<Unwritten> {
    return new Plugin<Unwritten>({
      key,
      state: {
        init: (_config, state) => ({ base: state.doc, maps: [], own: false }),
        apply: (tr, before, old) => {
          if (!tr.docChanged) return before;
          if (cameFromText(tr)) return { base: tr.doc, maps: [], own: false };
          const since = old.doc === this.shown ? { base: old.doc, maps: [], own: false } : before;
          return { base: since.base, maps: [...since.maps, ...mapsOf(tr)], own: since.own || isOwnStep(tr) };
        },
      },
      filterTransaction: (tr) => !this.readOnly || !tr.docChanged || cameFromText(tr) !== undefined,
      appendTransaction: giveIds,
      view: (view) => {
        // Getters, because the view's state and composition change while the binding is attached.
        this.attach({
          get state() {
            return view.state;
          },
          get selected() {
            return caretOf(view);
          },
          get composing() {
            return view.composing;
          },
          dispatch: (tr) => view.dispatch(tr),
        });
        return { update: () => this.write(), destroy: () => this.detach() };
      },
      props: {
        handleDOMEvents: {
          keydown: (view) => {
            takeCaret(view);
            return false;
          },
          compositionend: () => {
            this.releaseIn(afterComposition);
            return false;
          },
        },
      },
    });
  }

  setReadOnly(readOnly: boolean): void {
    this.readOnly = readOnly;
  }

  attach(host: Host): void {
    this.detach();
    this.host = host;
    textOf(this.doc).observe(this.onText);
    segmentsOf(this.doc).observe(this.onSegments);
    this.doc.on('afterTransaction', this.onTransaction);
    const drawn = render(host.state.schema, readSegments(this.doc)).eq(host.state.doc);
    // Until the text is drawn, the editor's content is no edit and must not be written.
    this.shown = drawn ? host.state.doc : null;
    if (!drawn) queueMicrotask(() => this.host === host && this.redraw('self'));
  }

  detach(): void {
    if (!this.host) return;
    if (this.held) this.writeHeld();
    this.host = null;
    clearTimeout(this.comparing);
    this.comparing = undefined;
    textOf(this.doc).unobserve(this.onText);
    segmentsOf(this.doc).unobserve(this.onSegments);
    this.doc.off('afterTransaction', this.onTransaction);
  }

  // ---- From the editor to the text -------------------------------------------------------------

  /** Writes the edits made in the editor since the last write. */
  write(): void {
    const { host, shown } = this;
    if (!host || !shown || host.state.doc === shown) return;
    if (this.held) {
      if (!host.composing) this.releaseIn(afterComposition);
      return;
    }
    const changes = this.unwritten(host.state, shown);
    this.shown = host.state.doc;
    if (this.writeChanges(changes, key.getState(host.state)?.own === true)) this.sample();
    else this.verify();
  }

  private unwritten(state: EditorState, shown: Node): Changes {
    const since = key.getState(state);
    return changesBetween(shown, state.doc, since?.base === shown ? since.maps : null);
  }

  /** Returns false if the text stored something other than the editor shows. */
  private writeChanges(changes: Changes, own = false): boolean {
    const { edits, speakers } = changes;
    if (edits.length === 0 && speakers.length === 0) return true;
    this.steps.edit(changes, this.host?.composing === true, own);
    this.doc.transact((transaction) => {
      this.written.add(transaction);
      replaceRanges(this.doc, edits, this);
      for (const { s, p } of speakers) segmentsOf(this.doc).set(s, { p });
    }, this);
    return edits.every(({ insert }) =>
      insert.every((piece) => typeof piece !== 'string' || wellFormed(piece) === piece),
    );
  }

  // ---- From the text to the editor -------------------------------------------------------------

  private readonly onText = (event: Y.YTextEvent, transaction: Y.Transaction): void => {
    if (this.written.has(transaction) || !this.host) return;
    this.delta = deltaOf(event, (boundary) => speakerOfBoundary(segmentsOf(this.doc), boundary));
  };

  private readonly onSegments = (_event: unknown, transaction: Y.Transaction): void => {
    if (!this.written.has(transaction)) this.speakersChanged = true;
  };

  private readonly onTransaction = (transaction: Y.Transaction): void => {
    const { delta, speakersChanged, host } = this;
    this.delta = null;
    this.speakersChanged = false;
    if (!host || !this.shown || (!delta && !speakersChanged)) return;
    const why = transaction.origin === this.undoManager ? 'undo' : transaction.origin === this ? 'self' : 'others';
    this.receive(host, delta ?? [], speakersChanged, why);
  };

  private receive(host: Host, delta: Delta, speakersChanged: boolean, why: Why): void {
    if (why === 'others') this.steps.moved(deltaRanges(delta));
    if (this.held || host.state.doc !== this.shown || this.disturbs(host, delta)) {
      this.held ??= { came: new Mapping(), timer: undefined };
      this.held.came.appendMap(new StepMap(deltaRanges(delta)));
      if (host.composing) this.releaseIn(holdMost);
      else if (!this.held.timer) this.settle();
      return;
    }
    const { tr } = host.state;
    let end: number;
    try {
      end = applyDelta(tr, delta);
      if (speakersChanged) this.applySpeakers(tr);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.redraw('repair');
      return;
    }
    if (!tr.docChanged) return;
    if (why === 'undo')
      tr.setSelection(TextSelection.near(tr.doc.resolve(Math.min(end, tr.doc.content.size)), -1)).scrollIntoView();
    else keepSelection(tr, host.selected ?? host.state.selection);
    this.show(host, tr, why);
    if (flatSize(tr.doc) === textOf(this.doc).length) this.sample();
    else this.verify();
  }

  private show(host: Host, tr: Transaction, why: Why): void {
    this.shown = tr.doc;
    host.dispatch(tr.setMeta(key, why).setMeta('addToHistory', false));
  }

  /** Sets each segment's speaker to the one in the text; both lists have the same order. */
  private applySpeakers(tr: Transform): void {
    const segments = readSegments(this.doc);
    if (segments.length === 0) return;
    if (segments.length !== tr.doc.childCount) throw new RangeError('not the segments of the text');
    tr.doc.forEach((node, pos, index) => {
      const speaker = segments[index]?.speaker ?? '';
      if (speakerOf(node) !== speaker) tr.setNodeAttribute(pos, 'speaker', speaker);
    });
  }

  /** True while a remote change waits to be shown. */
  get holding(): boolean {
    return this.held !== null;
  }

  // ---- While an input method composes ----------------------------------------------------------

  /** Remote changes near the caret wait: the browser cancels a composition when its surroundings change. */
  private disturbs({ composing, state }: Host, delta: Delta): boolean {
    if (!composing) return false;
    const place = state.selection.$head;
    const from = toFlat(state.doc, place.start(1));
    const to = toFlat(state.doc, place.end(1));
    const ranges = deltaRanges(delta);
    for (let i = 0; i < ranges.length; i += 3) {
      // Each range starts at a position of the text before the delta, so earlier changes of the delta do not shift it.
      const start = ranges[i] ?? 0;
      if (start + (ranges[i + 1] ?? 0) >= from && start <= to) return true;
    }
    return false;
  }

  private releaseIn(ms: number): void {
    const { held } = this;
    if (!held) return;
    if (ms === holdMost && held.timer !== undefined) return;
    clearTimeout(held.timer);
    held.timer = setTimeout(() => this.settle(), ms);
  }

  /**
   * Writes the local edits made during a composition at their current positions, without deleting what others inserted
   * meanwhile; then draws the text.
   */
  settle(): void {
    if (this.writeHeld()) this.redraw('others');
  }

  private writeHeld(): boolean {
    const { held, host, shown } = this;
    this.held = null;
    if (!held || !host || !shown) return false;
    clearTimeout(held.timer);
    const { edits, ...changes } = this.unwritten(host.state, shown);
    // The redraw that follows is no edit, so nothing may be written until it is done.
    this.shown = null;
    this.writeChanges({ ...changes, edits: edits.flatMap((edit) => rebased(edit, held.came)) });
    return true;
  }

  // ---- Verification ----------------------------------------------------------------------------

  /** Compares the whole document only now and then, and not between two keystrokes. */
  private sample(): void {
    if (this.options.check) {
      if (this.options.check()) this.verify();
      return;
    }
    this.changes += 1;
    if (this.changes % sampled === 0) this.comparing ??= setTimeout(() => this.verify(), afterKeys);
  }

  private verify(): void {
    clearTimeout(this.comparing);
    this.comparing = undefined;
    const { host } = this;
    if (!host || this.held || host.state.doc !== this.shown) return;
    if (!render(host.state.schema, readSegments(this.doc)).eq(host.state.doc)) this.redraw('repair');
  }

  /** Draws the text, replacing only the parts of the document that differ. */
  private redraw(why: Why): void {
    const { host } = this;
    if (!host) return;
    const { tr, schema } = host.state;
    const selection = host.selected ?? host.state.selection;
    replaceDifferences(tr, render(schema, readSegments(this.doc)));
    if (tr.mapping.mapResult(selection.head, -1).deletedAcross) keepCaret(tr, selection);
    else if (tr.docChanged) keepSelection(tr, selection);
    if (why === 'repair') {
      this.repairs += 1;
      this.options.repaired?.();
    }
    if (tr.docChanged) this.show(host, tr, why);
    else this.shown = host.state.doc;
  }

  // ---- Commands that write to the text ---------------------------------------------------------

  setSpeaker(id: string | null, scope: Scope, speaker: string): number {
    return this.asOne(() => setSpeaker(this.doc, id, scope, speaker, this));
  }

  /** Makes a command one undo step, separate from typing just before and after it. */
  asOne<T>(write: () => T): T {
    if (this.readOnly) throw new Error('this transcript may only be read');
    this.steps.close();
    const result = write();
    this.steps.close();
    return result;
  }

  /** Writes a letter typed into a field beside the text; what is typed there in one go is one undo step. */
  typeInto<T>(field: object, write: () => T): T {
    if (this.readOnly) throw new Error('this transcript may only be read');
    return this.steps.typeInto(field, write);
  }

  /** Takes back what was typed into the field, which leaves no step; false if something else was done since. */
  takeBack(field: object): boolean {
    return !this.readOnly && this.steps.takeBack(field);
  }

  // ---- Undo ------------------------------------------------------------------------------------

  /** The step that `undo` would take back. */
  get lastStep(): UndoStep | null {
    return this.steps.last;
  }

  undo(): boolean {
    return !this.readOnly && this.steps.undo();
  }

  redo(): boolean {
    return !this.readOnly && this.steps.redo();
  }

  /** Subscribes to undo and redo, which change what can be undone. */
  get onUndo(): Signal['subscribe'] {
    return this.steps.subscribe;
  }

  canUndo(step: UndoStep): boolean {
    return this.steps.canUndo(step);
  }

  /** Undoes this step and none of those after it; false if it is undone already, or too old. */
  undoOnly(step: UndoStep): boolean {
    return !this.readOnly && this.steps.undoOnly(step);
  }
}

const isOwnStep = (tr: Transaction): boolean =>
  tr.getMeta(ownStep) === true || ['cut', 'drop', 'paste'].includes(tr.getMeta('uiEvent') as string);

/** An attribute step moves nothing, but it has to count as a change of the segment's start. */
const mapsOf = (tr: Transaction): StepMap[] =>
  tr.steps.map((step, index) =>
    step instanceof AttrStep ? new StepMap([step.pos, 1, 1]) : (tr.mapping.maps[index] ?? StepMap.empty),
  );

/** True if a segment starts inside the changed range. */
function begins(doc: Node, { newFrom, newTo }: Range): boolean {
  let found = false;
  doc.nodesBetween(newFrom, newTo, (node, pos) => {
    found ||= node.isBlock && pos >= newFrom && pos < newTo;
    return false;
  });
  return found;
}

/** Gives new segments an id, and removes the empty segment before the first boundary. */
function giveIds(trs: readonly Transaction[], old: EditorState, now: EditorState): Transaction | null {
  if (!trs.some((tr) => tr.docChanged) || trs.some((tr) => cameFromText(tr))) return null;
  const ranges = changedRanges(trs.flatMap(mapsOf));
  const headBefore = hasHead(old.doc);
  // Fast path for typing, which creates no segments.
  if (!headBefore && !hasHead(now.doc) && !ranges.some((range) => begins(now.doc, range))) return null;
  const { tr } = now;
  const made: { pos: number; id: string | null }[] = [];
  const count = new Map<string, number>();
  now.doc.forEach((node, pos, index) => {
    const id = idOf(node);
    if (id !== null) count.set(id, (count.get(id) ?? 0) + 1);
    const isNew = ranges.some(({ newFrom, newTo }) => pos >= newFrom && pos < newTo);
    if (isNew || (id === null && index > 0)) made.push({ pos, id });
  });
  // Last to first, so that the first of two segments with the same id keeps it.
  for (const { pos, id } of made.reverse()) {
    if (id === null ? pos === 0 && headBefore : (count.get(id) ?? 0) < 2) continue;
    if (id !== null) count.set(id, (count.get(id) ?? 0) - 1);
    tr.setNodeAttribute(pos, 'id', newId());
  }
  const head = tr.doc.firstChild;
  if (head && idOf(head) === null && head.content.size === 0 && tr.doc.childCount > 1) tr.delete(0, head.nodeSize);
  return tr.docChanged ? tr : null;
}

/** Keeps a caret before text inserted at it, and a selection from growing. */
function keepSelection(tr: Transaction, selection: Selection): void {
  if (selection instanceof AllSelection) {
    tr.setSelection(new AllSelection(tr.doc));
    return;
  }
  const { anchor, head, empty } = selection;
  const to = tr.mapping.map(selection.to, -1);
  const from = empty ? to : Math.min(to, tr.mapping.map(selection.from, 1));
  const [start, end] = anchor <= head ? [from, to] : [to, from];
  tr.setSelection(TextSelection.between(tr.doc.resolve(start), tr.doc.resolve(end), -1));
}

/** Keeps the caret in its segment, as near as possible, after the segment was replaced. */
function keepCaret(tr: Transaction, { $head }: Selection): void {
  const id = $head.depth > 0 ? idOf($head.node(1)) : null;
  tr.doc.forEach((node, pos) => {
    if (idOf(node) !== id) return;
    tr.setSelection(TextSelection.create(tr.doc, pos + 1 + Math.min($head.parentOffset, node.content.size)));
  });
}

/** Moves an edit to a text that changed meanwhile, leaving others' insertions in place. */
function rebased({ at, remove, insert }: Edit, came: Mapping): Edit[] {
  const edits: Edit[] = [];
  const place = came.map(at, -1);
  if (insert.length > 0) edits.push({ at: place, remove: 0, insert });
  for (let from = at; from < at + remove; from += 1) {
    const { pos, deletedAfter } = came.mapResult(from, 1);
    if (deletedAfter) continue;
    const last = edits.at(-1);
    if (last && last.at + last.remove === pos) edits[edits.length - 1] = { ...last, remove: last.remove + 1 };
    else edits.push({ at: pos, remove: 1, insert: [] });
  }
  return edits;
}

/** Replaces only what differs: segments, or text within a single segment. */
function replaceDifferences(tr: Transform, wanted: Node): void {
  const { doc } = tr;
  const most = Math.min(doc.childCount, wanted.childCount);
  let head = 0;
  let from = 0;
  while (head < most && doc.child(head).eq(wanted.child(head))) from += doc.child(head++).nodeSize;
  if (head === doc.childCount && head === wanted.childCount) return;
  let tail = 0;
  let to = doc.content.size;
  let wantedTo = wanted.content.size;
  while (tail < most - head && doc.child(doc.childCount - 1 - tail).eq(wanted.child(wanted.childCount - 1 - tail))) {
    const { nodeSize } = doc.child(doc.childCount - 1 - tail);
    to -= nodeSize;
    wantedTo -= nodeSize;
    tail += 1;
  }
  if (doc.childCount !== wanted.childCount || doc.childCount - head - tail !== 1) {
    tr.replace(from, to, wanted.slice(from, wantedTo));
    return;
  }
  const [old, now] = [doc.child(head), wanted.child(head)];
  for (const name of ['id', 'speaker'])
    if (old.attrs[name] !== now.attrs[name]) tr.setNodeAttribute(from, name, now.attrs[name]);
  const start = old.content.findDiffStart(now.content);
  if (start === null) return;
  const end = old.content.findDiffEnd(now.content);
  if (!end) return;
  const overlap = Math.max(0, start - Math.min(end.a, end.b));
  tr.replace(from + 1 + start, from + 1 + end.a + overlap, now.slice(start, end.b + overlap));
}
