ALTER TABLE "meetings" ADD COLUMN "history_needs" text DEFAULT 'write' NOT NULL;
--> statement-breakpoint
ALTER TABLE "meetings" ADD CONSTRAINT "meetings_history_needs" CHECK ("history_needs" IN ('write', 'own'));
--> statement-breakpoint
-- Sockets of people who lose the history are told with the commit of the change.
CREATE TRIGGER meetings_history_news AFTER UPDATE OF history_needs ON meetings FOR EACH ROW
WHEN (OLD.history_needs IS DISTINCT FROM NEW.history_needs) EXECUTE FUNCTION tell_access_news();
