// @ts-check
// npm run archive -- check <file> compares all files of an archive with its manifest; it needs no database.
// npm run archive -- import <file> --owner <address> makes recordings of it, also beside a running server.
import './node-version.mjs';
import { runScript } from './prepare.mjs';

await runScript('scripts/run-archive.ts', process.argv.slice(2));
