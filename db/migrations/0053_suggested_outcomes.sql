CREATE TABLE "ai_suggestions" (
	"id" text PRIMARY KEY NOT NULL,
	"meeting_id" text NOT NULL,
	"type" text NOT NULL,
	"choices" text[] NOT NULL,
	"text" text NOT NULL,
	"reason" text NOT NULL,
	"quote" text NOT NULL,
	"start" double precision NOT NULL,
	"end" double precision NOT NULL,
	"anchor" jsonb,
	"model" text NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"reject_reason" text,
	"outcome_id" text,
	"decided_by" text,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ai_runs" ADD COLUMN "outcome_model" text;--> statement-breakpoint
ALTER TABLE "ai_runs" ADD COLUMN "coach" text;--> statement-breakpoint
ALTER TABLE "ai_runs" ADD COLUMN "found" integer;--> statement-breakpoint
ALTER TABLE "ai_runs" ADD COLUMN "dropped" integer;--> statement-breakpoint
ALTER TABLE "ai_suggestions" ADD CONSTRAINT "ai_suggestions_meeting_id_meetings_id_fk" FOREIGN KEY ("meeting_id") REFERENCES "public"."meetings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ai_suggestions" ADD CONSTRAINT "ai_suggestions_decided_by_users_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ai_suggestions_meeting" ON "ai_suggestions" USING btree ("meeting_id");--> statement-breakpoint
CREATE INDEX "ai_suggestions_decided_by" ON "ai_suggestions" USING btree ("decided_by");