// The editor on a page of its own, in a live meeting: `/<meeting>`, or `/<meeting>?read` for a reader.
import { createRoot } from 'react-dom/client';
import * as Y from 'yjs';
import '#client/ui/tokens.css';
import type { TranscriptBinding } from '#client/meetings/text/binding.ts';
import { TranscriptEditor } from '#client/meetings/text/editor.tsx';
import { readSegments, type Scope } from '#shared/meetings/transcript.ts';
import { browserWorld } from '#sync/client/browser.ts';
import { Provider } from '#sync/client/provider.ts';

export interface Page {
  segments(): { id: string | null; speaker: string; text: string }[];
  pending(): number;
  repairs(): number;
  undo(): void;
  speak(segment: number, scope: Scope, speaker: string): void;
  /** Numbers of words for which the page asked, and the answer to each question. */
  asked: number[];
  agrees: boolean;
  /** Cuts and restores the connection. */
  hold(): void;
  release(): void;
}

const doc = new Y.Doc();
let binding: TranscriptBinding | null = null;
let shown = false;
let held: Uint8Array[] | null = null;
let deliver: (bytes: Uint8Array) => void = () => {};

const world = browserWorld();
const provider: Provider = new Provider({
  room: `${location.pathname.slice(1)}/transcript`,
  doc,
  world: {
    ...world,
    connect(path, events) {
      deliver = (bytes) => events.message(bytes);
      return world.connect(path, {
        ...events,
        message: (bytes) => (held ? void held.push(bytes) : deliver(bytes)),
      });
    },
  },
  offline: null,
  changed: () => {
    if (provider.synced && !shown) show();
  },
});

function show() {
  shown = true;
  createRoot(document.querySelector('#root') ?? document.body).render(
    <TranscriptEditor
      doc={doc}
      awareness={provider.awareness}
      readOnly={location.search === '?read'}
      label="Transcript"
      guard={{
        // The page has no times: each letter counts as a word.
        timedWords: (from, to) => to - from,
        ask: (words) => {
          page.asked.push(words);
          return Promise.resolve(page.agrees);
        },
      }}
      onReady={(_editor, made) => {
        binding = made;
      }}
    />,
  );
}

const page: Page = {
  segments: () => readSegments(doc).map(({ id, speaker, text }) => ({ id, speaker, text })),
  pending: () => provider.pending,
  repairs: () => binding?.repairs ?? -1,
  undo: () => void binding?.undo(),
  speak: (segment, scope, speaker) => void binding?.setSpeaker(readSegments(doc)[segment]?.id ?? null, scope, speaker),
  asked: [],
  agrees: true,
  hold: () => void (held = []),
  release: () => {
    const list = held ?? [];
    held = null;
    for (const bytes of list) deliver(bytes);
  },
};
Object.assign(window, { page });
