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
