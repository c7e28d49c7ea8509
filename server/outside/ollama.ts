import { z } from 'zod';
import { AssistantFailed, type Behind } from './assistant.ts';
import { bearer, brief, json, linesFrom, noEnd, messagesOf, notUnderstood, type Once } from './streaming.ts';

// Ollama's own API: its path for OpenAI's clients ignores the size of the context and cuts prompts without an error.

const lineSchema = z.looseObject({
  message: z.looseObject({ content: z.string() }).nullish(),
  done: z.boolean().nullish(),
  done_reason: z.string().nullish(),
  prompt_eval_count: z.number().nullish(),
  eval_count: z.number().nullish(),
  error: z.string().nullish(),
});

/** Few sizes, because the model is loaded again for each new one. */
const sizes = [8192, 16_384, 32_768, 65_536, 131_072];

export const ollama =
  ({ url, key, model }: Behind): Once =>
  async (asking, piece, patience) => {
    const { schema, needs, most, signal } = asking;
    const body = {
      model,
      messages: messagesOf(asking),
      stream: true,
      ...(schema && { format: schema }),
      options: { num_ctx: sizes.find((size) => size >= needs) ?? needs, num_predict: most, temperature: 0 },
    };
    for await (const line of linesFrom({ url: `${url}/api/chat`, headers: bearer(key), body, signal }, patience)) {
      if (line.trim() === '') continue;
      const read = lineSchema.safeParse(json(line));
      if (!read.success) throw notUnderstood();
      const { message, done, error } = read.data;
      if (error) throw new AssistantFailed('unreachable', 'it reported an error', { wait: 0 });
      if (message && message.content !== '') piece(message.content);
      if (!done) continue;
      const { done_reason: reason, prompt_eval_count: before, eval_count: after } = read.data;
      const counted = typeof before === 'number' && typeof after === 'number';
      return {
        usage: counted ? { asked: before, answered: after } : null,
        end: reason === 'length' ? 'length' : 'done',
      };
    }
    throw noEnd();
  };

const tagsSchema = z.looseObject({
  models: z.array(z.looseObject({ name: z.string().min(1), modified_at: z.string().default('') })),
});
const showSchema = z.looseObject({
  capabilities: z.array(z.string()).nullish(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
});

/** Milliseconds in which a server on this machine answers. */
const quickMs = 300;

/** Models that can answer, newest first; null where no Ollama is. */
export async function modelsOfOllama(url: string, key: string | null = null): Promise<string[] | null> {
  const version = await brief(`${url}/api/version`, {
    key,
    ms: new URL(url).hostname === '127.0.0.1' ? quickMs : 3000,
  });
  if (!z.looseObject({ version: z.string() }).safeParse(version).success) return null;
  const tags = tagsSchema.safeParse(await brief(`${url}/api/tags`, { key }));
  if (!tags.success) return [];
  const newest = tags.data.models.toSorted((one, other) => other.modified_at.localeCompare(one.modified_at));
  const able = await Promise.all(
    newest.map(async ({ name }) => {
      const shown = showSchema.safeParse(await brief(`${url}/api/show`, { key, body: { model: name } }));
      return !shown.success || !shown.data.capabilities || shown.data.capabilities.includes('completion') ? [name] : [];
    }),
  );
  return able.flat();
}

export async function contextOfOllama({ url, key, model }: Behind): Promise<number | null> {
  const shown = showSchema.safeParse(await brief(`${url}/api/show`, { key, body: { model } }));
  const info = shown.success ? (shown.data.model_info ?? {}) : {};
  const [, length] = Object.entries(info).find(([name]) => name.endsWith('.context_length')) ?? [];
  return typeof length === 'number' && length > 0 ? length : null;
}
