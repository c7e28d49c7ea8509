/** A model that answers questions. Each dialect is one implementation; tests/contracts/assistant.test.ts holds for all. */
export interface Assistant {
  readonly offered: OfferedAssistant;
  /**
   * Gives the text of the answer in pieces; after `again` it begins anew. Fails with AssistantFailed, or with the reason
   * of the signal.
   */
  ask(asking: Asking, reader: AnswerReader): Promise<Answered>;
}

export interface OfferedAssistant {
  /** Identity in requests and stored rows. */
  id: string;
  title: string;
  /** Receiver of texts; part of what an owner consents to. */
  host: string;
  /** Nothing leaves this machine. */
  local: boolean;
  /** Tokens that question and answer may have together. */
  context: number;
}

export interface Asking {
  rules: string;
  data: string;
  question: string;
  /** JSON Schema of the answer; a wish, which not every server heeds. */
  schema?: object;
  /** Tokens that question and answer need; servers that reserve memory are told. */
  needs: number;
  /** Most tokens of the answer. */
  most: number;
  signal: AbortSignal;
}

export interface AnswerReader {
  piece(text: string): void;
  /** The line broke: what came until now does not count. */
  again(): void;
}

export interface Answered {
  /** Tokens, as the model counts them; null for servers that do not tell. */
  usage: { asked: number; answered: number } | null;
  /** `length`: the answer is cut at its limit. */
  end: 'done' | 'length';
}

/** Address of a model, and its name there. */
export interface Behind {
  /** Address without a final slash. */
  url: string;
  key: string | null;
  model: string;
}

export type Assistants = () => Promise<readonly Assistant[]>;

/** Whether an assistant of this id answers here. */
export const isOffered = async (assistants: Assistants, id: string): Promise<boolean> =>
  (await assistants()).some(({ offered }) => offered.id === id);

type AssistantFailure =
  /** No answer, or only temporary errors, after all attempts. */
  | 'unreachable'
  /** Rejected: the key is wrong, or the model is unknown. */
  | 'refused'
  /** The server takes no schema. */
  | 'schema'
  /** The question is longer than the model can read. */
  | 'too_long'
  /** The answer is not what the dialect prescribes, or has no end. */
  | 'answer'
  /** The answer takes too long. */
  | 'slow';

/** Its message holds no text of the server, which may repeat the question. */
export class AssistantFailed extends Error {
  override name = 'AssistantFailed';
  readonly failure: AssistantFailure;
  /** Milliseconds before the next attempt, which may succeed; null if it would not. */
  readonly wait: number | null;

  constructor(
    failure: AssistantFailure,
    why: string,
    { cause, wait = null }: { cause?: unknown; wait?: number | null } = {},
  ) {
    super(why, cause === undefined ? undefined : { cause });
    this.failure = failure;
    this.wait = wait;
  }
}
