/** Pages to which buying something may lead back. */
const pages = new Set(['/balance', '/buy-credits', '/change-plan', '/testpurchase']);

/** True for pages of money, and for a recording: the way back to a dialog that asked for more credits. */
export const isReturnPage = (pathname: string): boolean => pages.has(pathname) || /^\/meeting\/[\w-]+$/.test(pathname);
