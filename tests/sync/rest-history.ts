import * as Y from 'yjs';
import type { StoredRow } from '#db/updates.ts';
import { readSegments } from '#shared/meetings/transcript.ts';
import { unpackUpdates } from '#sync/protocol.ts';
import { tokensIn } from '#tests/support/editors.ts';

/** Calls of one program over REST, in the order in which they began and ended. */
export type Call = {
  who: string;
  began: number;
  ended: number;
} & (
  | { kind: 'read'; version: number; texts: readonly string[] }
  | { kind: 'edit'; token: string; segment: string; old: string; new: string; outcome: Outcome }
);

/** An edit whose answer got lost may have been made or not. */
export type Outcome = { made: number } | { refused: number } | 'unknown';

/** The segments of the document behind each row of its log, by their ids; and with none. */
export function statesOf(rows: readonly StoredRow[]): ReadonlyMap<string, string>[] {
  const doc = new Y.Doc();
  const state = () => new Map(readSegments(doc).map(({ id, text }) => [id ?? '', text]));
  return [
    state(),
    ...rows.map(({ bytes }) => {
      for (const update of unpackUpdates(bytes)) Y.applyUpdate(doc, update);
      return state();
    }),
  ];
}

/**
 * Checks the answers against the log, in which version n is the state behind row n: each acknowledged edit was made at
 * the version it was told, of the very text it named, and is in the text once; no refused edit is in it; each reader
 * read a state as it was, and none older than a state that was known before.
 */
export function wrongIn(history: readonly Call[], states: readonly ReadonlyMap<string, string>[]): string[] {
  const wrong: string[] = [];
  const last = states.at(-1) ?? new Map<string, string>();
  const times = new Map<string, number>();
  for (const token of [...last.values()].flatMap(tokensIn)) times.set(token, (times.get(token) ?? 0) + 1);
  for (const call of history) {
    const before = knownBefore(history, call);
    const said = versionOf(call);
    if (said !== null && said < before)
      wrong.push(`${call.who}: was told version ${said} after somebody knew ${before}`);
    if (call.kind === 'read') {
      const texts = [...(states[call.version]?.values() ?? [])];
      if (JSON.stringify(texts) !== JSON.stringify(call.texts))
        wrong.push(`${call.who}: version ${call.version} was never what was read`);
      continue;
    }
    const { token, outcome, segment } = call;
    const there = times.get(token) ?? 0;
    if (outcome === 'unknown') {
      if (there > 1) wrong.push(`${token}: made ${there} times`);
    } else if ('refused' in outcome) {
      if (there > 0) wrong.push(`${token}: refused, and there`);
    } else {
      if (there !== 1) wrong.push(`${token}: acknowledged, and there ${there} times`);
      if (states[outcome.made - 1]?.get(segment) !== call.old)
        wrong.push(`${token}: made of another text than it named`);
      if (states[outcome.made]?.get(segment) !== call.new) wrong.push(`${token}: not what version ${outcome.made} is`);
    }
  }
  return wrong;
}

function versionOf(call: Call): number | null {
  if (call.kind === 'read') return call.version;
  if (call.outcome === 'unknown') return null;
  return 'made' in call.outcome ? call.outcome.made : call.outcome.refused;
}

/** The latest version that any program knew when this call began. */
const knownBefore = (history: readonly Call[], { began }: Call): number =>
  history.reduce((most, other) => (other.ended < began ? Math.max(most, versionOf(other) ?? 0) : most), 0);
