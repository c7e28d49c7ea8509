// @ts-check
// npm run archive -- check <file> compares all files of an archive with its manifest; it needs no database.
import './node-version.mjs';
import { runScript } from './prepare.mjs';

await runScript('scripts/run-archive.ts', process.argv.slice(2));
