-- What a write by REST hangs on, asked in the statement that stores it, when that has the room: whether the session or
-- token still counts, and whether the person still holds at least what the write was judged by. From 'held' on none of it
-- can end until the row is stored, for the rows that give it are locked; whoever ends it waits that long. 'less' and 'out':
-- it has ended. 'busy': somebody has one of these rows. They are never waited for here, since whoever ends a right may wait
-- for this very room. Each statement sees what has been committed by then. What counts is what accessesOf and permissionsOf
-- say.
CREATE FUNCTION hold_rights(meeting text, person text, browser text, session_hash bytea, token text, judged_by text[])
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  address text;
  folder text;
  path text[];
  giving text[];
  number int;
  held text[];
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
  SELECT m.folder_id INTO folder FROM meetings m WHERE m.id = meeting AND m.deleted_at IS NULL FOR SHARE SKIP LOCKED;
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
  RETURN CASE WHEN held @> judged_by THEN 'held' ELSE 'less' END;
END $$;
