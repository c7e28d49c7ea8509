/**
 * The browser's own question, which no script of a page can answer: asked before the one thing that ends everything.
 * Everywhere else `useConfirm` asks.
 */
export const askNatively = (question: string): boolean => window.confirm(question);
