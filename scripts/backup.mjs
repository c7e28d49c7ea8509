// @ts-check
// npm run backup -- <file> writes the database and all files into one new file, also beside a running server.
// npm run restore -- <file> puts such a file into an empty database and an empty data folder.
import './node-version.mjs';
import { runScript } from './prepare.mjs';

await runScript('scripts/run-backup.ts', process.argv.slice(2));
