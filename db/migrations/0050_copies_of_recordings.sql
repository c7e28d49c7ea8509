ALTER TABLE "meetings" ADD COLUMN "cloned_from" text;--> statement-breakpoint
CREATE INDEX "holds_meeting" ON "holds" USING btree ("meeting_id");--> statement-breakpoint
CREATE INDEX "meetings_cloned_from" ON "meetings" USING btree ("cloned_from") WHERE cloned_from is not null;