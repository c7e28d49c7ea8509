// Chat of support (server/support/chat.ts): answers stand in the guide or are not shown, the model gets the question and
// the guide alone, and people get our copy.
import { desc } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { feedback } from '#db/schema/accounts.ts';
import { readConfig } from '#server/config.ts';
import { rules } from '#server/limits.ts';
import { createAssistants } from '#server/outside/assistants.ts';
import { knowledgeIn } from '#server/support/knowledge.ts';
import { languageNames, type Language } from '#shared/i18n/languages.ts';
import { supportChatAnswer, supportChatLimits, type SupportChatAnswer } from '#shared/support-chat.ts';
import { openAssistant, type StandIn } from '#tests/support/assistant.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
let there: StandIn;
const assistants = () =>
  createAssistants(readConfig({ AI_URL: there.url, AI_CONTEXT: '16000' }, '/srv'), { patience: { pause: 1 } })();
beforeAll(async () => {
  house = await openHouse({ env: { AI_SUPPORT: 'on', AI_SUPPORT_DAILY: '60' }, house: { assistants } });
});
beforeEach(async () => {
  there = await openAssistant('openai', { context: 16_000 });
});
afterEach(() => there.close());
afterAll(() => house.close());

const saying = (text: string, quote: string) =>
  JSON.stringify({ parts: [{ text, cites: [{ line: 2, quote }] }], enough: true });
const typing = saying('Click into the text and type.', 'Click into the text and type');
const question = (content: string) => ({ role: 'user', content });
const put = (person: Person, body: object) => person.post('/api/feedback/chat', body);
async function ask(person: Person, content: string, more: object = {}): Promise<SupportChatAnswer> {
  const answer = await put(person, { messages: [question(content)], ...more });
  expect(answer.status, answer.text).toBe(200);
  return supportChatAnswer.parse(answer.body);
}

test('an answer with words of the guide is shown, with its page', async () => {
  there.mood.answer = () => typing;
  const ann = await house.person();
  expect(await ask(ann, 'How do I correct a word?')).toMatchObject({
    ...{ message: 'Click into the text and type.', urls: ['/help/correct'], known: true },
    parts: [
      {
        text: 'Click into the text and type.',
        quotes: [{ text: 'Click into the text and type', title: 'Correct a transcript', url: '/help/correct' }],
      },
    ],
    ...{ count: 2, isEndOfSession: false },
  });
});

test('a quote leads to the heading that it stands under, with the words of the guide', async () => {
  there.mood.answer = () => saying('Replace all.', 'CHANGES all places, at once');
  const { parts, urls } = await ask(await house.person(), 'How do I replace a word everywhere?');
  expect(urls).toEqual(['/help/correct#part-3']);
  expect(parts[0]?.quotes).toEqual([
    {
      text: 'changes all places at once',
      ...{ title: 'Correct a transcript · Find and replace', url: '/help/correct#part-3' },
    },
  ]);
});

test.each([
  ['words that the guide does not have', saying('Press the red button.', 'press the red button twice')],
  ['no quotes', JSON.stringify({ parts: [{ text: 'Press it.', cites: [] }], enough: true })],
  ['no answer', JSON.stringify({ parts: [], enough: false })],
  ['its own doubt', typing.replace('"enough":true', '"enough":false')],
])('an answer with %s is not shown: the model does not know', async (_, said) => {
  there.mood.answer = () => said;
  const answer = await ask(await house.person(), 'How do I fly?');
  expect(answer).toMatchObject({ message: '', urls: [], parts: [], known: false });
});

test('the model gets the last question and the guide, and nothing else of the request or the account', async () => {
  there.mood.answer = () => typing;
  const ann = await house.person();
  const recording = await makeRecording(house, ann);
  await ann.post(`/api/meetings/${recording}/rename`, { title: 'canary-title' });
  await ann.post(`/api/meetings/${recording}/comments`, { start: 1, end: 2, text: 'canary-comment' });
  const { chatId } = await ask(ann, 'First question?');
  const messages = [
    question('canary-forged'),
    { role: 'assistant', content: 'canary-answer' },
    question('Second one?'),
  ];
  await put(ann, { chatId, messages, systemInfo: 'canary-info' });
  expect(there.arrived()).toContain('Second one?');
  expect(there.arrived()).toContain('First question?');
  // Words of the recording that the sample has, beside those of the account.
  for (const canary of ['canary', 'practice session', recording, ann.email, ann.id, chatId])
    expect(there.arrived()).not.toContain(canary);
  expect(house.log()).not.toMatch(/First question|Second one/);
});

test('people get our copy, not what a page says was said', async () => {
  there.mood.answer = () => typing;
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const { chatId } = await ask(ann, 'How do I correct?', { systemInfo: 'Page: /reset/secret-token Browser: x' });
  expect((await ben.post('/api/feedback', { chatId, text: 'x' })).problem.code).toBe('NO_ACCESS');
  expect((await house.stranger().post('/api/feedback', { chatId, text: 'x' })).status).toBe(401);
  expect((await ann.post('/api/feedback', { chatId, text: 'Handed over' })).status).toBe(204);
  const [row] = await house.database.orm.select().from(feedback).orderBy(desc(feedback.at)).limit(1);
  expect(row).toMatchObject({ userId: ann.id, contact: ann.email });
  expect(row?.text).toContain('"content": "How do I correct?"');
  expect(row?.text).toContain('"/help/correct"');
  expect(row?.text).not.toContain('secret-token');
});

