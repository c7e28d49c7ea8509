CREATE TABLE "folders" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"parent_id" text,
	"name" text NOT NULL,
	"name_key" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"deleted_at" timestamp with time zone,
	"deleted_with" text,
	CONSTRAINT "folders_id_owner" UNIQUE("id","owner_id")
);
--> statement-breakpoint
ALTER TABLE "meetings" ADD COLUMN "folder_id" text;--> statement-breakpoint
ALTER TABLE "meetings" ADD COLUMN "deleted_with" text;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "folders" ADD CONSTRAINT "folders_parent" FOREIGN KEY ("parent_id","owner_id") REFERENCES "public"."folders"("id","owner_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "folders_name" ON "folders" USING btree ("owner_id",coalesce("parent_id", ''),"name_key") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "folders_parent_id" ON "folders" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "folders_deleted" ON "folders" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
ALTER TABLE "meetings" ADD CONSTRAINT "meetings_folder_id_folders_id_fk" FOREIGN KEY ("folder_id") REFERENCES "public"."folders"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "meetings_folder" ON "meetings" USING btree ("folder_id");--> statement-breakpoint
CREATE INDEX "meetings_deleted_with" ON "meetings" USING btree ("deleted_with") WHERE deleted_with is not null;--> statement-breakpoint
-- Two people, or one in two windows, may each put one folder into the other at the same moment, and neither sees what the
-- other does. So whoever gives a folder a parent waits for whoever else changes the folders of that owner, and looks then.
CREATE FUNCTION keep_folders_a_tree() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  above integer;
BEGIN
  IF NEW.parent_id IS NULL THEN RETURN NEW; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('folders of ' || NEW.owner_id, 0));
  WITH RECURSIVE up AS (
    SELECT id, parent_id, 1 AS depth FROM folders WHERE id = NEW.parent_id
    UNION ALL
    SELECT f.id, f.parent_id, up.depth + 1 FROM up JOIN folders f ON f.id = up.parent_id WHERE up.id <> NEW.id AND up.depth < 10
  ) SELECT CASE WHEN bool_or(id = NEW.id) THEN 100 ELSE max(depth) END INTO above FROM up;
  IF above >= 100 THEN
    RAISE EXCEPTION 'a folder cannot lie in itself' USING ERRCODE = 'check_violation', CONSTRAINT = 'folders_no_circle';
  ELSIF above >= 10 THEN
    RAISE EXCEPTION 'folders lie too deep in each other' USING ERRCODE = 'check_violation', CONSTRAINT = 'folders_depth';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER folders_tree BEFORE INSERT OR UPDATE OF parent_id ON folders FOR EACH ROW EXECUTE FUNCTION keep_folders_a_tree();
