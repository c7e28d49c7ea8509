-- What lies in somebody's lists is told to that person by the rows themselves, whoever changed it: every process listens,
-- and has their open lists look again. Whoever loses something is told, too. A notice leaves with the commit of the change.
-- Where many rows come or go at once, each person is told once, and found once.
CREATE FUNCTION tell_library_of_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_library', p.id)
  FROM (SELECT DISTINCT kind, principal_id FROM entries) e CROSS JOIN LATERAL people_of_entry(e.kind, e.principal_id) p;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER meeting_access_comes_library_news AFTER INSERT ON meeting_access REFERENCING NEW TABLE AS entries
  FOR EACH STATEMENT EXECUTE FUNCTION tell_library_of_entries();
--> statement-breakpoint
CREATE TRIGGER meeting_access_goes_library_news AFTER DELETE ON meeting_access REFERENCING OLD TABLE AS entries
  FOR EACH STATEMENT EXECUTE FUNCTION tell_library_of_entries();
--> statement-breakpoint
CREATE TRIGGER folder_access_comes_library_news AFTER INSERT ON folder_access REFERENCING NEW TABLE AS entries
  FOR EACH STATEMENT EXECUTE FUNCTION tell_library_of_entries();
--> statement-breakpoint
CREATE TRIGGER folder_access_goes_library_news AFTER DELETE ON folder_access REFERENCING OLD TABLE AS entries
  FOR EACH STATEMENT EXECUTE FUNCTION tell_library_of_entries();
--> statement-breakpoint
CREATE FUNCTION tell_library_of_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_library', p.id)
  FROM (SELECT id FROM people_of_entry(OLD.kind, OLD.principal_id) UNION SELECT id FROM people_of_entry(NEW.kind, NEW.principal_id)) p;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER meeting_access_library_news AFTER UPDATE OF kind, principal_id, permissions ON meeting_access
  FOR EACH ROW EXECUTE FUNCTION tell_library_of_entry();
--> statement-breakpoint
CREATE TRIGGER folder_access_library_news AFTER UPDATE OF kind, principal_id, permissions ON folder_access
  FOR EACH ROW EXECUTE FUNCTION tell_library_of_entry();
--> statement-breakpoint
-- Nobody but its owner knows a new one yet, and whoever has the folder it lies in.
CREATE FUNCTION tell_library_of_new_meetings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_library', p.id)
  FROM (
    SELECT owner_id AS id FROM came
    UNION SELECT h.id FROM (SELECT DISTINCT folder_id FROM came WHERE folder_id IS NOT NULL) f CROSS JOIN LATERAL people_of_folder(f.folder_id) h
  ) p;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER meetings_come_library_news AFTER INSERT ON meetings REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION tell_library_of_new_meetings();
--> statement-breakpoint
-- Those it was shared with are told by what goes with it.
CREATE FUNCTION tell_library_of_gone_meetings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_library', p.id) FROM (SELECT DISTINCT owner_id AS id FROM went) p;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER meetings_go_library_news AFTER DELETE ON meetings REFERENCING OLD TABLE AS went
  FOR EACH STATEMENT EXECUTE FUNCTION tell_library_of_gone_meetings();
--> statement-breakpoint
CREATE FUNCTION tell_library_of_meeting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_library', p.id)
  FROM (SELECT OLD.owner_id AS id UNION SELECT id FROM people_of_meeting(NEW.id) UNION SELECT id FROM people_of_folder(OLD.folder_id)) p;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER meetings_library_news AFTER UPDATE OF owner_id, folder_id, deleted_at ON meetings FOR EACH ROW
  WHEN (OLD.owner_id IS DISTINCT FROM NEW.owner_id OR OLD.folder_id IS DISTINCT FROM NEW.folder_id OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION tell_library_of_meeting();
--> statement-breakpoint
CREATE FUNCTION tell_library_of_new_folders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_library', p.id)
  FROM (
    SELECT owner_id AS id FROM came
    UNION SELECT h.id FROM (SELECT DISTINCT parent_id FROM came WHERE parent_id IS NOT NULL) f CROSS JOIN LATERAL people_of_folder(f.parent_id) h
  ) p;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER folders_come_library_news AFTER INSERT ON folders REFERENCING NEW TABLE AS came
  FOR EACH STATEMENT EXECUTE FUNCTION tell_library_of_new_folders();
--> statement-breakpoint
-- A deleted folder is no place any more by which people are found: who had it by itself, or by what it lay in.
CREATE FUNCTION tell_library_of_folder() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_library', p.id)
  FROM (
    SELECT id FROM people_of_folder(NEW.id) UNION SELECT id FROM people_of_folder(OLD.parent_id)
    UNION SELECT e.id FROM folder_access a CROSS JOIN LATERAL people_of_entry(a.kind, a.principal_id) e WHERE a.folder_id = NEW.id
  ) p;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER folders_library_news AFTER UPDATE OF name, parent_id, deleted_at ON folders FOR EACH ROW
  WHEN (OLD.name IS DISTINCT FROM NEW.name OR OLD.parent_id IS DISTINCT FROM NEW.parent_id OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION tell_library_of_folder();
--> statement-breakpoint
CREATE FUNCTION tell_library_of_group() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'groups' THEN
    PERFORM pg_notify('colloquy_library', m.user_id) FROM group_members m WHERE m.group_id = NEW.id;
  ELSE
    PERFORM pg_notify('colloquy_library', CASE WHEN TG_OP = 'INSERT' THEN NEW.user_id ELSE OLD.user_id END);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER group_members_library_news AFTER INSERT OR DELETE ON group_members FOR EACH ROW EXECUTE FUNCTION tell_library_of_group();
--> statement-breakpoint
CREATE TRIGGER groups_library_news AFTER UPDATE OF archived_at ON groups FOR EACH ROW EXECUTE FUNCTION tell_library_of_group();
