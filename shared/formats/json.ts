import { plainWord } from '../meetings/plain.ts';
import type { Said } from './said.ts';
import type { SpokenDocument } from './spoken.ts';

/** JSON as in `GET /api/meetings/{id}`, with a segment a line: readable, and easy to compare. */
export function writeJson({ title, lang, tags, speakers, turns }: SpokenDocument, said?: Said): string {
  const segments = turns.map(({ id, speaker, from, to, segment }) =>
    JSON.stringify({
      id,
      speaker,
      start: from / 1000,
      end: to / 1000,
      text: segment.text,
      words: segment.words.map(plainWord),
    }),
  );
  const rows = (list: readonly string[]) => (list.length === 0 ? '[]' : `[\n      ${list.join(',\n      ')}\n    ]`);
  return [
    '{',
    `  "title": ${JSON.stringify(title)},`,
    `  "lang": ${JSON.stringify(lang)},`,
    `  "tags": ${JSON.stringify(tags)},`,
    '  "transcript": {',
    `    "speakers": ${rows(speakers.map((speaker) => JSON.stringify(speaker)))},`,
    `    "segments": ${rows(segments)}`,
    said?.summary || said?.contents || said?.grades || said?.outcomes || said?.comments ? '  },' : '  }',
    ...lists(said),
    '}',
    '',
  ].join('\n');
}

/** Lists in the shape of the API, with an entry a line. */
function lists(said: Said | undefined): string[] {
  const { summary, contents: toc, grades, outcomes, comments } = said ?? {};
  const given = Object.entries({ summary, toc, grades, outcomes, comments }).filter(([, items]) => items !== undefined);
  return given.map(([name, items = []], i) => {
    const rows = items.map((item) => `\n    ${JSON.stringify(item)}`).join(',');
    return `  "${name}": [${rows}${rows === '' ? '' : '\n  '}]${i < given.length - 1 ? ',' : ''}`;
  });
}
