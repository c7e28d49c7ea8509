-- How far a recording is, is told by the row itself, whoever moved it: every process listens, and tells the pages that
-- have it open. A notice leaves with the commit of the change it speaks of.
CREATE FUNCTION tell_progress_news() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('colloquy_progress', NEW.meeting_id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER intakes_progress_news AFTER UPDATE OF state, percentage, failure ON intakes FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.percentage IS DISTINCT FROM NEW.percentage OR OLD.failure IS DISTINCT FROM NEW.failure)
  EXECUTE FUNCTION tell_progress_news();
