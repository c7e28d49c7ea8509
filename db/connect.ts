import postgres from 'postgres';
import { arrayTypes } from './arrays.ts';

/**
 * Connects to PostgreSQL without asking for the types of arrays, which the driver does on each new connection: nobody can
 * catch the failure where the connection is lost meanwhile, and the process ends.
 */
export const connect = (url: string, options: postgres.Options<Record<string, never>> = {}): postgres.Sql =>
  postgres(url, { onnotice: () => {}, types: arrayTypes, fetch_types: false, ...options }) as postgres.Sql;
