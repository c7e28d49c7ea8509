import { describe, expect, test } from 'vitest';
import {
  externalModel,
  fileLimits,
  humanModel,
  languagesAndModels,
  noModel,
  type CreatedView,
} from '#shared/intake.ts';
import {
  advance,
  asksBeforeLeaving,
  chosenModel,
  onlyWay,
  shownProgress,
  startState,
  type Effect,
  type Event,
  type Failure,
  type Navigation,
  type Start,
  type State,
  type Step,
} from './steps.ts';
import { waysOf } from './ways.ts';

const fileOf = (name: string, size = 10): File => Object.defineProperty(new File(['x'], name), 'size', { value: size });
const engine = { name: 'speech', title: 'Speech', minutePrice: 0, languages: ['en-US'], onlyAutoSpeakers: true };
const { models: withEngine } = languagesAndModels([engine]);
const { models: without } = languagesAndModels([]);
const withPeople = withEngine.map((model) => (model.name === engine.name ? { ...model, name: humanModel } : model));
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
  groupId: null,
  quotaLeft: null,
};
const created: CreatedView = { id: 'a', costs: [cost], duplicateUrl: null, duplicate: null, notes: [], readAs: null };
const failure: Failure = { message: 'no', requestId: 'r' };
const place = { folder: '/', sharedFolder: null };

/** An event, or one whose run number is taken from the state. */
type Told = Event | ((state: State) => Event);

class Dialog {
  state: State;
  /** Effects of the last event. */
  effects: readonly Effect[] = [];

  constructor(start: Partial<Start> = {}) {
    this.state = startState({ signedIn: true, remembered: {}, place, ...start });
  }

  send(...events: Told[]): this {
    for (const event of events)
      [this.state, this.effects] = advance(this.state, typeof event === 'function' ? event(this.state) : event);
    return this;
  }

  get kinds(): Effect['kind'][] {
    return this.effects.map(({ kind }) => kind);
  }

  effect<Kind extends Effect['kind']>(kind: Kind): Extract<Effect, { kind: Kind }> | undefined {
    return this.effects.find((one): one is Extract<Effect, { kind: Kind }> => one.kind === kind);
  }
}
const dialog = (...events: Told[]): Dialog => new Dialog().send(...events);

const file = (one = fileOf('Interview 4.mp3')): Event => ({ kind: 'file', file: one });
const next = (models = without): Event => ({ kind: 'next', models });
const set = (choices: Extract<Event, { kind: 'set' }>['choices']): Event => ({ kind: 'set', choices });
const back: Event = { kind: 'back' };
const work = (state: State): number => state.work?.run ?? -1;
const upload = (state: State): number => state.sending?.run ?? -1;
const sent: Told = (state) => ({ kind: 'sent', run: upload(state), uploadId: 'u' });
const sendingFailed: Told = (state) => ({
  kind: 'sending',
  run: upload(state),
  id: 'part',
  progress: { state: 'failed', sent: 4, total: 10, bytesPerSecond: null, secondsLeft: null },
});
const answered =
  (answer: CreatedView = created): Told =>
  (state) => ({ kind: 'created', run: work(state), created: answer });
const createFailed =
  (wholeId: string | null = null): Told =>
  (state) => ({ kind: 'create failed', run: work(state), failure, wholeId });
const processed: Told = (state) => ({ kind: 'processed', run: work(state) });
const processFailed =
  (change: { lost?: boolean; costs?: (typeof cost)[] } = {}): Told =>
  (state) => ({ kind: 'process failed', run: work(state), failure, lost: false, costs: null, ...change });
const leave: Event = { kind: 'leave' };
const leaves = (yes: boolean): Event => ({ kind: 'leave answered', yes });

const captions = fileOf('a.vtt');
/** To the step where a transcript is added, with the file uploaded. */
const withFile: Told[] = [file(), sent, next()];
/** To the call that creates the meeting. */
const creating: Told[] = [...withFile, set({ transcript: captions, transcriptType: 'ZOOM' }), next()];
/** To the call that processes it. */
const processing: Told[] = [...creating, answered()];

