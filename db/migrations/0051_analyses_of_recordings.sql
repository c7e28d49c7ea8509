CREATE TABLE "ai_analyses" (
	"meeting_id" text PRIMARY KEY NOT NULL,
	"parts" jsonb NOT NULL,
	"model" text NOT NULL,
	"host" text NOT NULL,
	"words" integer[] NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ai_analyses" ADD CONSTRAINT "ai_analyses_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;