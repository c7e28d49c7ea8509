// @ts-check
// A lint rule: inside a room, folders stand on floors and import downwards alone. Its options name the floors of each
// folder, ground first; folders on one floor (a list) do not import each other.
import { existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';

/** @typedef {Record<string, (string | string[])[]>} Floors */

/** @param {string} path */
const slashes = (path) => path.split(sep).join('/');

/** @param {string} file The nearest folder above it with a package.json is the root, or the folder the linter runs in. */
function rootOf(file) {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(resolve(folder, 'package.json'))) return folder;
  }
  return process.cwd();
}

/**
 * Reason against an import; null where it is allowed.
 * @param {Floors} floors
 * @param {string} from Both by their paths from the root.
 * @param {string} to
 */
function whyNot(floors, from, to) {
  for (const [base, order] of Object.entries(floors)) {
    if (!from.startsWith(`${base}/`) || !to.startsWith(`${base}/`)) continue;
    const folderOf = (/** @type {string} */ path) => {
      const rest = path.slice(base.length + 1);
      return rest.includes('/') ? rest.slice(0, rest.indexOf('/')) : null;
    };
    const [above, below] = [folderOf(from), folderOf(to)];
    if (above === null || below === null || above === below) continue;
    const floorOf = (/** @type {string} */ folder) => order.findIndex((floor) => [floor].flat().includes(folder));
    for (const folder of [above, below]) {
      if (floorOf(folder) < 0) return `${base}/${folder} has no floor: name it in .oxlintrc.json, colloquy/floors.`;
    }
    if (floorOf(above) <= floorOf(below))
      return `${base}/${above} is not above ${base}/${below}: folders import only from floors below them (docs/architecture.md, Floors).`;
  }
  return null;
}

/** @type {any} */
const rule = {
  meta: { type: 'problem', schema: [{ type: 'object' }] },
  create(/** @type {any} */ context) {
    const file = context.filename;
    const root = rootOf(file);
    const from = slashes(relative(root, file));
    const check = (/** @type {any} */ node) => {
      const name = node.source?.value;
      if (typeof name !== 'string') return;
      const to = name.startsWith('#')
        ? name.slice(1)
        : name.startsWith('.')
          ? slashes(relative(root, resolve(dirname(file), name)))
          : null;
      const why = to === null ? null : whyNot(context.options[0] ?? {}, from, to);
      if (why !== null) context.report({ node, message: why });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

export default { meta: { name: 'colloquy' }, rules: { floors: rule } };
