import { z } from 'zod';
import { AssistantFailed, type Behind } from './assistant.ts';
import { bearer, brief, eventsFrom, json, noEnd, messagesOf, notUnderstood, type Once } from './streaming.ts';

// OpenAI's chat completions, as many servers speak them: vLLM, llama.cpp, LM Studio and OpenAI itself.

const chunkSchema = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z.looseObject({ content: z.string().nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
  error: z.unknown().optional(),
});

export function chatCompletions({ url, key, model }: Behind): Once {
  /** OpenAI's own models have another name for the limit, and some take no temperature. */
  const own = new URL(url).hostname === 'api.openai.com';

  const once = async (asking: Parameters<Once>[0], piece: (text: string) => void, patience: Parameters<Once>[2]) => {
    const { schema, most, signal } = asking;
    const body = {
      model,
      messages: messagesOf(asking),
      stream: true,
      stream_options: { include_usage: true },
      ...(own ? { max_completion_tokens: most } : { max_tokens: most, temperature: 0 }),
      ...(schema && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
      }),
    };
    const request = { url: `${url}/chat/completions`, headers: bearer(key), body, signal };
    let usage: { asked: number; answered: number } | null = null;
    let end: string | null = null;
    for await (const data of eventsFrom(request, patience)) {
      if (data === '[DONE]') break;
      const chunk = chunkSchema.safeParse(json(data));
      if (!chunk.success) throw notUnderstood();
      if (chunk.data.error !== undefined && chunk.data.error !== null)
        throw new AssistantFailed('unreachable', 'it reported an error', { wait: 0 });
      const { usage: counted, choices } = chunk.data;
      if (counted) usage = { asked: counted.prompt_tokens, answered: counted.completion_tokens };
      const [choice] = choices ?? [];
      if (choice?.delta?.content) piece(choice.delta.content);
      end = choice?.finish_reason ?? end;
    }
    if (end === null) throw noEnd();
    return { usage, end: end === 'length' ? ('length' as const) : ('done' as const) };
  };

  return async (asking, piece, patience) => {
    try {
      return await once(asking, piece, patience);
    } catch (error) {
      // A schema is a wish: some servers refuse the field.
      if (!(error instanceof AssistantFailed) || error.failure !== 'schema' || !asking.schema) throw error;
      const { schema: _, ...plain } = asking;
      return once(plain, piece, patience);
    }
  };
}

const modelsSchema = z.looseObject({
  data: z.array(z.looseObject({ id: z.string().min(1), max_model_len: z.number().int().positive().nullish() })),
});
const propsSchema = z.looseObject({
  default_generation_settings: z.looseObject({ n_ctx: z.number().int().positive() }),
});

export async function modelsOfCompletions(url: string, key: string | null): Promise<string[]> {
  const models = modelsSchema.safeParse(await brief(`${url}/models`, { key }));
  return models.success ? models.data.data.map(({ id }) => id) : [];
}

/** Context as vLLM and llama.cpp tell it; null where nobody does. */
export async function contextOfCompletions({ url, key, model }: Behind): Promise<number | null> {
  const models = modelsSchema.safeParse(await brief(`${url}/models`, { key }));
  const told = models.success ? models.data.data.find(({ id }) => id === model)?.max_model_len : null;
  if (told) return told;
  const props = propsSchema.safeParse(await brief(`${url.replace(/\/v1$/, '')}/props`, { key }));
  return props.success ? props.data.default_generation_settings.n_ctx : null;
}
