-- Open pages of teams follow who is in them and what they are. All members hear of it; of invitations admins alone do, who
-- alone see them.
CREATE FUNCTION tell_group_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_groups', p.user_id) FROM (
    SELECT c.user_id FROM changed c
    UNION SELECT m.user_id FROM group_members m WHERE m.group_id IN (SELECT c.group_id FROM changed c)
  ) p;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER group_members_page_news_new AFTER INSERT ON group_members REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION tell_group_changed();
--> statement-breakpoint
CREATE TRIGGER group_members_page_news_changed AFTER UPDATE ON group_members REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION tell_group_changed();
--> statement-breakpoint
CREATE TRIGGER group_members_page_news_gone AFTER DELETE ON group_members REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION tell_group_changed();
--> statement-breakpoint
CREATE FUNCTION tell_group_itself() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_groups', m.user_id) FROM group_members m
  WHERE m.group_id = CASE WHEN TG_TABLE_NAME = 'groups' THEN to_jsonb(NEW) ->> 'id' ELSE to_jsonb(NEW) ->> 'group_id' END;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER groups_page_news AFTER UPDATE OF name, description, type, archived_at, models ON groups FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION tell_group_itself();
--> statement-breakpoint
CREATE TRIGGER teams_page_news AFTER UPDATE OF payer_id, asked_payer_id, default_quota ON teams FOR EACH ROW
  WHEN (OLD.payer_id IS DISTINCT FROM NEW.payer_id OR OLD.asked_payer_id IS DISTINCT FROM NEW.asked_payer_id
    OR OLD.default_quota IS DISTINCT FROM NEW.default_quota)
  EXECUTE FUNCTION tell_group_itself();
--> statement-breakpoint
CREATE FUNCTION tell_group_invited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_groups', m.user_id) FROM group_members m WHERE m.group_id = NEW.target_id AND m.role = 'admin';
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER invitations_page_news AFTER INSERT OR UPDATE ON invitations FOR EACH ROW
  WHEN (NEW.kind = 'team') EXECUTE FUNCTION tell_group_invited();