test('a conversation is its person’s alone, and ends', async () => {
  there.mood.answer = () => typing;
  const [ann, ben] = (await house.people(2)) as [Person, Person];
  const { chatId } = await ask(ann, 'One?');
  expect((await put(ben, { chatId, messages: [question('Two?')] })).problem.code).toBe('NO_ACCESS');
  let last: SupportChatAnswer | null = null;
  for (let n = 2; n < supportChatLimits.messages; n += 2) last = await ask(ann, `More ${n}?`, { chatId });
  expect(last).toMatchObject({ count: supportChatLimits.messages, isEndOfSession: true });
  expect((await put(ann, { chatId, messages: [question('More?')] })).problem.code).toBe('CONFLICT');
});

test('a model that fails is said to have failed, and the question can be asked again', async () => {
  const ann = await house.person();
  there.mood.answer = () => 'no JSON';
  const failed = await put(ann, { messages: [question('One?')] });
  expect([failed.status, failed.problem.code]).toEqual([502, 'UPSTREAM']);
  there.mood.answer = () => typing;
  expect((await ask(ann, 'One?')).known).toBe(true);
});

test('a question that failed is asked again in its place', async () => {
  there.mood.answer = () => typing;
  const ann = await house.person();
  const { chatId } = await ask(ann, 'One?');
  there.mood.answer = () => 'no JSON';
  expect((await put(ann, { chatId, messages: [question('Two?')] })).status).toBe(502);
  there.mood.answer = () => typing;
  expect(await ask(ann, 'Two, again?', { chatId })).toMatchObject({ count: 4 });
  expect((await ann.post('/api/feedback', { chatId, text: 'x' })).status).toBe(204);
  const [row] = await house.database.orm.select().from(feedback).orderBy(desc(feedback.at)).limit(1);
  expect(row?.text).toContain('Two, again?');
  expect(row?.text).not.toContain('"Two?"');
});

test('a question is not sent to another host than the person was told', async () => {
  there.mood.answer = () => typing;
  const ann = await house.person();
  const refused = await put(ann, { messages: [question('canary?')], host: 'api.example.com' });
  expect([refused.status, refused.problem.code]).toEqual([403, 'CONSENT']);
  expect(there.received).toHaveLength(0);
  expect((await ask(ann, 'One?', { host: null })).known).toBe(true);
});

test('the house pays for a number of answers a day; after them people are asked', async () => {
  there.mood.answer = () => typing;
  const ann = await house.person();
  const { limits, config } = house.house;
  const rule = { ...rules.supportAnswers, most: config.assistant.supportAnswers };
  while (await limits.allow(rule, 'all'));
  expect((await put(ann, { messages: [question('One?')] })).problem.code).toBe('RATE');
  expect((await ann.get('/api/feedback')).body).toMatchObject({ chat: null });
  expect(there.received).toHaveLength(0);
  await limits.clear(rule, 'all');
  expect((await ask(ann, 'One?')).known).toBe(true);
});

test('one person uses a fifth of a day’s answers at most, and an answer that fails is none of them', async () => {
  there.mood.answer = () => typing;
  const [ann, ben] = [await house.person(), await house.person()];
  const { limits, config } = house.house;
  const rule = { ...rules.supportAnswersPerson, most: config.assistant.supportAnswers / 5 };
  for (let n = 1; n < rule.most; n += 1) expect(await limits.allow(rule, ann.id)).toBe(true);
  there.mood.answer = () => 'nothing of the form';
  expect((await put(ann, { messages: [question('One?')] })).problem.code).toBe('UPSTREAM');
  there.mood.answer = () => typing;
  expect((await ask(ann, 'One?')).known).toBe(true);
  expect((await put(ann, { messages: [question('Two?')] })).problem.code).toBe('RATE');
  expect((await ann.get('/api/feedback')).body).toMatchObject({ chat: null });
  expect((await ben.get('/api/feedback')).body).toMatchObject({ chat: { host: null } });
  expect((await ask(ben, 'One?')).known).toBe(true);
});

test('one person asks a number of questions an hour', async () => {
  there.mood.answer = () => typing;
  const ann = await house.person();
  while (await house.house.limits.allow(rules.supportQuestions, ann.id));
  expect((await put(ann, { messages: [question('One?')] })).problem.code).toBe('RATE');
  expect((await ask(await house.person(), 'One?')).known).toBe(true);
});

test('a page that is told of a model is that of a person who is signed in', async () => {
  const ann = await house.person();
  expect((await ann.get('/api/feedback')).body).toMatchObject({ chat: { host: null } });
  expect((await house.stranger().get('/api/feedback')).body).toMatchObject({ chat: null });
});

test.each(Object.keys(languageNames) as Language[])(
  'the guide is read in %s, with the texts of its controls',
  async (language) => {
    const { lines, passages } = await knowledgeIn(house.house.config.root, language);
    expect(lines.length).toBeGreaterThan(50);
    // Keys of controls and what stands in for numbers are no words.
    expect(lines.filter(({ text }) => /\{\w+:|\{\{/.test(text))).toEqual([]);
    expect(new Set(passages.map(({ url }) => url)).size).toBeGreaterThan(5);
  },
);
