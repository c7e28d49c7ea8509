import { bidi, controls } from './email.ts';
import {
  accountTypeIds,
  accountTypes,
  outcomeModelIds,
  type AccountTypeId,
  type ModelId,
  type OwnModelId,
} from './account-choices.ts';

// Rules of teams with centralized billing: what admins set, and what follows from it for members.

export const teamLimits = {
  /** Letters of the words that admins add to a mail. */
  words: 200,
  /** Longest length of a recording that can be set, in minutes. */
  durationMins: 6000,
  /** Default of the balance below which admins get a mail, in credits. */
  threshold: 10,
  /** Milliseconds in which a removal can be undone; the notice is shown for 10 s of them. */
  undo: 60_000,
} as const;

/** Times of mails on an event. */
export const mailTimes = ['off', 'once', 'daily'] as const;
export type MailTime = (typeof mailTimes)[number];

/** Error of words that admins add to a mail of ours: without addresses, the mail leads nobody elsewhere. */
export function wrongWords(text: string): 'too_long' | 'name' | 'no_links' | null {
  if ([...text].length > teamLimits.words) return 'too_long';
  if (bidi.test(text) || controls.test(text.replaceAll(/[\n\r\t]/g, ''))) return 'name';
  return /:\/\/|\bwww\.|@|[\p{L}\p{N}-][.。]\p{L}{2,}/iu.test(text.normalize('NFKC')) ? 'no_links' : null;
}

/** Settings of a group as they apply to a member. */
export interface Ruling {
  id: string;
  name: string;
  type: 'group' | 'team';
  forceAccountType: string | null;
  forceOutcomeModel: string | null;
  hideBuiltinModels: boolean;
  models: readonly string[];
  /** Sets that people made and the group can offer; others that its settings name are gone. */
  sets: readonly { id: OwnModelId; name: string }[];
}

/**
 * The group whose settings apply: the team joined first, or without a team the group joined first that offers models.
 * `joined` is in the order of joining.
 */
export const rulingOf = (joined: readonly Ruling[]): Ruling | null =>
  joined.find(({ type }) => type === 'team') ?? joined.find(({ models }) => models.length > 0) ?? null;

const typeOf = (id: string | null | undefined): AccountTypeId | null =>
  accountTypeIds.find((one) => one === id) ?? null;
const modelsOf = ({ sets }: Ruling): readonly ModelId[] => [...outcomeModelIds, ...sets.map(({ id }) => id)];

/** The account type that a group forces. */
export const forcedType = (ruling: Ruling | null): AccountTypeId | null =>
  ruling?.type === 'team' ? typeOf(ruling.forceAccountType) : null;

/** The outcome model that a group forces. */
export const forcedModel = (ruling: Ruling | null): ModelId | null =>
  (ruling?.type === 'team' && modelsOf(ruling).find((id) => id === ruling.forceOutcomeModel)) || null;

/** Outcome models that people of an account type are offered, the default first. */
export function offeredModels(type: AccountTypeId, ruling: Ruling | null): readonly ModelId[] {
  const builtin: readonly ModelId[] = accountTypes[type];
  const own = ruling ? modelsOf(ruling).filter((id) => ruling.models.includes(id)) : [];
  const forced = forcedModel(ruling);
  // Hiding the built-in models of a team without models of its own would leave none.
  const hidden = ruling?.type === 'team' && ruling.hideBuiltinModels && (own.length > 0 || forced !== null);
  const all = hidden ? own : [...builtin, ...own];
  return [...new Set(forced ? [forced, ...all] : all)];
}

/** The longest recording in minutes that a member may add: in a team's scope that team's, else the least of all. */
export function longestMins(
  teams: readonly { id: string; maxDurationMins: number | null }[],
  scopeId: string | null,
): { mins: number; team: string } | null {
  const inScope = teams.filter(({ id }) => id === scopeId);
  const limits = (inScope.length > 0 ? inScope : teams).flatMap(({ id, maxDurationMins }) =>
    maxDurationMins === null ? [] : [{ mins: maxDurationMins, team: id }],
  );
  return limits.toSorted((a, b) => a.mins - b.mins)[0] ?? null;
}

/** Whether a recording is longer than permitted; less than a second over is not. */
export const isTooLong = (seconds: number | null, mins: number | null): boolean =>
  seconds !== null && mins !== null && Math.floor(seconds) > mins * 60;
