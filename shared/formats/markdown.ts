import { printable, type SpokenDocument } from './spoken.ts';
import { wholeTime } from './times.ts';

/** Whatever could be a mark, a link or an element stays what was said. */
const marks = /[\\`*_{}[\]<>#|~!&]|^(?:[-+=:]|\d+[.)])/g;

const plain = (text: string): string =>
  printable(text).replace(marks, (mark) =>
    /^\d/.test(mark) ? `${mark.slice(0, -1)}\\${mark.slice(-1)}` : `\\${mark}`,
  );

export function writeMarkdown(
  { title, turns, tags }: SpokenDocument,
  { times, speakers }: { times: boolean; speakers: boolean },
): string {
  const blocks = turns.map(({ name, from, text }) => {
    const said = speakers ? plain(name) : '';
    const head = [said === '' ? '' : `**${said}**`, times ? `*${wholeTime(from)}*` : ''].filter((part) => part !== '');
    // Two blanks at the end of a line break it.
    return head.length === 0 ? plain(text) : `${head.join(' ')}  \n${plain(text)}`;
  });
  const top = [`# ${plain(title)}`, ...(tags.length === 0 ? [] : [tags.map((tag) => `*${plain(tag)}*`).join(', ')])];
  return `${[...top, ...blocks].join('\n\n')}\n`;
}
