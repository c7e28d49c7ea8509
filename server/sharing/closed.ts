import { alias } from 'drizzle-orm/pg-core';
import { users } from '#db/schema/accounts.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { ClosedView } from '#shared/meetings/meeting.ts';

/** People who closed a text, for a left join by `closed_by`. */
export const closers = alias(users, 'closers');

export const closedColumns = {
  closedAt: meetings.closedAt,
  closedBy: meetings.closedBy,
  closedVersion: meetings.closedVersion,
  closerFirstName: closers.firstName,
  closerLastName: closers.lastName,
};

interface ClosedRow {
  closedAt: Date | null;
  closedBy: string | null;
  closedVersion: number | null;
  closerFirstName: string | null;
  closerLastName: string | null;
}

/** Null while the text is open. */
export function closedViewOf(row: ClosedRow): ClosedView | null {
  const { closedAt, closedBy, closedVersion, closerFirstName, closerLastName } = row;
  if (!closedAt) return null;
  const name = `${closerFirstName ?? ''} ${closerLastName ?? ''}`.trim();
  return { at: closedAt.toISOString(), by: { id: closedBy ?? '', name }, version: closedVersion ?? 0 };
}
