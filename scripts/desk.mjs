// @ts-check
// npm run desk -- <command>: what the operator does with money: grant credits, make promo codes, see debts, return credits
// that wait, reverse test payments. It works on the database of DATABASE_URL, or of the data folder, also beside a running
// server. Without a command it lists all.
import './node-version.mjs';
import { runScript } from './prepare.mjs';

await runScript('scripts/run-desk.ts', process.argv.slice(2));
