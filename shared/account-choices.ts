// What people choose from in their account. Plain lists, so that a page has them without the schemas.

/** What people use the product for, and the outcome models each may choose from; the first is the default. */
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
/** Types after whose choice the guide for mentors and students is shown. */
export const guidedAccountTypes: readonly AccountTypeId[] = ['mentor', 'student'];

/** Why somebody deletes their account. The two reasons the specification names stand first and last. */
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
