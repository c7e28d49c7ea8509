import type { Node } from '@tiptap/pm/model';
import type { NodeView, ViewMutationRecord } from '@tiptap/pm/view';

import { clockTime } from '../player/times.ts';
import { idOf, speakerOf } from './schema.ts';
import styles from './segment-view.module.css';

/** What stands beside a segment; all of it is attributes, so that the text of the page is the transcript and nothing else. */
export interface Beside {
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
  texts: GutterTexts;
}

export interface GutterTexts {
  time: (time: string) => string;
  speaker: (name: string) => string;
  unknown: string;
}

export interface SegmentActions {
  /** Somebody pressed the time of a segment. */
  onTime: (id: string | null) => void;
  /** Somebody pressed the name of its speaker. */
  onSpeaker: (id: string | null, element: HTMLElement) => void;
}

let template: HTMLElement | null = null;

function makeTemplate(): HTMLElement {
  const segment = document.createElement('div');
  segment.className = styles.segment ?? '';
  const gutter = document.createElement('div');
  gutter.className = styles.gutter ?? '';
  gutter.contentEditable = 'false';
  for (const name of [styles.time, styles.name]) {
    const button = document.createElement('button');
    button.type = 'button';
    // Three thousand stops on the way through a page are none: keys do the same from within the text.
    button.tabIndex = -1;
    button.hidden = true;
    button.className = name ?? '';
    gutter.append(button);
  }
  const text = document.createElement('div');
  text.className = styles.text ?? '';
  segment.append(gutter, text);
  return segment;
}

export class SegmentView implements NodeView {
  readonly dom: HTMLElement;
  readonly contentDOM: HTMLElement;
  private readonly time: HTMLButtonElement;
  private readonly name: HTMLButtonElement;
  private readonly gutter: HTMLElement;
  private shown: Beside | null = null;
  private node: Node;

  constructor(node: Node, actions: SegmentActions) {
    this.node = node;
    template ??= makeTemplate();
    this.dom = template.cloneNode(true) as HTMLElement;
    [this.gutter, this.contentDOM] = [...this.dom.children] as [HTMLElement, HTMLElement];
    [this.time, this.name] = [...this.gutter.children] as [HTMLButtonElement, HTMLButtonElement];
    this.time.addEventListener('click', () => actions.onTime(idOf(this.node)));
    this.name.addEventListener('click', () => actions.onSpeaker(idOf(this.node), this.name));
    this.name.setAttribute('aria-haspopup', 'true');
    this.tell();
  }

  /** Whether it is near enough to the window that somebody may see it soon. */
  set near(near: boolean) {
    this.gutter.toggleAttribute('data-near', near);
  }

  /** From now on it is laid out like any other part of the page. */
  draw(): void {
    this.dom.dataset['drawn'] = '';
  }

  private tell(): void {
    this.dom.dataset['id'] = idOf(this.node) ?? '';
    this.dom.dataset['speaker'] = speakerOf(this.node);
  }

  show(beside: Beside): void {
    const { shown } = this;
    this.shown = beside;
    const { from, whole, name, texts } = beside;
    // Of thousands of segments hardly one is new, so no text is made before something differs.
    const said = shown?.texts === texts;
    if (!said || shown.from !== from || shown.whole !== whole) {
      const time = from === null ? null : clockTime(from, whole);
      say(this.time, time, time === null ? '' : texts.time(time));
    }
    if (!said || shown.name !== name) say(this.name, name, name === null ? '' : texts.speaker(name));
    if (shown?.editable !== beside.editable) this.name.disabled = !beside.editable;
    if (shown?.voice !== beside.voice) this.gutter.dataset['voice'] = String(beside.voice);
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
    return mutation.target === this.dom ? mutation.type === 'attributes' : this.gutter.contains(mutation.target);
  }

  stopEvent(event: Event): boolean {
    return (
      event.target instanceof Element && event.target.closest('button') !== null && this.gutter.contains(event.target)
    );
  }
}

function say(button: HTMLButtonElement, text: string | null, label: string): void {
  button.hidden = text === null;
  if (text === null) return;
  button.dataset['text'] = text;
  button.setAttribute('aria-label', label);
}
