CREATE TABLE "meeting_projections" (
	"meeting_id" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL,
	"title" text NOT NULL,
	"title_key" text NOT NULL,
	"words" integer NOT NULL,
	"speakers" integer NOT NULL,
	"spoken_ms" integer NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "meeting_projections" ADD CONSTRAINT "meeting_projections_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;