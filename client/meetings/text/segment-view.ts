import type { Node } from '@tiptap/pm/model';
import type { NodeView, ViewMutationRecord } from '@tiptap/pm/view';

import { clockTime } from '../../ui/times.ts';
import type { Counts, Pressed } from './marks.ts';
import { idOf, speakerOf } from './schema.ts';
import styles from './segment-view.module.css';

/** Contents of a segment's gutter; drawn as attributes, so that the page's text is the transcript and nothing else. */
interface Beside {
  /** Milliseconds; null if unknown. */
  from: number | null;
  /** Length of the recording; decides how many digits a time has. */
  whole: number;
  /** Null if the previous segment has the same speaker. */
  name: string | null;
  /** Name shown only on hover and at the caret, to choose another speaker; null where `name` is shown. */
  ghost: string | null;
  /** Colour 1 to 5; 0 without a known speaker. */
  voice: number;
  /** Tells apart speakers of one colour; 0 for the first of them. */
  pattern: number;
  /** Without permission to edit, the speaker's name is no button. */
  editable: boolean;
  counts: Counts | undefined;
  texts: GutterTexts;
}

export interface GutterTexts {
  time: (time: string) => string;
  /** Play button of a paragraph whose name already has the time. */
  here: string;
  /** Name of the paragraph with which a speaker begins, for screen readers. */
  paragraph: (name: string, time: string) => string;
  speaker: string;
  /** Tooltip of the ghost name: says that a press opens the list of speakers. */
  ghost: (name: string) => string;
  unknown: string;
  /** Ghost name of a segment without a speaker. */
  nobody: string;
  counts: Record<keyof Counts, (count: number) => string>;
}

export interface SegmentActions {
  onTime: (id: string | null) => void;
  onSpeaker: (id: string | null, element: HTMLElement) => void;
  onCount: Pressed;
  /** Language of a paragraph that is not in the recording's; else empty. */
  foreignLanguage: (text: string) => string;
}

/** Elements to clone, because thousands of segments open at once. */
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
  text.dataset['spoken'] = '';
  segment.append(text);
  const gutter = document.createElement('div');
  gutter.className = styles.gutter ?? '';
  gutter.contentEditable = 'false';
  for (const name of [styles.time, styles.name, styles.comments, styles.outcomes, styles.ghost]) {
    const button = document.createElement('button');
    button.type = 'button';
    // Out of the tab order, which would have thousands of stops; shortcuts in the text do the same.
    button.tabIndex = -1;
    button.hidden = true;
    button.className = name ?? '';
    gutter.append(button);
  }
  for (const at of [1, 4]) gutter.children[at]?.setAttribute('aria-haspopup', 'true');
  return { segment, gutter };
}

interface Gutter {
  element: HTMLElement;
  time: HTMLButtonElement;
  name: HTMLButtonElement;
  comment: HTMLButtonElement;
  outcome: HTMLButtonElement;
  ghost: HTMLButtonElement;
}

export class SegmentView implements NodeView {
  readonly dom: HTMLElement;
  readonly contentDOM: HTMLElement;
  private readonly actions: SegmentActions;
  /** Null while the segment is far from the window and only its text is needed. */
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

  /** True while the segment is close enough to the window to be seen soon. */
  set near(near: boolean) {
    if (near) this.make().element.dataset['near'] = '';
    else delete this.gutter?.element.dataset['near'];
  }

  /** True while the caret is in the segment. */
  set caret(here: boolean) {
    this.dom.toggleAttribute('data-caret', here);
  }

  /** Ends the guessed height: lays the segment out like any other part of the page. */
  draw(): void {
    this.make();
    this.dom.dataset['drawn'] = '';
  }