describe('choosing a file', () => {
  test('gives the title and starts the upload, resumed where it was interrupted', () => {
    const talk = fileOf('Interview 4.mp3');
    const chosen = dialog(file(talk));
    expect(chosen.state).toMatchObject({ step: 'transcriptTypeSelecting', title: 'Interview 4', file: talk });
    expect(chosen.effects).toEqual([{ kind: 'send', run: 1, file: talk, resume: 'interrupted' }]);
    expect(shownProgress(chosen.state.sending)).toMatchObject({ state: 'going', sent: 0, total: 10 });
  });

  test('a second file chosen at once changes nothing: the first one is on its way', () => {
    const chosen = dialog(file(fileOf('a.mp3')));
    const before = chosen.state;
    expect(chosen.send(file(fileOf('b.mp3'))).state).toBe(before);
    expect(chosen.effects).toEqual([]);
  });

  test('a file dropped on the page is chosen once, and only by somebody signed in', () => {
    const opened = new Dialog({ first: fileOf('a.mp3') }).send({ kind: 'opened' });
    expect([opened.state.step, opened.kinds]).toEqual(['transcriptTypeSelecting', ['send']]);
    expect(opened.send({ kind: 'opened' }).effects).toEqual([]);
    const guest = new Dialog({ signedIn: false, first: fileOf('a.mp3') }).send({ kind: 'opened' });
    expect([guest.state.step, guest.send({ kind: 'signed in' }, { kind: 'opened' }).state.step]).toEqual([
      'notLoggedIn',
      'uploadForm',
    ]);
  });

  test('a refused file leaves the step as it was and says why', () => {
    const refused = dialog(file(fileOf('a.pdf')));
    expect(refused.state).toMatchObject({ step: 'uploadForm', refused: { error: 'unsupported' }, file: null });
    expect(refused.effects).toEqual([]);
    expect(refused.send(file()).state).toMatchObject({ step: 'transcriptTypeSelecting', refused: null });
  });

  test('an error about the size goes by itself, but not with the time of an older one', () => {
    const refused = dialog(file(fileOf('a.mp3', 0)));
    expect(refused.effects).toEqual([{ kind: 'forget refusal later', run: 1 }]);
    refused.send(file(fileOf('b.mp3', fileLimits.mostBytes + 1)), { kind: 'forget refusal', run: 1 });
    expect(refused.state.refused?.error).toBe('large');
    expect(refused.send({ kind: 'forget refusal', run: 2 }).state.refused).toBeNull();
  });

  test('an ARF file is sent in spite of the warning, and no other file that was refused', () => {
    const arf = dialog(file(fileOf('Talk.arf')));
    expect(arf.state.refused?.error).toBe('arf');
    expect(arf.send({ kind: 'anyway' }).state).toMatchObject({ step: 'transcriptTypeSelecting', refused: null });
    expect(arf.kinds).toEqual(['send']);
    const pdf = dialog(file(fileOf('Talk.pdf')), { kind: 'anyway' });
    expect([pdf.state.step, pdf.state.refused?.error, pdf.kinds]).toEqual(['uploadForm', 'unsupported', []]);
    expect(dialog({ kind: 'anyway' }).state.step).toBe('uploadForm');
  });

  test('another file ends the upload and forgets what was said of the first one', () => {
    const other = dialog(...withFile, back, { kind: 'other file' });
    expect(other.state).toMatchObject({ step: 'uploadForm', file: null, sending: null, title: '', transcript: null });
    expect(other.effects).toEqual([{ kind: 'stop sending', wholeId: null }]);
    expect(other.send(file(fileOf('b.mp3'))).state).toMatchObject({ title: 'b', sending: { run: 2 } });
  });
});

