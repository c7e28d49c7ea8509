CREATE TABLE "orders" (
	"id" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"state" text NOT NULL,
	"title" text NOT NULL,
	"lang" text NOT NULL,
	"speakers" integer NOT NULL,
	"vocabulary" text NOT NULL,
	"duration_ms" integer,
	"created_at" timestamp with time zone NOT NULL,
	"holder_id" text,
	"transcript" "bytea",
	"transcript_type" text,
	"request_id" text,
	"heard_from" integer,
	"refusal" text,
	"failure" text,
	"finished_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_holder_id_users_id_fk" FOREIGN KEY ("holder_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_open" ON "orders" USING btree ("meeting_id") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "orders_meeting" ON "orders" USING btree ("meeting_id");--> statement-breakpoint
CREATE INDEX "orders_state" ON "orders" USING btree ("state","created_at");