-- Everybody a folder is shared with, and everybody a meeting is: each entry leads to its people by their own keys, so that
-- nobody's entry has all people of the house read through.
CREATE FUNCTION people_of_entry(kind text, principal text) RETURNS TABLE (id text) LANGUAGE sql STABLE AS $$
  SELECT u.id FROM users u WHERE kind = 'user' AND u.id = principal
  UNION ALL
  SELECT u.id FROM users u WHERE kind = 'pending' AND u.email_key = principal AND u.confirmed_at IS NOT NULL
  UNION ALL
  SELECT m.user_id FROM group_members m WHERE kind = 'group' AND m.group_id = principal
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION people_of_folder(folder text) RETURNS TABLE (id text) LANGUAGE sql STABLE AS $$
  SELECT f.owner_id FROM folders f WHERE f.id = folder
  UNION
  SELECT p.id FROM folders_above(folder) f JOIN folder_access a ON a.folder_id = f.id
  CROSS JOIN LATERAL people_of_entry(a.kind, a.principal_id) p
$$;
--> statement-breakpoint
CREATE FUNCTION people_of_meeting(meeting text) RETURNS TABLE (id text) LANGUAGE sql STABLE AS $$
  SELECT m.owner_id FROM meetings m WHERE m.id = meeting
  UNION
  SELECT p.id FROM meeting_access a CROSS JOIN LATERAL people_of_entry(a.kind, a.principal_id) p WHERE a.meeting_id = meeting
  UNION
  SELECT p.id FROM meetings m CROSS JOIN LATERAL people_of_folder(m.folder_id) p WHERE m.id = meeting
$$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION tell_folder_access_news() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  row folder_access;
BEGIN
  row := CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END;
  PERFORM pg_notify('colloquy_access', json_build_object('user', p.id)::text) FROM people_of_entry(row.kind, row.principal_id) p;
  RETURN NULL;
END $$;
