import type { SaidLine, SaidList } from './said.ts';
import { printable, type SpokenDocument } from './spoken.ts';
import { wholeTime } from './times.ts';

/** Escapes characters that could be markup. */
const marks = /[\\`*_{}[\]<>#|~!&]|^(?:[-+=:]|\d+[.)])/g;

const plain = (text: string): string =>
  printable(text).replace(marks, (mark) =>
    /^\d/.test(mark) ? `${mark.slice(0, -1)}\\${mark.slice(-1)}` : `\\${mark}`,
  );

export function writeMarkdown(
  { title, turns, tags }: SpokenDocument,
  { times, speakers }: { times: boolean; speakers: boolean },
  said: readonly SaidList[] = [],
): string {
  const blocks = turns.map(({ name, from, text }) => {
    const said = speakers ? plain(name) : '';
    const head = [said === '' ? '' : `**${said}**`, times ? `*${wholeTime(from)}*` : ''].filter((part) => part !== '');
    // Two trailing blanks are a line break.
    return head.length === 0 ? plain(text) : `${head.join(' ')}  \n${plain(text)}`;
  });
  const top = [`# ${plain(title)}`, ...(tags.length === 0 ? [] : [tags.map((tag) => `*${plain(tag)}*`).join(', ')])];
  // Summary and contents go above the text, annotations below.
  const above = said.filter((list) => list.above).map(listOf);
  const below = said.filter((list) => !list.above).map(listOf);
  return `${[...top, ...above, ...blocks, ...below].join('\n\n')}\n`;
}

const listOf = ({ title, lines }: SaidList): string => [`## ${plain(title)}`, ...lines.map(annotationOf)].join('\n\n');

/** Quote and replies belong to the line above them. */
function annotationOf({ from, head, text, name, quote, was, answers }: SaidLine): string {
  const [bold, words] = head === '' ? [name, text] : [head, [text, name].filter(Boolean).join(', ')];
  const said = [bold === '' ? '' : `**${plain(bold)}**`, words === '' ? '' : plain(words)].filter(Boolean).join(': ');
  return [
    from === null ? `- ${said}` : `- *${wholeTime(from)}* ${said}`,
    ...(quote === '' ? [] : [`  > ${plain([quote, was === '' ? '' : `(${was})`].filter(Boolean).join(' '))}`]),
    ...answers.map((answer) => `  - ${answer.name === '' ? '' : `**${plain(answer.name)}**: `}${plain(answer.text)}`),
  ].join('\n\n');
}
