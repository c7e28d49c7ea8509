import { createHash } from 'node:crypto';
import { archiveFormat, manifestContent, manifestName, type Manifest } from '#shared/archive-content.ts';
import { DamagedZip, type ZipReader } from './read-zip.ts';

const longestManifest = 256 * 1024 * 1024;

/** The manifest of an archive. Throws where it is none of ours. */
export async function readManifest(zip: ZipReader): Promise<Manifest> {
  if (!zip.entries.has(manifestName)) throw new DamagedZip(`it has no ${manifestName}, so it is no archive`);
  const bytes = await zip.readWhole(manifestName, longestManifest);
  const parsed = manifestContent.safeParse(jsonOf(bytes.toString('utf8')));
  if (!parsed.success) throw new DamagedZip(`its ${manifestName} is none of ${archiveFormat}`);
  return parsed.data;
}

/** Null where it is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Compares all files of an archive with its manifest; a line for each that differs. */
export async function differencesIn(zip: ZipReader, manifest: Manifest): Promise<string[]> {
  const wrong: string[] = [];
  for (const { path, bytes, sha256 } of manifest.files) {
    const entry = zip.entries.get(path);
    if (!entry) wrong.push(`${path} is missing`);
    else if (entry.bytes !== bytes) wrong.push(`${path} has ${entry.bytes} bytes instead of ${bytes}`);
    else {
      const found = await digestOf(zip, path);
      if (found !== sha256) wrong.push(found === null ? `${path} is damaged` : `${path} differs`);
    }
  }
  const named = new Set([manifestName, ...manifest.files.map(({ path }) => path)]);
  for (const path of zip.entries.keys()) if (!named.has(path)) wrong.push(`${path} is not in the manifest`);
  return wrong;
}

/** Null where the file cannot be read. */
async function digestOf(zip: ZipReader, path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const piece of zip.read(path)) hash.update(piece);
  } catch (error) {
    if (error instanceof DamagedZip) return null;
    throw error;
  }
  return hash.digest('hex');
}
