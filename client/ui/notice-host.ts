/** Id of what holds notices; the topmost dialog owns it. */
export const noticeHost = 'notices';
