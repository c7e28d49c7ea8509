// @ts-check
// npm run books: recomputes the books of the database of DATABASE_URL, or of the data folder, also beside a running server,
// and prints what differs. It changes nothing, and ends with 1 where anything differs.
import './node-version.mjs';
import { runScript } from './prepare.mjs';

await runScript('scripts/read-books.ts', []);
