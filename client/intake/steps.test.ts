import { describe, expect, test } from 'vitest';
import { externalModel, fileLimits, languagesAndModels } from '#shared/intake.ts';
import {
  advance,
  asksBeforeLeaving,
  chosenModel,
  collapsed,
  fileError,
  onlyWay,
  startDraft,
  type Draft,
  type Event,
} from './steps.ts';

const fileOf = (name: string, size = 10): File => Object.defineProperty(new File(['x'], name), 'size', { value: size });
const engine = { name: 'speech', title: 'Speech', minutePrice: 0, languages: ['en-US'], onlyAutoSpeakers: true };
const { models: withEngine } = languagesAndModels([engine]);
const { models: without } = languagesAndModels([]);
const next = (models = without): Event => ({ kind: 'next', models });
const run = (...events: Event[]): Draft => events.reduce(advance, startDraft(true, {}));
const cost = {
  cost: 0,
  isDelegated: false,
  isEnough: true,
  isEnoughQuota: true,
  freeMinutes: 0,
  professionalMinutes: 0,
  subscriptionMinutes: 0,
  balance: 0,
  recommendedBalanceTopUp: 0,
  organizationName: null,
  payer: null,
};

test.each([
  ['talk.mp3', 1, null],
  ['TALK.MP4', fileLimits.mostBytes, null],
  ['talk.mp3', fileLimits.mostBytes + 1, 'large'],
  ['talk.mp3', 0, 'empty'],
  ['talk.pdf', 10, 'unsupported'],
  ['Talk.ARF', 10, 'arf'],
  ['talk', 10, 'unsupported'],
  ['.mp3', 10, 'unsupported'],
])('%s of %i bytes: %s', (name, size, error) => {
  expect(fileError(fileOf(name, size))).toBe(error);
});

test('what nothing here can read is sent when somebody wants it all the same, and nothing else that cannot be taken', () => {
  const of = (name: string, anyway: boolean) => run({ kind: 'file', file: fileOf(name), anyway });
  expect(of('Talk.arf', false)).toMatchObject({ step: 'uploadForm', fileError: 'arf' });
  expect(of('Talk.arf', true)).toMatchObject({ step: 'transcriptTypeSelecting', fileError: null });
  expect(of('Talk.pdf', true)).toMatchObject({ step: 'uploadForm', fileError: 'unsupported' });
});

describe('the way of a recording with its transcript', () => {
  const chosen: Event[] = [{ kind: 'file', file: fileOf('Interview 4.mp3') }, next()];

  test('the name of the file is its title, and the external model asks for the transcript', () => {
    const draft = run(...chosen);
    expect([draft.step, draft.title, draft.model]).toEqual(['externalTranscriptAdding', 'Interview 4', externalModel]);
  });

  test('without a transcript, or with one that is no such file, it goes no further; what changes is right again', () => {
    const missing = run(...chosen, next());
    expect([missing.step, [...missing.wrong]]).toEqual(['externalTranscriptAdding', ['transcript']]);
    const wrong = run(...chosen, { kind: 'set', choices: { transcript: fileOf('a.vtt') } }, next());
    expect([...wrong.wrong]).toEqual(['transcript']);
    const mended = advance(wrong, { kind: 'set', choices: { transcriptType: 'ZOOM' } });
    expect([...mended.wrong]).toEqual([]);
    expect(advance(mended, next()).step).toBe('destinationChoosing');
  });

  test('a possible duplicate is told of, and can be ignored', () => {
    const asked = run(...chosen, {
      kind: 'created',
      created: { id: 'a', costs: [cost], duplicateUrl: '/meeting/b', notes: [] },
    });
    expect(asked.step).toBe('duplicate');
    expect(advance(asked, { kind: 'ignore duplicate' }).step).toBe('destinationChoosing');
  });

  test('whoever goes on with a possible duplicate is not asked again, until it is another file', () => {
    const created = { id: 'a', costs: [cost], duplicateUrl: '/meeting/b', notes: [] };
    const ignored = run(...chosen, { kind: 'created', created }, { kind: 'ignore duplicate' });
    const again = [{ kind: 'failed', failure: { message: 'no', requestId: 'r' }, lost: true }, { kind: 'again' }];
    const once = [...(again as Event[]), { kind: 'created', created } as const].reduce(advance, ignored);
    expect(once.step).toBe('externalTranscriptAdding');
    const other = [{ kind: 'other file' }, ...chosen, { kind: 'created', created }] as Event[];
    expect(other.reduce(advance, ignored).step).toBe('duplicate');
  });

  test('after a failure one is where the transcript can be changed, with everything else as it was', () => {
    const failed = run(...chosen, { kind: 'failed', failure: { message: 'no', requestId: 'r' } });
    const again = advance(failed, { kind: 'again' });
    expect([again.step, again.title, again.file?.name]).toEqual([
      'externalTranscriptAdding',
      'Interview 4',
      'Interview 4.mp3',
    ]);
  });
});

