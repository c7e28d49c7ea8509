import { Extension } from '@tiptap/core';
import { Plugin } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';
import { readAbout } from '#shared/meetings/about.ts';
import { foreignLanguage } from '#shared/meetings/script-language.ts';
import { readSpeakers } from '#shared/meetings/speakers.ts';
import type { SpokenSegment } from '#shared/meetings/words.ts';

import type { Words } from './words.ts';
import type { SegmentMarks } from './marks.ts';
import { segmentsInView } from './paint.ts';
import { idOf, speakerOf } from './schema.ts';
import { patternsOf } from './speakers.ts';
import { SegmentView, type GutterTexts, type SegmentActions } from './segment-view.ts';

/** Distance above and below the window that is drawn, in window heights. */
const screens = 1.5;

/** Few enough to fit into one frame. */
const drawnAtOnce = 25;

/** Milliseconds after the last change during which idle time is left to typing. */
const atRest = 500;

function later(work: () => void, ms = atRest): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

/** Not every browser has requestIdleCallback. */
function idle(work: () => void): () => void {
  if (typeof requestIdleCallback !== 'function') return later(work, 50);
  const handle = requestIdleCallback(work, { timeout: 1_000 });
  return () => cancelIdleCallback(handle);
}

/** Shows time and speaker beside each segment, touching only what changed. */
export class Gutter {
  private texts: GutterTexts = {
    time: (time) => time,
    here: '',
    paragraph: (name, time) => `${name}, ${time}`,
    speaker: '',
    ghost: (name) => name,
    unknown: '',
    nobody: '',
    counts: { comment: String, outcome: String },
  };
  private readonly views = new WeakMap<Element, SegmentView>();
  private readonly words: Words;
  private readonly marks: SegmentMarks;
  private readonly actions: SegmentActions;
  private view: EditorView | null = null;
  /** Segment with the caret. */
  private atCaret: SegmentView | undefined;
  /** Whether the text has had the focus; until then its caret is nowhere to be seen. */
  private entered = false;
  private near = new Set<SegmentView>();
  /** Views created since the editor's last update. */
  private made: SegmentView[] = [];
  private looked = false;
  private drawing: (() => void) | null = null;
  private lookedAt = 0;
  private changedAt = -Infinity;
  private frame = 0;

  constructor(words: Words, marks: SegmentMarks, actions: Pick<SegmentActions, 'onTime' | 'onSpeaker'>) {
    this.words = words;
    this.marks = marks;
    this.actions = {
      ...actions,
      onCount: marks.press,
      foreignLanguage: (text) => foreignLanguage(text, readAbout(words.doc).lang),
    };
  }

  say(texts: GutterTexts): void {
    this.texts = texts;
    this.refresh();
  }

  extension(): Extension {
    return Extension.create({ name: 'gutter', addProseMirrorPlugins: () => [this.plugin()] });
  }

  private plugin(): Plugin {
    return new Plugin({
      props: {
        nodeViews: {
          segment: (node) => {
            const segment = new SegmentView(node, this.actions);
            this.views.set(segment.dom, segment);
            this.made.push(segment);
            return segment;
          },
        },
      },
      view: (view) => {
        this.view = view;
        let { editable } = view;
        const ends = [this.words.subscribe(() => this.refresh()), this.marks.subscribe(() => this.refresh())];
        const ending = new AbortController();
        const { signal } = ending;
        document.addEventListener('scroll', this.scrolled, { capture: true, passive: true, signal });
        window.addEventListener('resize', this.lookAround, { passive: true, signal });
        return {
          // A split or merge is drawn at once; typing is drawn with the next frame.
          update: (now, before) => {
            this.takeIn();
            this.showCaret(now);
            if (now.state.doc !== before.doc) this.changedAt = performance.now();
            if (now.state.doc.childCount !== before.doc.childCount || now.editable !== editable) this.refresh();
            ({ editable } = now);
          },
          destroy: () => {
            for (const end of ends) end();
            ending.abort();
            cancelAnimationFrame(this.frame);
            this.frame = 0;
            this.drawing?.();
            this.near.clear();
            this.made = [];
            this.looked = false;
            this.entered = false;
            this.view = null;
          },
        };
      },
    });
  }

