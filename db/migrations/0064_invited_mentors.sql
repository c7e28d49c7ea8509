ALTER TABLE "intakes" ADD COLUMN "mentor" text;--> statement-breakpoint
ALTER TABLE "intakes" ADD COLUMN "invitation_id" text;--> statement-breakpoint
ALTER TABLE "intakes" ADD CONSTRAINT "intakes_invitation_id_invitations_id_fk" FOREIGN KEY ("invitation_id") REFERENCES "public"."invitations"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "intakes_invitation" ON "intakes" USING btree ("invitation_id");