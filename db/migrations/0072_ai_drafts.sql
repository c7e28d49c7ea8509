CREATE TABLE "ai_drafts" (
	"id" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"user_id" text NOT NULL,
	"kind" text NOT NULL,
	"nth" integer NOT NULL,
	"text" text NOT NULL,
	"quotes" jsonb NOT NULL,
	"struck" integer NOT NULL,
	"model" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ai_drafts" ADD CONSTRAINT "ai_drafts_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_drafts" ADD CONSTRAINT "ai_drafts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ai_drafts_meeting" ON "ai_drafts" USING btree ("meeting_id","user_id","kind");--> statement-breakpoint
CREATE INDEX "ai_drafts_user" ON "ai_drafts" USING btree ("user_id");