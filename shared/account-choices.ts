// Choices of a person's account. Plain lists, so that a page has them without the schemas.

/** Account types, and the outcome models of each; the first model is the default. */
export const accountTypes = {
  individual: ['meeting'],
  coach: ['coaching', 'meeting'],
  mentor: ['coaching', 'meeting'],
  student: ['coaching', 'meeting'],
} as const satisfies Record<string, readonly [string, ...string[]]>;
export type AccountTypeId = keyof typeof accountTypes;
export const accountTypeIds = Object.keys(accountTypes) as AccountTypeId[];
export const outcomeModelIds = ['meeting', 'coaching'] as const;
export type OutcomeModelId = (typeof outcomeModelIds)[number];
/** Id of a set of outcome types that people made themselves. */
export type OwnModelId = `own_${string}`;
export type ModelId = OutcomeModelId | OwnModelId;
export const isOwnModel = (id: unknown): id is OwnModelId => typeof id === 'string' && /^own_[0-9A-Za-z]{22}$/.test(id);
export const isModelId = (id: unknown): id is ModelId => isOwnModel(id) || outcomeModelIds.some((one) => one === id);
/** The built-in set that stands in for one that people made, where a recording does not have it. */
export const builtInFor = (accountType: string | null, model: string | null): string | null =>
  isOwnModel(model) ? accountTypes[accountTypeIds.find((id) => id === accountType) ?? 'individual'][0] : model;
/** Account types that show the guide for mentors and students when chosen. */
export const guidedAccountTypes: readonly AccountTypeId[] = ['mentor', 'student'];

/** Reasons to delete an account. The two reasons the specification names are first and last. */
export const deletionReasons = [
  'taskCompleted',
  'rarelyUsed',
  'tooExpensive',
  'creditsConfusing',
  'transcriptQuality',
  'languageMissing',
  'speakersWrong',
  'featureMissing',
  'hardToUse',
  'tooSlow',
  'technicalProblems',
  'privacyConcerns',
  'organizationChanged',
  'otherAccount',
  'foundAlternative',
] as const;
