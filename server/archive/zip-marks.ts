// Marks and limits of the zip format, for what writes archives and what reads them.

export const fileMark = 0x04034b50;
export const entryMark = 0x02014b50;
export const end64Mark = 0x06064b50;
export const locator64Mark = 0x07064b50;
export const endMark = 0x06054b50;
export const zip64Field = 1;
/** Stands where a number needs 64 bits. */
export const most32 = 0xffffffff;