describe('a recording of a meeting service', () => {
  const picked = { service: 'zoom', recordingId: 'm', fileId: 'f', name: 'Weekly' } as const;

  test('its list opens and closes, and is open for somebody who comes back from the login there', () => {
    const selecting = dialog({ kind: 'select service', service: 'webex' });
    expect(selecting.state.selecting).toEqual({ service: 'webex', returned: false });
    expect(selecting.send({ kind: 'close service' }).state.selecting).toBeNull();
    expect(new Dialog({ from: 'zoom' }).state.selecting).toEqual({ service: 'zoom', returned: true });
  });

  test('takes the way of a file, with its title there and without an upload', () => {
    const chosen = dialog({ kind: 'select service', service: 'zoom' }, { kind: 'picked', picked, seconds: 90 });
    expect(chosen.state).toMatchObject({ step: 'transcriptTypeSelecting', title: 'Weekly', file: null, picked });
    expect([chosen.state.selecting, chosen.effects, chosen.state.seconds]).toEqual([null, [], 90]);
    expect(chosen.send(next(withEngine)).state.step).toBe('processingOptionsSelecting');
    expect(chosen.send(back).state).toMatchObject({ step: 'transcriptTypeSelecting', picked });
    chosen.send(next(withEngine), next(withEngine));
    expect(chosen.effect('create')).toMatchObject({ recording: null, draft: { picked } });
  });

  test('a file can take its place', () => {
    const chosen = dialog({ kind: 'picked', picked, seconds: 90 }, { kind: 'other file' });
    expect([chosen.state.picked, chosen.state.seconds]).toEqual([null, null]);
    expect(chosen.effects).toEqual([]);
    expect(chosen.send(file()).state).toMatchObject({ picked: null, title: 'Interview 4' });
  });
});

describe('the choices', () => {
  test('the first model counts until another is chosen; the external one asks for the transcript', () => {
    expect(dialog(...withFile).state).toMatchObject({ step: 'externalTranscriptAdding', model: externalModel });
    const { state } = dialog(file());
    expect([chosenModel(state, withEngine), chosenModel(state, without)]).toEqual(['speech', externalModel]);
    expect(dialog(file(), set({ model: externalModel }), next(withEngine)).state.step).toBe('externalTranscriptAdding');
  });

  test('without speech recognition a recording is added without a transcript, unless one is at hand', () => {
    const ways = waysOf(without);
    expect(ways.map(({ name }) => name)).toEqual([noModel, externalModel]);
    expect(waysOf(withEngine)).toBe(withEngine);
    expect(waysOf(withPeople)).toBe(withPeople);
    const { state } = dialog(file());
    expect(chosenModel(state, ways)).toBe(noModel);
    const added = dialog(file(), next([...ways]), next([...ways]));
    expect(added.state).toMatchObject({ step: 'destinationChoosing', model: noModel });
    // A model of the last time that is gone by now.
    expect(chosenModel(new Dialog({ remembered: { model: noModel } }).state, withEngine)).toBe('speech');
  });

  test('an engine asks for a language it knows', () => {
    const options = dialog(file(), next(withEngine));
    expect(options.state).toMatchObject({ step: 'processingOptionsSelecting', model: 'speech', speakers: 2 });
    const wrong = options.send(set({ language: 'de-DE' }), next(withEngine));
    expect([wrong.state.step, [...wrong.state.wrong]]).toEqual(['processingOptionsSelecting', ['language']]);
    expect(wrong.send(set({ language: 'en-US' }), next(withEngine)).state.step).toBe('destinationChoosing');
  });

  test('a transcript is missing, or of another format; the error goes with the change', () => {
    const missing = dialog(...withFile, next());
    expect([missing.state.step, [...missing.state.wrong]]).toEqual(['externalTranscriptAdding', ['transcript']]);
    const wrong = missing.send(set({ transcript: captions, transcriptType: 'REV' }), next());
    expect([...wrong.state.wrong]).toEqual(['transcript']);
    expect([...wrong.send(set({ transcriptType: 'ZOOM' })).state.wrong]).toEqual([]);
    expect(wrong.send(next()).state.step).toBe('destinationChoosing');
  });

  test('the title is needed', () => {
    const untitled = dialog(...withFile, set({ transcript: fileOf('a.docx'), title: ' ' }), next());
    expect([...untitled.state.wrong]).toEqual(['title']);
  });

  test('a transcript alone takes its title from its own name, and is created without a recording', () => {
    const alone = dialog({ kind: 'only transcript' }, set({ transcript: fileOf('Notes.docx') }));
    expect(alone.state).toMatchObject({ step: 'externalTranscriptAdding', title: 'Notes' });
    expect(dialog({ kind: 'only transcript' }, back).state).toMatchObject({ step: 'uploadForm', model: '' });
    alone.send(next());
    expect(alone.effect('create')).toMatchObject({ recording: null, place });
    expect(alone.effect('remember')?.upload).not.toHaveProperty('model');
  });

  test('a file that is a transcript opens its own step; pasted text counts while no file is chosen', () => {
    const dropped = dialog(
      { kind: 'only transcript' },
      set({ transcriptType: 'REV' }),
      back,
      file(fileOf('Notes.srt')),
    );
    expect(dropped.state).toMatchObject({
      step: 'externalTranscriptAdding',
      file: null,
      title: 'Notes',
      transcriptType: 'AUTO',
    });
    expect(dropped.kinds).toEqual([]);
    const pasted = dropped.send(set({ transcript: null, pasted: 'Ann: Yes.' }), next());
    expect(pasted.effect('create')).toMatchObject({ recording: null, draft: { pasted: 'Ann: Yes.' } });
  });

  test('are remembered for the next time, within the limits of preferences', () => {
    const long = dialog(file(), next(withEngine), set({ vocabulary: 'x'.repeat(6000) }), next(withEngine));
    const upload = long.effect('remember')?.upload;
    expect(upload).toMatchObject({ language: 'en-US', speakersNumber: 2, model: 'speech' });
    expect(upload?.vocab).toHaveLength(5000);
  });

  test('those of the last time are chosen again where they still exist', () => {
    const start = (remembered: Start['remembered']) => new Dialog({ remembered }).state;
    const { language, speakers, transcriptType } = start({
      language: 'de-DE',
      speakersNumber: 0,
      externalTranscriptTypeId: 'OTTERAI',
    });
    expect([language, speakers, transcriptType]).toEqual(['de-DE', 0, 'OTTERAI']);
    expect(start({ externalTranscriptTypeId: 'GONE' }).transcriptType).toBe('AUTO');
    expect(chosenModel(start({ model: externalModel }), withEngine)).toBe(externalModel);
    expect(chosenModel(start({ model: 'gone' }), withEngine)).toBe('speech');
  });
});

