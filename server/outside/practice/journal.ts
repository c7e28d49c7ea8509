import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const line = z.object({ key: z.string(), value: z.unknown() });

/**
 * Values that outlive the process, one line each. A line is written before its change is answered, as a service outside
 * would do: a killed server finds all that the practice service has promised. A line that was cut off is skipped.
 */
export class Journal {
  private readonly values = new Map<string, unknown>();
  private readonly path: string | null;

  /** Without a path nothing is written. */
  constructor(path: string | null) {
    this.path = path;
    if (path === null || !existsSync(path)) return;
    for (const text of readFileSync(path, 'utf8').split('\n')) {
      const read = line.safeParse(parsed(text));
      if (read.success) this.values.set(read.data.key, read.data.value);
    }
  }

  get(key: string): unknown {
    return this.values.get(key);
  }

  /** Values whose key begins like this, oldest first. */
  startingWith(prefix: string): unknown[] {
    return [...this.values].filter(([key]) => key.startsWith(prefix)).map(([, value]) => value);
  }

  set(key: string, value: unknown): void {
    this.values.set(key, value);
    if (this.path === null) return;
    mkdirSync(dirname(this.path), { recursive: true });
    appendFileSync(this.path, `\n${JSON.stringify({ key, value })}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
