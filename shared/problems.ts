/** Closed list of all problems, each with its HTTP status. */
export const problemStatus = {
  BAD_REQUEST: 400,
  UNAUTH: 401,
  IC: 401,
  FUNDS: 402,
  QUOTA: 402,
  CSRF: 403,
  CONSENT: 403,
  NO_ACCESS: 403,
  NO_PERM: 403,
  WEBEX_AUTH: 403,
  ZOOM_AUTH: 403,
  NOT_FOUND: 404,
  METHOD: 405,
  SLOW: 408,
  CONFLICT: 409,
  PRICE: 409,
  PAYER: 409,
  CLOSED: 409,
  GONE: 410,
  BIG: 413,
  TYPE: 415,
  RANGE: 416,
  INVALID: 422,
  BOT: 422,
  IDEMP: 422,
  RATE: 429,
  HEADERS: 431,
  INTERNAL: 500,
  UPSTREAM: 502,
  UNAVAILABLE: 503,
  PAYMENTS_OFF: 503,
  NO_MODEL: 503,
  UNSAVED: 507,
} as const;

export type ProblemCode = keyof typeof problemStatus;

/** Default messages. They never echo the input. */
const plainMessage: Record<ProblemCode, string> = {
  BAD_REQUEST: 'The request could not be read',
  UNAUTH: 'Please sign in',
  IC: 'An access code is needed',
  FUNDS: 'Not enough funds, please recharge the balance',
  QUOTA: 'Quota exceeded',
  CSRF: 'The request did not come from this site',
  CONSENT: 'The owner has not allowed that this recording is sent there',
  NO_ACCESS: 'No access',
  NO_PERM: 'No permissions',
  WEBEX_AUTH: 'Log in to Webex to go on',
  ZOOM_AUTH: 'Log in to Zoom to go on',
  NOT_FOUND: 'Not found',
  METHOD: 'Method not allowed',
  SLOW: 'The request took too long to arrive',
  CONFLICT: 'It was changed in the meantime',
  PRICE: 'The price has changed',
  PAYER: 'You pay for a team: let another admin take over first',
  CLOSED: 'The text is closed',
  GONE: 'This link is no longer valid',
  BIG: 'Too large',
  TYPE: 'This content type is not accepted here',
  RANGE: 'There is nothing in that range',
  INVALID: 'Some fields need another look',
  BOT: 'The check against robots failed, please try again',
  IDEMP: 'This request id was used for another request',
  RATE: 'Too many tries, please wait',
  HEADERS: 'Too many headers',
  INTERNAL: 'Something went wrong...',
  UPSTREAM: 'Another service did not answer',
  UNAVAILABLE: 'The service is not ready, please try again',
  PAYMENTS_OFF: 'Nothing can be bought here',
  NO_MODEL: 'No language model is set up here',
  UNSAVED: 'Could not be saved',
};

/** Error of one field; `code` is the key of its text in every language. */
export interface FieldError {
  field: string;
  code: string;
}

interface ProblemOptions {
  message?: string;
  errors?: FieldError[];
  /** Further fields of `info`, such as the current version of a conflict. */
  info?: Record<string, unknown>;
  /** Seconds to wait before the next attempt. */
  retryAfter?: number;
  cause?: unknown;
}

/** Thrown by verbs, without knowing HTTP or sockets; turned into a response in one place. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: FieldError[];
  readonly info: Record<string, unknown>;
  readonly retryAfter: number | undefined;

  constructor(code: ProblemCode, options: ProblemOptions = {}) {
    super(options.message ?? plainMessage[code], options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Problem';
    this.code = code;
    this.errors = options.errors ?? [];
    this.info = options.info ?? {};
    this.retryAfter = options.retryAfter;
  }

  get status(): number {
    return problemStatus[this.code];
  }
}

export const invalid = (...errors: FieldError[]): Problem => new Problem('INVALID', { errors });

/** Body of every failed call (application/problem+json). */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  message: string;
  requestId: string;
  info: { code: ProblemCode; message: string; errors: FieldError[] } & Record<string, unknown>;
}

export function problemBody(problem: Problem, requestId: string): ProblemBody {
  const { code, message, errors, status } = problem;
  return {
    type: `/problems/${code.toLowerCase().replaceAll('_', '-')}`,
    title: plainMessage[code],
    status,
    code,
    message,
    requestId,
    info: { ...problem.info, code, message, errors },
  };
}
