import { inArray } from 'drizzle-orm';
import { mailOutbox } from '#db/schema/house.ts';
import { quoteLookup } from '#shared/ai/material.ts';
import { newId } from '#shared/ids.ts';
import type { Policy } from '#shared/reviews/review.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { materialOf } from '../ai/context.ts';
import { addComment } from '../annotations/comments.ts';
import { setGrade } from '../annotations/grades.ts';
import { addOutcome } from '../annotations/outcomes.ts';
import type { Signed } from '../context.ts';
import { changeReviewer } from '../reviews/change.ts';
import { requestReview } from '../reviews/request.ts';
import { viewReview } from '../reviews/view.ts';
import { suggestInReview } from './suggested.ts';

// Three reviews of the demo recording, made by the calls that people use: one of a person who practises, published, with
// grades over time to look at; one that has opened, whose reviewers agree on most and discuss the rest; and one that waits
// for the person who asked for it.

interface Passage {
  type: string;
  line: number;
  quote: string;
  text: string;
  grade?: number;
  children?: readonly string[];
}

interface Assessment {
  passages: readonly Passage[];
  /** Grades in the sheet. */
  grades: readonly { type: string; grade: number; words?: string }[];
}

const bensAssessment: Assessment & { comment: string } = {
  passages: [
    {
      ...{ type: 'agreement', line: 5, quote: 'what would you like to work on today', grade: 3 },
      ...{ text: 'Asks for the topic.', children: ['agreementGoal'] },
    },
    {
      ...{ type: 'listening', line: 11, quote: 'She would rather know. Let us stay with that for a moment', grade: 4 },
      ...{ text: 'Takes up the words of the client and stays with them.', children: ['listeningWords'] },
    },
    {
      ...{ type: 'awareness', line: 9, quote: 'what would you tell a good friend who said that to you', grade: 4 },
      ...{ text: 'The change of place makes the client laugh.', children: ['awarenessPerspective'] },
    },
    {
      ...{ type: 'trust', line: 19, quote: 'Thank you for saying it out loud', grade: 4 },
      ...{ text: 'Honours what was hard to say.', children: ['trustRespect'] },
    },
    {
      ...{ type: 'growth', line: 22, quote: 'let us find a first step', grade: 3 },
      ...{ text: 'Turns to a first step and its time.', children: ['growthActions'] },
    },
  ],
  grades: [
    { type: 'agreement', grade: 2, words: 'There is a topic, but no measure of success.' },
    { type: 'presence', grade: 3 },
  ],
  comment: 'Clear work on the topic; the measure of success is missing.',
};

const chensAssessment: typeof bensAssessment = {
  passages: [
    {
      ...{ type: 'agreement', line: 5, quote: 'So what would you like to work on today', grade: 2 },
      ...{ text: 'The topic is agreed, the goal is not.', children: ['agreementGoal'] },
    },
    {
      ...{ type: 'listening', line: 11, quote: 'Let us stay with that for a moment', grade: 4 },
      ...{ text: 'Slows down at the right sentence.', children: ['listeningWords', 'listeningSummary'] },
    },
    {
      ...{ type: 'awareness', line: 15, quote: 'What makes it a six and not a three', grade: 2 },
      ...{ text: 'A scale is asked for, and left soon.', children: ['awarenessQuestions'] },
    },
    {
      ...{ type: 'trust', line: 19, quote: 'Thank you for saying it out loud', grade: 4 },
      ...{ text: 'Thanks, and does not judge.', children: ['trustRespect', 'trustSupport'] },
    },
    {
      ...{ type: 'growth', line: 28, quote: 'Would you like to write it before we finish', grade: 3 },
      ...{ text: 'The step is taken in the session itself.', children: ['growthActions'] },
    },
  ],
  grades: [{ type: 'presence', grade: 3 }],
  comment: '',
};

const bensBeginning: Assessment = {
  passages: [
    {
      ...{ type: 'listening', line: 7, quote: 'What happens right before you decide to wait', grade: 3 },
      text: 'Asks about the moment, not about the reason.',
    },
    {
      ...{ type: 'awareness', line: 13, quote: 'On a scale from one to ten', grade: 3 },
      text: 'Lets the client measure how ready they are.',
    },
  ],
  grades: [],
};

const chensOwn: Assessment = {
  passages: [],
  grades: [
    { type: 'agreement', grade: 3, words: 'I asked for the topic at once.' },
    { type: 'listening', grade: 2, words: 'I was already thinking of my next question.' },
    { type: 'trust', grade: 3 },
  ],
};

const annsView: Assessment = {
  passages: [
    {
      ...{ type: 'listening', line: 11, quote: 'Let us stay with that for a moment', grade: 4 },
      text: 'You heard more than you think.',
    },
    {
      ...{ type: 'trust', line: 19, quote: 'Thank you for saying it out loud', grade: 4 },
      text: 'Warm and short.',
    },
  ],
  grades: [{ type: 'agreement', grade: 2, words: 'Ask also how both of you will know that it worked.' }],
};

