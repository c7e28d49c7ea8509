-- Whoever loses a right is told of by the row itself, so no code path can forget it: every process listens, and looks
-- again at the sockets it concerns. A notice leaves with the commit of the change it speaks of.
CREATE FUNCTION tell_access_news() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'sessions' OR TG_TABLE_NAME = 'api_tokens' THEN
    PERFORM pg_notify('colloquy_access', json_build_object('session', OLD.id)::text);
  ELSIF TG_TABLE_NAME = 'users' THEN
    PERFORM pg_notify('colloquy_access', json_build_object('user', OLD.id)::text);
  ELSIF TG_TABLE_NAME = 'meetings' THEN
    PERFORM pg_notify('colloquy_access', json_build_object('meeting', OLD.id)::text);
  ELSIF TG_OP = 'INSERT' THEN
    PERFORM pg_notify('colloquy_access', json_build_object('meeting', NEW.meeting_id)::text);
  ELSE
    PERFORM pg_notify('colloquy_access', json_build_object('meeting', OLD.meeting_id)::text);
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER sessions_access_news AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION tell_access_news();
--> statement-breakpoint
CREATE TRIGGER api_tokens_access_news AFTER DELETE ON api_tokens FOR EACH ROW EXECUTE FUNCTION tell_access_news();
--> statement-breakpoint
CREATE TRIGGER users_access_news AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION tell_access_news();
--> statement-breakpoint
CREATE TRIGGER meetings_access_news AFTER DELETE OR UPDATE OF owner_id, deleted_at ON meetings FOR EACH ROW EXECUTE FUNCTION tell_access_news();
--> statement-breakpoint
CREATE TRIGGER meeting_access_news AFTER INSERT OR UPDATE OR DELETE ON meeting_access FOR EACH ROW EXECUTE FUNCTION tell_access_news();
