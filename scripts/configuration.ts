import type { z } from 'zod';
import { configGroups } from '#server/config.ts';

const intro = `# Configuration

<!-- Generated from server/config.ts. Do not edit: change the text there and run
     node --import tsx scripts/check-docs.ts --write -->

Nothing has to be configured. The server reads these environment variables once, at its start, in \`server/config.ts\`.
An empty value counts as not set. A wrong value, or an unknown key that begins like one of a service (\`SMTP_…\`,
\`OIDC_…\`, \`S3_…\`, \`TRANSCRIBE_…\`, \`AI_…\`, \`ZOOM_…\`, \`WEBEX_…\`, \`STRIPE_…\`), stops the start with one line that names the key.
`;

/** The text of docs/configuration.md. */
export function configurationPage(groups: typeof configGroups = configGroups): string {
  return [intro, ...groups.map(({ title, keys }) => groupTable(title, keys))].join('\n');
}

function groupTable(title: string, keys: Record<string, z.ZodType>): string {
  const rows = Object.entries(keys).map(([key, schema]) => {
    const { description } = schema.meta() ?? {};
    if (!description) throw new Error(`server/config.ts has no description of ${key}`);
    return `| \`${key}\` | ${defaultOf(schema)} | ${description} |`;
  });
  return [`## ${title}`, '', '| key | default | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

/** The text given for the page, else what the schema makes of a key that is not set. */
function defaultOf(schema: z.ZodType): string {
  const shown = schema.meta()?.['shownDefault'];
  if (typeof shown === 'string') return shown;
  const value = schema.parse(undefined);
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