describe('creating the meeting', () => {
  test('waits until the file has arrived', () => {
    const waiting = dialog(file(), next(), set({ transcript: captions, transcriptType: 'ZOOM' }), next());
    expect([waiting.state.step, waiting.state.work, waiting.kinds]).toEqual([
      'destinationChoosing',
      null,
      ['remember'],
    ]);
    waiting.send(sent);
    expect(waiting.effect('create')).toMatchObject({ recording: { uploadId: 'u' } });
    expect(waiting.state.work).toMatchObject({ kind: 'creating' });
  });

  test('is called once, whatever happens until its answer', () => {
    const waiting = dialog(...creating);
    expect(waiting.kinds).toEqual(['remember', 'create']);
    expect(waiting.send({ kind: 'opened' }, { kind: 'signed in' }, sent).effects).toEqual([]);
  });

  test('progress and end of an upload that another one replaced change nothing', () => {
    const retried = dialog(file(), sendingFailed);
    const { run } = retried.state.sending ?? { run: -1 };
    retried.send({ kind: 'retry sending' });
    expect(retried.effect('send')).toMatchObject({ resume: { id: 'part' } });
    const before = retried.state;
    expect(retried.send({ kind: 'sent', run, uploadId: 'old' }).state).toBe(before);
    expect(retried.send({ kind: 'retry sending' }).effects).toEqual([]);
    expect(dialog({ kind: 'sent', run, uploadId: 'old' }).state.sending).toBeNull();
  });

  test('takes a file in the form that could not be sent in parts, and shows how far that is', () => {
    const whole = dialog(file(), sendingFailed, next(), set({ transcript: captions, transcriptType: 'ZOOM' }), next());
    expect(whole.effect('create')?.recording).toBe('in the form');
    const progress = { state: 'going', sent: 2, total: 10, bytesPerSecond: null, secondsLeft: null } as const;
    whole.send({ kind: 'sending whole', run: -7, progress });
    expect(shownProgress(whole.state.sending)?.state).toBe('failed');
    whole.send((state) => ({ kind: 'sending whole', run: work(state), progress }));
    expect(shownProgress(whole.state.sending)).toBe(progress);
    expect(shownProgress(whole.send(answered()).state.sending)).toMatchObject({ state: 'sent', sent: 10 });
  });

  test('uses a file that arrived in the form although nothing was created, and deletes it with the dialog', () => {
    const form: Told[] = [file(), sendingFailed, next(), set({ transcript: captions, transcriptType: 'ZOOM' }), next()];
    const kept = dialog(...form, createFailed('whole'));
    expect(kept.state.step).toBe('processingFailed');
    expect(shownProgress(kept.state.sending)?.state).toBe('sent');
    expect(dialog(...form, createFailed('whole'), leave).effects).toEqual([
      { kind: 'close' },
      { kind: 'stop sending', wholeId: 'whole' },
    ]);
    kept.send({ kind: 'again' }, next());
    expect(kept.effect('create')?.recording).toEqual({ uploadId: 'whole' });
    const looksLike: Failure = { ...failure, message: 'Invalid transcript: line 2: expected a time', looksLike: 'REV' };
    const unread = dialog(...form, (state) => ({
      kind: 'create failed',
      run: work(state),
      failure: looksLike,
      wholeId: null,
    }));
    expect(unread.state.unreadable).toEqual({ message: looksLike.message, looksLike: 'REV' });
    expect(unread.send({ kind: 'again' }, set({ transcriptType: 'REV' })).state.unreadable).toBeNull();
    const again = dialog(...form, createFailed(null), { kind: 'again' }, next());
    expect(again.effect('create')?.recording).toBe('in the form');
  });

  test('a possible duplicate is shown; going on asks once, until it is another file', () => {
    const double = { ...created, duplicateUrl: '/meeting/b' };
    const asked = dialog(...creating, answered(double));
    expect([asked.state.step, asked.state.work]).toEqual(['duplicate', null]);
    expect(asked.send({ kind: 'ignore duplicate' }).state.step).toBe('processing');
    asked.send(processFailed({ lost: true }), { kind: 'again' }, next(), sent, answered(double));
    expect(asked.state.step).toBe('processing');
    asked.send(processFailed(), { kind: 'other file' }, ...creating, answered(double));
    expect(asked.state.step).toBe('duplicate');
  });

  test('notes on the transcript are read before it is processed', () => {
    const notes = [{ code: 'skipped' as const, count: 2 }];
    const noted = dialog(...creating, answered({ ...created, notes }));
    expect([noted.state.step, noted.state.unread, noted.state.work]).toEqual(['destinationChoosing', true, null]);
    expect(noted.send({ kind: 'notes read' }).state.step).toBe('processing');
  });

  test('another transcript after the notes is a new meeting, without the old notes', () => {
    const notes = [{ code: 'skipped' as const, count: 2 }];
    const noted = dialog(...creating, answered({ ...created, notes }), { kind: 'again' });
    expect(noted.state.step).toBe('externalTranscriptAdding');
    noted.send(set({ transcript: fileOf('b.vtt') }), next());
    expect(noted.state).toMatchObject({ step: 'destinationChoosing', created: null, unread: false });
    expect(noted.kinds).toEqual(['remember', 'drop meeting', 'send']);
  });

  test('a failure leads back to where the transcript is changed, with everything else as it was', () => {
    const failed = dialog(...creating, createFailed());
    expect(failed.state).toMatchObject({ step: 'processingFailed', failure, work: null });
    const again = failed.send({ kind: 'again' });
    expect(again.state).toMatchObject({ step: 'externalTranscriptAdding', title: 'Interview 4', failure: null });
    expect(again.effects).toEqual([]);
    expect(again.send(next()).kinds).toEqual(['remember', 'create']);
  });
});

