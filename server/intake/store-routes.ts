import { Hono } from 'hono';
import { invalid, Problem } from '#shared/problems.ts';
import { partPath } from '../outside/disk-store.ts';
import type { House } from '../context.ts';
import type { Env } from '../http/env.ts';
import { fieldText, formOf } from '../http/multipart.ts';
import { takeWhole } from './uploads.ts';

const longestPolicy = 4096;

/**
 * Receives uploads. Not part of the API: signed addresses grant the permission and name target and expiry; cookies are
 * ignored.
 */
export function storeRoutes({ store }: House) {
  return new Hono<Env>()
    .put(`${partPath}:token`, async (c) => {
      if (!store.door) throw new Problem('NOT_FOUND');
      const digest = await store.door.take(c.req.param('token'), c.env.incoming);
      c.header('ETag', `"${digest.toString('hex')}"`);
      return c.body(null, 200);
    })
    .post('/store/files', async (c) => {
      let policy: string | null = null;
      for await (const { name, fileName, content } of formOf(c)) {
        if (name === 'policy' && fileName === null) policy = await fieldText(content, longestPolicy);
        if (name !== 'file' || fileName === null) continue;
        if (policy === null) throw invalid({ field: 'policy', code: 'required' });
        await takeWhole(c.var.ctx, policy, content);
        return c.body(null, 204);
      }
      throw invalid({ field: 'file', code: 'required' });
    });
}
