// @ts-check
// npm run finding -- rebuild [recording] | check: makes the index of words anew, of one recording or of all that are behind, or
// compares it with the documents and ends with 1 where anything differs. It works on the database of DATABASE_URL, or of
// a stopped server’s data folder.
import './node-version.mjs';
import { runScript } from './prepare.mjs';

await runScript('scripts/read-finding.ts', process.argv.slice(2));
