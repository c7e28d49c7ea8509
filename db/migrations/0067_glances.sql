ALTER TABLE "meeting_projections" ADD COLUMN "lanes" text;--> statement-breakpoint
ALTER TABLE "meeting_projections" ADD COLUMN "opening" text;