import { dictionary } from '@zxcvbn-ts/language-common';

/** Number of the world's most used passwords that are refused. */
const refusedFromTop = 3000;

const common = new Set(dictionary['passwords-common'].slice(0, refusedFromTop).map((word) => word.toLowerCase()));

export const isCommonPassword = (password: string): boolean => common.has(password.normalize('NFKC').toLowerCase());
