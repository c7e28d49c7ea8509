import { joinEmbedded } from '#db/embedded.ts';
import { openDatabase } from '#db/open.ts';
import {
  endPromo,
  grantCredits,
  listDebts,
  listPromos,
  makePromo,
  Refused,
  returnToSender,
  voidTestMoney,
} from '#server/billing/operator.ts';
import { systemClock } from '#server/clock.ts';
import { readConfig } from '#server/config.ts';
import { creditsText, parseCredits } from '#shared/money.ts';

const usage = `npm run desk -- grant <address> <credits> <reason>     gives credits; a debt is paid first
npm run desk -- debts                                  lists who owes something
npm run desk -- promo <code> <credits> <uses> [<least purchase> [<last day, such as 2027-12-31>]]
                                                       makes a promo code
npm run desk -- promos                                 lists promo codes and their uses
npm run desk -- end-promo <code>                       ends one
npm run desk -- return-gift <sender> <recipient>       returns credits that wait for an address
npm run desk -- void-test-money                        reverses all test payments, before real ones are taken`;

const [command, ...words] = process.argv.slice(2);
const config = readConfig(process.env, new URL('..', import.meta.url).pathname);
const say = (line: string) => console.log(line);

/** Work of a command whose words are read: a mistake in them is found before a database is started. */
type Work = (desk: Parameters<typeof listDebts>[0]) => Promise<void>;

const work = workOf(command, words);
if (work === null) {
  say(usage);
  process.exit(2);
}
const embedded = config.databaseUrl ? null : await joinEmbedded({ dataDir: config.dataDir, say });
const db = openDatabase(config.databaseUrl ?? embedded?.url ?? '', { max: 1, statementTimeout: 600_000 });
try {
  await work({ db, clock: systemClock, origin: () => config.publicOrigin ?? `http://localhost:${config.port}` });
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  say(error.message);
  process.exitCode = 1;
} finally {
  await db.close();
  await embedded?.stop();
}

/** Command of the words; null for none. */
function workOf(name: string | undefined, given: string[]): Work | null {
  const [first = '', second = '', third = '', fourth = '0', day, ...more] = given;
  const amount = parseCredits(second);
  switch (name) {
    case 'grant': {
      const reason = given.slice(2).join(' ').trim();
      if (!first.includes('@') || !amount || !reason) return null;
      return async (desk) => {
        const { balance, debt } = await grantCredits(desk, { email: first, amount, reason });
        say(`${first} has ${balance} credits now${debt === '0.00' ? '' : `, and owes ${debt}`}.`);
      };
    }
    case 'debts':
      return given.length > 0
        ? null
        : async (desk) => {
            const debts = await listDebts(desk);
            for (const { email, debt } of debts) say(`${creditsText(BigInt(debt))} ${email ?? '(deleted account)'}`);
            say(debts.length === 0 ? 'Nobody owes anything.' : '`grant` pays a debt.');
          };
    case 'promo': {
      const [limit, least] = [/^[1-9]\d{0,8}$/.test(third) ? Number(third) : 0, parseCredits(fourth)];
      const expiresAt = day === undefined ? null : endOf(day);
      if (!amount || limit === 0 || least === null || expiresAt === undefined || more.length > 0) return null;
      return async (desk) => {
        const code = await makePromo(desk, { code: first, bonus: amount, limit, least, expiresAt });
        say(`${code} adds ${creditsText(amount)} credits to a purchase, ${limit} times.`);
      };
    }
    case 'promos':
      return given.length > 0
        ? null
        : async (desk) => {
            const promos = await listPromos(desk);
            for (const { code, bonus, least, used, limit, expiresAt } of promos)
              say(
                [
                  `${code}: ${creditsText(bonus)} credits, used ${used} of ${limit} times`,
                  ...(least > 0n ? [`from ${creditsText(least)} on`] : []),
                  ...(expiresAt ? [`until ${expiresAt.toISOString()}`] : []),
                ].join(', '),
              );
            if (promos.length === 0) say('There are no promo codes.');
          };
    case 'end-promo':
      return given.length === 1 ? async (desk) => say(`${await endPromo(desk, first)} has ended.`) : null;
    case 'return-gift':
      return given.length === 2
        ? async (desk) => say(`${await returnToSender(desk, { from: first, to: second })} credits are back.`)
        : null;
    case 'void-test-money':
      return given.length > 0
        ? null
        : async (desk) => {
            const voided = await voidTestMoney(desk);
            say(
              voided === null
                ? 'There is no test money: no payment was taken yet.'
                : `${voided.payments} payments of the mode ${voided.mode} are reversed. Of them, ${voided.spent} credits were spent already; they are booked as granted.`,
            );
          };
    default:
      return null;
  }
}

/** The end of a day that is written as 2027-12-31; undefined for anything else. */
function endOf(day: string): Date | undefined {
  const end = new Date(`${day}T23:59:59.999Z`);
  return /^\d{4}-\d\d-\d\d$/.test(day) && end.toISOString().startsWith(day) ? end : undefined;
}
