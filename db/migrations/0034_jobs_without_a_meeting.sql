DROP INDEX "jobs_one";--> statement-breakpoint
ALTER TABLE "jobs" ALTER COLUMN "meeting_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "subject" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "jobs_one" ON "jobs" USING btree ("kind",coalesce("meeting_id", ''),"subject") WHERE state in ('waiting', 'running');