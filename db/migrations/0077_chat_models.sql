ALTER TABLE "meetings" ADD COLUMN "chat_model_id" text;--> statement-breakpoint
ALTER TABLE "meetings" ADD COLUMN "chat_model_version" bigint DEFAULT 0 NOT NULL;