// @ts-check
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/**
 * Files whose lint may have another result than when they were last found good. A rule with types reads the file and the
 * shapes of what it imports, near and far: `tsc` writes these as declarations, so a change inside a function concerns its
 * own file alone.
 */

/** @typedef {{ rules: string, good: Record<string, string> }} Known Digests of files without a finding, under these rules. */

const code = /\.(?:[cm]?ts|tsx|[cm]?js|jsx)$/;
const imports = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;
/** A file that adds to the types of a package does so for every file. */
const augments = /^declare (?:module|global)\b/m;

/** Files that every result depends on. */
const everywhere = ['.oxlintrc.json', 'tsconfig.json', 'package.json', 'package-lock.json', 'scripts/lint'];

/** Files as Git sees them, also those that it does not know yet. */
function sources(/** @type {string} */ root) {
  const options = /** @type {const} */ ({ cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], options);
  return listed.split('\0').filter((name) => code.test(name));
}

function digest(/** @type {readonly string[]} */ parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('base64');
}

function read(/** @type {string} */ path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Path of the declarations that tsc writes for a file. */
function declarations(/** @type {string} */ name) {
  return name.replace(/\.([cm]?)[jt]sx?$/, '.d.$1ts');
}

/** Files of the project that a text imports. Imports name a file in full (import/extensions). */
function imported(/** @type {string} */ name, /** @type {string} */ text) {
  const names = new Set();
  for (const [, specifier = ''] of text.matchAll(imports)) {
    if (specifier.startsWith('#')) names.add(specifier.slice(1));
    else if (specifier.startsWith('.')) names.add(posix.join(posix.dirname(name), specifier));
  }
  return [...names];
}

/**
 * A digest for each source file, of all that its lint may read. `shapes` is the folder of tsc's declarations; a file without
 * declarations there counts whole.
 * @returns {Map<string, string>}
 */
export function digests(/** @type {string} */ root, /** @type {string} */ shapes) {
  /** @type {Map<string, { digest: string, imports: string[] }>} */
  const known = new Map();
  const shape = (/** @type {string} */ name) => {
    let found = known.get(name);
    if (!found) {
      const text = read(join(shapes, declarations(name))) ?? read(join(root, name)) ?? '';
      found = { digest: digest([name, text]), imports: imported(name, text) };
      known.set(name, found);
    }
    return found;
  };
  const reached = (/** @type {readonly string[]} */ from) => {
    const seen = new Set(from);
    for (const name of seen) for (const next of shape(name).imports) seen.add(next);
    return [...seen].sort();
  };

  const names = sources(root);
  const texts = new Map(names.map((name) => [name, read(join(root, name))]));
  const forAll = names.filter((name) => augments.test(texts.get(name) ?? ''));
  /** @type {Map<string, string>} */
  const result = new Map();
  for (const [name, text] of texts) {
    // Deleted, and not yet for Git.
    if (text === undefined) continue;
    const far = reached([...forAll, ...imported(name, text)]);
    result.set(name, digest([name, text, ...far.map((other) => shape(other).digest)]));
  }
  return result;
}

/** A digest of the rules themselves, and of the packages. */
export function rulesDigest(/** @type {string} */ root) {
  const files = everywhere.flatMap((name) =>
    code.test(name) || name.endsWith('.json') ? [name] : readdirSync(join(root, name)).map((file) => `${name}/${file}`),
  );
  return digest([process.version, ...files.map((name) => read(join(root, name)) ?? '')]);
}

/** @returns {Known} */
export function readKnown(/** @type {string} */ path, /** @type {string} */ rules) {
  try {
    const known = /** @type {Known} */ (JSON.parse(readFileSync(path, 'utf8')));
    if (known.rules === rules) return known;
  } catch {
    // Never written, or half: all files count as changed.
  }
  return { rules, good: {} };
}

/** Keeps the digests of the files in which nothing was found. */
export function keepKnown(/** @type {string} */ path, /** @type {Known} */ known) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(known));
  renameSync(`${path}.new`, path);
}
