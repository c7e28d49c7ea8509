import { z } from 'zod';
import { AssistantFailed, type Behind } from './assistant.ts';
import { asked, eventsFrom, json, noEnd, notUnderstood, type Once } from './streaming.ts';

// Anthropic's messages. There is no field for a schema, so it is asked for in words.

const eventSchema = z.looseObject({
  type: z.string(),
  message: z.looseObject({ usage: z.looseObject({ input_tokens: z.number() }).nullish() }).nullish(),
  delta: z
    .looseObject({ type: z.string().nullish(), text: z.string().nullish(), stop_reason: z.string().nullish() })
    .nullish(),
  usage: z.looseObject({ output_tokens: z.number().nullish() }).nullish(),
});

export const anthropic =
  ({ url, key, model }: Behind): Once =>
  async (asking, piece, patience) => {
    const { rules, schema, most, signal } = asking;
    const shape = schema
      ? `\n\nAnswer with one JSON object of this schema and nothing else:\n${JSON.stringify(schema)}`
      : '';
    const body = {
      model,
      max_tokens: most,
      system: rules + shape,
      messages: [{ role: 'user', content: asked(asking) }],
      stream: true,
    };
    const headers = { 'anthropic-version': '2023-06-01', ...(key !== null && { 'x-api-key': key }) };
    const request = { url: `${url.replace(/\/v1$/, '')}/v1/messages`, headers, body, signal };
    let before: number | null = null;
    let after: number | null = null;
    let end: string | null = null;
    for await (const data of eventsFrom(request, patience)) {
      const event = eventSchema.safeParse(json(data));
      if (!event.success) throw notUnderstood();
      const { type, message, delta, usage } = event.data;
      if (type === 'error') throw new AssistantFailed('unreachable', 'it reported an error', { wait: 0 });
      if (type === 'message_start') before = message?.usage?.input_tokens ?? null;
      if (type === 'content_block_delta' && delta?.text) piece(delta.text);
      if (type === 'message_delta') {
        after = usage?.output_tokens ?? after;
        end = delta?.stop_reason ?? end;
      }
      if (type === 'message_stop') break;
    }
    if (end === null) throw noEnd();
    const counted = before !== null && after !== null;
    return {
      usage: counted ? { asked: before ?? 0, answered: after ?? 0 } : null,
      end: end === 'max_tokens' ? 'length' : 'done',
    };
  };