describe('paying and processing', () => {
  const pay = (one = cost): Event => ({ kind: 'pay', cost: one });
  const dear = { ...cost, cost: 0.5 };

  test('goes on by itself where there is one usable way', () => {
    const seen = { model: externalModel, repriced: false, shown: false, unread: false };
    const of = (...costs: (typeof cost)[]) => onlyWay({ ...seen, created: { ...created, costs } });
    expect(of(cost)).toEqual(cost);
    expect(of(cost, cost)).toBeNull();
    expect(of({ ...cost, isEnough: false })).toBeNull();
    expect(of({ ...cost, isEnough: false, isDelegated: true })).not.toBeNull();
    expect(of({ ...cost, isEnoughQuota: false })).toBeNull();
    expect(onlyWay({ ...seen, model: humanModel, created })).toBeNull();
    expect(onlyWay({ ...seen, repriced: true, created })).toBeNull();
    expect(onlyWay({ ...seen, shown: true, created })).toBeNull();
    expect(onlyWay({ ...seen, unread: true, created })).toBeNull();
    expect(onlyWay({ ...seen, created: null })).toBeNull();
  });

  test('the only way is taken at once, and ends with the list refreshed', () => {
    const done = dialog(...processing);
    expect(done.state.step).toBe('processing');
    expect(done.kinds).toEqual(['taken', 'process']);
    expect(done.effect('process')).toMatchObject({ id: 'a', cost, draft: { title: 'Interview 4' } });
    expect(done.send(processed).state).toMatchObject({ step: 'success', work: null });
    expect(done.kinds).toEqual(['refresh list']);
  });

  test('several ways are chosen from, once', () => {
    const asked = dialog(...creating, answered({ ...created, costs: [cost, dear] }));
    expect([asked.state.step, asked.kinds]).toEqual(['destinationChoosing', ['taken']]);
    expect(asked.send(pay(dear)).effect('process')?.cost).toBe(dear);
    expect(asked.send(pay(cost)).effects).toEqual([]);
  });

  test('the human transcript is ordered only after a confirmation', () => {
    const human = set({ model: humanModel });
    const asked = dialog(file(), sent, human, next(withPeople), next(withPeople), answered());
    expect([asked.state.step, asked.state.work]).toEqual(['destinationChoosing', null]);
    asked.send(pay());
    expect(asked.effects).toEqual([{ kind: 'ask to order', title: 'Interview 4', cost }]);
    expect(asked.state.step).toBe('destinationChoosing');
    expect(asked.send({ kind: 'order confirmed', cost }).kinds).toEqual(['process']);
    expect(asked.send({ kind: 'order confirmed', cost }, pay()).effects).toEqual([]);
  });

  test('a changed price is chosen again, also after going back', () => {
    const repriced = dialog(...processing, processFailed({ costs: [dear] }));
    expect(repriced.state).toMatchObject({
      step: 'destinationChoosing',
      repriced: true,
      created: { id: 'a', costs: [dear] },
      work: null,
    });
    repriced.send(back, next());
    expect([repriced.state.step, repriced.state.repriced, repriced.kinds]).toEqual([
      'destinationChoosing',
      true,
      ['remember'],
    ]);
    expect(repriced.send(pay(dear)).effect('process')).toMatchObject({ id: 'a', cost: dear });
  });

  test('nothing is paid by itself once the costs have been shown', () => {
    const poor = { ...cost, isEnough: false };
    const asked = dialog(...creating, answered({ ...created, costs: [poor] }));
    asked.send({ kind: 'costs', id: 'another', costs: [cost] });
    expect(asked.state.created?.costs).toEqual([poor]);
    expect(asked.send({ kind: 'costs', id: 'a', costs: [cost] }).effects).toEqual([]);
    expect([asked.state.step, asked.state.created?.costs]).toEqual(['destinationChoosing', [cost]]);
    expect(asked.send(pay()).kinds).toEqual(['process']);
  });

  test('a failure offers another try with the same meeting', () => {
    const failed = dialog(...processing, processFailed());
    expect(failed.state).toMatchObject({ step: 'processingFailed', failure, created });
    failed.send({ kind: 'again' }, set({ title: 'Another', language: 'de-DE' }), next());
    expect(failed.effect('process')).toMatchObject({ id: 'a', draft: { title: 'Another' } });
    expect(failed.kinds).not.toContain('create');
  });

  test('a lost meeting is created again, with the file sent again', () => {
    const lost = dialog(...processing, processFailed({ lost: true }), { kind: 'again' }, next());
    expect(lost.kinds).toEqual(['remember', 'drop meeting', 'send']);
    expect(lost.effect('send')).toMatchObject({ resume: { id: null } });
    expect(lost.send(sent).kinds).toEqual(['create']);
  });
});

