import { createHash } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { html, raw } from 'hono/html';
import { ledgerLines, ledgerPostings, purses } from '#db/schema/billing.ts';
import { isPlan, plans } from '#shared/catalogue.ts';
import type { Language } from '#shared/i18n/languages.ts';
import type { BillingInfo } from '#shared/payments.ts';
import { Problem } from '#shared/problems.ts';
import { receiptTexts } from '#shared/receipt.ts';
import { signedIn, type Ctx } from '../context.ts';
import { plainHeaders } from '../http/headers.ts';
import { paymentHouseOf } from './payment-house.ts';
import { billingInfoOf } from './profile.ts';

interface Details {
  net?: string;
  tax?: string;
  bonus?: string;
  plan?: string;
  invoice?: string | null;
}

const dollars = (language: Language, micros: bigint): string =>
  new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' }).format(Number(micros / 10_000n) / 100);

const style = `
  body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
  main { box-sizing: border-box; max-width: 40rem; margin: 0 auto; padding: 2rem 1rem; }
  h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.2; }
  [role='note'] { margin: 0 0 1rem; padding: 0.5rem 0.75rem; border: 2px solid; border-radius: 0.375rem; }
  dl { margin: 0; }
  dl > div { display: grid; grid-template-columns: minmax(7rem, 1fr) 2fr; gap: 0 1rem; padding: 0.5rem 0; border-bottom: 1px solid GrayText; }
  dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
  .total { font-weight: 600; }
  footer { margin-top: 1.5rem; }
  @media print { main { max-width: none; padding: 0; } }
`;

const digest = createHash('sha256').update(style).digest('base64');

/** Content policy of a receipt: that of data, with its own style. */
export const receiptPolicy = plainHeaders['Content-Security-Policy'].replace(
  "default-src 'none';",
  `default-src 'none'; style-src 'sha256-${digest}';`,
);

/** A receipt that can be printed. Somebody else's and none are one answer. */
export async function receiptPage(ctx: Ctx, { id }: { id: string }): Promise<string> {
  const { person } = signedIn(ctx);
  const [found] = await ctx.db.orm
    .select({
      ...{ id: ledgerPostings.id, at: ledgerPostings.at, details: ledgerPostings.details },
      isVoid: sql<boolean>`exists (select 1 from ledger_postings v where v.key = 'void:' || ${ledgerPostings.id})`,
    })
    .from(ledgerPostings)
    .innerJoin(ledgerLines, eq(ledgerLines.postingId, ledgerPostings.id))
    .innerJoin(purses, eq(purses.id, ledgerLines.purseId))
    .where(and(eq(ledgerPostings.key, `stripe:${id}`), eq(purses.userId, person.id)));
  if (!found) throw new Problem('NO_ACCESS');
  const { mode } = await paymentHouseOf(ctx.db.orm);
  const isTest = found.isVoid || (mode !== null && mode !== 'live');
  const info = await billingInfoOf(ctx.db.orm, person.id);
  const { language } = ctx;
  const texts = receiptTexts[language];
  const details = found.details as Details;
  const [net, tax, bonus] = [details.net ?? '0', details.tax ?? '0', details.bonus ?? '0'].map(BigInt) as [
    bigint,
    bigint,
    bigint,
  ];
  const bought = details.plan !== undefined && isPlan(details.plan) ? plans[details.plan].title : texts.credits;
  const pdf = await invoicePdf(ctx, details.invoice ?? null);
  const page = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${texts.title} ${String(found.id)}</title>
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        <main>
          <h1>${texts.title}</h1>
          ${isTest ? html`<p role="note"><strong>${texts.practice}</strong></p>` : ''}
          <dl>
            ${row(texts.number, String(found.id))} ${row(texts.date, dateOf(language, found.at))}
            ${row(texts.buyer, info?.name || `${person.firstName} ${person.lastName}`.trim())}
            ${info ? addressRows(texts.address, info) : ''} ${row(texts.bought, bought)}
            ${row(texts.price, dollars(language, net))} ${tax > 0n ? row(texts.tax, dollars(language, tax)) : ''}
            ${row(texts.total, dollars(language, net + tax), 'total')}
            ${bonus > 0n ? row(texts.bonus, dollars(language, bonus)) : ''} ${row(texts.payment, id)}
          </dl>
          ${pdf === null ? '' : html`<p><a href="${pdf}" rel="noreferrer">${texts.invoice}</a></p>`}
          <footer>Colloquy</footer>
        </main>
      </body>
    </html>`;
  return (page as unknown as string).valueOf();
}

const row = (label: string, value: string, kind = '') =>
  html`<div class="${kind}">
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;

/** Address of the service's own invoice; null without one, or while the service cannot be asked. */
async function invoicePdf({ payments, log }: Ctx, id: string | null): Promise<string | null> {
  if (!payments || id === null) return null;
  try {
    const url = (await payments.invoice(id))?.pdfUrl ?? null;
    return url?.startsWith('https://') ? url : null;
  } catch (error) {
    log.warn({ err: error }, 'the invoice of a receipt could not be read');
    return null;
  }
}

function addressRows(label: string, { address, tax_id_data }: BillingInfo) {
  const { line1, line2, postal_code, city, state, country } = address;
  const lines = [line1, line2, `${postal_code} ${city}`.trim(), state, country].filter((line) => line !== '');
  return html`${lines.length > 0 ? row(label, lines.join(', ')) : ''}
  ${tax_id_data.map(({ type, value }) => row(type.toUpperCase().replace('_', ' '), value))}`;
}

const dateOf = (language: Language, at: Date): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(at) + ' UTC';
