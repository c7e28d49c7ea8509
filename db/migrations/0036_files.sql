ALTER TABLE "attachments" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "attachments" ADD COLUMN "deleted_at" timestamp with time zone;