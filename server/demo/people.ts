import { sql } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { emailKey } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { demoAddressOf, demoLastName, demoPassword, demoPeople, type DemoPerson } from '../accounts/demo-people.ts';
import { logOut } from '../accounts/login.ts';
import { changeMe } from '../accounts/me.ts';
import { register } from '../accounts/register.ts';
import { findSession } from '../people/sessions.ts';
import { signedIn, transaction, type Ctx, type House, type Signed } from '../context.ts';
import { reviewTalk } from './reviewed.ts';
import { suggestInTalk } from './suggested.ts';
import { makeTalk } from './talk.ts';
import { noBotCheck } from '../outside/bot-check.ts';

/** Number of the advisory lock, used only for seeding the demo. */
const demoLock = 7_210_551_205;

/**
 * Adds people with sample content to an empty installation, by the calls that people use; an installation with users
 * stays unchanged.
 */
export async function seedDemo(house: House, say: (line: string) => void): Promise<void> {
  if (!house.config.demo) return;
  const made = await transaction(house, async (tx) => {
    // Concurrent starts: the first adds the people, the others find them.
    await tx.execute(sql`select pg_advisory_xact_lock(${demoLock})`);
    if ((await tx.select({ id: users.id }).from(users).limit(1)).length > 0) return null;
    return Promise.all(demoPeople.map((person) => moveIn(house, person)));
  });
  const [ann, ben, chen] = made ?? [];
  if (!ann || !ben || !chen) return;
  const talk = await makeTalk(house, ann.person.id, [ben.person.id, chen.person.id]);
  await suggestInTalk(house, talk);
  await reviewTalk({ ann, ben, chen }, talk);
  await Promise.all([ann, ben, chen].map(logOut));
  say('The sign-in page offers the demo people Ann, Ben and Chen.');
}

/** Creates a person and a context signed in as them, which makes their content. */
async function moveIn(house: House, person: DemoPerson): Promise<Signed> {
  const outside: Ctx = {
    ...house,
    botCheck: noBotCheck,
    requestId: newId(),
    address: 'demo',
    userAgent: 'demo',
    language: 'en',
    person: null,
    proof: null,
  };
  const email = demoAddressOf(person);
  const { session } = await register(
    outside,
    {
      email,
      password: demoPassword,
      passwordConfirm: demoPassword,
      firstName: person.firstName,
      lastName: demoLastName,
      terms: true,
      language: 'en',
    },
    emailKey(email),
  );
  const ctx: Ctx = { ...outside, ...(await findSession(house, session.secret)) };
  await changeMe(ctx, { accountType: person.accountType });
  return signedIn(ctx);
}
