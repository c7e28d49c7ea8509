import type { Language } from '#shared/i18n/languages.ts';
import { meetingEn } from '#shared/i18n/meetings/en.ts';
import { meetingEs } from '#shared/i18n/meetings/es.ts';
import { meetingRu } from '#shared/i18n/meetings/ru.ts';
import { meetingZh } from '#shared/i18n/meetings/zh.ts';
import type { FirstText } from '#shared/meetings/first-text.ts';
import { escapeHtml } from '../http/escape-html.ts';
import type { Beside } from './first-text.ts';

// Markup of the first screens of a transcript. Its looks are in client/ui/first-text.css, and repeat those of the page.

const texts = { en: meetingEn, es: meetingEs, ru: meetingRu, zh: meetingZh };

export function firstTextMarkup(first: FirstText & Beside, language: Language): string {
  const { document, player } = texts[language];
  const { title, lang, segments, hasSound } = first;
  const rows = segments.map(({ name, color, turn, text }) => {
    const shown = turn ? `<span data-text="${escapeHtml(name ?? player.unknownSpeaker)}"></span>` : '';
    const voice = color === null ? 0 : color + 1;
    // A line break right behind a start tag would be dropped from some elements, but not from these.
    return `<div data-voice="${voice}"${turn ? ' data-turn' : ''}><i>${shown}</i><p>${escapeHtml(text)}</p></div>`;
  });
  // A line for a newcomer to recordings with sound, which only the browser knows (public/scheme.js).
  const help = `<div class="first-help" aria-hidden="true"><span>${escapeHtml(player.firstHelp)}</span><span>${escapeHtml(player.firstHelpTouch)}</span></div>`;
  return (
    `<main id="first-text"><div class="first-head"><span>${escapeHtml(title || document.title)}</span></div>${told(first, language)}` +
    `<div class="first-tabs"></div><div class="first-panel" tabindex="0"><div class="first-pane">${hasSound ? help : ''}` +
    `<div class="first-lines" role="document" aria-label="${escapeHtml(document.transcript)}" aria-busy="true" translate="no"` +
    `${lang === '' ? '' : ` lang="${escapeHtml(lang)}"`}>${rows.join('')}</div></div></div></main>`
  );
}

/** The line that says why a reader cannot edit. */
function told({ permissions, owner }: Beside, language: Language): string {
  if (permissions.includes('write')) return '';
  const { document } = texts[language];
  const why = permissions.includes('comment') ? document.mayComment : document.readOnly;
  const how = owner === '' ? '' : document.readOnlyHow.replaceAll('{{name}}', () => owner);
  return `<p class="first-told">${escapeHtml(`${why} ${how}`)}</p>`;
}