describe('what was created', () => {
  test('is kept by going back and changing nothing', () => {
    const priced = dialog(...creating, answered({ ...created, costs: [cost, cost] }), back);
    expect(priced.state).toMatchObject({ step: 'externalTranscriptAdding', created: { id: 'a' } });
    expect(priced.send(next()).kinds).toEqual(['remember']);
    expect(priced.state).toMatchObject({ step: 'destinationChoosing', created: { id: 'a' } });
  });

  test.each<[string, Event[]]>([
    ['transcript', [set({ transcript: fileOf('b.vtt') })]],
    ['format of it', [set({ transcriptType: 'RAE' }), set({ transcript: fileOf('b.txt') })]],
    ['model', [back, set({ model: 'speech' }), next(withEngine)]],
  ])('with another %s it is created again', (_what, events) => {
    const changed = dialog(...processing, processFailed(), { kind: 'again' }, ...events);
    expect(changed.state.created).toEqual(created);
    changed.send(next(withEngine));
    expect(changed.state).toMatchObject({ step: 'destinationChoosing', created: null });
    expect(changed.effect('drop meeting')).toEqual({ kind: 'drop meeting', id: 'a' });
  });

  test('is deleted for another file', () => {
    const other = dialog(...creating, answered({ ...created, costs: [cost, cost] }), back, back, {
      kind: 'other file',
    });
    expect(other.kinds).toEqual(['drop meeting', 'stop sending']);
    expect(other.state.created).toBeNull();
    expect(other.send(...creating).kinds).toEqual(['remember', 'create']);
  });
});