test('an engine comes first where there is one: it asks for a language it knows, and counts the speakers itself', () => {
  const before = run({ kind: 'file', file: fileOf('a.mp3') });
  expect([chosenModel(before, withEngine), chosenModel(before, without)]).toEqual(['speech', externalModel]);
  const options = advance(before, next(withEngine));
  expect([options.step, options.model, options.speakers]).toEqual(['processingOptionsSelecting', 'speech', 2]);
  expect(advance(options, next(withEngine)).step).toBe('destinationChoosing');
  const german = advance(options, { kind: 'set', choices: { language: 'de-DE' } });
  const wrong = advance(german, next(withEngine));
  expect([wrong.step, [...wrong.wrong]]).toEqual(['processingOptionsSelecting', ['language']]);
  const external = advance(before, { kind: 'set', choices: { model: externalModel } });
  expect(advance(external, next(withEngine)).step).toBe('externalTranscriptAdding');
});

test('a recording of another service goes the way of a file, by the name it has there', () => {
  const recording = { service: 'zoom', recordingId: 'm', fileId: 'f', name: 'Weekly' } as const;
  const draft = run({ kind: 'picked', picked: recording });
  expect([draft.step, draft.title, draft.file, draft.picked]).toEqual([
    'transcriptTypeSelecting',
    'Weekly',
    null,
    recording,
  ]);
  const options = advance(draft, next(withEngine));
  expect(options.step).toBe('processingOptionsSelecting');
  expect(advance(options, { kind: 'back' })).toMatchObject({ step: 'transcriptTypeSelecting', picked: recording });
  // A file in its place.
  expect(advance(draft, { kind: 'file', file: fileOf('a.mp3') }).picked).toBeNull();
});

test('a file that cannot be taken leaves one where one was, and says why', () => {
  const draft = run({ kind: 'file', file: fileOf('a.pdf') });
  expect([draft.step, draft.fileError, draft.file]).toEqual(['uploadForm', 'unsupported', null]);
  expect(advance(draft, { kind: 'forget error' }).fileError).toBeNull();
});

test('a transcript alone takes its title from its own name', () => {
  const draft = run({ kind: 'only transcript' }, { kind: 'set', choices: { transcript: fileOf('Notes.docx') } });
  expect(draft.title).toBe('Notes');
  expect(advance(draft, next()).step).toBe('destinationChoosing');
  expect(advance(draft, { kind: 'back' }).step).toBe('uploadForm');
});

describe('the one way that can be gone', () => {
  const created = (costs: (typeof cost)[]) => ({ id: 'a', costs, duplicateUrl: null, notes: [] });
  const seen = { model: externalModel, repriced: false, unread: false };

  test('is gone without asking, and never to people', () => {
    expect(onlyWay({ ...seen, created: created([cost]) })).toEqual(cost);
    expect(onlyWay({ ...seen, model: 'trme', created: created([cost]) })).toBeNull();
    expect(onlyWay({ ...seen, created: created([cost, cost]) })).toBeNull();
    expect(onlyWay({ ...seen, created: created([{ ...cost, isEnough: false }]) })).toBeNull();
    expect(onlyWay({ ...seen, created: created([{ ...cost, isEnough: false, isDelegated: true }]) })).not.toBeNull();
    expect(onlyWay({ ...seen, created: created([{ ...cost, isEnoughQuota: false }]) })).toBeNull();
  });

  test('is not gone for another price than was seen, nor over what nobody has read', () => {
    expect(onlyWay({ ...seen, repriced: true, created: created([cost]) })).toBeNull();
    expect(onlyWay({ ...seen, unread: true, created: created([cost]) })).toBeNull();
  });
});

