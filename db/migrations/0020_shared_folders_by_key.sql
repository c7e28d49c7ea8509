-- The folders that are shared with somebody, each with all that lie in it. Each is looked up by its own key (`OFFSET 0`
-- keeps it so): nobody's library is read through for somebody else's.
CREATE OR REPLACE FUNCTION folders_shared_with(person text, address text) RETURNS TABLE (id text) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE named AS (
    SELECT a.folder_id FROM folder_access a WHERE a.kind = 'user' AND a.principal_id = person
    UNION
    SELECT a.folder_id FROM folder_access a WHERE a.kind = 'pending' AND a.principal_id = address
    UNION
    SELECT a.folder_id FROM groups_of(person) g
    CROSS JOIN LATERAL (SELECT w.folder_id FROM folder_access w WHERE w.kind = 'group' AND w.principal_id = g.id OFFSET 0) a
  ), down AS (
    SELECT f.id FROM named n
    CROSS JOIN LATERAL (SELECT w.id, w.owner_id FROM folders w WHERE w.id = n.folder_id AND w.deleted_at IS NULL OFFSET 0) f
    WHERE f.owner_id <> person
    UNION
    SELECT f.id FROM down
    CROSS JOIN LATERAL (SELECT w.id FROM folders w WHERE w.parent_id = down.id AND w.deleted_at IS NULL OFFSET 0) f
  ) SELECT down.id FROM down
$$;
