ALTER TABLE "reviews" ADD COLUMN "key_of" text;--> statement-breakpoint
CREATE INDEX "reviews_key" ON "reviews" USING btree ("key_of") WHERE key_of is not null;