  private make(): Gutter {
    if (this.gutter) return this.gutter;
    templates ??= makeTemplates();
    const element = templates.gutter.cloneNode(true) as HTMLElement;
    type Button = HTMLButtonElement;
    const [time, name, comment, outcome, ghost] = [...element.children] as [Button, Button, Button, Button, Button];
    time.addEventListener('click', () => this.actions.onTime(idOf(this.node)));
    name.addEventListener('click', () => this.actions.onSpeaker(idOf(this.node), name));
    comment.addEventListener('click', () => this.actions.onCount('comment', idOf(this.node)));
    outcome.addEventListener('click', () => this.actions.onCount('outcome', idOf(this.node)));
    ghost.addEventListener('click', () => this.actions.onSpeaker(idOf(this.node), ghost));
    this.gutter = { element, time, name, comment, outcome, ghost };
    this.spell();
    this.drawBeside();
    this.dom.prepend(element);
    return this.gutter;
  }

  /** Only near the window: far away nothing is spelled. */
  private spell(): void {
    const lang = this.gutter ? this.actions.foreignLanguage(this.node.textContent) : '';
    if (this.contentDOM.lang !== lang) this.contentDOM.lang = lang;
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
    // Formats a text only if its value changed, because most segments did not.
    const said = shown?.texts === texts;
    if (!said || shown.from !== from || shown.whole !== whole || shown.name !== name) {
      const time = from === null ? null : clockTime(from, whole);
      say(gutter.time, time, time === null ? '' : name === null ? texts.time(time) : texts.here);
      say(gutter.name, name, texts.speaker);
      this.nameParagraph(name, time);
    }
    const ghost = beside.editable ? beside.ghost : null;
    if (!said || shown.editable !== beside.editable || shown.ghost !== beside.ghost) {
      gutter.ghost.hidden = ghost === null;
      gutter.ghost.dataset['ghost'] = ghost ?? '';
      gutter.ghost.setAttribute('aria-label', texts.ghost(ghost ?? ''));
    }
    for (const kind of ['comment', 'outcome'] as const) {
      const count = beside.counts?.[kind] ?? 0;
      if (!said || (shown.counts?.[kind] ?? 0) !== count)
        say(gutter[kind], count === 0 ? null : String(count), count === 0 ? '' : texts.counts[kind](count));
    }
    if (shown?.editable !== beside.editable) {
      gutter.name.disabled = !beside.editable;
      // A disabled button only shows the speaker's name, which screen readers get from the paragraph.
      gutter.name.ariaHidden = beside.editable ? null : 'true';
    }
    if (shown?.voice !== beside.voice) gutter.element.dataset['voice'] = String(beside.voice);
    if (shown?.pattern !== beside.pattern) gutter.element.dataset['pattern'] = String(beside.pattern);
    if ((shown?.name === null) !== (beside.name === null) || !shown)
      this.dom.toggleAttribute('data-turn', beside.name !== null);
  }

  /** Makes the first paragraph of a speaker a landmark that says who speaks and when; nothing in it repeats that. */
  private nameParagraph(name: string | null, time: string | null): void {
    const { dom, beside } = this;
    if (name === null) {
      dom.removeAttribute('role');
      dom.removeAttribute('aria-label');
      return;
    }
    // Without times many would have the same name, which makes no landmark.
    dom.setAttribute('role', time === null ? 'group' : 'region');
    dom.setAttribute('aria-label', time === null ? name : (beside?.texts.paragraph(name, time) ?? name));
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    const changed = idOf(node) !== idOf(this.node) || speakerOf(node) !== speakerOf(this.node);
    if (this.node.content !== node.content) {
      this.node = node;
      this.spell();
    }
    this.node = node;
    if (changed) this.tell();
    return true;
  }

  /** The editor watches its text; this view watches the gutter. */
  ignoreMutation(mutation: ViewMutationRecord): boolean {
    if (mutation.type === 'selection') return false;
    // Its language.
    if (mutation.type === 'attributes' && mutation.target === this.contentDOM) return true;
    // Removing parts of the segment itself changes its text.
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
