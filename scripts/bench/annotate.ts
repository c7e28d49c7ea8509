// npm run bench -- annotate [words] [annotations] [--quick]: a long transcript with outcomes and comments beside the
// same one without: time until it can be edited, from a key to the paint, and scrolling. Rounds alternate.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { newId } from '#shared/ids.ts';
import { writeAnnotation, type Comment, type Annotation, type Outcome } from '#shared/meetings/annotations.ts';
import { anchorAt, saidIn } from '#shared/meetings/anchors.ts';
import { outcomeModels } from '#shared/meetings/outcome-types.ts';
import { plainDocument } from '#shared/meetings/rich-text.ts';
import { readWords } from '#shared/meetings/words.ts';
import { figures } from '../figures.ts';
import { at, kept, scroll, spentBy, type, untilEditable } from './page/measures.ts';
import { openStage, talk } from './page/stage.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const words = Number(positionals[0] ?? '30000');
const count = Number(positionals[1] ?? '1000');
const rounds = options.quick ? 1 : 3;

const stage = await openStage();
try {
  await measure();
} finally {
  await stage.close();
}

/** So many outcomes and as many comments, evenly over the text, each on five words. */
async function annotate(id: string, userId: string): Promise<void> {
  const items: Annotation[] = await stage.rooms.enter(id, 'transcript', null).then(({ room }) =>
    room.read((doc) => {
      const reading = readWords(doc);
      return Array.from({ length: count }, (_, i) => {
        const segment = Math.floor((i * reading.segments.length) / count);
        const found = reading.segments[segment]?.words ?? [];
        const [first, last] = [found[2 + (i % 8)], found[6 + (i % 8)]];
        const begin = reading.starts[segment] ?? 0;
        const [from, to] = [begin + (first?.at ?? 0), begin + (last?.at ?? 0) + (last?.text.length ?? 1)];
        return {
          id: newId(),
          rev: 1,
          ...saidIn(reading, from, to),
          anchor: anchorAt(doc, room.generation, from, to),
          author: { id: userId, kind: 'user' as const, name: 'Ann Tester' },
          private: false,
          createdAt: new Date(i).toISOString(),
          editTimestamp: null,
        };
      });
    }),
  );
  const types = outcomeModels.meeting.types.filter(({ readOnly }) => !readOnly);
  const by = { userId, origin: 'bench' };
  await stage.rooms.change(id, 'outcomes', by, (doc) => {
    for (const [i, item] of items.entries()) {
      const kind = types[i % types.length]?.id ?? 'notes';
      const own: Outcome = {
        ...item,
        type: kind,
        text: 'To be done',
        children: [],
        grade: null,
        automatic: false,
        wasAutomatic: false,
        url: null,
      };
      writeAnnotation(doc, 'outcome', own, 'shared', 'bench');
    }
  });
  await stage.rooms.change(id, 'comments', by, (doc) => {
    const text = JSON.stringify(plainDocument('Is this what was meant?'));
    for (const item of items) {
      const own: Comment = { ...item, id: newId(), parent: null, text, resolved: null, url: null };
      writeAnnotation(doc, 'comment', own, 'shared', 'bench');
    }
  });
}

async function measure(): Promise<void> {
  const [ann] = await stage.people('ann');
  if (!ann) throw new Error('nobody there');
  const texts = talk(words);
  const bare = await stage.recording(texts, [ann]);
  const full = await stage.recording(texts, [ann]);
  const began = performance.now();
  await annotate(full, ann.id);
  console.log(
    `${words.toLocaleString('en')} words, ${count} outcomes and ${count} comments put there in ${Math.round(performance.now() - began)} ms, load ${loadavg()[0]?.toFixed(1)}`,
  );
  const asked = async (id: string) => {
    const from = performance.now();
    const { status } = await ann.get(`/api/meetings/${id}`);
    if (status !== 200) throw new Error(`answered ${status}`);
    return performance.now() - from;
  };
  const one = (): Record<'editable' | 'painted' | 'frames' | 'cpu' | 'asked', number[]> => ({
    editable: [],
    painted: [],
    frames: [],
    cpu: [],
    asked: [],
  });
  const found = { bare: one(), full: one() };
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, id] of [
      ['bare', bare],
      ['full', full],
    ] as const) {
      const page = await stage.seat(ann);
      await untilEditable(page, `/meeting/${id}`);
      // Annotations are on the screen before the typing begins.
      if (name === 'full')
        await page.waitForFunction(
          () =>
            CSS.highlights.size > 1 && document.querySelector('[data-marks], [data-outcomes], .ProseMirror') !== null,
        );
      const { editable } = await kept(page);
      const painted = await type(page);
      const spent = await spentBy(page);
      const before = await spent();
      const frames = await scroll(page);
      const cpu = (await spent()) - before;
      const answered = await asked(id);
      // The first round is a warm-up.
      if (round > 0) {
        found[name].editable.push(editable);
        found[name].painted.push(...painted);
        found[name].frames.push(...frames);
        found[name].cpu.push(cpu);
        found[name].asked.push(answered);
      }
      await page.context().close();
      console.log(`${round}/${rounds} ${name}`);
    }
  }
  const tell = (name: string, what: keyof ReturnType<typeof one>) => {
    const ratio = at(found.full[what], 0.95) / at(found.bare[what], 0.95);
    const middle = at(found.full[what], 0.5) / at(found.bare[what], 0.5);
    console.log(`${name}, without: ${figures(found.bare[what]).text}`);
    console.log(
      `${name}, with: ${figures(found.full[what]).text}; ${middle.toFixed(2)} times (median), ${ratio.toFixed(2)} times (95 %)`,
    );
  };
  tell('writable', 'editable');
  tell('key to paint', 'painted');
  tell('frames while scrolling', 'frames');
  tell('CPU of the page while it scrolls by 27,000 pixels', 'cpu');
  tell('GET of the meeting', 'asked');
}
