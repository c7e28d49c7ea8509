CREATE TABLE "group_members" (
	"group_id" text NOT NULL,
	"user_id" text NOT NULL,
	"role" text NOT NULL,
	"joined_at" timestamp with time zone NOT NULL,
	CONSTRAINT "group_members_group_id_user_id_pk" PRIMARY KEY("group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"archived_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "folder_access" (
	"folder_id" text NOT NULL,
	"kind" text NOT NULL,
	"principal_id" text NOT NULL,
	"permissions" text[] NOT NULL,
	"email" text,
	"seen_at" timestamp with time zone,
	CONSTRAINT "folder_access_folder_id_kind_principal_id_pk" PRIMARY KEY("folder_id","kind","principal_id")
);
--> statement-breakpoint
ALTER TABLE "folders" ADD COLUMN "acl_version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "group_members" ADD CONSTRAINT "group_members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folder_access" ADD CONSTRAINT "folder_access_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "group_members_user" ON "group_members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "folder_access_principal" ON "folder_access" USING btree ("kind","principal_id");--> statement-breakpoint
-- The folders something lies in, from its own to the top. What lies in a deleted one lies at the top.
CREATE FUNCTION folders_above(start text) RETURNS TABLE (id text, owner_id text) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE up AS (
    SELECT f.id, f.parent_id, f.owner_id, 1 AS depth FROM folders f WHERE f.id = start AND f.deleted_at IS NULL
    UNION ALL
    SELECT f.id, f.parent_id, f.owner_id, up.depth + 1
    FROM up JOIN folders f ON f.id = up.parent_id AND f.deleted_at IS NULL WHERE up.depth < 20
  ) SELECT up.id, up.owner_id FROM up
$$;
--> statement-breakpoint
CREATE FUNCTION groups_of(person text) RETURNS TABLE (id text) LANGUAGE sql STABLE AS $$
  SELECT g.id FROM group_members m JOIN groups g ON g.id = m.group_id AND g.archived_at IS NULL WHERE m.user_id = person
$$;
--> statement-breakpoint
-- What a person holds on a folder and all that lies in it: by it and by each folder it lies in. Whoever made the folder
-- holds all of it, also of what others put there. `address` is the one they have confirmed, as a key.
CREATE FUNCTION folder_grants(folder text, person text, address text) RETURNS TABLE (permissions text[]) LANGUAGE sql STABLE AS $$
  SELECT ARRAY['read', 'comment', 'write', 'own', 'discover', 'upload'] FROM folders f
  WHERE f.id = folder AND f.deleted_at IS NULL AND f.owner_id = person
  UNION ALL
  SELECT a.permissions FROM folders_above(folder) f JOIN folder_access a ON a.folder_id = f.id AND (
    (a.kind = 'user' AND a.principal_id = person) OR (a.kind = 'pending' AND a.principal_id = address)
    OR (a.kind = 'group' AND a.principal_id IN (SELECT g.id FROM groups_of(person) g)))
$$;
--> statement-breakpoint
-- The folders that are shared with somebody, each with all that lie in it.
CREATE FUNCTION folders_shared_with(person text, address text) RETURNS TABLE (id text) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE down AS (
    SELECT f.id FROM folder_access a JOIN folders f ON f.id = a.folder_id AND f.deleted_at IS NULL AND f.owner_id <> person
    WHERE (a.kind = 'user' AND a.principal_id = person) OR (a.kind = 'pending' AND a.principal_id = address)
      OR (a.kind = 'group' AND a.principal_id IN (SELECT g.id FROM groups_of(person) g))
    UNION
    SELECT f.id FROM down JOIN folders f ON f.parent_id = down.id AND f.deleted_at IS NULL
  ) SELECT down.id FROM down
$$;
--> statement-breakpoint
-- Everybody a folder is shared with, by name, by address, or as one of a group.
CREATE FUNCTION people_of_folder(folder text) RETURNS TABLE (id text) LANGUAGE sql STABLE AS $$
  SELECT f.owner_id FROM folders f WHERE f.id = folder
  UNION
  SELECT u.id FROM folders_above(folder) f JOIN folder_access a ON a.folder_id = f.id JOIN users u ON (
    (a.kind = 'user' AND u.id = a.principal_id)
    OR (a.kind = 'pending' AND u.email_key = a.principal_id AND u.confirmed_at IS NOT NULL)
    OR (a.kind = 'group' AND u.id IN (SELECT m.user_id FROM group_members m WHERE m.group_id = a.principal_id)))
$$;
--> statement-breakpoint
-- As with a meeting's own list, whoever loses a right by a folder or a group is told of by the rows. Here it is the person
-- who is named, since a folder may hold more meetings than anybody has open.
CREATE FUNCTION tell_folder_access_news() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  row folder_access;
BEGIN
  row := CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END;
  PERFORM pg_notify('colloquy_access', json_build_object('user', u.id)::text) FROM users u WHERE
    (row.kind = 'user' AND u.id = row.principal_id)
    OR (row.kind = 'pending' AND u.email_key = row.principal_id AND u.confirmed_at IS NOT NULL)
    OR (row.kind = 'group' AND u.id IN (SELECT m.user_id FROM group_members m WHERE m.group_id = row.principal_id));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER folder_access_news AFTER INSERT OR UPDATE OR DELETE ON folder_access FOR EACH ROW EXECUTE FUNCTION tell_folder_access_news();
--> statement-breakpoint
-- Moved into another folder, a folder and all that lies in it is shared with other people.
CREATE FUNCTION tell_moved_folder_news() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_access', json_build_object('user', p.id)::text)
  FROM (SELECT id FROM people_of_folder(OLD.parent_id) UNION SELECT id FROM people_of_folder(NEW.parent_id)) p;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER folders_moved_news AFTER UPDATE OF parent_id ON folders FOR EACH ROW
  WHEN (OLD.parent_id IS DISTINCT FROM NEW.parent_id) EXECUTE FUNCTION tell_moved_folder_news();
--> statement-breakpoint
CREATE TRIGGER meetings_moved_news AFTER UPDATE OF folder_id ON meetings FOR EACH ROW
  WHEN (OLD.folder_id IS DISTINCT FROM NEW.folder_id) EXECUTE FUNCTION tell_access_news();
--> statement-breakpoint
CREATE FUNCTION tell_group_news() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'group_members' THEN
    PERFORM pg_notify('colloquy_access', json_build_object('user', CASE WHEN TG_OP = 'INSERT' THEN NEW.user_id ELSE OLD.user_id END)::text);
  ELSE
    PERFORM pg_notify('colloquy_access', json_build_object('user', m.user_id)::text) FROM group_members m WHERE m.group_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER group_members_news AFTER INSERT OR UPDATE OR DELETE ON group_members FOR EACH ROW EXECUTE FUNCTION tell_group_news();
--> statement-breakpoint
CREATE TRIGGER groups_news AFTER UPDATE OF archived_at ON groups FOR EACH ROW EXECUTE FUNCTION tell_group_news();
--> statement-breakpoint
-- Nothing stays shared with a group that is gone.
CREATE FUNCTION forget_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM meeting_access WHERE kind = 'group' AND principal_id = OLD.id;
  DELETE FROM folder_access WHERE kind = 'group' AND principal_id = OLD.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER groups_forgotten AFTER DELETE ON groups FOR EACH ROW EXECUTE FUNCTION forget_group();
