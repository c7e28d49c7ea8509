CREATE TABLE "intakes" (
	"meeting_id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"request_id" text NOT NULL,
	"request_digest" "bytea" NOT NULL,
	"state" text NOT NULL,
	"percentage" integer DEFAULT 0 NOT NULL,
	"failure" text,
	"title" text NOT NULL,
	"model" text NOT NULL,
	"lang" text NOT NULL,
	"speakers" integer NOT NULL,
	"vocabulary" text NOT NULL,
	"transcript" "bytea",
	"transcript_name" text,
	"transcript_type" text,
	"minutes_held" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" text PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"name" text NOT NULL,
	"bytes" bigint NOT NULL,
	"store_key" text NOT NULL,
	"reference" text,
	"part_bytes" integer,
	"created_at" timestamp with time zone NOT NULL,
	"touched_at" timestamp with time zone NOT NULL,
	"completed_at" timestamp with time zone,
	"digest" "bytea",
	"meeting_id" text,
	CONSTRAINT "uploads_store_key_unique" UNIQUE("store_key"),
	CONSTRAINT "uploads_meeting_id_unique" UNIQUE("meeting_id")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"meeting_id" text NOT NULL,
	"state" text NOT NULL,
	"step" text DEFAULT '' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"lease" text,
	"leased_until" timestamp with time zone,
	"deadline_at" timestamp with time zone,
	"error" text,
	"store_keys" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "intakes_request" ON "intakes" USING btree ("owner_id","request_id");--> statement-breakpoint
CREATE INDEX "intakes_created" ON "intakes" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "uploads_owner" ON "uploads" USING btree ("owner_id","created_at");--> statement-breakpoint
CREATE INDEX "uploads_touched" ON "uploads" USING btree ("touched_at");--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_one" ON "jobs" USING btree ("kind","meeting_id") WHERE state in ('waiting', 'running');--> statement-breakpoint
CREATE INDEX "jobs_due" ON "jobs" USING btree ("next_at") WHERE state in ('waiting', 'running');--> statement-breakpoint
CREATE INDEX "jobs_meeting" ON "jobs" USING btree ("meeting_id");--> statement-breakpoint
-- As with media: whatever takes these rows away, their files are remembered in the same transaction. Those that a row of
-- media has taken over meanwhile are left alone by whoever sweeps.
CREATE FUNCTION keep_store_leftovers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'jobs' THEN
    INSERT INTO store_leftovers (key) SELECT unnest(OLD.store_keys) ON CONFLICT DO NOTHING;
  ELSE
    INSERT INTO store_leftovers (key) VALUES (OLD.store_key) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER uploads_store_leftovers AFTER DELETE ON uploads FOR EACH ROW EXECUTE FUNCTION keep_store_leftovers();
--> statement-breakpoint
CREATE TRIGGER jobs_store_leftovers AFTER DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION keep_store_leftovers();
