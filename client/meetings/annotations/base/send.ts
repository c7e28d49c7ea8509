import { parseResponse } from 'hono/client';

import { typeOfKey } from '#shared/meetings/grades.ts';

import type { Api } from '../../../api.ts';
import { NotUploaded, voiceOf } from './recordings.ts';
import type { Answer, Command, CommandOf, GradeCommand } from './commands.ts';
import { failureOf } from './queue.ts';

/** Sends each command by its call of the API. The server executes a repeated request id only once. */
export function sender(
  api: Api,
  id: string,
  userId: string | null,
  /** Called when an upload failed, whatever follows. */
  notUploaded: (command: Command) => void = () => {},
  /** Whether this person has lost access to the whole recording. */
  closed: () => Promise<boolean> = () => Promise.resolve(false),
): (command: Command, signal: AbortSignal) => Promise<Answer> {
  const meeting = api.meetings[':id'];
  /** Addresses of uploaded voice notes whose annotations are not sent yet. */
  const addresses = new Map<string, string>();

  async function addressOf(command: Command, options: Options): Promise<string | null> {
    const voice = voiceOf(command);
    const known = addresses.get(command.itemId);
    if (!voice || known !== undefined) return known ?? null;
    const form = new FormData();
    form.set('type', command.kind === 'outcome' ? 'vnote' : 'vcomment');
    form.set('file', voice, 'voice');
    // Under the command's id as well, so that a repeated upload is stored once.
    const { headers } = options;
    const { signal } = options.init;
    try {
      const { url } = await parseResponse(
        meeting.attachment.$post({ param: { id } }, { headers, init: { signal, body: form } }),
      );
      addresses.set(command.itemId, url);
      return url;
    } catch (error) {
      if (signal.aborted) throw error;
      notUploaded(command);
      throw new NotUploaded(failureOf(error), error);
    }
  }

  async function outcome(command: CommandOf<'outcome'>, param: Param, options: Options): Promise<Answer> {
    switch (command.do) {
      case 'add': {
        const { start, end, quote, anchor, type, text, children, grade, private: own } = command.item;
        const place = { id: command.itemId, start, end, quote, anchor, private: own };
        const url = await addressOf(command, options);
        const outcome = { ...place, type, text, children, grade, url };
        return annotationIn(parseResponse(meeting.outcomes.$post({ param, json: { outcome } }, options)));
      }
      case 'change':
        return annotationIn(
          parseResponse(
            meeting.outcomes[':itemId'].update.$post({ param, json: { outcome: command.change } }, options),
          ),
        );
      case 'delete':
        return annotationIn(parseResponse(meeting.outcomes[':itemId'].$delete({ param }, options)));
      case 'reveal':
        return annotationIn(
          parseResponse(
            meeting.outcomes[':itemId'].reveal[':type'].$post({ param: { ...param, type: 'outcome' } }, options),
          ),
        );
    }
  }

  async function comment(command: CommandOf<'comment'>, param: Param, options: Options): Promise<Answer> {
    switch (command.do) {
      case 'add': {
        const { start, end, quote, anchor, text, parent, private: own } = command.item;
        const url = await addressOf(command, options);
        const json = { id: command.itemId, start, end, quote, anchor, text, parent, private: own, url };
        return annotationIn(parseResponse(meeting.comments.$post({ param, json }, options)));
      }
      case 'change':
        return annotationIn(
          parseResponse(meeting.comments[':itemId'].update.$post({ param, json: command.change }, options)),
        );
      case 'delete':
        return annotationIn(parseResponse(meeting.comments[':itemId'].$delete({ param }, options)));
      case 'reveal':
        return annotationIn(
          parseResponse(
            meeting.outcomes[':itemId'].reveal[':type'].$post({ param: { ...param, type: 'comment' } }, options),
          ),
        );
    }
  }

  const grade = ({ itemId, change }: GradeCommand, options: Options): Promise<Answer> =>
    annotationIn(
      parseResponse(meeting.grades[':type'].$put({ param: { id, type: typeOfKey(itemId) }, json: change }, options)),
    );

  const send = (command: Command, param: Param, options: Options): Promise<Answer> => {
    if (command.kind === 'grade') return grade(command, options);
    return command.kind === 'outcome' ? outcome(command, param, options) : comment(command, param, options);
  };

  return (command, signal) => {
    const param = { id, itemId: command.itemId };
    // Names the user, because another one may have signed in in this browser since.
    const headers = { 'X-Request-ID': command.id, 'X-Acting-As': userId ?? '' };
    const options = { headers, init: { signal, keepalive: isSmall(command) } };
    return send(command, param, options).catch(async (error: unknown) => {
      const { status } = failureOf(error);
      // The server removes an upload without an annotation after a day, so it is sent again.
      if (status === 422) addresses.delete(command.itemId);
      if ((status === 403 || status === 404) && !signal.aborted && (await closed())) throw new AccessLost(error);
      throw error;
    });
  };
}

/** Access was lost. Nothing is discarded: the commands are offered on the closed page, or sent when access returns. */
class AccessLost extends Error {
  override readonly name = 'AccessLost';
  readonly status = 401;

  constructor(cause: unknown) {
    super('the recording is closed', { cause });
  }
}

interface Param {
  id: string;
  itemId: string;
}

interface Options {
  headers: Record<string, string>;
  init: { signal: AbortSignal; keepalive: boolean };
}

/** Whether a request can outlive the page: browsers limit those to 64 KB, here counted at three bytes a letter. */
const isSmall = (command: Command): boolean => JSON.stringify(command).length < 20_000;

/** Annotation or grade in a response; null if it no longer exists. */
async function annotationIn(response: Promise<unknown>): Promise<Answer> {
  const { outcome, comment, grade } = ((await response) ?? {}) as Record<string, Answer | undefined>;
  return outcome ?? comment ?? grade ?? null;
}
