DROP INDEX "search_passages_outcomes";--> statement-breakpoint
ALTER TABLE "search_rooms" ADD COLUMN "facets" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
CREATE INDEX "search_passages_outcomes" ON "search_passages" USING btree ("meeting_id","type","grade") WHERE type is not null;