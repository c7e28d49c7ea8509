import type { Node } from '@tiptap/pm/model';
import type { NodeView, ViewMutationRecord } from '@tiptap/pm/view';

import { clockTime } from '../../ui/times.ts';
import type { Counts, Pressed } from './marks.ts';
import { idOf, speakerOf } from './schema.ts';
import styles from './segment-view.module.css';

/** What stands beside a segment; all of it is attributes, so that the text of the page is the transcript and nothing else. */
interface Beside {
  /** Milliseconds; null where nobody knows. */
  from: number | null;
  /** How long all of it is: the time has as many places as that needs. */
  whole: number;
  /** Null where the one before goes on speaking. */
  name: string | null;
  /** 1 to 5; 0 for nobody in particular. */
  voice: number;
  /** Who may not say who spoke reads the name, and cannot press it. */
  editable: boolean;
  /** What is said about it. */
  counts: Counts | undefined;
  texts: GutterTexts;
}

export interface GutterTexts {
  time: (time: string) => string;
  speaker: (name: string) => string;
  unknown: string;
  counts: Record<keyof Counts, (count: number) => string>;
}

export interface SegmentActions {
  /** Somebody pressed the time of a segment. */
  onTime: (id: string | null) => void;
  /** Somebody pressed the name of its speaker. */
  onSpeaker: (id: string | null, element: HTMLElement) => void;
  /** Somebody pressed the number of comments or outcomes. */
  onCount: Pressed;
}

/** What a segment is made of, to be copied: thousands open at once. */
interface Templates {
  segment: HTMLElement;
  gutter: HTMLElement;
}

let templates: Templates | null = null;

function makeTemplates(): Templates {
  const segment = document.createElement('div');
  segment.className = styles.segment ?? '';
  const text = document.createElement('div');
  text.className = styles.text ?? '';
  segment.append(text);
  const gutter = document.createElement('div');
  gutter.className = styles.gutter ?? '';
  gutter.contentEditable = 'false';
  for (const name of [styles.time, styles.name, styles.comments, styles.outcomes]) {
    const button = document.createElement('button');
    button.type = 'button';
    // Three thousand stops on the way through a page are none: keys do the same from within the text.
    button.tabIndex = -1;
    button.hidden = true;
    button.className = name ?? '';
    gutter.append(button);
  }
  gutter.children[1]?.setAttribute('aria-haspopup', 'true');
  return { segment, gutter };
}

interface Gutter {
  element: HTMLElement;
  time: HTMLButtonElement;
  name: HTMLButtonElement;
  comment: HTMLButtonElement;
  outcome: HTMLButtonElement;
}

export class SegmentView implements NodeView {
  readonly dom: HTMLElement;
  readonly contentDOM: HTMLElement;
  private readonly actions: SegmentActions;
  /** Null while the segment is far from the window and nothing but its text was needed. */
  private gutter: Gutter | null = null;
  private beside: Beside | null = null;
  private shown: Beside | null = null;
  private node: Node;

  constructor(node: Node, actions: SegmentActions) {
    this.node = node;
    this.actions = actions;
    templates ??= makeTemplates();
    this.dom = templates.segment.cloneNode(true) as HTMLElement;
    this.contentDOM = this.dom.firstElementChild as HTMLElement;
    this.tell();
  }

  /** Whether it is near enough to the window that somebody may see it soon. */
  set near(near: boolean) {
    if (near) this.make().element.dataset['near'] = '';
    else delete this.gutter?.element.dataset['near'];
  }

  /** From now on it is laid out like any other part of the page. */
  draw(): void {
    this.make();
    this.dom.dataset['drawn'] = '';
  }

  private make(): Gutter {
    if (this.gutter) return this.gutter;
    templates ??= makeTemplates();
    const element = templates.gutter.cloneNode(true) as HTMLElement;
    type Button = HTMLButtonElement;
    const [time, name, comment, outcome] = [...element.children] as [Button, Button, Button, Button];
    time.addEventListener('click', () => this.actions.onTime(idOf(this.node)));
    name.addEventListener('click', () => this.actions.onSpeaker(idOf(this.node), name));
    comment.addEventListener('click', () => this.actions.onCount('comment', idOf(this.node)));
    outcome.addEventListener('click', () => this.actions.onCount('outcome', idOf(this.node)));
    this.gutter = { element, time, name, comment, outcome };
    this.drawBeside();
    this.dom.prepend(element);
    return this.gutter;
  }

  private tell(): void {
    this.dom.dataset['id'] = idOf(this.node) ?? '';
    this.dom.dataset['speaker'] = speakerOf(this.node);
  }

  show(beside: Beside): void {
    this.beside = beside;
    this.drawBeside();
  }

  private drawBeside(): void {
    const { gutter, beside, shown } = this;
    if (!gutter || !beside) return;
    this.shown = beside;
    const { from, whole, name, texts } = beside;
    // Of thousands of segments hardly one is new, so no text is made before something differs.
    const said = shown?.texts === texts;
    if (!said || shown.from !== from || shown.whole !== whole) {
      const time = from === null ? null : clockTime(from, whole);
      say(gutter.time, time, time === null ? '' : texts.time(time));
    }
    if (!said || shown.name !== name) say(gutter.name, name, name === null ? '' : texts.speaker(name));
    for (const kind of ['comment', 'outcome'] as const) {
      const count = beside.counts?.[kind] ?? 0;
      if (!said || (shown.counts?.[kind] ?? 0) !== count)
        say(gutter[kind], count === 0 ? null : String(count), count === 0 ? '' : texts.counts[kind](count));
    }
    if (shown?.editable !== beside.editable) gutter.name.disabled = !beside.editable;
    if (shown?.voice !== beside.voice) gutter.element.dataset['voice'] = String(beside.voice);
    if ((shown?.name === null) !== (beside.name === null) || !shown)
      this.dom.toggleAttribute('data-turn', beside.name !== null);
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    const changed = idOf(node) !== idOf(this.node) || speakerOf(node) !== speakerOf(this.node);
    this.node = node;
    if (changed) this.tell();
    return true;
  }

  /** The editor looks after its text, and this after what stands beside it. */
  ignoreMutation(mutation: ViewMutationRecord): boolean {
    if (mutation.type === 'selection') return false;
    // Whoever takes parts of the segment itself away has changed its text.
    if (mutation.target === this.dom) return mutation.type === 'attributes' || this.isOwnGutter(mutation);
    return this.gutter?.element.contains(mutation.target) === true;
  }

  private isOwnGutter(mutation: ViewMutationRecord): boolean {
    if (mutation.type !== 'childList') return false;
    const { addedNodes, removedNodes } = mutation;
    return removedNodes.length === 0 && [...addedNodes].every((node) => node === this.gutter?.element);
  }

  stopEvent(event: Event): boolean {
    return (
      event.target instanceof Element &&
      event.target.closest('button') !== null &&
      this.gutter?.element.contains(event.target) === true
    );
  }
}

function say(button: HTMLButtonElement, text: string | null, label: string): void {
  button.hidden = text === null;
  if (text === null) return;
  button.dataset['text'] = text;
  button.setAttribute('aria-label', label);
}
