import { html, raw } from 'hono/html';
import type { Stripe } from 'stripe';
import { fallbackLanguage, isLanguage, acceptedLanguage, type Language } from '#shared/i18n/languages.ts';
import { practicePageTexts, type PracticePageTexts } from '#shared/practice-page.ts';

export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  // Without form-action: a browser applies it to the redirect after a form, which leads back to the application.
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const style = `
:root { color-scheme: light dark; --ground: #fbfaf7; --raised: #fff; --line: #8b8f92; --ink: #1e2328; --accent: #0b6b63; --on-accent: #fff; --warn: #fff3c4; --on-warn: #4a3800; --danger: #b3261e }
@media (prefers-color-scheme: dark) { :root { --ground: #16191c; --raised: #1f2327; --line: #7d8388; --ink: #e8e6e1; --accent: #5cc4b8; --on-accent: #08201d; --danger: #ff9b93 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { max-width: 28rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; display: grid; gap: 1rem }
h1 { margin: 0; font-size: 1.5rem }
p { margin: 0 }
.badge { background: var(--warn); color: var(--on-warn); font-weight: 600; text-align: center; padding: .5rem 1rem }
.card { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: 1rem }
dl { display: grid; grid-template-columns: 1fr auto; gap: .25rem 1rem; margin: 0 } dd { margin: 0; text-align: end } .total { font-weight: 600 }
form { display: grid; gap: .5rem }
button, a.button { font: inherit; min-height: 2.75rem; padding: .5rem 1rem; border-radius: 6px; border: 1px solid var(--line); background: var(--raised); color: var(--ink); cursor: pointer; text-align: center; text-decoration: none }
button.first { background: var(--accent); color: var(--on-accent); border-color: var(--accent); font-weight: 600 }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.declined { color: var(--danger); font-weight: 600 }
`;

function money(language: Language, cents: number): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' }).format(cents / 100);
}

function pageOf(language: Language, texts: PracticePageTexts, title: string, content: unknown): string {
  const page = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}: ${texts.badge}</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <header><p class="badge" role="note">${texts.badge}</p></header>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
  // Nothing in it is a promise.
  return (page as unknown as string).valueOf();
}

function amounts(language: Language, texts: PracticePageTexts, cents: number, taxCents: number) {
  return html`<dl>
    ${
      taxCents > 0
        ? html`<dt>${texts.subtotal}</dt>
            <dd>${money(language, cents)}</dd>
            <dt>${texts.tax}</dt>
            <dd>${money(language, taxCents)}</dd>`
        : ''
    }
    <dt class="total">${texts.total}</dt>
    <dd class="total">${money(language, cents + taxCents)}</dd>
  </dl>`;
}

/** Page on which a person decides what happens to a practice payment. */
export function cardPage(
  session: Stripe.Checkout.Session,
  order: { name: string; interval: 'month' | 'year' | null },
  declined: boolean,
): string {
  const language = isLanguage(session.locale) ? session.locale : fallbackLanguage;
  const texts = practicePageTexts[language];
  const taxCents = session.total_details?.amount_tax ?? 0;
  const often = order.interval === null ? '' : order.interval === 'month' ? texts.monthly : texts.yearly;
  const bought = html`<section class="card">
    <p>${order.name}${often && `, ${often}`}</p>
    ${amounts(language, texts, (session.amount_total ?? 0) - taxCents, taxCents)}
  </section>`;
  if (session.status !== 'open') {
    const back = session.status === 'complete' ? session.success_url : session.cancel_url;
    const content = html`${bought}
      <p role="status">${session.status === 'complete' ? texts.paid : texts.expired}</p>
      <a class="button" href="${(back ?? '/').replaceAll('{CHECKOUT_SESSION_ID}', session.id)}">${texts.back}</a>`;
    return pageOf(language, texts, texts.title, content);
  }
  const content = html`<p>${texts.lead}</p>
    ${bought} ${declined ? html`<p class="declined" role="alert">${texts.declined}</p>` : ''}
    <form method="post">
      <button class="first" name="action" value="pay">
        ${texts.pay} ${money(language, session.amount_total ?? 0)}
      </button>
      <button name="action" value="later">${texts.later}</button>
      <button name="action" value="decline">${texts.decline}</button>
      <button name="action" value="leave">${texts.leave}</button>
    </form>`;
  return pageOf(language, texts, texts.title, content);
}

/** Page on which a bill that was not paid can be paid. */
export function invoicePage(invoice: Stripe.Invoice, accepted: string | undefined): string {
  const language = acceptedLanguage(accepted);
  const texts = practicePageTexts[language];
  const taxCents = (invoice.total_taxes ?? []).reduce((sum, { amount }) => sum + amount, 0);
  const content = html`<section class="card">${amounts(language, texts, invoice.total - taxCents, taxCents)}</section>
    ${
      invoice.status === 'open'
        ? html`<form method="post">
            <button class="first" name="action" value="pay">${texts.pay} ${money(language, invoice.total)}</button>
          </form>`
        : html`<p role="status">${texts.paid}</p>`
    }`;
  return pageOf(language, texts, texts.bill, content);
}
