// hocuspocus.mjs <SQLite file> [<Redis port>]: Hocuspocus as its documentation sets it up; prints the port it listens on.
import { Redis } from '@hocuspocus/extension-redis';
import { SQLite } from '@hocuspocus/extension-sqlite';
import { Server } from '@hocuspocus/server';

const [database, redisPort] = process.argv.slice(2);
const extensions = [new SQLite({ database })];
if (redisPort) extensions.push(new Redis({ host: '127.0.0.1', port: Number(redisPort) }));
const server = new Server({ port: 0, address: '127.0.0.1', quiet: true, extensions });
await server.listen();
console.log(`listening on ${server.address.port}`);
