import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Free bytes where a folder is, or will be; null if the system does not tell. */
export async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch (error) {
    const above = dirname(folder);
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' && above !== folder ? freeBytes(above) : null;
  }
}
