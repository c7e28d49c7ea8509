ALTER TABLE "invitations" ADD COLUMN "declined_at" timestamp with time zone;--> statement-breakpoint
-- From now on a visit answers the invitation; so have the visits until now.
UPDATE "invitations" i SET "accepted_at" = a.seen_at, "accepted_by" = u.id FROM users u, meeting_access a
WHERE i.kind = 'meeting' AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND u.email_key = i.email_key AND u.confirmed_at IS NOT NULL
  AND a.meeting_id = i.target_id AND a.kind = 'user' AND a.principal_id = u.id AND a.seen_at IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM meeting_access w WHERE w.meeting_id = i.target_id AND w.kind = 'pending' AND w.principal_id = i.email_key);--> statement-breakpoint
UPDATE "invitations" i SET "accepted_at" = a.seen_at, "accepted_by" = u.id FROM users u, folder_access a
WHERE i.kind = 'folder' AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND u.email_key = i.email_key AND u.confirmed_at IS NOT NULL
  AND a.folder_id = i.target_id AND a.kind = 'user' AND a.principal_id = u.id AND a.seen_at IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM folder_access w WHERE w.folder_id = i.target_id AND w.kind = 'pending' AND w.principal_id = i.email_key);
