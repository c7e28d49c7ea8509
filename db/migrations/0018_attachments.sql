CREATE TABLE "attachments" (
	"id" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"user_id" text,
	"type" text NOT NULL,
	"bytes" integer NOT NULL,
	"duration_ms" integer,
	"store_key" text NOT NULL,
	"item_kind" text,
	"item_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"looked_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attachments_meeting" ON "attachments" USING btree ("meeting_id");--> statement-breakpoint
CREATE INDEX "attachments_user" ON "attachments" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "attachments_unused" ON "attachments" USING btree ("created_at") WHERE item_id is null;--> statement-breakpoint
CREATE INDEX "attachments_looked" ON "attachments" USING btree ("looked_at");--> statement-breakpoint
CREATE TRIGGER attachments_store_leftovers AFTER DELETE ON attachments FOR EACH ROW EXECUTE FUNCTION keep_store_leftover();
