ALTER TABLE "intakes" ADD COLUMN "agreed_ms" integer;--> statement-breakpoint
ALTER TABLE "intakes" ADD COLUMN "measured_ms" integer;--> statement-breakpoint
-- The trial belongs to confirmed addresses: an account gets it when its address is confirmed.
UPDATE "users" SET "trial_minutes" = 0 WHERE "confirmed_at" IS NULL;