const bensView: Assessment = {
  passages: [
    {
      ...{ type: 'agreement', line: 5, quote: 'what would you like to work on today', grade: 3 },
      text: 'An open question to begin with.',
    },
    {
      ...{ type: 'trust', line: 19, quote: 'Thank you for saying it out loud', grade: 3 },
      text: 'Thanks the client.',
    },
  ],
  grades: [{ type: 'listening', grade: 3 }],
};

interface People {
  ann: Signed;
  ben: Signed;
  chen: Signed;
}

export async function reviewTalk({ ann, ben, chen }: People, meetingId: string): Promise<void> {
  const talk = await talkOf(ann, meetingId);
  const practised = await talk.ask('student', [ann, ben], chen);
  for (const [person, assessment] of [
    [chen, chensOwn],
    [ann, annsView],
    [ben, bensView],
  ] as const) {
    await talk.assess(person, practised, assessment);
    await talk.complete(person, practised);
  }

  const opened = await talk.ask('strict', [ben, chen]);
  await talk.assess(ben, opened, bensAssessment);
  await talk.assess(chen, opened, chensAssessment);
  await talk.complete(ben, opened, bensAssessment.comment);
  await talk.complete(chen, opened, chensAssessment.comment);
  await talk.discuss(opened, ben, chen);

  const running = await talk.ask('relaxed', [ann, ben]);
  await talk.assess(ben, running, bensBeginning);
  await suggestInReview(ann, meetingId, await talk.layerOf(ann, running, 'machine'));

  // Nobody has to be told of what stands here when they first sign in.
  const addresses = [ann, ben, chen].map(({ person }) => person.email);
  await ann.db.orm.delete(mailOutbox).where(inArray(mailOutbox.toAddress, addresses));
}

type Review = Pick<ReviewView, 'id'>;

/** Answers are stored by the id of their request, so that each call has one of its own. */
const call = (ctx: Signed): Signed => ({ ...ctx, requestId: newId() });

/** Assessments, comments and grades that the demo people add in the reviews of the recording. */
async function talkOf(ann: Signed, id: string) {
  const { lines, ...material } = await materialOf(ann, id);
  const look = quoteLookup({ ...material, lines }, lines);
  const at = (line: number, quote: string) => {
    const found = look({ line, quote });
    if (!found) throw new Error(`not in the demo recording: ${quote}`);
    const { text, start, end } = found.quote;
    return { quote: text, start, end };
  };
  const seenBy = async (ctx: Signed, { id: reviewId }: Review) => (await viewReview(ctx, { id, reviewId })).review;

  return {
    async ask(policy: Policy, people: readonly Signed[], assessed?: Signed): Promise<Review> {
      const reviewers = people.map(({ person }) => ({ principal: { id: person.id }, role: 'required' as const }));
      const student = assessed && { id: assessed.person.id };
      return (await requestReview(call(ann), { id, policy, outcomeModel: 'coaching', reviewers, student })).review;
    },

    async assess(ctx: Signed, review: Review, { passages, grades }: Assessment): Promise<void> {
      const layer = (await seenBy(ctx, review)).cloneId ?? '';
      for (const { line, quote, type, text, grade = null, children = [] } of passages) {
        const below = children.map((child) => ({ type: child, grade: null }));
        const outcome = { ...at(line, quote), type, text, grade, children: below, private: false };
        await addOutcome(call(ctx), { id: layer, outcome });
      }
      for (const { type, ...change } of grades) await setGrade(call(ctx), { id: layer, type, change });
    },

    async layerOf(ctx: Signed, review: Review, kind: 'machine' | 'discussion'): Promise<string> {
      const { layers } = await seenBy(ctx, review);
      return layers.find((one) => one.kind === kind)?.id ?? '';
    },

    async complete(ctx: Signed, review: Review, comment = ''): Promise<void> {
      const reviewerId = (await seenBy(ctx, review)).mine?.id ?? '';
      await changeReviewer(call(ctx), { id, reviewId: review.id, reviewerId, status: 'complete', comment });
    },

    /** Two people agree on the grade that differs most. */
    async discuss(review: Review, one: Signed, other: Signed): Promise<void> {
      const layer = await this.layerOf(one, review, 'discussion');
      const { comment } = await addComment(call(one), {
        ...{ id: layer, itemId: undefined, private: false },
        ...at(9, 'what would you tell a good friend who said that to you'),
        text: 'Two grades apart on awareness. For me, this question turns the session. How do you hear it?',
      });
      await addComment(call(other), {
        ...{ id: layer, itemId: undefined, private: false, start: comment.start, end: comment.end },
        parent: comment.id,
        text: 'I had my ear on the scale and passed over it. With it, a 3 for me.',
      });
      await setGrade(call(one), {
        id: layer,
        type: 'awareness',
        change: { grade: 3, words: 'The question to a friend.' },
      });
    },
  };
}
