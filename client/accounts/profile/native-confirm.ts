/** The browser's own question, which no script can answer: used before deleting an account. Elsewhere: `useConfirm`. */
export const askNatively = (question: string): boolean => window.confirm(question);
