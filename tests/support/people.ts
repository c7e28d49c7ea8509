import { newId } from '#shared/ids.ts';
import type { ProblemBody } from '#shared/problems.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  bytes: Uint8Array;
  /** Parsed body; each test states what it expects of it. */
  body: any;
  problem: ProblemBody;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** Body sent unchanged, instead of JSON. */
  raw?: string | Uint8Array;
  /** Omits the headers that a well-behaved client sends. */
  bare?: boolean;
}

/** One person's browser: it keeps cookies and sends the headers of our own page. */
export class Person {
  id = '';
  email = '';
  password = 'correct horse battery';
  token: string | null = null;
  /** Client address that a proxy reports; ignored by a house that trusts no proxy. */
  address: string | null = null;
  readonly cookies = new Map<string, string>();
  readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** The same person through another process, or through a connection that breaks. */
  by(port: number): Person {
    const twin = new Person(`http://127.0.0.1:${port}`);
    for (const [name, value] of this.cookies) twin.cookies.set(name, value);
    return twin;
  }

  async call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const headers: Record<string, string> = options.bare
      ? {}
      : { 'X-Request-ID': newId(), Origin: this.origin, 'Sec-Fetch-Site': 'same-origin' };
    if (method === 'GET' && !options.bare) delete headers['Origin'];
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (this.address) headers['X-Forwarded-For'] = this.address;
    if (this.token) headers['Authorization'] = `Bearer ${this.token}`;
    if (this.cookies.size > 0)
      headers['Cookie'] = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.origin + path, {
      method,
      headers: { ...headers, ...options.headers },
      redirect: 'manual',
      ...(options.raw !== undefined ? { body: options.raw } : body !== undefined ? { body: JSON.stringify(body) } : {}),
    } as RequestInit);
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';');
      const at = pair.indexOf('=');
      const dead = attributes.some((attribute) => attribute.trim().toLowerCase() === 'max-age=0');
      if (dead) this.cookies.delete(pair.slice(0, at));
      else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const type = response.headers.get('content-type') ?? '';
    const parsed: unknown = type.includes('json') && text !== '' ? JSON.parse(text) : null;
    const { status } = response;
    return { status, headers: response.headers, text, bytes, body: parsed, problem: parsed as ProblemBody };
  }

  get = (path: string, options?: CallOptions) => this.call('GET', path, undefined, options);
  post = (path: string, body?: unknown, options?: CallOptions) => this.call('POST', path, body, options);
  put = (path: string, body?: unknown, options?: CallOptions) => this.call('PUT', path, body, options);
  delete = (path: string, options?: CallOptions) => this.call('DELETE', path, undefined, options);

  /** Submits one of our forms as a browser does. */
  form(path: string, fields: Record<string, string>, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, undefined, {
      ...options,
      raw: new URLSearchParams(fields).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...options.headers },
    });
  }

  /** The token in the hidden field of one of our pages. */
  async formToken(path: string): Promise<string> {
    const page = await this.get(path);
    const token = /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1];
    if (!token) throw new Error(`${path} carries no token: ${page.text.slice(0, 200)}`);
    return token;
  }

  register(fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.post('/api/register', {
      email: this.email,
      password: this.password,
      passwordConfirm: fields['password'] ?? this.password,
      firstName: 'Ann',
      lastName: 'Test',
      terms: true,
      ...fields,
    });
  }

  login(fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.post('/api/login', { email: this.email, password: this.password, ...fields });
  }

  whoami = () => this.get('/api/principals/whoami');
}

/** Somebody whose account is confirmed by the link of the mail, as the outbox of a house without a mail server shows it. */
export async function signUp(origin: string, email: string): Promise<Person> {
  const person = Object.assign(new Person(origin), { email });
  await person.register();
  const [mail] = (await person.get(`/api/outbox?to=${email}`)).body as { text: string }[];
  const token = /\/confirm\/([\w.-]+)/.exec(mail?.text ?? '')?.[1];
  if (!token) throw new Error(`no mail to ${email} confirms the account`);
  await person.post(`/api/confirm/${token}`);
  await person.login();
  return person;
}
