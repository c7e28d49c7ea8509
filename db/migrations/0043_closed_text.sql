ALTER TABLE "meetings" ADD COLUMN "closed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "meetings" ADD COLUMN "closed_by" text;--> statement-breakpoint
ALTER TABLE "meetings" ADD COLUMN "closed_version" bigint;--> statement-breakpoint
DROP TRIGGER meetings_access_news ON meetings;--> statement-breakpoint
CREATE TRIGGER meetings_access_news AFTER DELETE OR UPDATE OF owner_id, deleted_at, closed_at ON meetings FOR EACH ROW EXECUTE FUNCTION tell_access_news();--> statement-breakpoint
-- The same as before, but that nobody holds *write* while the text is closed; see permissionsOf.
CREATE OR REPLACE FUNCTION hold_rights(meeting text, person text, browser text, session_hash bytea, token text, judged_by text[])
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  address text;
  folder text;
  path text[];
  giving text[];
  number int;
  held text[];
  closed boolean;
BEGIN
  PERFORM 1 FROM users u WHERE u.id = person FOR KEY SHARE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN CASE WHEN EXISTS (SELECT 1 FROM users u WHERE u.id = person) THEN 'busy' ELSE 'out' END;
  END IF;
  IF session_hash IS NOT NULL THEN
    PERFORM 1 FROM sessions s WHERE s.hash = session_hash AND s.user_id = person FOR KEY SHARE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN CASE WHEN EXISTS (SELECT 1 FROM sessions s WHERE s.hash = session_hash) THEN 'busy' ELSE 'out' END;
    END IF;
  ELSE
    PERFORM 1 FROM api_tokens t WHERE t.id = token AND t.user_id = person FOR KEY SHARE SKIP LOCKED;
    IF NOT FOUND THEN
      RETURN CASE WHEN EXISTS (SELECT 1 FROM api_tokens t WHERE t.id = token) THEN 'busy' ELSE 'out' END;
    END IF;
  END IF;
  SELECT m.folder_id, m.closed_at IS NOT NULL INTO folder, closed FROM meetings m WHERE m.id = meeting AND m.deleted_at IS NULL FOR SHARE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN CASE WHEN EXISTS (SELECT 1 FROM meetings m WHERE m.id = meeting AND m.deleted_at IS NULL) THEN 'busy' ELSE 'less' END;
  END IF;
  IF folder IS NOT NULL THEN
    path := ARRAY(SELECT f.id FROM folders_above(folder) f);
    PERFORM 1 FROM folders f WHERE f.id = ANY(path) FOR SHARE SKIP LOCKED;
    GET DIAGNOSTICS number = ROW_COUNT;
    IF number < cardinality(path) THEN RETURN 'busy'; END IF;
  END IF;
  giving := ARRAY(
    SELECT g.id FROM groups_of(person) g WHERE
      EXISTS (SELECT 1 FROM meeting_access a WHERE a.meeting_id = meeting AND a.kind = 'group' AND a.principal_id = g.id)
      OR EXISTS (SELECT 1 FROM folder_access a WHERE a.folder_id = ANY(path) AND a.kind = 'group' AND a.principal_id = g.id));
  IF cardinality(giving) > 0 THEN
    PERFORM 1 FROM group_members m JOIN groups g ON g.id = m.group_id
    WHERE m.user_id = person AND m.group_id = ANY(giving) FOR SHARE OF g SKIP LOCKED FOR KEY SHARE OF m SKIP LOCKED;
    GET DIAGNOSTICS number = ROW_COUNT;
    IF number < cardinality(giving) THEN RETURN 'busy'; END IF;
  END IF;
  SELECT u.email_key INTO address FROM users u WHERE u.id = person AND u.confirmed_at IS NOT NULL;
  held := ARRAY(
    SELECT unnest(ARRAY['read', 'comment', 'write', 'own', 'discover', 'upload']) FROM meetings m
    WHERE m.id = meeting AND m.owner_id = person
    UNION
    SELECT unnest(a.permissions) FROM meeting_access a WHERE a.meeting_id = meeting AND (
      (a.kind = 'user' AND a.principal_id = person) OR (a.kind = 'pending' AND a.principal_id = address)
      OR (a.kind = 'group' AND a.principal_id IN (SELECT g.id FROM groups_of(person) g)))
    UNION
    SELECT unnest(g.permissions) FROM folder_grants(folder, person, address) g
    UNION
    SELECT p.name FROM meeting_access a CROSS JOIN LATERAL unnest(a.permissions) p(name)
    WHERE a.meeting_id = meeting AND a.kind = 'anonymous' AND p.name NOT IN ('own', 'upload')
      AND (a.expires_at IS NULL OR a.expires_at > clock_timestamp())
      AND (a.code_id IS NULL OR EXISTS (
        SELECT 1 FROM link_passes l WHERE l.meeting_id = meeting AND l.code_id = a.code_id
          AND l.expires_at > clock_timestamp() AND l.holder IN ('u:' || person, 'b:' || browser))));
  IF closed AND 'write' = ANY(held) THEN held := array_append(array_remove(held, 'write'), 'comment'); END IF;
  RETURN CASE WHEN held @> judged_by THEN 'held' ELSE 'less' END;
END $$;
