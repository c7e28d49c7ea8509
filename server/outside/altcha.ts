import type { Database } from '#db/open.ts';
import type { Clock } from '../clock.ts';
import type { Keys } from '../keys.ts';
import type { BotCheck } from './bot-check.ts';

export function createBotCheck(_keys: Keys, _db: Database, _clock: Clock): BotCheck {
  throw new Error('no bot check yet');
}
