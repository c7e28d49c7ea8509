// Each row of each table: one call, its status, code and fields, and the route that answered (tests/api/tables.ts).
import { afterAll, beforeAll, describe } from 'vitest';
import { thinkingAssistants } from '#tests/support/assistant.ts';
import { scriptedIdentity } from '#tests/support/identity.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { operatorAddress } from '#tests/support/orders.ts';
import { scriptedServices } from '#tests/support/scripted-services.ts';
import { runTable } from '#tests/support/table.ts';
import { tables } from './tables.ts';

let house: TestHouse;
beforeAll(async () => {
  // Every caller comes from an address of their own, as if through a proxy, so that no row uses up another's limits.
  house = await openHouse({
    env: {
      TRUSTED_PROXIES: '127.0.0.1',
      TRANSCRIBE_HUMAN: operatorAddress,
      QUESTION_PRICE: '0.5',
      DETECT_PRICE: '0.5',
    },
    house: { identity: scriptedIdentity(), services: scriptedServices(), assistants: thinkingAssistants },
  });
});
afterAll(() => house.close());

describe.each(Object.entries(tables))('%s', (_file, table) => runTable(table, () => house));
