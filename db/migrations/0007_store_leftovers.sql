CREATE TABLE "store_leftovers" (
	"key" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
-- A row of media may go with its meeting, and that with an account: whichever it was, its file is remembered in the same
-- transaction, so none is left behind and none is removed whose row is still there.
CREATE FUNCTION keep_store_leftover() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO store_leftovers (key) VALUES (OLD.store_key) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER media_store_leftovers AFTER DELETE ON media FOR EACH ROW EXECUTE FUNCTION keep_store_leftover();