  private showCaret(view: EditorView): void {
    const { dom, state } = view;
    this.entered ||= view.hasFocus();
    const element = dom.children[state.selection.$head.index(0)] ?? null;
    const here = this.entered && state.selection.empty ? this.viewOf(element) : undefined;
    if (here === this.atCaret) return;
    if (this.atCaret) this.atCaret.caret = false;
    if (here) here.caret = true;
    this.atCaret = here;
  }

  private refresh(): void {
    const { view, words, texts } = this;
    if (!view || view.isDestroyed) return;
    const { segments } = words.reading();
    const { timed } = words;
    // The times' format depends only on whether the recording lasts an hour or more.
    const whole = (segments.at(-1)?.to ?? 0) >= 3_600_000 ? 3_600_000 : 0;
    const list = readSpeakers(words.doc);
    const speakers = new Map(list.map((speaker) => [speaker.id, speaker]));
    const patterns = patternsOf(list);
    let byId: Map<string | null, SpokenSegment> | null = null;
    let element = view.dom.firstElementChild;
    let before: string | null = null;
    view.state.doc.forEach((node, _pos, index) => {
      const [id, speaker] = [idOf(node), speakerOf(node)];
      let spoken = segments[index];
      if (spoken?.id !== id) {
        byId ??= new Map(segments.map((segment) => [segment.id, segment]));
        spoken = byId.get(id);
      }
      const known = speakers.get(speaker);
      const name = known?.name || (speaker === '' ? '' : texts.unknown);
      this.viewOf(element)?.show({
        from: timed && spoken ? spoken.from : null,
        whole,
        name: speaker === before || name === '' ? null : name,
        ghost: name === '' ? texts.nobody : speaker === before ? name : null,
        voice: known ? known.color + 1 : 0,
        pattern: patterns.get(speaker) ?? 0,
        editable: view.editable,
        counts: this.marks.of(id),
        texts,
      });
      before = speaker;
      element = element?.nextElementSibling ?? null;
    });
    this.lookAround();
  }

  /** Draws a few new segments at once, as after an edit; a whole new text is drawn bit by bit, as on opening. */
  private takeIn(): void {
    const made = this.made.splice(0);
    if (!this.looked) return;
    if (made.length > drawnAtOnce) return this.drawRest();
    for (const segment of made) {
      segment.draw();
      segment.near = true;
      this.near.add(segment);
    }
  }

  /** Half a window may scroll without a redraw, because the drawn part reaches further. */
  private readonly scrolled = (): void => {
    const { top = 0 } = this.view?.dom.getBoundingClientRect() ?? {};
    if (Math.abs(top - this.lookedAt) > window.innerHeight / 2) this.lookAround();
  };

  private readonly lookAround = (): void => {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      const { view, near } = this;
      if (!view || view.isDestroyed) return;
      const around = segmentsInView(view, window.innerHeight * screens);
      if (around.length === 0) return;
      if (!this.looked) this.drawRest();
      this.looked = true;
      this.lookedAt = view.dom.getBoundingClientRect().top;
      this.near = new Set();
      for (const { element } of around) {
        const segment = this.viewOf(element);
        if (segment && !near.delete(segment)) segment.near = true;
        if (segment) this.near.add(segment);
      }
      for (const segment of near) segment.near = false;
    });
  };

  private drawRest(): void {
    this.drawing?.();
    this.drawing = idle(() => this.drawMore(this.view?.dom.firstElementChild ?? null));
  }

  /** Draws all segments bit by bit in idle time, so that the browser no longer checks them on each frame. */
  private drawMore(from: Element | null): void {
    let element = from;
    const busy = performance.now() - this.changedAt < atRest;
    for (let i = 0; !busy && i < drawnAtOnce && element; i += 1) {
      this.viewOf(element)?.draw();
      element = element.nextElementSibling;
    }
    const more = () => this.drawMore(element);
    if (busy) this.drawing = later(more);
    else if (element) this.drawing = idle(more);
  }

  private viewOf(element: Element | null): SegmentView | undefined {
    return element ? this.views.get(element) : undefined;
  }
}
