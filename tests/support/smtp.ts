import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

/** Faults of a mail server; each can be set and cleared while it runs. */
export type Trouble =
  | 'none'
  /** Accepts the connection and sends nothing. */
  | 'silent'
  /** Refuses every connection. */
  | 'closed'
  /** Rejects our password. */
  | 'stranger'
  /** Answers 4xx to the recipient, or to the mail itself. */
  | 'busy'
  | 'busy with the mail'
  /** Answers 5xx, likewise. */
  | 'refuses the recipient'
  | 'refuses the mail'
  /** Takes the whole mail, then the connection breaks before the answer. */
  | 'cut'
  /** Takes the whole mail and does not answer. */
  | 'mute';

interface Arrived {
  envelope: { from: string; to: string[] };
  mail: Email;
}

const failure = (message: string, responseCode: number) => Object.assign(new Error(message), { responseCode });

/** Starts a real SMTP server; mails it has taken are parsed and kept. */
export async function startSmtp({ port = 0, ...options }: SMTPServerOptions & { port?: number } = {}) {
  const arrived: Arrived[] = [];
  const sockets = new Map<number | undefined, Socket>();
  let trouble: Trouble = 'none';
  let tries = 0;

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession, done: (error?: Error) => void) {
    // A client that disconnects in the middle of its mail leaves nobody to answer.
    const bytes = await buffer(stream).catch(() => null);
    if (!bytes) return;
    if (trouble === 'busy with the mail') return done(failure('disk full', 452));
    if (trouble === 'refuses the mail') return done(failure('looks like spam', 554));
    const { mailFrom, rcptTo } = session.envelope;
    const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) };
    arrived.push({ envelope, mail: await PostalMime.parse(bytes) });
    if (trouble === 'cut') sockets.get(session.remotePort)?.destroy();
    else if (trouble !== 'mute') done();
  }

  const server = new SMTPServer({
    authOptional: true,
    // Signing in without TLS is safe here: it never leaves this machine.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onConnect(_session, done) {
      tries += 1;
      if (trouble === 'silent') return;
      done(trouble === 'closed' ? failure('not today', 554) : null);
    },
    onAuth(auth, _session, done) {
      if (trouble === 'stranger') done(failure(`who is ${auth.username}`, 535));
      else done(null, { user: auth.username });
    },
    onRcptTo({ address }, _session, done) {
      // Servers often repeat the address; it must not reach our logs.
      if (trouble === 'busy') done(failure(`later, <${address}>`, 451));
      else if (trouble === 'refuses the recipient') done(failure(`no such user <${address}>`, 550));
      else done();
    },
    onData(stream, session, done) {
      void take(stream, session, done);
    },
    ...options,
  });
  // Clients that disconnect in the middle are what these tests are about.
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => sockets.set(socket.remotePort, socket));
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const bound = (server.server.address() as AddressInfo).port;

  return {
    port: bound,
    url: `smtp://127.0.0.1:${bound}`,
    arrived,
    /** Number of connections so far. */
    tries: () => tries,
    suffer(next: Trouble): void {
      trouble = next;
    },
    async close(): Promise<void> {
      for (const socket of sockets.values()) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export type TestSmtp = Awaited<ReturnType<typeof startSmtp>>;
