// Corrects a word throughout a recording over the API, while people may be typing in it:
//   TOKEN=<of POST /api/tokens> npx tsx scripts/examples/correct.ts http://localhost:3000 <meeting> "wrong word" "right word"
import { fileURLToPath } from 'node:url';

interface Task {
  address: string;
  token: string;
  meeting: string;
  wrong: string;
  right: string;
}

interface Meeting {
  version: number;
  doc: { transcript: { segments: { id: string | null; text: string }[] } };
}

const patience = 5;

/** Answers in how many segments the word stood, and how often somebody else was quicker. */
export async function correct({
  address,
  token,
  meeting,
  wrong,
  right,
}: Task): Promise<{ corrected: number; conflicts: number }> {
  const path = `/api/meetings/${encodeURIComponent(meeting)}`;
  const read = async (): Promise<Meeting> => {
    const answer = await call('GET', path);
    if (!answer.ok) throw new Error(`the meeting could not be read: ${await answer.text()}`);
    return (await answer.json()) as Meeting;
  };

  async function call(method: string, to: string, body?: unknown): Promise<Response> {
    // One id for all tries: an answer that got lost is told again, and nothing is done twice.
    const headers = {
      Authorization: `Bearer ${token}`,
      'X-Request-ID': crypto.randomUUID(),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await fetch(address + to, {
          method,
          headers,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        if (tries === patience || (answer.status !== 429 && answer.status < 500)) return answer;
        const wait = Number(answer.headers.get('Retry-After') ?? 0);
        await new Promise((resolve) => setTimeout(resolve, Math.max(wait * 1000, tries * 200)));
      } catch (error) {
        if (tries === patience) throw error;
        await new Promise((resolve) => setTimeout(resolve, tries * 200));
      }
    }
  }

  let [corrected, conflicts] = [0, 0];
  let seen = await read();
  for (const { id } of seen.doc.transcript.segments) {
    // A segment that was merged into another since is part of that one; its words are found there.
    for (let done = false; !done;) {
      const pos = id ?? 0;
      const old = seen.doc.transcript.segments.find((segment) => segment.id === id)?.text;
      if (old === undefined || !old.includes(wrong)) break;
      const edit = { pos, old, new: old.replaceAll(wrong, right), version: seen.version };
      const answer = await call('POST', `${path}/edit`, edit);
      done = answer.ok;
      if (answer.ok) corrected += 1;
      else if (answer.status === 409) {
        // Somebody has changed it meanwhile: what stands there now is corrected instead.
        conflicts += 1;
        seen = await read();
      } else throw new Error(`the edit was refused: ${await answer.text()}`);
    }
  }
  return { corrected, conflicts };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [address = '', meeting = '', wrong = '', right = ''] = process.argv.slice(2);
  const token = process.env['TOKEN'] ?? '';
  if ([address, meeting, wrong, token].includes('')) {
    console.error('TOKEN=<token> npx tsx scripts/examples/correct.ts <address> <meeting> <wrong> <right>');
    process.exit(1);
  }
  const { corrected, conflicts } = await correct({ address, token, meeting, wrong, right });
  console.log(`${corrected} corrected, ${conflicts} times somebody else was quicker`);
}
