ALTER TABLE "teams" ADD COLUMN "second_pass" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "teams" ADD COLUMN "second_readers" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "second_of" text;--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "second_decided_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "reviews_undecided" ON "reviews" USING btree ("opened_at") WHERE second_decided_at is null and second_of is null and opened_at is not null and deleted_at is null;--> statement-breakpoint
UPDATE "reviews" SET "second_decided_at" = "opened_at" WHERE "opened_at" IS NOT NULL;
