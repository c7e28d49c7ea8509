import { isAnthropic, loopback, type Config } from '../config.ts';
import { anthropic } from './anthropic.ts';
import type { Assistant, Assistants, Behind, OfferedAssistant } from './assistant.ts';
import { chatCompletions, contextOfCompletions, modelsOfCompletions } from './chat-completions.ts';
import { contextOfOllama, modelsOfOllama, ollama } from './ollama.ts';
import { ask, type Patience } from './streaming.ts';

const plainContext = 8192;
/** Memory grows with the context, and a machine of one's own has little; AI_CONTEXT allows more. */
const mostOnThisMachine = 32_768;
/** Only loopback: on a machine that others reach, any account may hold this port. */
const ollamaAtHome = 'http://127.0.0.1:11434';

type Configured = Pick<Config, 'assistant' | 'atHome'>;
type Dialect = 'anthropic' | 'ollama' | 'completions';

interface Server {
  url: string;
  key: string | null;
  dialect: Dialect;
  models: readonly string[];
}

/** Milliseconds for which an answer to "which models are there" is used again. */
const freshMs = { found: 60_000, none: 2000 } as const;

interface Settings {
  now: () => number;
  /** Address tried for Ollama. */
  home: string;
  patience: Partial<Patience>;
}

/**
 * Answers which assistants there are; the first is the default. A configured one is always offered, also while its
 * server is away. Nothing is asked before somebody wants to know.
 */
export function createAssistants(
  config: Configured,
  { now = Date.now, home = ollamaAtHome, patience = {} }: Partial<Settings> = {},
): Assistants {
  let known: { assistants: Promise<readonly Assistant[]>; until: number } | null = null;
  return () => {
    if (known && now() < known.until) return known.assistants;
    const assistants = find(config, home, patience);
    const mine = { assistants, until: Infinity };
    known = mine;
    void assistants.then((list) => (mine.until = now() + (list.length > 0 ? freshMs.found : freshMs.none)));
    return assistants;
  };
}

async function find({ assistant: configured, atHome }: Configured, home: string, patience: Partial<Patience>) {
  const server = configured.url
    ? await serverAt(configured.url, configured.key)
    : await serverAtHome(configured, atHome, home);
  if (!server) return [];
  const named = configured.models;
  const models = named.length > 0 ? named : server.models.slice(0, 1);
  return Promise.all(models.map((model) => assistantOf(server, model, configured, patience)));
}

async function serverAtHome(
  configured: Configured['assistant'],
  atHome: boolean,
  home: string,
): Promise<Server | null> {
  if (!atHome || !configured.local) return null;
  const models = await modelsOfOllama(home);
  return models && { url: home, key: null, dialect: 'ollama', models };
}

async function serverAt(url: string, key: string | null): Promise<Server> {
  if (isAnthropic(url)) return { url, key, dialect: 'anthropic', models: [] };
  const base = url.replace(/\/v1$/, '');
  const models = await modelsOfOllama(base, key);
  if (models) return { url: base, key, dialect: 'ollama', models };
  return { url, key, dialect: 'completions', models: await modelsOfCompletions(url, key) };
}

async function assistantOf(
  { url, key, dialect }: Server,
  model: string,
  configured: Configured['assistant'],
  patience: Partial<Patience>,
): Promise<Assistant> {
  const behind: Behind = { url, key, model };
  const { hostname, host } = new URL(url);
  const found =
    dialect === 'ollama'
      ? await contextOfOllama(behind).then((most) => most && Math.min(most, mostOnThisMachine))
      : dialect === 'completions'
        ? await contextOfCompletions(behind)
        : null;
  const offered: OfferedAssistant = {
    id: model,
    title: configured.name ?? model,
    host,
    local: loopback(hostname),
    context: configured.context ?? found ?? plainContext,
  };
  const once = { anthropic, ollama, completions: chatCompletions }[dialect](behind);
  return { offered, ask: (asking, reader) => ask(once, asking, reader, patience) };
}
