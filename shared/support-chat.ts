import { z } from 'zod';

// Questions to a model about how the product is used, which it answers from the guide.

export const supportChatLimits = {
  /** Characters of a question. */
  question: 4000,
  /** Questions and answers of one conversation. */
  messages: 20,
  /** Messages after which people can be asked to take over. */
  handOver: 2,
} as const;

const message = z.object({
  role: z.enum(['user', 'assistant'], 'invalid'),
  content: z.string('required').max(20_000, 'too_long'),
});

/** The last message of the person is the question; others are those that the server has already. */
export const supportChatInput = z
  .object({
    /** None begins a conversation. */
    chatId: z.string().max(100, 'too_long').nullish(),
    messages: z.array(message).min(1, 'required').max(100, 'too_many'),
    /** Host that the person was told of (`GET /api/feedback`); refused where questions go elsewhere by now. */
    host: z.string().max(260, 'too_long').nullable().optional(),
    /** Page, browser and time: for the people a conversation is handed over to. */
    systemInfo: z.string().max(2000, 'too_long').default(''),
  })
  .transform(({ messages, ...rest }) => ({
    ...rest,
    question: messages.findLast(({ role }) => role === 'user')?.content.trim() ?? '',
  }))
  .refine(({ question }) => question !== '', { path: ['messages'], error: 'required' })
  .refine(({ question }) => question.length <= supportChatLimits.question, { path: ['messages'], error: 'too_long' });
export type SupportChatInput = z.output<typeof supportChatInput>;

const supportPart = z.strictObject({
  text: z.string(),
  /** Words of the guide that say it, with their place. */
  quotes: z.array(z.strictObject({ text: z.string(), title: z.string(), url: z.string() })),
});
export type SupportPart = z.infer<typeof supportPart>;

export const supportChatAnswer = z.strictObject({
  chatId: z.string(),
  message: z.string(),
  /** Places of the guide that say it, on this server. */
  urls: z.array(z.string()),
  /** The message in parts, each with what proves it. */
  parts: z.array(supportPart),
  /** False: the guide does not answer it, and the message is empty. */
  known: z.boolean(),
  /** Messages of the conversation, and whether it takes no more. */
  count: z.number().int(),
  isEndOfSession: z.boolean(),
});
export type SupportChatAnswer = z.infer<typeof supportChatAnswer>;