describe('what was created', () => {
  const created = { id: 'a', costs: [cost], duplicateUrl: null, notes: [] };
  const chosen: Event[] = [
    { kind: 'file', file: fileOf('a.mp3') },
    next(),
    { kind: 'set', choices: { transcript: fileOf('a.vtt'), transcriptType: 'ZOOM' } },
    next(),
    { kind: 'created', created },
    { kind: 'processing' },
  ];
  const failed = run(...chosen, { kind: 'failed', failure: { message: 'no', requestId: 'r' } });
  const again = advance(failed, { kind: 'again' });

  test('is gone on with where nothing else is wanted', () => {
    const changed = advance(again, { kind: 'set', choices: { title: 'Another', language: 'de-DE' } });
    expect(advance(changed, next())).toMatchObject({ step: 'destinationChoosing', created });
  });

  test.each<[string, Event[]]>([
    ['transcript', [{ kind: 'set', choices: { transcript: fileOf('b.vtt') } }]],
    [
      'format of it',
      [
        { kind: 'set', choices: { transcriptType: 'RAE' } },
        { kind: 'set', choices: { transcript: fileOf('b.txt') } },
      ],
    ],
    ['model', [{ kind: 'back' }, { kind: 'set', choices: { model: 'speech' } }, next(withEngine)]],
  ])('with another %s it is made anew', (_what, events) => {
    const changed = events.reduce(advance, again);
    expect(changed.created).toEqual(created);
    expect(advance(changed, next(withEngine))).toMatchObject({ step: 'destinationChoosing', created: null });
  });

  test('is gone on with by whoever goes back from its price and changes nothing, and left for another file', () => {
    const priced = run(...chosen.slice(0, 5));
    const back = advance(priced, { kind: 'back' });
    expect(back).toMatchObject({ step: 'externalTranscriptAdding', created });
    expect(advance(back, next())).toMatchObject({ step: 'destinationChoosing', created });
    const type = advance(back, { kind: 'back' });
    expect(type.step).toBe('transcriptTypeSelecting');
    const other = advance(type, { kind: 'other file' });
    expect(other).toMatchObject({ step: 'uploadForm', file: null, title: '', transcript: null });
    const chosenAgain = [...chosen.slice(0, 3), next()].map((event) =>
      event.kind === 'file' ? { ...event, file: fileOf('b.mp3') } : event,
    );
    expect(chosenAgain.reduce(advance, other)).toMatchObject({ title: 'b', created: null });
  });

  test('keeps a changed price that was not chosen yet', () => {
    const repriced = run(...chosen, { kind: 'price', costs: [{ ...cost, cost: 0.5 }] });
    expect(onlyWay([{ kind: 'back' } as const, next()].reduce(advance, repriced))).toBeNull();
  });

  test('is made anew where there is nothing of it any more', () => {
    const lost = run(...chosen, { kind: 'failed', failure: { message: 'no', requestId: 'r' }, lost: true });
    expect(advance(advance(lost, { kind: 'again' }), next()).created).toBeNull();
  });

  test('has the price that it has now, which is chosen again', () => {
    const costs = [{ ...cost, cost: 0.5 }];
    const repriced = run(...chosen, { kind: 'price', costs });
    expect(repriced).toMatchObject({ step: 'destinationChoosing', repriced: true, created: { id: 'a', costs } });
    expect(onlyWay(repriced)).toBeNull();
  });

  test('has notes on its transcript that are read first', () => {
    const notes = [{ code: 'skipped' as const, count: 2 }];
    const noted = run(...chosen.slice(0, 4), { kind: 'created', created: { ...created, notes } });
    expect([noted.step, onlyWay(noted)]).toEqual(['destinationChoosing', null]);
    expect(onlyWay(advance(noted, { kind: 'notes read' }))).toEqual(cost);
  });
});

test('what was chosen the last time is chosen again, where it still exists', () => {
  const draft = startDraft(true, { language: 'de-DE', speakersNumber: 0, externalTranscriptTypeId: 'OTTERAI' });
  expect([draft.language, draft.speakers, draft.transcriptType]).toEqual(['de-DE', 0, 'OTTERAI']);
  expect(startDraft(true, { externalTranscriptTypeId: 'GONE' }).transcriptType).toBe('REV');
  expect(chosenModel(startDraft(true, { model: externalModel }), withEngine)).toBe(externalModel);
  expect(chosenModel(startDraft(true, { model: 'gone' }), withEngine)).toBe('speech');
});

test('leaving asks wherever something would be lost', () => {
  const asking = [
    'transcriptTypeSelecting',
    'externalTranscriptAdding',
    'destinationChoosing',
    'processing',
    'duplicate',
  ];
  for (const step of asking) expect(asksBeforeLeaving(step as Draft['step'])).toBe(true);
  for (const step of ['notLoggedIn', 'uploadForm', 'processingFailed', 'success'])
    expect(asksBeforeLeaving(step as Draft['step'])).toBe(false);
});

test('whoever signs in meanwhile goes on; whoever has begun is not sent back', () => {
  expect(advance(startDraft(false, {}), { kind: 'signed in' }).step).toBe('uploadForm');
  const begun = run({ kind: 'file', file: fileOf('a.mp3') });
  expect(advance(begun, { kind: 'signed in' })).toEqual(begun);
});

test('what is pasted into one line stands in one line', () => {
  expect(collapsed('Weekly\r\n\tcall  of\u00a0Monday')).toBe('Weekly call of Monday');
});