describe('leaving', () => {
  const navigation = (): Navigation => ({ goOn: () => {}, stay: () => {} });

  test('asks wherever something would be lost', () => {
    const asking: Step[] = [
      'transcriptTypeSelecting',
      'processingOptionsSelecting',
      'externalTranscriptAdding',
      'destinationChoosing',
      'processing',
      'duplicate',
    ];
    for (const step of asking) expect(asksBeforeLeaving(step)).toBe(true);
    for (const step of ['notLoggedIn', 'uploadForm', 'processingFailed', 'success'] as const)
      expect(asksBeforeLeaving(step)).toBe(false);
  });

  test('at the start closes at once', () => {
    const closed = dialog(leave);
    expect([closed.state.closed, closed.effects]).toEqual([true, [{ kind: 'close' }]]);
    expect(closed.send(leave, { kind: 'gone' }).effects).toEqual([]);
  });

  test('with a file asks, once; who stays goes on, who leaves ends the upload', () => {
    const asked = dialog(file(), leave);
    expect(asked.effects).toEqual([{ kind: 'ask to leave', handedOver: false }]);
    expect(asked.send(leave).effects).toEqual([]);
    expect(asked.send(leaves(false)).effects).toEqual([]);
    expect(asked.state).toMatchObject({ asking: null, closed: false, step: 'transcriptTypeSelecting' });
    asked.send(leave, leaves(true));
    expect(asked.effects).toEqual([{ kind: 'close' }, { kind: 'stop sending', wholeId: null }]);
    expect(asked.state).toMatchObject({ closed: true, sending: null });
    expect(asked.send(leaves(true)).effects).toEqual([]);
  });

  test('nothing is started while the person is asked', () => {
    const asked = dialog(file(), next(), set({ transcript: captions, transcriptType: 'ZOOM' }), next(), leave, sent);
    expect(asked.effects).toEqual([]);
    expect(asked.send(leaves(false)).kinds).toEqual(['create']);
    asked.send(leave, answered());
    expect([asked.state.step, asked.kinds]).toEqual(['destinationChoosing', ['taken']]);
    expect(asked.send(leaves(false)).kinds).toEqual(['process']);
  });

  test('deletes what was created, also where the answer comes while or after the person is asked', () => {
    const meanwhile = dialog(...creating, leave, answered(), leaves(true));
    expect(meanwhile.kinds).toEqual(['close', 'drop meeting', 'stop sending']);
    const late = dialog(...creating, leave, leaves(true));
    expect(late.kinds).toEqual(['close', 'stop sending']);
    late.send(answered());
    expect(late.effects).toEqual([{ kind: 'drop meeting', id: 'a' }]);
    expect(late.state.created).toBeNull();
  });

  test('a late failure says nothing, and deletes a file that arrived with it', () => {
    const late = dialog(...creating, leave, leaves(true), createFailed());
    expect([late.effects, late.state.step]).toEqual([[], 'destinationChoosing']);
    const kept = dialog(...creating, leave, leaves(true), createFailed('whole'));
    expect(kept.effects).toEqual([{ kind: 'stop sending', wholeId: 'whole' }]);
  });

  test('progress after the end changes nothing', () => {
    const ended = dialog(file(), leave, leaves(true));
    const before = ended.state;
    expect(ended.send(sent, sendingFailed, { kind: 'retry sending' }).state).toBe(before);
  });

  test('what was handed over is processed all the same', () => {
    const handedOver = dialog(...processing, leave);
    expect(handedOver.effects).toEqual([{ kind: 'ask to leave', handedOver: true }]);
    expect(handedOver.send(leaves(true)).effects).toEqual([{ kind: 'close' }]);
    expect(handedOver.send(processed).effects).toEqual([{ kind: 'refresh list' }]);
    expect(dialog(...processing, { kind: 'gone' }).effects).toEqual([]);
    expect(dialog(...processing, processed, leave).effects).toEqual([{ kind: 'close' }]);
  });

  test('a failure that comes after it is told in a notice, and its meeting is deleted', () => {
    const failed = dialog(...processing, leave, leaves(true), processFailed({ costs: [cost] }));
    expect(failed.effects).toEqual([
      { kind: 'tell failure', title: 'Interview 4', message: 'no' },
      { kind: 'drop meeting', id: 'a' },
    ]);
  });

  test('a failure that comes while the person is asked is shown first', () => {
    const failed = dialog(...processing, leave, processFailed(), leaves(true));
    expect(failed.state).toMatchObject({ closed: false, asking: null, step: 'processingFailed' });
    expect(failed.send(leave).kinds).toEqual(['close', 'drop meeting', 'stop sending']);
    const done = dialog(...processing, leave, processed, leaves(true));
    expect(done.effects).toEqual([{ kind: 'close' }]);
  });

  test('an answer to a call that was given up deletes its meeting and changes nothing', () => {
    const givenUp = dialog(...creating);
    const run = work(givenUp.state);
    givenUp.send({ kind: 'other file' });
    const before = givenUp.state;
    givenUp.send({ kind: 'created', run, created });
    expect([givenUp.state, givenUp.kinds]).toEqual([before, ['drop meeting']]);
    expect(givenUp.send({ kind: 'process failed', run, failure, lost: false, costs: null }).effects).toEqual([]);
  });

  test('by navigation asks, too: it goes on or is taken back with the answer', () => {
    const [first, second] = [navigation(), navigation()];
    const asked = dialog(file(), { kind: 'leave', navigation: first });
    expect(asked.kinds).toEqual(['ask to leave']);
    expect(asked.send(leaves(false)).effects).toEqual([{ kind: 'stay', navigation: first }]);
    asked.send({ kind: 'leave', navigation: second }, leaves(true));
    expect(asked.kinds).toEqual(['go on', 'stop sending']);
    expect(asked.effect('go on')?.navigation).toBe(second);
  });

  test('by navigation while the person is asked already waits for the same answer', () => {
    const way = navigation();
    const asked = dialog(file(), leave, { kind: 'leave', navigation: way });
    expect(asked.effects).toEqual([]);
    expect(asked.send(leaves(true)).effect('go on')?.navigation).toBe(way);
  });

  test('in a way that could not ask ends the upload', () => {
    const gone = dialog(file(), { kind: 'gone' });
    expect(gone.effects).toEqual([{ kind: 'stop sending', wholeId: null }]);
    expect(gone.send({ kind: 'gone' }).effects).toEqual([]);
    expect(dialog(...creating, answered({ ...created, costs: [cost, cost] }), { kind: 'gone' }).kinds).toEqual([
      'drop meeting',
      'stop sending',
    ]);
  });
});

test('signing in leads on from the first step, and nobody back who has begun', () => {
  expect(new Dialog({ signedIn: false }).send({ kind: 'signed in' }).state.step).toBe('uploadForm');
  const begun = dialog(file());
  const before = begun.state;
  expect(begun.send({ kind: 'signed in' }).state).toBe(before);
});
