CREATE TABLE "archives" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"state" text NOT NULL,
	"folder" text,
	"recordings" text[] NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"missing" integer DEFAULT 0 NOT NULL,
	"store_key" text,
	"bytes" bigint,
	"sha256" "bytea",
	"failure" text,
	"created_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "archives" ADD CONSTRAINT "archives_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "archives_one" ON "archives" USING btree ("user_id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "archives_person" ON "archives" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "archives_finished" ON "archives" USING btree ("finished_at");--> statement-breakpoint
CREATE INDEX "archives_store_key" ON "archives" USING btree ("store_key");--> statement-breakpoint
CREATE TRIGGER archives_store_leftovers AFTER DELETE ON archives FOR EACH ROW WHEN (OLD.store_key IS NOT NULL) EXECUTE FUNCTION keep_store_leftovers();
