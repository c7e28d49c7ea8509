import type { Language } from '#shared/i18n/languages.ts';
import { escapeHtml } from '../http/escape-html.ts';

/** Parts of a mail, one below the other. */
export type Block =
  | { kind: 'text' | 'small' | 'quote'; text: string }
  | { kind: 'button' | 'link'; label: string; url: string };

export function asText(blocks: Block[], origin: string): string {
  const parts = blocks.map((block) => {
    if ('label' in block) return `${block.label}\n${block.url}`;
    return block.kind === 'quote' ? block.text.replaceAll(/^/gm, '> ') : block.text;
  });
  return `${[...parts, `Colloquy\n${origin}`].join('\n\n')}\n`;
}

// The mail program chooses the colours, light or dark; only the button sets both of its own.
const small = 'font-size:14px;line-height:20px;';
const button =
  'display:inline-block;padding:10px 20px;border-radius:6px;background-color:#0b6b63;color:#ffffff;font-weight:600;text-decoration:none';
const paragraph = (content: string, style = ''): string => `<p style="margin:0 0 20px;${style}">${content}</p>`;
const address = (url: string): string => `<a href="${escapeHtml(url)}" style="color:inherit">${escapeHtml(url)}</a>`;

function htmlOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return paragraph(escapeHtml(block.text));
    case 'small':
      return paragraph(escapeHtml(block.text), small);
    case 'quote':
      return paragraph(
        escapeHtml(block.text).replaceAll('\n', '<br>'),
        'padding-left:16px;border-left:2px solid #808890;',
      );
    case 'link':
      return paragraph(`${escapeHtml(block.label)}<br>${address(block.url)}`);
    case 'button':
      return [
        paragraph(`<a href="${escapeHtml(block.url)}" style="${button}">${escapeHtml(block.label)}</a>`),
        paragraph(address(block.url), small),
      ].join('\n');
  }
}

export function asHtml(subject: string, blocks: Block[], language: Language, origin: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<style>:root { color-scheme: light dark; }</style>
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:0">
<div style="max-width:560px;margin:0 auto;padding:32px 24px;font-family:Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:16px;line-height:24px;overflow-wrap:anywhere">
${blocks.map(htmlOf).join('\n')}
<p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #808890;${small}">Colloquy<br>${address(origin)}</p>
</div>
</body>
</html>
`;
}
