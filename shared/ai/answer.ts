import { z } from 'zod';
import { oneLine } from './lines.ts';

// An answer as an assistant has to give it. Models put it into fences, think aloud before it, or write other things: a
// part counts when it has this shape, and its text is only ever shown as text.

export const mostParts = 50;
export const longestPart = 2000;
const mostCites = 20;
const longestQuote = 1000;

export const visible = (longest: number) => z.string().transform((text) => oneLine(text).slice(0, longest));

export const citeSchema = z.object({
  line: z.union([
    z.number(),
    z
      .string()
      .regex(/^#?\d{1,7}$/)
      .transform((text) => Number(text.replace('#', ''))),
  ]),
  quote: visible(longestQuote),
});

export const partSchema = z.object({
  text: visible(longestPart),
  cites: z
    .array(citeSchema)
    .transform((cites) => cites.slice(0, mostCites))
    .default([]),
});

const answerSchema = z.object({
  parts: z.array(partSchema).transform((parts) => parts.filter(({ text }) => text !== '').slice(0, mostParts)),
  enough: z.boolean().default(true),
});

export type AnswerPart = z.infer<typeof partSchema>;
export type Answer = z.infer<typeof answerSchema>;

/** The same as a JSON Schema, for the servers that heed one. */
export const answerShape = {
  type: 'object',
  additionalProperties: false,
  required: ['parts', 'enough'],
  properties: {
    parts: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['text', 'cites'],
        properties: {
          text: { type: 'string' },
          cites: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['line', 'quote'],
              properties: { line: { type: 'integer' }, quote: { type: 'string' } },
            },
          },
        },
      },
    },
    enough: { type: 'boolean' },
  },
} as const;

/** The answer alone: without thoughts before it, a fence around it, and words after it. */
export function bare(text: string): string {
  const thought = text.replace(/^\s*<think(?:ing)?>[^]*?(?:<\/think(?:ing)?>|$)/i, '');
  const from = thought.indexOf('{');
  if (from === -1) return '';
  return thought.slice(from, endOf(thought, from) ?? undefined);
}

/** End of the object or list that begins at a position; null while it is open. */
function endOf(text: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const one = text[at];
    if (one === '"') {
      const end = endOfString(text, at);
      if (end === null) return null;
      at = end - 1;
    } else if (one === '{' || one === '[') depth += 1;
    else if (one === '}' || one === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

function endOfString(text: string, from: number): number | null {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return null;
}

export const json = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};

/** Objects of the list under this name, which an answer begins with, each as soon as it is closed. */
export function* closedObjects(text: string, name: string): Generator<unknown> {
  const answer = bare(text);
  let at = new RegExp(`^\\{\\s*"${name}"\\s*:\\s*\\[`).exec(answer)?.[0].length ?? answer.length;
  for (;;) {
    const [between = ''] = /^[\s,]*/.exec(answer.slice(at)) ?? [];
    at += between.length;
    const end = answer[at] === '{' ? endOf(answer, at) : null;
    if (end === null) return;
    yield json(answer.slice(at, end));
    at = end;
  }
}

/** Parts of an answer that is still being written. */
export function closedParts(text: string): AnswerPart[] {
  const parts: AnswerPart[] = [];
  for (const one of closedObjects(text, 'parts')) {
    const part = partSchema.safeParse(one);
    if (!part.success || parts.length === mostParts) break;
    if (part.data.text !== '') parts.push(part.data);
  }
  return parts;
}

/** The whole answer, or what is wrong with it, in words for the model. */
export function readAnswer(text: string): { answer: Answer } | { wrong: string } {
  const found = bare(text);
  const value = found === '' ? null : json(found);
  if (value === null) return { wrong: 'This is no complete JSON object.' };
  const read = answerSchema.safeParse(value);
  if (read.success) return { answer: read.data };
  return {
    wrong: read.error.issues
      .slice(0, 5)
      .map(({ path, message }) => `${path.join('.')}: ${message}`)
      .join('\n'),
  };
}
