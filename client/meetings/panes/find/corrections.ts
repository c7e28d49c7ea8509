import type { Editor } from '@tiptap/react';
import type { Transaction } from '@tiptap/pm/state';

import { Pause } from '../../base/pause.ts';
import { cameFromText } from '../../text/binding.ts';
import { correctionOf, isNameLike, type Correction } from './correction.ts';

/** A paragraph as it was before it was typed in. */
interface Typed {
  /** Position of its first character now. */
  at: number;
  before: string;
}

/** Milliseconds without typing after which a correction is complete. */
const patience = 1500;
/** Paragraphs that are looked at after one pause. */
const mostParagraphs = 5;

/**
 * Notices names that are corrected by typing. A key costs one comparison of positions: paragraphs are compared in the
 * pause after it.
 */
export class Corrections {
  private readonly editor: Editor;
  private readonly found: (correction: Correction) => void;
  private readonly pause = new Pause(() => this.look(), patience, 60_000);
  private typed: Typed[] = [];
  /** Replacements of plain words: made twice, they are offered. */
  private readonly made = new Set<string>();

  constructor(editor: Editor, found: (correction: Correction) => void) {
    this.editor = editor;
    this.found = found;
  }

  open(): () => void {
    this.editor.on('transaction', this.follow);
    return () => {
      this.editor.off('transaction', this.follow);
      this.pause.drop();
    };
  }

  private readonly follow = ({ transaction }: { transaction: Transaction }): void => {
    if (!transaction.docChanged) return;
    for (const one of this.typed) one.at = transaction.mapping.map(one.at, -1);
    if (cameFromText(transaction)) {
      // With what others write, nobody can tell whose correction it is.
      this.typed = [];
      return;
    }
    this.note(transaction);
    this.pause.ask();
  };

  private note(transaction: Transaction): void {
    const [map] = transaction.mapping.maps;
    let from = -1;
    map?.forEach((start) => {
      if (from === -1) from = start;
    });
    if (from === -1 || this.typed.length === mostParagraphs) return;
    const place = transaction.before.resolve(from);
    if (!place.parent.isTextblock) return;
    const at = transaction.mapping.map(place.start(), -1);
    if (!this.typed.some((one) => one.at === at)) this.typed.push({ at, before: place.parent.textContent });
  }

  private look(): void {
    const { doc } = this.editor.state;
    const { typed } = this;
    this.typed = [];
    for (const { at, before } of typed) {
      if (at > doc.content.size) continue;
      const { parent } = doc.resolve(at);
      const correction = parent.isTextblock ? correctionOf(before, parent.textContent) : null;
      if (correction && this.isOffered(correction, parent.textContent)) this.found(correction);
    }
  }

  private isOffered(correction: Correction, after: string): boolean {
    const key = `${correction.heard}\n${correction.term}`;
    const again = this.made.has(key);
    this.made.add(key);
    return again || isNameLike(correction, after);
  }
}
