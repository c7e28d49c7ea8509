DROP INDEX "attachments_request";--> statement-breakpoint
ALTER TABLE "attachments" ADD COLUMN "layer_id" text;--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_layer_id_layers_id_fk" FOREIGN KEY ("layer_id") REFERENCES "public"."layers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attachments_layer" ON "attachments" USING btree ("layer_id") WHERE layer_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "attachments_request" ON "attachments" USING btree ("meeting_id",coalesce("layer_id", ''),"user_id","request_id");