DROP INDEX "recording_imports_file";--> statement-breakpoint
ALTER TABLE "attachments" ADD COLUMN "request_id" text;--> statement-breakpoint
CREATE UNIQUE INDEX "attachments_request" ON "attachments" USING btree ("meeting_id","user_id","request_id");--> statement-breakpoint
CREATE INDEX "recording_imports_file" ON "recording_imports" USING btree ("service","recording_id","file_id");