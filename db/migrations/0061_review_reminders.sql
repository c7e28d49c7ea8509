ALTER TABLE "reviews" ADD COLUMN "reminded_for" text;--> statement-breakpoint
CREATE INDEX "reviews_due" ON "reviews" USING btree ("due") WHERE opened_at is null and deleted_at is null;